/** Topics of the past over real sockets: they send what was sent live, and become live without a hole. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AsOfMoment } from '../src/contract/as-of-source.js';
import type { Replay, ReplayRequest } from '../src/contract/replay-source.js';
import type { TopicSpec } from '../src/contract/topics.js';
import { REPLAY_WINDOW_BYTES, REPLAYS_CLOSING_MAX } from '../src/journal/model/limits.js';
import type { Frame } from './support/model-book.js';
import type { Answer, ModelClient } from './support/model-client.js';
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

const sol = { channel: 'book', market: 'SOL-PERP', depth: 20 };

/** A client with all frames that it was sent, but heartbeats. */
class Tape {
  readonly frames: Frame[] = [];

  constructor(readonly client: ModelClient) {
    client.linkedBy = 'any';
    client.onFrame = (frame) => {
      if (frame.type !== 'heartbeat') this.frames.push(frame);
    };
  }

  static async open(): Promise<Tape> {
    return new Tape(await scene.open());
  }

  /** Subscribes, and lets turns go by until the first frame. */
  async follow(wish: object): Promise<string> {
    const topic = await this.client.subscribe(wish);
    await until(`a frame of ${topic}`, () => {
      scene.live(1);
      return this.client.books.has(topic);
    });
    return topic;
  }

  async answer(type: string): Promise<Answer> {
    const find = () => this.client.answers.find((answer) => answer.type === type);
    await until(`${type} (${JSON.stringify(this.client.answers)})`, () => find() !== undefined);
    return find() as Answer;
  }
}

/** A frame without what is of a process, or of a reader. */
function textOf({ prev: _, recvNs: _r, sendNs: _s, ...frame }: Frame): string {
  return JSON.stringify(frame);
}

/** Lets so many turns go by, in parts between which a client hears of them. */
async function live(turns: number, client: ModelClient): Promise<void> {
  for (let at = 0; at < turns; at += 10) {
    scene.live(Math.min(10, turns - at));
    await client.settle();
  }
}

/** All frames of a replay are those that were sent live, from the one that its snapshot shows. */
function expectSame(past: Tape, sent: readonly Frame[]): void {
  expect(past.client.faults).toEqual([]);
  const [snapshot, ...others] = past.frames;
  expect(snapshot).toMatchObject({ type: 'snapshot', reset: false });
  const began = sent.findLastIndex(({ seq }) => seq <= (snapshot?.seq ?? 0));
  expect(snapshot?.['crc']).toBe(sent[began]?.['crc']);
  const deltas = others.filter(({ type }) => type === 'delta');
  expect(deltas.map(textOf)).toEqual(sent.slice(began + 1).map(textOf));
}

const WISHES = [
  sol,
  { ...sol, grouping: 10, includeVamm: true, includeIndicative: true },
  { ...sol, intervalMs: 500 },
  { channel: 'bbo', market: 'SOL-PERP', timing: true },
  { channel: 'l3', market: 'SOL-PERP', depth: 100 },
];

test('a replay sends the frames that were sent live, over segments', async () => {
  const tape = await Tape.open();
  const topics: string[] = [];
  for (const wish of WISHES) topics.push(await tape.follow(wish));
  for (let segment = 0; segment < 3; segment += 1) {
    await live(60, tape.client);
    journal.beginSegment();
  }
  await live(60, tape.client);
  await tape.client.settle();
  for (const [at, wish] of WISHES.entries()) {
    const topic = topics[at] ?? '';
    const sent = tape.frames.filter((frame) => frame.topic === topic);
    const start = sent[Math.floor(sent.length / 5)];
    const past = await Tape.open();
    const from = { ts: Number(start?.['ts']) };
    await past.client.subscribe({ ...wish, from, until: { ts: scene.nowMs }, speed: 1000 });
    expect(await past.answer('ended')).toMatchObject({ topic });
    expectSame(past, sent);
    expect(past.frames.length).toBeGreaterThan(sent.length / 2);
    await past.client.close();
  }
}, 120_000);

test('a replay becomes the live topic without a hole, and is one from there on', async () => {
  for (const wish of WISHES) {
    const tape = await Tape.open();
    const topic = await tape.follow(wish);
    await live(50, tape.client);
    const past = await Tape.open();
    const from = { ts: scene.nowMs - 2_000 };
    await past.client.subscribe({ ...wish, from, speed: 1000 });
    // Much happens until then, and behind it.
    const isLive = () => past.client.answers.some(({ type }) => type === 'live');
    await until(`${topic} is live`, () => {
      scene.live(1);
      return isLive();
    });
    const { seq, epoch } = await past.answer('live');
    await live(30, past.client);
    await tape.client.settle();
    await past.client.settle();
    expectSame(past, tape.frames);
    expect(past.client.resets).toBe(0);
    const at = past.frames.findIndex((frame) => frame.seq > Number(seq));
    expect(past.frames[at]).toMatchObject({ epoch });
    past.client.send({ type: 'pause', id: 'p', topic });
    await until('the refusal', () => past.client.answers.some(({ id }) => id === 'p'));
    expect(past.client.answers.at(-1)).toMatchObject({ type: 'error', code: 'NOT_SUBSCRIBED' });
    await past.client.close();
    await tape.client.close();
  }
}, 120_000);

test('a replay of what comes after the last mark of its topic becomes live with the next', async () => {
  const wish = { ...sol, intervalMs: 5_000 };
  const tape = await Tape.open();
  await tape.follow(wish);
  await live(130, tape.client);
  const past = await Tape.open();
  await past.client.subscribe({ ...wish, from: { ts: scene.nowMs } });
  await until('it is live', () => {
    scene.live(1);
    return past.client.answers.some(({ type }) => type === 'live');
  });
  await live(210, past.client);
  await tape.client.settle();
  await past.client.settle();
  expectSame(past, tape.frames);
  expect(past.frames.length).toBeGreaterThan(2);
}, 120_000);

/** Sends a message about a topic, and waits for its answer. */
async function ask(client: ModelClient, message: object): Promise<Answer> {
  const id = `ask ${client.order.length}`;
  client.send({ ...message, id });
  const find = () => client.answers.find((answer) => answer['id'] === id);
  await until(`the answer to ${JSON.stringify(message)}`, () => find() !== undefined);
  return find() as Answer;
}

test('a replay pauses, goes on, and goes to another place', async () => {
  const tape = await Tape.open();
  const { topic } = await tape.client.follow(sol);
  await live(200, tape.client);
  const [early, late] = [tape.frames[10], tape.frames[40]].map((frame) => Number(frame?.['ts']));
  const past = await Tape.open();
  await past.client.subscribe({ ...sol, from: { ts: early }, until: { ts: scene.nowMs } });
  const paused = await ask(past.client, { type: 'pause', topic });
  expect(paused).toMatchObject({ type: 'paused', topic });
  await until('the snapshot', () => past.frames.length > 0);
  const heartbeats = () => past.client.order.filter((what) => what.startsWith('heartbeat')).length;
  const before = heartbeats();
  const { length } = past.frames;
  await until('two heartbeats', () => heartbeats() > before + 1);
  expect(past.frames).toHaveLength(length);
  const sought = await ask(past.client, { type: 'seek', topic, from: { ts: late } });
  expect(sought).toMatchObject({ type: 'sought', topic });
  await until('the snapshot', () => past.frames.length > length);
  const { id } = sought;
  expect(past.frames.at(-1)).toMatchObject({ type: 'snapshot', id, reset: false });
  expect(Number(past.frames.at(-1)?.['ts'])).toBeLessThanOrEqual(late as number);
  expect(Number(past.frames.at(-1)?.['ts'])).toBeGreaterThan(early as number);
  past.frames.splice(0, past.frames.length - 1);
  const refused = await ask(past.client, { type: 'seek', topic, from: { slot: 5 } });
  expect(refused).toMatchObject({ type: 'error', code: 'MOMENT_NOT_KEPT' });
  expect(refused['message']).toMatch(/^slot 5 is not kept: the journal has slot \d+ to \d+/);
  const resumed = await ask(past.client, { type: 'resume', topic, speed: 500 });
  expect(resumed).toMatchObject({ type: 'resumed', topic, speed: 500 });
  await past.answer('ended');
  expectSame(past, tape.frames);
  // By the number that a frame had.
  const { seq, epoch } = tape.frames[30] as Frame;
  await ask(past.client, { type: 'seek', topic, from: { seq, epoch }, until: { seq, epoch } });
  await until('its end', () => past.client.answers.at(-1)?.type === 'ended');
  expect(past.frames.at(-1)).toMatchObject({ type: 'snapshot', seq });
  // And back to now.
  await past.client.subscribe(sol);
  await live(20, past.client);
  expect(past.client.faults).toEqual([]);
  expect(past.client.book(topic).seq).toBe(tape.frames.at(-1)?.seq);
}, 120_000);

/** Frames on both sides of a hole, each side a run of those that were sent live. */
async function expectHole(past: Tape, sent: readonly Frame[], reason: string): Promise<void> {
  await past.answer('ended');
  expect(await past.answer('hole')).toMatchObject({ reason });
  const at = past.frames.findIndex(({ reset }) => reset === true);
  const [before, behind] = [past.frames.slice(0, at), past.frames.slice(at)];
  expect(before.length).toBeGreaterThan(5);
  expect(behind.length).toBeGreaterThan(5);
  const began = sent.findIndex(({ seq }) => seq === before[0]?.seq);
  const same = sent.slice(began + 1, began + before.length);
  expect(before.slice(1).map(textOf)).toEqual(same.map(textOf));
  expect(behind.slice(1).map(textOf)).toEqual(sent.slice(1 - behind.length).map(textOf));
  expect(past.client.faults).toEqual([]);
}

test('a seek to what is not kept leaves a replay where it is, and what is asked behind it waits', async () => {
  const tape = await Tape.open();
  await tape.follow(sol);
  await live(150, tape.client);
  const [early, late] = [10, 20].map((at) => Number(tape.frames[at]?.['ts']));
  const past = await Tape.open();
  const plan = { from: { ts: early }, until: { ts: scene.nowMs } };
  const topic = await past.client.subscribe({ ...sol, ...plan });
  await until('the snapshot', () => past.frames.length > 0);
  const before = past.client.answers.length;
  const places = [
    { ts: 4_000_000_000_000 },
    { slot: 2 ** 52 },
    { seq: 9_999_999, epoch: 'e1' },
    { ts: early },
    { slot: 2 ** 52 },
  ];
  past.client.send({ type: 'pause', id: 'pause', topic });
  for (const [id, from] of places.entries()) past.client.send({ type: 'seek', id, topic, from });
  past.client.send({ type: 'resume', id: 'resume', topic, speed: 1000 });
  await past.answer('ended');
  const answers = past.client.answers.slice(before).map(({ type, id, code }) => [type, id, code]);
  const refused = [0, 1, 2, 4].map((id) => ['error', id, 'MOMENT_NOT_KEPT']);
  expect(answers).toEqual([
    ['paused', 'pause', undefined],
    ...refused.slice(0, 3),
    ['sought', 3, undefined],
    ...refused.slice(3),
    ['resumed', 'resume', undefined],
    ['ended', undefined, undefined],
  ]);
  const at = past.frames.findLastIndex(({ type }) => type === 'snapshot');
  expect(past.frames[at]).toMatchObject({ id: 3 });
  past.frames.splice(0, at);
  expectSame(past, tape.frames);
  // One that has ended is not ended again by it.
  await ask(past.client, { type: 'seek', topic, from: { slot: 2 ** 52 } });
  await ask(past.client, { type: 'seek', topic, from: { ts: late }, until: { ts: late } });
  await until('its end', () => past.client.answers.at(-1)?.type === 'ended');
  expect(past.client.answers.filter(({ type }) => type === 'ended')).toHaveLength(2);
}, 120_000);

test('a hole is told, and the replay goes on behind it', async () => {
  const tape = await Tape.open();
  const topic = await tape.follow(sol);
  await live(100, tape.client);
  const from = { ts: Number(tape.frames[5]?.['ts']) };
  journal.lose();
  const end = scene.nowMs;
  await live(40, tape.client);
  journal.beginSegment();
  await live(100, tape.client);
  const past = await Tape.open();
  await past.client.subscribe({ ...sol, from, until: { ts: scene.nowMs }, speed: 1000 });
  await expectHole(past, tape.frames, 'stopped');
  const hole = await past.answer('hole');
  expect(hole).toMatchObject({ topic, from: { ts: end } });
  expect((hole['to'] as { ts: number }).ts).toBeGreaterThanOrEqual(end + 2_000);
}, 120_000);

test.each([
  ['stopped', (file: string) => rmSync(file)],
  [
    'damaged',
    (file: string) => {
      const bytes = readFileSync(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
      writeFileSync(file, bytes);
    },
  ],
])(
  'a file that goes while a replay stands before it is a hole: %s',
  async (reason, spoil) => {
    const tape = await Tape.open();
    await tape.follow(sol);
    for (let segment = 0; segment < 3; segment += 1) {
      await live(60, tape.client);
      journal.beginSegment();
      // Blocks of their own, of which one can be damaged.
      for (let block = 0; block < 10; block += 1) {
        await live(6, tape.client);
        journal.write();
      }
    }
    const from = { ts: Number(tape.frames[5]?.['ts']) };
    const past = await Tape.open();
    const topic = await past.client.subscribe({ ...sol, from, until: { ts: scene.nowMs } });
    await ask(past.client, { type: 'pause', topic });
    const [, second = ''] = readdirSync(journal.folder).sort();
    spoil(path.join(journal.folder, second));
    await ask(past.client, { type: 'resume', topic, speed: 1000 });
    await expectHole(past, tape.frames, reason);
  },
  120_000,
);

/** The request of a replay as sockets make it. */
function requestOf(spec: Omit<TopicSpec, 'market'>): ReplayRequest {
  const market = scene.engine.findMarket('SOL-PERP');
  if (market === undefined) throw new Error('there is a market');
  const own = { ...spec, market: market.id };
  const topic = { key: market, spec: own, name: scene.engine.topicName(own), classIndex: 0 };
  const until: AsOfMoment = { by: 'ts', value: scene.nowMs };
  return { topic, from: { by: 'ts', value: scene.nowMs - 39_000 }, until, speed: 1000, id: '' };
}

test('a reader that takes nothing has bounded bytes, and stops no other', async () => {
  const { client } = await Tape.open();
  await live(800, client);
  const request = requestOf({ channel: 'l3', depth: 500 });
  const listener = { onItem: () => undefined, onEnd: () => replay.finish() };
  const replay = journal.replays.openReplay(request, listener) as Replay;
  const past = await Tape.open();
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
  const tape = await Tape.open();
  const wish = { channel: 'l3', market: 'SOL-PERP', depth: 500 };
  await tape.client.follow(wish);
  await live(200, tape.client);
  const past = await Tape.open();
  await past.client.subscribe({ ...wish, from: { ts: scene.nowMs - 9_000 }, speed: 1000 });
  past.client.socket.pause();
  await live(100, tape.client);
  past.client.socket.resume();
  await past.answer('live');
  await live(10, tape.client);
  await past.client.settle();
  expectSame(past, tape.frames);
  expect(tape.client.faults).toEqual([]);
}, 120_000);

test('replays of a socket and of all sockets are limited, and give their places back', async () => {
  const wishes = [20, 50, 100].map((depth) => ({ ...sol, depth, from: { ts: scene.nowMs } }));
  const first = await Tape.open();
  await live(20, first.client);
  const begin = async ({ client }: Tape, wish: object) => {
    const answer = await ask(client, { type: 'subscribe', ...wish });
    if (answer.type === 'subscribed') client.send({ type: 'pause', topic: answer['topic'] });
    return answer;
  };
  const refused = { type: 'error', code: 'LIMIT_EXCEEDED' };
  for (const wish of wishes.slice(0, 2)) expect((await begin(first, wish)).type).toBe('subscribed');
  expect(await begin(first, wishes[2] as object)).toMatchObject({
    ...refused,
    message: 'a socket may have 2 replays',
  });
  // The same topic again takes no other place.
  expect((await begin(first, wishes[0] as object)).type).toBe('subscribed');
  const second = await Tape.open();
  expect((await begin(second, wishes[0] as object)).type).toBe('subscribed');
  expect(await begin(second, wishes[1] as object)).toMatchObject({
    ...refused,
    message: '3 replays run, which is the limit',
  });
  await first.client.close();
  // Sockets that are gone before their book is there.
  for (let round = 0; round < 30; round += 1) {
    const gone = await Tape.open();
    gone.client.send({ type: 'subscribe', id: 1, ...wishes[1] });
    await gone.client.close();
  }
  await until('a place', async () => (await begin(second, wishes[1] as object)).type !== 'error');
}, 120_000);

test('a replay waits for a journal that is behind, and catches up with it', async () => {
  scene.live(100);
  const from = { by: 'ts', value: scene.nowMs - 2_000 } as const;
  const kinds: string[] = [];
  let ends = 0;
  const request = { ...requestOf({ channel: 'book', depth: 20 }), from, until: null };
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
  const open = () => journal.replays.openReplay(requestOf({ channel: 'bbo' }), listener);
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
    const { client } = await Tape.open();
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
  const request = requestOf({ channel: 'bbo' });
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
  const past = await Tape.open();
  const from = { ts: scene.nowMs };
  const topic = await past.client.subscribe({ ...sol, from });
  await ask(past.client, { type: 'pause', topic });
  const request = requestOf({ channel: 'bbo' });
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
  const { client } = await Tape.open();
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
    [{ from, market: '*' }, 'INVALID_PARAM', 'from needs a topic of one market'],
    [{ from, market: 'NOPE' }, 'UNKNOWN_MARKET', 'there is no market NOPE'],
  ] as const;
  for (const [members, code, text] of refusals) {
    const answer = await ask(client, { type: 'subscribe', ...sol, ...members });
    const message = expect.stringContaining(text ?? '');
    expect(answer, JSON.stringify(members)).toMatchObject({ type: 'error', code, message });
  }
});
