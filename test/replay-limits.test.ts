/** Topics of the past over real sockets: their limits, their refusals, and readers that are slow. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Replay, ReplayRequest } from '../src/contract/replay-source.js';
import { REPLAY_WINDOW_BYTES, REPLAYS_CLOSING_MAX } from '../src/journal/model/limits.js';
import { ask, expectSame, playTurns, requestOf, sol, Tape } from './support/replay-tape.js';
import { SceneJournal } from './support/scene-journal.js';
import { StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

let journal: SceneJournal;
let scene: StreamScene;

beforeEach(async () => {
  journal = new SceneJournal(3);
  scene = await StreamScene.start({ journal, makers: 20, turnMs: 50 });
});

afterEach(async () => {
  await scene.stop();
  expect(scene.faults).toEqual([]);
});

test('a reader that takes nothing has bounded bytes, and stops no other', async () => {
  const { client } = await Tape.open(scene);
  await playTurns(scene, 800, client);
  const request = requestOf(scene, { channel: 'l3', depth: 500 });
  const listener = { onItem: () => undefined, onEnd: () => replay.finish() };
  const replay = journal.replays.openReplay(request, listener) as Replay;
  const past = await Tape.open(scene);
  await past.client.subscribe({ ...sol, from: { ts: scene.nowMs - 39_000 }, speed: 1000 });
  await past.answer('live');
  // It waits by now, as the other one has come to the end.
  let bytes = 0;
  for (let item = replay.next; item !== undefined && bytes <= 2 * REPLAY_WINDOW_BYTES; ) {
    bytes += item instanceof Uint8Array ? item.length : 0;
    replay.takeItem();
    item = replay.next;
  }
  expect(bytes).toBeGreaterThanOrEqual(REPLAY_WINDOW_BYTES);
  expect(bytes).toBeLessThan(2 * REPLAY_WINDOW_BYTES);
  const takeAll = (): boolean => {
    for (; replay.next !== undefined; replay.takeItem()) {
      if (!(replay.next instanceof Uint8Array)) return replay.next.kind === 'ended';
    }
    return false;
  };
  await until('its end', takeAll);
  replay.close();
}, 120_000);

test('a client that does not read for a while gets all of it, and live readers too', async () => {
  const tape = await Tape.open(scene);
  const request = { channel: 'l3', market: 'SOL-PERP', depth: 500 };
  await tape.client.follow(request);
  await playTurns(scene, 200, tape.client);
  const past = await Tape.open(scene);
  await past.client.subscribe({ ...request, from: { ts: scene.nowMs - 9_000 }, speed: 1000 });
  past.client.socket.pause();
  await playTurns(scene, 100, tape.client);
  past.client.socket.resume();
  await past.answer('live');
  await playTurns(scene, 10, tape.client);
  await past.client.settle();
  expectSame(past, tape.frames);
  expect(tape.client.faults).toEqual([]);
}, 120_000);

test('replays of a socket and of all sockets are limited, and give their places back', async () => {
  const requests = [20, 50, 100].map((depth) => ({ ...sol, depth, from: { ts: scene.nowMs } }));
  const first = await Tape.open(scene);
  await playTurns(scene, 20, first.client);
  const begin = async ({ client }: Tape, request: object) => {
    const answer = await ask(client, { type: 'subscribe', ...request });
    if (answer.type === 'subscribed') client.send({ type: 'pause', topic: answer['topic'] });
    return answer;
  };
  const refused = { type: 'error', code: 'LIMIT_EXCEEDED' };
  for (const request of requests.slice(0, 2))
    expect((await begin(first, request)).type).toBe('subscribed');
  expect(await begin(first, requests[2] as object)).toMatchObject({
    ...refused,
    message: 'a socket may have 2 replays',
  });
  // The same topic again takes no other place.
  expect((await begin(first, requests[0] as object)).type).toBe('subscribed');
  const second = await Tape.open(scene);
  expect((await begin(second, requests[0] as object)).type).toBe('subscribed');
  expect(await begin(second, requests[1] as object)).toMatchObject({
    ...refused,
    message: '3 replays run, which is the limit',
  });
  await first.client.close();
  // Sockets that are gone before their book is there.
  for (let round = 0; round < 30; round += 1) {
    const gone = await Tape.open(scene);
    gone.client.send({ type: 'subscribe', id: 1, ...requests[1] });
    await gone.client.close();
  }
  await until('a place', async () => (await begin(second, requests[1] as object)).type !== 'error');
}, 120_000);

test('a replay waits for a journal that is behind, and catches up with it', async () => {
  scene.live(100);
  const from = { by: 'ts', value: scene.nowMs - 2_000 } as const;
  const kinds: string[] = [];
  let ends = 0;
  const request = { ...requestOf(scene, { channel: 'book', depth: 20 }), from, until: null };
  const takeAll = (): void => {
    for (; replay.next !== undefined; replay.takeItem()) {
      if (!(replay.next instanceof Uint8Array)) kinds.push(replay.next.kind);
    }
  };
  const onEnd = (): void => {
    ends += 1;
    journal.isWhole = ends > 3;
    replay.finish();
  };
  const replay = journal.replays.openReplay(request, { onItem: takeAll, onEnd }) as Replay;
  await until('it has caught up', () => kinds.length > 0);
  expect(kinds).toEqual(['caughtUp']);
  expect(ends).toBeGreaterThan(3);
  replay.close();
}, 60_000);

test('replays that are closed count until nothing of them is left', async () => {
  const listener = { onItem: () => undefined, onEnd: () => undefined };
  const open = () => journal.replays.openReplay(requestOf(scene, { channel: 'bbo' }), listener);
  for (let round = 0; round < REPLAYS_CLOSING_MAX; round += 1) (open() as Replay).close();
  expect(open()).toBe(`${REPLAYS_CLOSING_MAX} replays are being closed, which is the limit`);
  await until('a place', () => typeof open() !== 'string');
});

test('a subscription to a moment that is not kept ends, and says what is kept', async () => {
  const places = [
    [{ ts: 1 }, 'ts 1 is not kept: the journal has slot'],
    [{ slot: 2 ** 53 - 1 }, 'is not kept'],
    [{ seq: 9_999, epoch: 'e1' }, 'seq 9999 of epoch e1 is not kept'],
    [{ seq: 1, epoch: 'e7' }, 'seq 1 of epoch e7 is not kept'],
  ] as const;
  for (const [from, text] of places) {
    const { client } = await Tape.open(scene);
    const topic = await client.subscribe({ ...sol, from });
    const find = () => client.answers.find(({ type }) => type === 'error');
    await until('the error', () => find() !== undefined);
    const message = expect.stringContaining(text);
    expect(find()).toMatchObject({ code: 'MOMENT_NOT_KEPT', topic, message });
    expect(find()).not.toHaveProperty('id');
    const left = await ask(client, { type: 'unsubscribe', topic });
    expect(left).toMatchObject({ code: 'NOT_SUBSCRIBED' });
  }
});

test('a market that was not there then ends it', async () => {
  scene.live(20);
  const request = requestOf(scene, { channel: 'bbo' });
  const key = { marketType: 'perp', marketIndex: 9_999 } as const;
  const topic = { ...request.topic, key };
  const from = { by: 'ts', value: scene.nowMs } as const;
  const listener = { onItem: () => undefined, onEnd: () => replay.finish() };
  const replay = journal.replays.openReplay({ ...request, topic, from }, listener) as Replay;
  await until('its end', () => replay.next !== undefined);
  expect(replay.next).toMatchObject({ kind: 'failed', refusal: { kind: 'noMarket' } });
  replay.close();
});

test('a fault of the thread ends all replays, and is told as one of the service', async () => {
  scene.live(20);
  const past = await Tape.open(scene);
  const from = { ts: scene.nowMs };
  scene.live(20);
  const topic = await past.client.subscribe({ ...sol, from });
  await ask(past.client, { type: 'pause', topic });
  const request = requestOf(scene, { channel: 'bbo' });
  const key = null as unknown as ReplayRequest['topic']['key'];
  const wrong = { ...request, topic: { ...request.topic, key } };
  const listener = { onItem: () => undefined, onEnd: () => undefined };
  const moment = { by: 'ts', value: scene.nowMs } as const;
  journal.replays.openReplay({ ...wrong, from: moment }, listener);
  const message = 'the replay failed unexpectedly';
  expect(await past.answer('error')).toMatchObject({ topic, code: 'INTERNAL', message });
  // Another thread plays the next ones.
  await past.client.subscribe({ ...sol, from });
  await until('its snapshot', () => past.frames.at(-1)?.type === 'snapshot');
}, 120_000);

const from = { ts: 1_750_000_000_001 };

test('a wrong member is refused by its name', async () => {
  const { client } = await Tape.open(scene);
  const refusals = [
    [{ speed: 10 }, 'MISSING_PARAM', 'from is missing'],
    [{ until: { ts: 1 } }, 'MISSING_PARAM', 'from is missing'],
    [{ from: 5 }, 'INVALID_PARAM', 'from was of type number, must be an object'],
    [{ from: null }, 'INVALID_PARAM', 'from was'],
    [{ from: {} }, 'MISSING_PARAM', 'from has no moment, must have slot, ts, or epoch and seq'],
    [{ from: { slot: -1 } }, 'OUT_OF_RANGE', 'from.slot was -1, must be 0 to 9007199254740991'],
    [{ from: { ts: 1e300 } }, 'OUT_OF_RANGE', 'from.ts was 1e+300'],
    [{ from: { slot: 1, ts: 1 } }, 'INVALID_PARAM', 'from.ts was given together with from.slot'],
    [{ from: { seq: 1 } }, 'MISSING_PARAM', 'from.epoch is missing: seq needs it'],
    [{ from: { seq: 1, epoch: '' } }, 'INVALID_PARAM', 'from.epoch had 0 characters'],
    [{ from, speed: 0 }, 'OUT_OF_RANGE', 'speed was 0, must be 1 to 1000'],
    [{ from, speed: -5 }, 'OUT_OF_RANGE', 'speed was -5, must be 1 to 1000'],
    [{ from, speed: 1001 }, 'OUT_OF_RANGE', 'speed was 1001, must be 1 to 1000'],
    [{ from, speed: 1e308 }, 'OUT_OF_RANGE', 'speed was 1e+308'],
    [{ from, speed: 1.5 }, 'INVALID_PARAM', 'speed was "1.5", must be a whole number'],
    [{ from, speed: Number.NaN }, 'INVALID_PARAM', 'speed was null'],
    [{ from, speed: 'fast' }, 'INVALID_PARAM', 'speed was "fast", must be a whole number'],
    [{ from, until: { ts: 3 } }, 'OUT_OF_RANGE', 'until.ts was 3, must be at least from.ts'],
    [{ from, until: { ts: 3, epoch: 'e1' } }, 'INVALID_PARAM', 'until.epoch was given without'],
    [{ from, resume: { epoch: 'e1', seq: 1 } }, 'INVALID_PARAM', 'from needs no resume'],
    [{ from, channel: 'user' }, 'INVALID_PARAM', 'from needs a channel of a market'],
    [{ from, market: '*' }, 'INVALID_PARAM', 'from needs a topic of one market'],
    [{ from, market: 'NOPE' }, 'UNKNOWN_MARKET', 'there is no market NOPE'],
  ] as const;
  for (const [members, code, text] of refusals) {
    const answer = await ask(client, { type: 'subscribe', ...sol, ...members });
    const message = expect.stringContaining(text ?? '');
    expect(answer, JSON.stringify(members)).toMatchObject({ type: 'error', code, message });
  }
});
