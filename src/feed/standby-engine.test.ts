/** The updates that a standby's feed adds to the log's book at the failover. */
import { describe, expect, test } from 'vitest';
import { FakeEngine } from '../../test/fake-engine.js';
import type { RawAccount } from '../contract/accounts.js';
import type { EpochEngine } from '../contract/feed-engine.js';
import { StandbyEngine } from './standby-engine.js';

const LATE_SLOTS = 32;
const LOG_SLOT = 1_000;

class FakeEpochEngine extends FakeEngine implements EpochEngine {
  epoch = 'e1';

  setEpoch(epoch: string): void {
    this.epoch = epoch;
  }
}

function account(pubkey: string, slot: number, data = 'bytes'): RawAccount {
  return { pubkey, owner: 'program', slot, data, encoding: 'bytes' };
}

function snapshotOf(engine: EpochEngine, slot: number, data = 'read') {
  const value = [{ pubkey: 'a', account: { data: [data, 'base64'] } }];
  const body = JSON.stringify({ result: { context: { slot }, value } });
  return engine.decodeSnapshot(Buffer.from(body));
}

async function standby({ bytesMax = 1_000_000, readSlot = LOG_SLOT - 100 } = {}) {
  const warm = new FakeEpochEngine();
  const engine = new StandbyEngine({ warm, bytesMax, lateSlots: LATE_SLOTS });
  const snapshot = await snapshotOf(engine, readSlot);
  engine.beginSnapshot(snapshot);
  engine.applySnapshot(snapshot, 0, 1);
  engine.endSnapshot();
  const ofLog = new FakeEpochEngine();
  /** Takes over; the log has these accounts as of these slots. */
  const takeOver = (written: Readonly<Record<string, number>> = {}): boolean => {
    const writtenFrom = (from: number): ReadonlyMap<string, number> =>
      new Map(Object.entries(written).filter(([, slot]) => slot >= from));
    return engine.switchTo({ engine: ofLog, slot: LOG_SLOT, writtenFrom });
  };
  return { engine, warm, ofLog, takeOver };
}

function accountCalls({ calls }: FakeEngine): readonly string[] {
  return calls.filter((call) => /^(push|close) /.test(call));
}

describe('at the take-over', () => {
  test('the book of the log gets what came lately, in its order, and the clock', async () => {
    const { engine, warm, ofLog, takeOver } = await standby();
    engine.setClock(LOG_SLOT + 2, 77);
    engine.push(account('a', LOG_SLOT, 'old'));
    engine.push(account('b', LOG_SLOT - 1));
    engine.pushClosed('c', LOG_SLOT + 1);
    engine.push(account('a', LOG_SLOT + 1, 'new'));
    expect(accountCalls(ofLog)).toEqual([]);
    expect(takeOver()).toBe(true);
    const pushed = [`push b bytes @999`, `close c @1001`, `push a new @1001`];
    expect(accountCalls(ofLog)).toEqual(pushed);
    expect([ofLog.slot, ofLog.unixSeconds]).toEqual([LOG_SLOT + 2, 77]);
    const before = warm.calls.length;
    engine.push(account('d', LOG_SLOT + 3));
    expect(accountCalls(ofLog).at(-1)).toBe('push d bytes @1003');
    expect(warm.calls).toHaveLength(before);
    expect(engine.heldBytes).toBe(0);
  });

  test('it is applied in parts where it is too much at once', async () => {
    const { engine, ofLog, takeOver } = await standby();
    engine.push(account('a', LOG_SLOT));
    engine.push(account('b', LOG_SLOT));
    ofLog.isFull = true;
    takeOver();
    const calls = ofLog.calls.filter((call) => /^(push|apply)/.test(call));
    expect(calls).toEqual(['push a bytes @1000', 'apply', 'push b bytes @1000', 'apply']);
  });

  test('what the log has of slots before is not held', async () => {
    const { engine, ofLog, takeOver } = await standby();
    engine.push(account('a', LOG_SLOT - LATE_SLOTS - 1));
    engine.push(account('b', LOG_SLOT - LATE_SLOTS));
    engine.noteLogSlot(LOG_SLOT);
    takeOver();
    expect(accountCalls(ofLog)).toEqual(['push b bytes @968']);
  });

  test('a snapshot that is half applied is applied to the book of the log as well', async () => {
    const { engine, ofLog, takeOver } = await standby();
    const second = await snapshotOf(engine, LOG_SLOT, 'later');
    engine.beginSnapshot(second);
    engine.applySnapshot(second, 0, 1);
    takeOver();
    expect(ofLog.accounts.get('a')).toBe('later');
  });
});

describe('it has not all', () => {
  test('when its accounts were read too late', async () => {
    const early = await standby({ readSlot: LOG_SLOT - LATE_SLOTS });
    expect(early.takeOver()).toBe(true);
    const late = await standby({ readSlot: LOG_SLOT - LATE_SLOTS + 1 });
    expect(late.takeOver()).toBe(false);
  });

  test('when more came than it holds', async () => {
    const { engine, takeOver } = await standby({ bytesMax: 500 });
    for (const key of ['a', 'b', 'c']) engine.push(account(key, LOG_SLOT));
    expect(takeOver()).toBe(false);
  });

  test('before anything was read', () => {
    const warm = new FakeEpochEngine();
    const engine = new StandbyEngine({ warm, bytesMax: 500, lateSlots: LATE_SLOTS });
    const writtenFrom = () => new Map<string, number>();
    const ofLog = new FakeEpochEngine();
    expect(engine.switchTo({ engine: ofLog, slot: LOG_SLOT, writtenFrom })).toBe(false);
  });
});

describe('a node that is behind that of the core before', () => {
  test('sets no account back, neither with what it said nor with what it says until it is there', async () => {
    const { engine, ofLog, takeOver } = await standby();
    engine.setClock(LOG_SLOT - 5, 70);
    engine.push(account('a', LOG_SLOT - 6));
    engine.pushClosed('b', LOG_SLOT - 6);
    engine.push(account('same', LOG_SLOT - 6));
    engine.push(account('newer', LOG_SLOT - 5));
    takeOver({ a: LOG_SLOT, b: LOG_SLOT - 1, same: LOG_SLOT - 6, newer: LOG_SLOT - 9 });
    // Of the same slot it may have the later write.
    const taken = ['push same bytes @994', 'push newer bytes @995'];
    expect(accountCalls(ofLog)).toEqual(taken);
    expect(ofLog.slot).toBe(0);
    engine.setClock(LOG_SLOT - 3, 71);
    engine.push(account('a', LOG_SLOT - 3));
    expect(accountCalls(ofLog)).toEqual(taken);
    expect(ofLog.slot).toBe(0);
    engine.push(account('a', LOG_SLOT));
    engine.setClock(LOG_SLOT, 72);
    expect(accountCalls(ofLog)).toEqual([...taken, 'push a bytes @1000']);
    expect(ofLog.slot).toBe(LOG_SLOT);
    // Accounts arrive on another subscription than slots, which may lag.
    engine.setClock(LOG_SLOT + LATE_SLOTS - 1, 73);
    engine.push(account('a', LOG_SLOT - 1));
    expect(accountCalls(ofLog).at(-1)).toBe('push a bytes @1000');
    // From there on a lower slot is a revert of the chain.
    engine.setClock(LOG_SLOT + LATE_SLOTS, 74);
    engine.push(account('a', LOG_SLOT - 1));
    expect(accountCalls(ofLog).at(-1)).toBe('push a bytes @999');
  });

  test('is taken as it is where all accounts are read again, and on another chain', async () => {
    const notWhole = await standby({ readSlot: LOG_SLOT });
    notWhole.engine.setClock(LOG_SLOT - 5, 70);
    notWhole.takeOver({ a: LOG_SLOT });
    notWhole.engine.push(account('a', LOG_SLOT - 4));
    expect(accountCalls(notWhole.ofLog)).toEqual(['push a bytes @996']);
    const reset = await standby();
    reset.engine.setClock(LOG_SLOT - 5, 70);
    reset.takeOver({ a: LOG_SLOT });
    reset.engine.setEpoch('e2');
    reset.engine.setClock(3, 71);
    reset.engine.push(account('a', 3));
    expect(accountCalls(reset.ofLog)).toEqual(['push a bytes @3']);
    expect(reset.ofLog.slot).toBe(3);
  });
});
