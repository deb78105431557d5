import { expect, test } from 'vitest';
import { FakeEngine } from '../../../test/fake-engine.js';
import type { RecordedCall } from './recorded-call.js';
import { RecordingEngine } from './recording-engine.js';

class EngineWithEpoch extends FakeEngine {
  epoch = 'first';

  setEpoch(epoch: string): void {
    this.calls.push(`epoch ${epoch}`);
    this.epoch = epoch;
  }
}

function recorded() {
  const engine = new EngineWithEpoch();
  const calls: RecordedCall[] = [];
  /** How many calls had reached the engine when each was recorded. */
  const before: number[] = [];
  const recording = new RecordingEngine(engine, (call) => {
    calls.push(call);
    before.push(engine.calls.length);
  });
  return { engine, calls, before, recording };
}

const account = { pubkey: 'user1', owner: 'p', slot: 5, data: 'a', encoding: 'base64' } as const;
const quotes = {
  ...{ market: 3, maker: 'key', tsMs: 9 },
  quotes: [{ bid: { price: 1n, size: 2n }, ask: null, isOracleOffset: false }],
};
const readingOf = (...keys: readonly string[]): Buffer => {
  const value = keys.map((pubkey) => ({ pubkey, account: { data: ['a', 'base64'] } }));
  return Buffer.from(JSON.stringify({ result: { context: { slot: 7 }, value } }));
};

test('every call that moves the book is recorded, with its values, before it is made', () => {
  const { engine, calls, before, recording } = recorded();
  recording.push(account);
  recording.close('user1', 6);
  recording.setState('live');
  recording.setEpoch('second');
  recording.setClock(8, 9);
  recording.setIndicativePolicy('improve');
  recording.setIndicative(quotes);
  recording.endTurn(10);
  expect(calls).toEqual([
    { name: 'push', account },
    { name: 'close', pubkey: 'user1', slot: 6 },
    { name: 'setState', state: 'live' },
    { name: 'setEpoch', epoch: 'second' },
    { name: 'setClock', slot: 8, unixSeconds: 9 },
    { name: 'setIndicativePolicy', policy: 'improve' },
    { name: 'setIndicative', quotes },
    { name: 'endTurn', tsMs: 10 },
  ]);
  expect(before).toEqual([0, 1, 2, 3, 4, 4, 5, 6]);
  expect(engine.calls).toHaveLength(6);
  expect(recording.indicativeDueMs()).toBe(1_009);
  expect([engine.slot, engine.unixSeconds, engine.turns.length]).toEqual([8, 9, 1]);
  expect(recording.epoch).toBe('second');
});

test('a snapshot is recorded as it came when it begins, and not when it is only looked at', async () => {
  const { calls, recording } = recorded();
  const small = await recording.decodeSnapshot(readingOf());
  const body = readingOf('user1', 'user2');
  const whole = await recording.decodeSnapshot(body);
  expect(calls).toEqual([]);
  recording.beginSnapshot(whole);
  expect(recording.applySnapshot(whole, 0, 64)).toBe(2);
  expect(recording.endSnapshot()).toMatchObject({ seen: 2, added: 2 });
  expect(calls).toEqual([
    { name: 'beginSnapshot', body },
    { name: 'applySnapshot', from: 0, count: 64 },
    { name: 'endSnapshot' },
  ]);
  recording.beginSnapshot(small);
  expect(calls).toHaveLength(4);
  expect(() => recording.beginSnapshot({ ...small })).toThrow('Invariant');
});

test('what only reads is not recorded', () => {
  const { calls, recording } = recorded();
  expect(recording.oracleKeys()).toEqual([]);
  expect(calls).toEqual([]);
});
