/** The quota of replays: how many an address may have, and when the quota is released. */
import { beforeEach, expect, test } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import type { ReplayListener } from '../../contract/replay-source.js';
import { ScriptedReplay } from '../testing/scripted-replay.js';
import type { SocketServer } from './socket-server.js';

const from = { ts: 1_750_000_000_000 };
const MARKETS = ['SOL-PERP', 'SOL'];
const refusal = {
  code: 'LIMIT_EXCEEDED',
  message: 'one address may have 4 replays, and no more than are free',
};

let server: SocketServer;
let replays: ScriptedReplay[];
/** The reason for which the next replay is refused. */
let full: string | undefined;

beforeEach(() => {
  replays = [];
  full = undefined;
  const openReplay = (_: object, listener: ReplayListener): ScriptedReplay | string => {
    if (full !== undefined) return full;
    const replay = new ScriptedReplay(listener);
    replays.push(replay);
    return replay;
  };
  server = newServer({ socketsPerIp: 10, replays: { openReplay } });
});

/** Starts a replay of each market, and returns the replies. */
function begin(client: FakeClient, markets = MARKETS): readonly Record<string, unknown>[] {
  for (const market of markets) {
    client.say({ type: 'subscribe', channel: 'bbo', market, id: market, from });
  }
  return client.taken().filter(({ id }) => id !== undefined);
}

const begun = MARKETS.map((id) => ({ type: 'subscribed', id }));

test('one address has some of them, and other addresses have the rest', () => {
  const [first, second, third] = [openOn(server), openOn(server), openOn(server)];
  expect(begin(first)).toMatchObject(begun);
  expect(begin(second)).toMatchObject(begun);
  expect(begin(third)).toMatchObject([refusal, refusal]);
  expect(begin(openOn(server, '203.0.113.8'))).toMatchObject(begun);
  // A repeated topic does not use more quota.
  expect(begin(first)).toMatchObject(begun);
  expect(begin(third)).toMatchObject([refusal, refusal]);
});

test('a place is given back once, however a replay ends', () => {
  const [first, second, third] = [openOn(server), openOn(server), openOn(server)];
  begin(first);
  begin(second);
  const expectOne = (): void => {
    const [answer, other] = begin(third);
    expect([answer, other]).toMatchObject([{ type: 'subscribed' }, refusal]);
    third.say({ type: 'unsubscribe', topic: String(answer?.['topic']) });
  };
  first.say({ type: 'unsubscribe', topic: 'bbo:SOL-PERP' });
  expectOne();
  expectOne();
  // The service refuses the next replay.
  full = 'deliberate';
  expect(begin(first, ['SOL-PERP'])).toMatchObject([{ code: 'LIMIT_EXCEEDED', message: full }]);
  full = undefined;
  expectOne();
  // The replay becomes the live topic, which uses no replay quota.
  const replay = replays[2];
  replay?.listener.onEnd();
  replay?.add({ kind: 'caughtUp', epoch: 'epoch-1', seq: 7 });
  begin(third);
  expect(begin(first, ['SOL-PERP'])).toMatchObject([refusal]);
  second.say({ type: 'unsubscribe', topic: 'bbo:SOL-PERP' });
  expect(begin(first, ['SOL-PERP'])).toMatchObject([refusal]);
  // The replay fails.
  replays[1]?.add({ kind: 'failed', refusal: { kind: 'notKept', message: 'deliberate' } });
  expect(begin(first, ['SOL-PERP'])).toMatchObject([{ type: 'subscribed' }]);
  second.session?.onClose('client');
  expect(begin(first)).toMatchObject(begun);
});

test('a replay that was ended for a refused one is said to have ended', () => {
  const [first, second] = [openOn(server), openOn(server)];
  for (const client of [first, second]) begin(client, ['SOL-PERP']);
  full = 'deliberate';
  first.say({ type: 'subscribe', channel: 'bbo', market: 'SOL-PERP', id: 2, from });
  const error = { type: 'error', code: 'LIMIT_EXCEEDED', message: full };
  expect(first.taken()).toEqual([
    { ...error, topic: 'bbo:SOL-PERP' },
    { ...error, id: 2 },
  ]);
  first.say({ type: 'unsubscribe', topic: 'bbo:SOL-PERP' });
  expect(first.taken()).toMatchObject([{ code: 'NOT_SUBSCRIBED' }]);
  expect(server.readStats().topics).toBe(1);
});
