/** An item that a node refuses, in any way, blocks no other; a node that refuses everything fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerNode, LedgerTransaction } from '../../../test/scripted-ledger.js';
import type { Reply } from '../../../test/scripted-rpc.js';
import { BROKEN_LINE } from '../../../test/support/ingest-rig.js';
import { IngestScene } from '../../../test/support/ingest-scene.js';
import { LATER_FIRST_MS } from '../model/limits.js';

let scene: IngestScene;

beforeEach(async () => {
  scene = await IngestScene.start();
});

afterEach(() => scene.stop());

function rpcError(code: number, message: string): Reply {
  return { error: { code, message } };
}

const META = { err: null, logMessages: ['fill 99'] };

/** Responses of nodes for a transaction that they refuse. */
const REFUSALS: readonly (readonly [string, Reply])[] = [
  [
    'a version that is not supported',
    rpcError(-32_015, 'Transaction version (9) is not supported'),
  ],
  ['an internal error', rpcError(-32_603, 'Internal error')],
  ['a slot that is in long-term storage', rpcError(-32_009, 'Slot 7 was skipped, or missing')],
  ['parameters that are not taken', rpcError(-32_602, 'Invalid params')],
  ['a method that is not found', rpcError(-32_601, 'Method not found')],
  ['no transaction', { result: null }],
  ['a text in the place of a transaction', { result: 'none' }],
  ['a log that is no list', { result: { slot: 1, meta: { err: null, logMessages: 'fill 99' } } }],
  [
    'a log that is no list of texts',
    { result: { slot: 1, meta: { err: null, logMessages: [7] } } },
  ],
  ['a meta that is none', { result: { slot: 1, meta: 'none' } }],
  ['a slot that is none', { result: { slot: 'first', meta: META } }],
  ['a status of 403', { status: 403 }],
  ['a status of 404', { status: 404 }],
  ['a status of 500', { status: 500 }],
  ['half a body', { text: '{"jsonrpc":"2.0","res' }],
  ['nothing, and cuts the connection', 'destroy'],
];

/** One refusal of each kind: of the item, of the node, and of either. */
const KINDS = REFUSALS.filter(([name]) => {
  return ['an internal error', 'no transaction', 'a status of 500'].includes(name);
});

function refuse(node: LedgerNode, refused: readonly LedgerTransaction[], reply: Reply): void {
  const signatures = new Set(refused.map(({ signature }) => signature));
  node.suffer({
    instead: (method, [signature]) => {
      const isRefused = method === 'getTransaction' && signatures.has(String(signature));
      return isRefused ? reply : undefined;
    },
  });
}

describe('a transaction of which a node says', () => {
  test.each(REFUSALS)(
    '%s holds no other up, and is stored when it is given later',
    async (_, reply) => {
      const { ledger, node } = scene;
      scene.fill(1);
      const refused = scene.fill(2);
      const last = scene.fill(3);
      ledger.tick(40);
      refuse(node, [refused], reply);
      const rig = await scene.live();
      scene.told(4);
      await rig.until(() => expect(rig.store.ids).toEqual([1, 3, 4]));
      await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
      const missed = scene.fill(5);
      await scene.settles(rig, [1, 3, 4, 5]);
      await rig.until(() => expect(rig.stats.finalisedSlot).toBe(missed.slot));
      expect(rig.counters).toMatchObject({ unavailable: 1, recovered: 0, readingFailures: 0 });
      expect([rig.state, rig.reason]).toEqual(['live', expect.stringMatching(/unavailable.* 1$/)]);
      node.suffer({ instead: () => undefined });
      await scene.settles(rig, [1, 2, 3, 4, 5]);
      expect(rig.counters).toMatchObject({ unavailable: 1, recovered: 1 });
      expect([rig.state, rig.reason]).toEqual(['live', null]);
    },
  );

  test.each(KINDS)('%s, and which is the only one, is given up as well', async (_, reply) => {
    const { ledger, node } = scene;
    const refused = scene.fill(1);
    ledger.tick(40);
    refuse(node, [refused], reply);
    const rig = scene.rig();
    await rig.until(() => expect(rig.stats.finalisedSlot).toBe(refused.slot));
    await rig.live();
    expect(rig.counters.unavailable).toBe(1);
    scene.told(2);
    await scene.settles(rig, [2]);
    await sleep(2 * LATER_FIRST_MS);
    // It was requested again, and is not forgotten.
    expect(rig.counters).toMatchObject({ unavailable: 1, recovered: 0 });
    expect(rig.reason).toMatch(/unavailable.* 1$/);
  });

  test('an error is requested again after a restart', async () => {
    const { ledger, node } = scene;
    refuse(node, [scene.fill(1)], rpcError(-32_603, 'Internal error'));
    const last = scene.fill(2);
    ledger.tick(40);
    const first = await scene.live();
    await first.until(() => expect(first.stats.finalisedSlot).toBe(last.slot));
    await first.stop();
    const second = await scene.live({ stores: first.stores });
    expect(second.reason).toMatch(/unavailable.* 1$/);
    node.suffer({ instead: () => undefined });
    await scene.settles(second, [1, 2]);
    expect(second.reason).toBeNull();
    await second.stop();
    const third = await scene.live({ stores: first.stores });
    expect(third.reason).toBeNull();
  });

  test('an error is taken from another node', async () => {
    const { ledger, node } = scene;
    await scene.addNode();
    refuse(node, [scene.fill(1)], rpcError(-32_603, 'Internal error'));
    ledger.tick(40);
    const rig = await scene.live();
    await scene.settles(rig, [1]);
    expect(rig.counters).toMatchObject({ unavailable: 0, failovers: 0 });
  });

  test('an error, one of a crowd beside one that is given, holds none up', async () => {
    const { ledger, node } = scene;
    const crowd = Array.from({ length: 30 }, (_, at) => scene.fill(at + 1));
    scene.fill(31);
    refuse(node, crowd, rpcError(-32_603, 'Internal error'));
    ledger.tick(40);
    const rig = await scene.live();
    await scene.settles(rig, [31]);
    await rig.until(() => expect(rig.counters.unavailable).toBe(30));
    expect(rig.counters.readingFailures).toBe(0);
  });
});

describe('a node that gives no transaction', () => {
  test.each(KINDS)('but %s fails, and no mark moves', async (_, reply) => {
    const { ledger, node } = scene;
    const made = [1, 2, 3, 4, 5].map((id) => scene.fill(id));
    ledger.tick(40);
    refuse(node, made, reply);
    const rig = scene.rig();
    await rig.until(() => expect(rig.state).toBe('failing'));
    expect(rig.stats.finalisedSlot).toBe(0);
    node.suffer({ instead: () => undefined });
    await scene.settles(rig, [1, 2, 3, 4, 5]);
    await rig.live();
    expect(rig.stats.finalisedSlot).toBe(made.at(-1)?.slot);
  });

  test('has none of them given up while it is short of requests', async () => {
    const { ledger, node } = scene;
    const [given, ...limited] = [1, 2, 3].map((id) => scene.fill(id));
    ledger.tick(40);
    refuse(node, limited, { status: 429, headers: { 'retry-after': '0' } });
    const rig = scene.rig();
    await rig.until(() => expect(rig.counters.readingFailures).toBeGreaterThan(8));
    expect(given?.slot).toBeGreaterThan(rig.stats.finalisedSlot);
    expect(rig.store.ids).toEqual([1]);
    node.suffer({ instead: () => undefined });
    await scene.settles(rig, [1, 2, 3]);
    expect(rig.counters.unavailable).toBe(0);
  });
});

describe('a transaction of any version', () => {
  const isOfVersion = (config: unknown): number =>
    (config as { readonly maxSupportedTransactionVersion: number }).maxSupportedTransactionVersion;

  test.each([
    ['a node that takes all of them', 255, 200],
    ['a server that takes those that are known', 1, 1],
  ])('is read from %s', async (_, taken, version) => {
    const { ledger, node } = scene;
    scene.fill(1);
    node.suffer({
      instead: (method, [, config]) => {
        if (method !== 'getTransaction') return undefined;
        if (isOfVersion(config) > taken) return rpcError(-32_602, 'Invalid params');
        const isRefused = isOfVersion(config) < version;
        return isRefused ? rpcError(-32_015, 'Transaction version is not supported') : undefined;
      },
    });
    ledger.tick(40);
    const rig = await scene.live();
    await scene.settles(rig, [1]);
    expect(rig.counters.unavailable).toBe(0);
  });
});

describe('a final log with an event that cannot be read', () => {
  /** Of three fills, the node returns the second garbled from now on. */
  function garbleSecond(): { readonly last: LedgerTransaction } {
    scene.fill(1);
    const damaged = scene.fill(2);
    const last = scene.fill(3);
    scene.ledger.tick(40);
    const meta = { err: null, logMessages: [BROKEN_LINE] };
    refuse(scene.node, [damaged], { result: { slot: damaged.slot, meta } });
    return { last };
  }

  test('is read again, and stored when it is whole', async () => {
    const { last } = garbleSecond();
    const rig = scene.rig();
    await rig.until(() => expect(rig.counters.unreadableEvents).toBeGreaterThan(1));
    scene.node.suffer({ instead: () => undefined });
    await scene.settles(rig, [1, 2, 3]);
    await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
    expect(rig.store.truncated).toBe(0);
  });

  test('that stays so holds no other up', async () => {
    const { last } = garbleSecond();
    const rig = await scene.live();
    await rig.until(() => expect(rig.store.ids).toEqual([1, 3]));
    await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
    expect(rig.store.truncated).toBe(1);
    expect(rig.state).toBe('live');
  });
});

test('a list that the only node refuses holds up nothing that it tells', async () => {
  const { ledger, node } = scene;
  const told = [1, 2].map((id) => scene.fill(id));
  ledger.tick(40);
  const isList = (method: string): boolean => method === 'getSignaturesForAddress';
  node.suffer({ instead: (method) => (isList(method) ? { status: 400 } : undefined) });
  const rig = scene.rig();
  await rig.until(() => expect(rig.state).toBe('failing'));
  for (const id of [3, 4, 5]) {
    scene.told(id);
    await sleep(2_000);
  }
  expect(rig.store.ids).toEqual([3, 4, 5]);
  expect([rig.state, rig.counters.connects]).toEqual(['failing', 1]);
  expect(rig.reason).toContain('400');
  node.suffer({ instead: () => undefined });
  await scene.settles(rig, [1, 2, 3, 4, 5]);
  await rig.live();
  expect(rig.reason).toBeNull();
  expect(rig.stats.finalisedSlot).toBeGreaterThanOrEqual(told.at(-1)?.slot ?? 0);
});

test('the reason is of the present failure', async () => {
  const { node } = scene;
  scene.fill(1);
  scene.ledger.tick(40);
  node.suffer({ instead: (method) => (method === 'getSlot' ? { status: 404 } : undefined) });
  const rig = scene.rig();
  await rig.until(() => expect(rig.reason).toContain('404'));
  const isList = (method: string): boolean => method === 'getSignaturesForAddress';
  node.suffer({ instead: (method) => (isList(method) ? { status: 400 } : undefined) });
  await rig.until(() => expect(rig.reason).toContain('400'));
});

test('the only node, back without what it told, takes nothing of it back', async () => {
  const { ledger, node } = scene;
  scene.fill(1);
  const rig = await scene.live();
  await scene.settles(rig, [1]);
  for (const id of [2, 3]) scene.told(id);
  await rig.until(() => expect(rig.store.ids).toEqual([1, 2, 3]));
  const isList = (method: string): boolean => method === 'getSignaturesForAddress';
  node.suffer({ instead: (method) => (isList(method) ? { status: 400 } : undefined) });
  await rig.until(() => expect(rig.state).toBe('failing'));
  ledger.tick(60);
  node.suffer({ instead: () => undefined, firstSlot: ledger.slot });
  const last = scene.told(4);
  ledger.tick(60);
  await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
  expect(rig.store.ids).toEqual([1, 2, 3, 4]);
  expect(rig.counters.reverted).toBe(0);
});

test('times that no block can have are unknown, and hide no transaction', async () => {
  const { ledger, node } = scene;
  [1, 2, 3].map((id) => scene.fill(id));
  ledger.tick(40);
  const list = node.rpc.findAnswer('getSignaturesForAddress');
  const times = [-5, 2 ** 64, 1_700_000_000_500, 0.5];
  node.rpc.answer('getSignaturesForAddress', async (params, id) => {
    const reply = (await list?.(params, id)) as { readonly result: readonly object[] };
    return { result: reply.result.map((row, at) => ({ ...row, blockTime: times[at % 4] })) };
  });
  const rig = await scene.live();
  await scene.settles(rig, [1, 2, 3]);
  expect(rig.stats.completeSinceTs).toBeNull();
});

describe('a row of a list that cannot be read', () => {
  /** The rows of these transactions are unreadable from now on. */
  function spoil(node: LedgerNode, spoiled: readonly LedgerTransaction[]): void {
    const list = node.rpc.findAnswer('getSignaturesForAddress');
    const slots = new Set(spoiled.map(({ slot }) => slot));
    node.rpc.answer('getSignaturesForAddress', async (params, id) => {
      const reply = (await list?.(params, id)) as { readonly result: readonly { slot: number }[] };
      const rows = reply.result.map((row) =>
        slots.has(row.slot) ? { ...row, signature: 7 } : row,
      );
      return { result: rows };
    });
  }

  test('holds no other up, and is counted', async () => {
    const { ledger, node } = scene;
    scene.fill(1);
    spoil(node, [scene.fill(2)]);
    const last = scene.fill(3);
    ledger.tick(40);
    const rig = await scene.live();
    await scene.settles(rig, [1, 3]);
    await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
    expect(rig.counters).toMatchObject({ unavailable: 1, readingFailures: 0 });
    expect(rig.reason).toMatch(/unavailable.* 1$/);
  });

  test('of a transaction that was told leaves it stored, and the marks move on', async () => {
    const { ledger, node } = scene;
    const rig = await scene.live();
    scene.told(1);
    spoil(node, [scene.told(2)]);
    const last = scene.told(3);
    ledger.tick(60);
    await rig.until(() => expect(rig.stats.finalisedSlot).toBe(last.slot));
    expect(rig.store.ids).toEqual([1, 2, 3]);
    expect(rig.state).toBe('live');
  });

  test('and is the only one is given up, and all later ones are read', async () => {
    const { ledger, node } = scene;
    spoil(node, [scene.fill(1)]);
    ledger.tick(40);
    const rig = await scene.live();
    await rig.until(() => expect(rig.counters.unavailable).toBe(1));
    expect([rig.counters.connects, rig.counters.readingFailures]).toEqual([1, 0]);
    scene.fill(2);
    await scene.settles(rig, [2]);
  });
});
