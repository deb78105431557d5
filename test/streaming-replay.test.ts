/** Topics of the past over real sockets: they send what was sent live, and become live without a hole. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Frame } from './support/model-book.js';
import { ask, expectSame, playTurns, sol, Tape, textOf } from './support/replay-tape.js';
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

const WISHES = [
  sol,
  { ...sol, grouping: 10, includeVamm: true, includeIndicative: true },
  { ...sol, intervalMs: 500 },
  { channel: 'bbo', market: 'SOL-PERP', timing: true },
  { channel: 'l3', market: 'SOL-PERP', depth: 100 },
  { ...sol, encoding: 'binary' },
];

test('a replay sends the frames that were sent live, over segments', async () => {
  const tape = await Tape.open(scene);
  const topics: string[] = [];
  for (const request of WISHES) topics.push(await tape.follow(request));
  for (let segment = 0; segment < 3; segment += 1) {
    await playTurns(scene, 60, tape.client);
    journal.beginSegment();
  }
  await playTurns(scene, 60, tape.client);
  await tape.client.settle();
  for (const [at, request] of WISHES.entries()) {
    const topic = topics[at] ?? '';
    const sent = tape.frames.filter((frame) => frame.topic === topic);
    const start = sent[Math.floor(sent.length / 5)];
    const past = await Tape.open(scene);
    const from = { ts: Number(start?.['ts']) };
    await past.client.subscribe({ ...request, from, until: { ts: scene.nowMs }, speed: 1000 });
    expect(await past.answer('ended')).toMatchObject({ topic });
    expectSame(past, sent);
    expect(past.frames.length).toBeGreaterThan(sent.length / 2);
    await past.client.close();
  }
}, 120_000);

test('a replay becomes the live topic without a hole, and is one from there on', async () => {
  for (const request of WISHES) {
    const tape = await Tape.open(scene);
    const topic = await tape.follow(request);
    await playTurns(scene, 50, tape.client);
    const past = await Tape.open(scene);
    const from = { ts: scene.nowMs - 2_000 };
    await past.client.subscribe({ ...request, from, speed: 1000 });
    // Much happens until then, and behind it.
    const isLive = () => past.client.answers.some(({ type }) => type === 'live');
    await until(`${topic} is live`, () => {
      scene.live(1);
      return isLive();
    });
    const { seq, epoch } = await past.answer('live');
    await playTurns(scene, 60, past.client);
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
  const request = { ...sol, intervalMs: 5_000 };
  const tape = await Tape.open(scene);
  await tape.follow(request);
  await playTurns(scene, 130, tape.client);
  const past = await Tape.open(scene);
  await past.client.subscribe({ ...request, from: { ts: scene.nowMs } });
  await until('it is live', () => {
    scene.live(1);
    return past.client.answers.some(({ type }) => type === 'live');
  });
  await playTurns(scene, 210, past.client);
  await tape.client.settle();
  await past.client.settle();
  expectSame(past, tape.frames);
  expect(past.frames.length).toBeGreaterThan(2);
}, 120_000);

test('a replay pauses, goes on, and goes to another place', async () => {
  const tape = await Tape.open(scene);
  const { topic } = await tape.client.follow(sol);
  await playTurns(scene, 200, tape.client);
  const [early, late] = [tape.frames[10], tape.frames[40]].map((frame) => Number(frame?.['ts']));
  const past = await Tape.open(scene);
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
  await playTurns(scene, 20, past.client);
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
  const tape = await Tape.open(scene);
  await tape.follow(sol);
  await playTurns(scene, 150, tape.client);
  const [early, late] = [10, 20].map((at) => Number(tape.frames[at]?.['ts']));
  const past = await Tape.open(scene);
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
  const tape = await Tape.open(scene);
  const topic = await tape.follow(sol);
  await playTurns(scene, 100, tape.client);
  const from = { ts: Number(tape.frames[5]?.['ts']) };
  journal.lose();
  const end = scene.nowMs;
  await playTurns(scene, 40, tape.client);
  journal.beginSegment();
  await playTurns(scene, 100, tape.client);
  const past = await Tape.open(scene);
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
    const tape = await Tape.open(scene);
    await tape.follow(sol);
    for (let segment = 0; segment < 3; segment += 1) {
      await playTurns(scene, 60, tape.client);
      journal.beginSegment();
      // Blocks of their own, of which one can be damaged.
      for (let block = 0; block < 10; block += 1) {
        await playTurns(scene, 6, tape.client);
        journal.write();
      }
    }
    const from = { ts: Number(tape.frames[5]?.['ts']) };
    const past = await Tape.open(scene);
    const topic = await past.client.subscribe({ ...sol, from, until: { ts: scene.nowMs } });
    await ask(past.client, { type: 'pause', topic });
    const [, second = ''] = readdirSync(journal.folder).sort();
    spoil(path.join(journal.folder, second));
    await ask(past.client, { type: 'resume', topic, speed: 1000 });
    await expectHole(past, tape.frames, reason);
  },
  120_000,
);
