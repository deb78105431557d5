/** docs/schemas/stream.json describes the messages as they are, no more and no less; so do the examples. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crc32, FollowedBook } from '../src/client/stream/followed-book.js';
import { strictChecks } from '../src/client/stream/strict-checks.js';
import { STREAM_RULES } from '../src/client/stream/violation.js';
import { LIMITS } from '../src/config/limits.js';
import { socketCodesOf } from '../src/contract/error-codes.js';
import { MessageSchemas } from './support/message-schemas.js';
import { SceneJournal } from './support/scene-journal.js';
import { Probe } from './support/socket-scene.js';
import { StreamScene } from './support/stream-scene.js';
import { vectorOf } from './support/stream-vectors.js';
import { until } from './support/until.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const schema = JSON.parse(read('docs/schemas/stream.json'));

const schemas = new MessageSchemas(schema);
const check = schemas.check.bind(schemas);

function expectValid(name: string, message: unknown): void {
  const validate = check(name);
  expect(validate(message) ? null : [message, validate.errors]).toBeNull();
}

let scene: StreamScene;
let journal: SceneJournal;

beforeAll(async () => {
  journal = new SceneJournal();
  scene = await StreamScene.start({ messagesPerSecond: 40, journal });
});

afterAll(() => scene?.stop());

/** Waits until what a probe has heard is enough. */
async function hears(probe: Probe, isEnough: (texts: readonly string[]) => boolean): Promise<void> {
  await until(() => isEnough(probe.texts));
}

function someMaker(): string {
  const market = scene.engine.findMarket('SOL-PERP')?.id ?? -1;
  const body = Buffer.from(scene.engine.l3({ market, depth: 1 })).toString();
  return JSON.parse(body).bids[0].maker;
}

/** Says and hears all that a replay may be told and tell. */
async function replay(probe: Probe): Promise<void> {
  scene.live(20);
  const from = { ts: scene.nowMs - 10 };
  journal.lose();
  scene.live(20);
  journal.beginSegment();
  scene.live(10);
  const request = { channel: 'bbo', market: 'SOL-PERP', from, speed: 1000 };
  const topic = 'bbo:SOL-PERP';
  const said = [
    { says: { type: 'subscribe', ...request, until: { ts: scene.nowMs } }, hears: 'ended' },
    { says: { type: 'pause', topic }, hears: 'paused' },
    { says: { type: 'seek', id: 's', topic, from: { slot: 1 } }, hears: 'error","code":"MOMENT' },
    { says: { type: 'seek', topic, from, until: null }, hears: 'sought' },
    { says: { type: 'resume', id: 'r', topic, speed: 500 }, hears: 'live' },
  ];
  for (const { says, hears: type } of said) {
    expectValid('client', says);
    probe.send(says);
    await hears(probe, (texts) => texts.some((text) => text.includes(`"type":"${type}`)));
  }
}

test('every message of the service is of exactly one kind, and every kind is met', async () => {
  const probe = await Probe.open(scene.url);
  const maker = someMaker();
  const requests = [
    { channel: 'book', market: 'SOL-PERP', depth: 10, timing: true },
    { channel: 'book', market: 'SOL-PERP', grouping: 100 },
    { channel: 'book', market: 'SOL-PERP', resume: { epoch: 'e1', seq: 0 } },
    { channel: 'bbo', market: 'SOL-PERP', includeVamm: true, includeIndicative: false },
    { channel: 'l3', market: 'SOL-PERP', depth: 20, timing: true },
    { channel: 'l3', market: 'SOL-PERP', maker },
    { channel: 'bbo', market: 'USDC' },
  ];
  const sent = [
    ...requests.map((request, index) => ({ type: 'subscribe', id: index, ...request })),
    { type: 'unsubscribe', topic: 'bbo:USDC' },
    { type: 'unsubscribe', id: 'gone', channel: 'l3', market: 'SOL-PERP', maker },
    { type: 'ping', id: 'ping' },
    { type: 'ping' },
  ];
  for (const message of sent) {
    expectValid('client', message);
    probe.send(message);
  }
  probe.send({ type: 'subscribe', channel: 'book', market: 'NONE', id: 9 });
  probe.send({ type: 'subscribe', channel: 'nothing', market: 'SOL-PERP' });
  probe.send('no JSON');
  await hears(probe, (texts) => texts.some((text) => text.includes('MALFORMED_MESSAGE')));
  await replay(probe);
  scene.live(60);
  scene.engine.setState('lagging');
  scene.turn([]);
  scene.engine.setEpoch('e2');
  scene.turn([]);
  await hears(probe, (texts) => texts.some((text) => text.includes('"reset":true')));
  await hears(probe, (texts) => texts.some((text) => text.includes('"type":"heartbeat"')));
  // The channel that does not exist was asked for in the words of the compatible dialect.
  await until('a heartbeat', () => probe.heartbeats.length > 0);
  await scene.stop();
  await probe.closed;
  const texts = [...probe.texts, ...probe.heartbeats];
  const messages = texts.map((text) => JSON.parse(text) as { type: string });
  const kinds = messages.map((message) => schemas.kindsOf(message));
  expect(messages.filter((_, index) => kinds[index]?.length !== 1)).toEqual([]);
  expect(schemas.namesOf('server').filter((name) => !kinds.flat().includes(name))).toEqual([]);
});

test('the kept streams fit, but for those with a level without a size', () => {
  const folder = new URL('./vectors/stream/', import.meta.url);
  const unfit = readdirSync(folder).filter((name) => {
    const { frames } = vectorOf(readFileSync(new URL(name, folder), 'utf8'));
    return !frames.every((text) => check('server')(JSON.parse(text)));
  });
  expect(unfit).toEqual(['empty-level.jsonl']);
});

/** All documents of the streaming channels. */
const docs = ['', '-frames', '-client', '-replay', '-rules']
  .map((part) => read(`docs/streaming${part}.md`))
  .join('\n');

describe('the examples of the documents of streams', () => {
  const blocks = [...docs.matchAll(/```json\n([\s\S]+?)```/g)].map(([, text]) => text ?? '');
  const inline = [...docs.matchAll(/`(\{"type":[^`]+\})`/g)].map(([, text]) => text ?? '');

  test('are there', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(7);
    expect(inline.length).toBeGreaterThanOrEqual(5);
  });

  test('follow each other: the checksums are those worked by hand', () => {
    const topic = { channel: 'book', market: 'SOL-PERP', depth: 10 } as const;
    const book = new FollowedBook(topic, strictChecks);
    const kinds = ['snapshot', 'delta', 'heartbeat'];
    const frames = blocks
      .map((text) => JSON.parse(text))
      .filter(({ type }) => kinds.includes(type));
    for (const frame of frames) book.applyFrame(frame);
    expect(frames.map(({ type }) => type)).toEqual(kinds);
    const texts = [...docs.matchAll(/^ {4}([\d:]+)$/gm)].map(([, text]) => crc32(text ?? ''));
    expect(texts).toEqual(frames.slice(0, 2).map(({ crc }) => crc));
    expect(crc32('123456789')).toBe(3421780262);
  });

  test.each([...blocks, ...inline])('%s', (text) => {
    const message = JSON.parse(text);
    const isClient = ['subscribe', 'unsubscribe', 'ping', 'pause', 'resume', 'seek'].includes(
      message.type,
    );
    expectValid(isClient ? 'client' : 'server', message);
  });
});

test('rules, codes and depths are those that there are', () => {
  const section = (title: string) =>
    new RegExp(`\n##+ ${title}\n([\\s\\S]+?)(?=\n##)`).exec(docs)?.[1] ?? '';
  const cells = (title: string) =>
    [...section(title).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
      [...(cell ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
  expect(cells('Rules').sort()).toEqual([...STREAM_RULES].sort());
  const codes = [...socketCodesOf('stream')].sort();
  expect(cells('error').sort()).toEqual(codes);
  expect(schema.$defs.error.properties.code.enum.sort()).toEqual(codes);
  expect(schema.$defs.subscribeL3.properties.depth.enum).toEqual(LIMITS.streamDepths);
});

test.each([
  ['a size in a number', { bids: [['1', 5, {}]] }],
  ['a level without sources', { bids: [['1', '5']] }],
  ['a level without a size', { bids: [['1', '0', {}]] }],
  ['a checksum beyond 32 bits', { crc: 2 ** 32 }],
  ['half of the timing', { recvNs: '1' }],
  ['a state that there is not', { state: 'fine' }],
  ['a member that is not described', { extra: 1 }],
])('%s is no snapshot', (_, change) => {
  const head = { type: 'snapshot', topic: 't', channel: 'book', market: 'm', epoch: 'e' };
  const rest = { seq: 1, slot: 1, ts: 1, state: 'live', reset: false, bids: [], asks: [], crc: 0 };
  const snapshot = { ...head, ...rest };
  expectValid('bookSnapshot', snapshot);
  expect(schemas.kindsOf({ ...snapshot, ...change })).toEqual([]);
});
