import { expect, test } from 'vitest';
import { FakeEngine } from '../../../test/fake-engine.js';
import { PROBE_SLOTS_AFTER } from '../model/limits.js';
import type { AccountReading } from './account-reading.js';
import { Suspects } from './suspects.js';

/** A book with these users' states at slot 100. */
function engineWith(...users: readonly string[]): FakeEngine {
  const engine = new FakeEngine();
  for (const pubkey of users) pushUser(engine, { pubkey, data: 'before', slot: 100 });
  return engine;
}

function pushUser(engine: FakeEngine, user: { pubkey: string; data: string; slot: number }): void {
  engine.push({ ...user, owner: 'program', encoding: 'base64' });
}

async function readingOf(
  engine: FakeEngine,
  slot: number,
  users: Readonly<Record<string, string>>,
): Promise<AccountReading> {
  const keys = Object.keys(users);
  const value = Object.values(users).map((data) => ({ data: [data, 'base64'] }));
  const body = Buffer.from(JSON.stringify({ result: { context: { slot }, value } }));
  return { keys, body, snapshot: await engine.decodeSnapshot(body, keys), atMs: 0 };
}

test('a suspect that is notified late hides none that was found after it', async () => {
  const engine = engineWith('user1', 'user2');
  const suspects = new Suspects(engine);
  const readings = [
    await readingOf(engine, 101, { user1: 'late', user2: 'before' }),
    await readingOf(engine, 103, { user1: 'late', user2: 'lost' }),
  ];
  // The socket stays where it is.
  for (const reading of readings) expect(suspects.compareReading(reading, 101)).toEqual([]);
  pushUser(engine, { pubkey: 'user1', data: 'late', slot: 101 });
  const last = await readingOf(engine, 106, { user1: 'late', user2: 'lost' });
  expect(suspects.compareReading(last, 103 + PROBE_SLOTS_AFTER)).toEqual(['user2']);
});

test('two reads of one slot prove nothing, nor does a slot that the socket has not passed', async () => {
  const engine = engineWith('user1');
  const suspects = new Suspects(engine);
  const compare = async (slot: number, newestSlot: number): Promise<readonly string[]> =>
    suspects.compareReading(await readingOf(engine, slot, { user1: 'lost' }), newestSlot);
  expect(await compare(101, 110)).toEqual([]);
  expect(await compare(101, 110)).toEqual([]);
  expect(await compare(102, 100 + PROBE_SLOTS_AFTER)).toEqual([]);
  expect(await compare(102, 101 + PROBE_SLOTS_AFTER)).toEqual(['user1']);
});

test('the socket passes a suspect once, and none that was notified', async () => {
  const engine = engineWith('user1');
  const suspects = new Suspects(engine);
  suspects.compareReading(await readingOf(engine, 101, { user1: 'late' }), 101);
  const passed = 101 + PROBE_SLOTS_AFTER;
  expect(suspects.hasOnePassed({ after: 101, until: passed - 1 })).toBe(false);
  expect(suspects.hasOnePassed({ after: 101, until: passed })).toBe(true);
  expect(suspects.hasOnePassed({ after: passed, until: passed + 9 })).toBe(false);
  expect([suspects.keysUntil(100), suspects.keysUntil(101)]).toEqual([[], ['user1']]);
  pushUser(engine, { pubkey: 'user1', data: 'late', slot: 101 });
  suspects.forgetNotified();
  expect(suspects.hasOnePassed({ after: 101, until: passed })).toBe(false);
  expect(suspects.keys()).toEqual([]);
});
