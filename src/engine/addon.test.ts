import { readFileSync } from 'node:fs';
import { Core } from '@slotbook/core/native';
import { describe, expect, test } from 'vitest';

const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';
const NOTHING = Buffer.alloc(0);
const USER = '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p';
const SPOT_MARKET = '3x85u7SWkmmr7YQGYhtjARgxwegTLJgkSLRprfXod6rh';

function captured(file: string): string {
  return readFileSync(new URL(`../../test/accounts/${file}`, import.meta.url), 'latin1').trim();
}

/** A record of the batch buffer, as `crates/node/src/record.rs` describes it. */
function record(form: number, pubkey: Buffer, owner: Buffer, data: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(12 + pubkey.length + owner.length + data.length, 0);
  head.set([form, 0, pubkey.length, owner.length], 4);
  head.writeBigUInt64LE(7n, 8);
  return Buffer.concat([head, pubkey, owner, data]);
}

function spotMarket(): Buffer {
  const data = Buffer.from(captured('spot-1-sol-202506.b64'));
  return record(1, Buffer.from(SPOT_MARKET), Buffer.from(PROGRAM), data);
}

function userWithOrders(): Buffer {
  const data = Buffer.from(captured('user-9Jtc-devnet.b64'));
  return record(1, Buffer.from(USER), Buffer.from(PROGRAM), data);
}

function coreWithSpotMarket(): Core {
  return coreWith(spotMarket());
}

/** A core after one turn with these records. */
function coreWith(...records: readonly Buffer[]): Core {
  const core = new Core(PROGRAM, 'e1');
  const batch = Buffer.concat(records);
  core.endTurn(batch, batch.length, 1, Buffer.alloc(1024));
  return core;
}

describe('addon: hashes of what is held', () => {
  test('are equal in whatever order accounts came, and name the order that differs', () => {
    const core = coreWith(userWithOrders(), spotMarket());
    const other = coreWith(spotMarket(), userWithOrders());
    core.setClock(7, -9);
    other.setClock(7, -9);
    const hashes = core.marketHashes();
    expect(hashes).toEqual(other.marketHashes());
    expect(hashes).toHaveLength(32);
    expect([hashes.readBigUInt64LE(0), hashes.readBigInt64LE(8)]).toEqual([7n, -9n]);
    const orders = JSON.parse(core.orderHashes(0)) as { maker: string; hash: string }[];
    expect(orders.length).toBeGreaterThan(0);
    expect(orders[0]).toMatchObject({ maker: USER, hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(coreWithSpotMarket().marketHashes().subarray(16)).not.toEqual(hashes.subarray(16));
    expect([coreWithSpotMarket().orderHashes(0), core.orderHashes(9)]).toEqual(['[]', '[]']);
  });

  test('have the levels of venues beside what the chain says', () => {
    const core = coreWithSpotMarket();
    const before = core.marketHashes();
    const parts = JSON.parse(core.marketHashParts(0) as string) as { external: string };
    const level = Buffer.alloc(16, 1);
    core.setExternalLevels(0, level, NOTHING);
    const after = core.marketHashes();
    expect(after.subarray(16, 24)).toEqual(before.subarray(16, 24));
    expect([before.readBigUInt64LE(24), after.readBigUInt64LE(24)]).toEqual([
      0n,
      expect.any(BigInt),
    ]);
    expect(after.readBigUInt64LE(24)).not.toBe(0n);
    const changed = JSON.parse(core.marketHashParts(0) as string) as { external: string };
    expect({ ...changed, external: parts.external }).toEqual(parts);
    expect(changed.external).not.toBe(parts.external);
    expect(core.marketHashParts(1)).toBeNull();
  });
});

describe('addon: buffers of the caller', () => {
  test('a body that does not fit answers the length it needs, and writes nothing', () => {
    const core = coreWithSpotMarket();
    const needed = -core.l2(0, 10, 0, 0, Buffer.alloc(0));
    expect(needed).toBeGreaterThan(100);
    const short = Buffer.alloc(needed - 1);
    expect(core.l2(0, 10, 0, 0, short)).toBe(-needed);
    expect(short.every((byte) => byte === 0)).toBe(true);
    const exact = Buffer.alloc(needed);
    expect(core.l2(0, 10, 0, 0, exact)).toBe(needed);
    expect(JSON.parse(exact.toString())).toMatchObject({ marketName: 'SOL' });
    expect(core.l3(0, 0, '', 0, Buffer.alloc(1))).toBeLessThan(-100);
  });

  test('a report that does not fit leaves the turn open', () => {
    const core = coreWithSpotMarket();
    const version = Buffer.alloc(32);
    core.version(0, version);
    expect(core.endTurn(NOTHING, 0, 2, Buffer.alloc(36))).toBe(-10);
    expect(core.endSnapshot(Buffer.alloc(15))).toBe(false);
    expect(core.version(0, Buffer.alloc(31))).toBe(false);
    expect(core.endTurn(NOTHING, 0, 2, Buffer.alloc(40))).toBe(9);
    const after = Buffer.alloc(32);
    core.version(0, after);
    expect(after).toEqual(version);
  });

  test('a batch shorter than the stated length is read to its end only', () => {
    const core = coreWithSpotMarket();
    core.apply(Buffer.from([255, 255, 255, 255, 0]), 1_000_000);
    expect(JSON.parse(core.takeProblems())).toMatchObject([
      { pubkey: null, code: 'MALFORMED_RECORD' },
    ]);
    expect(core.takeProblems()).toBe('[]');
  });

  test('keys and data may also come as bytes', () => {
    const core = coreWithSpotMarket();
    const core2 = new Core(PROGRAM, 'e1');
    const problem = record(0, Buffer.alloc(31), Buffer.alloc(32), Buffer.alloc(8));
    core2.apply(problem, problem.length);
    expect(JSON.parse(core2.takeProblems())).toMatchObject([{ code: 'INVALID_KEY' }]);
    const foreign = record(0, Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(8, 3));
    core.apply(foreign, foreign.length);
    expect(core.takeProblems()).toBe('[]');
  });

  test('numbers no one should send do not end the process', () => {
    const core = coreWithSpotMarket();
    core.setClock(Number.NaN, Number.NEGATIVE_INFINITY);
    core.setClock(Number.POSITIVE_INFINITY, Number.MAX_VALUE);
    core.setClock(-1, -1);
    expect(core.setState(99)).toBe(false);
  });
});
