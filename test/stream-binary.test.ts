/** Frames as bytes over real sockets: they say what the JSON frames of the same topic say, frame by frame. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FrameDecoder } from '../src/client/binary/index.js';
import { type ProtocolViolation, StreamClient } from '../src/client/index.js';
import type { Frame } from './support/model-book.js';
import { playTurns } from './support/replay-tape.js';
import { expectShown, StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

const BINARY = { encoding: 'binary' };
const VECTORS = fileURLToPath(new URL('vectors/binary/frames.jsonl', import.meta.url));
/** Of the vectors: enough that every kind of row is among them. */
const VECTOR_TURNS = 25;
/** What a delta of depth 20 may have of the bytes of JSON at most. */
const BYTES_PART_MAX = 1 / 8;

const sol = { channel: 'book', market: 'SOL-PERP', depth: 20 };
const WISHES = [
  sol,
  { ...sol, depth: 100, grouping: 10, includeVamm: true, includeIndicative: true },
  { ...sol, timing: true },
  { channel: 'bbo', market: 'SOL-PERP', includeVamm: true },
  { channel: 'l3', market: 'SOL-PERP', depth: 50 },
];

let scene: StreamScene;

afterEach(async () => {
  await scene?.stop();
  expect(scene?.faults).toEqual([]);
});

/** The frames of each topic in both encodings, heartbeats left out. */
async function followBoth(turns: number) {
  const client = await scene.open();
  const sent = new Map<string, { frame: Frame; bytes: Buffer }[]>();
  client.onData = (bytes, message) => {
    if (message.type !== 'snapshot' && message.type !== 'delta') return;
    const frame = message as Frame;
    sent.set(frame.topic, [...(sent.get(frame.topic) ?? []), { frame, bytes }]);
  };
  for (const request of WISHES) {
    await client.follow(request);
    await client.follow({ ...request, ...BINARY });
  }
  await playTurns(scene, turns, client);
  await expectShown(scene, client);
  const names = [...sent.keys()].filter((name) => !name.endsWith(':binary'));
  return names.map((name) => ({
    name,
    json: sent.get(name) ?? [],
    binary: sent.get(`${name}:binary`) ?? [],
  }));
}

/**
 * A frame without what is of one subscription or one sending. Of the time at which its news were received: whether it is there, as
 * turns of a scene do not wait until all frames of the one before are made, and two topics may then count from different ones.
 */
function comparable({ topic, id: _, sendNs: _s, recvNs, ...frame }: Frame): object {
  return { ...frame, topic: topic.replace(/:binary$/, ''), hasTime: recvNs !== undefined };
}

test('both streams of a topic agree frame by frame, and the bytes are few', async () => {
  scene = await StreamScene.start({ turnMs: 50 });
  const topics = await followBoth(300);
  expect(topics).toHaveLength(WISHES.length);
  for (const { name, json, binary } of topics) {
    expect(binary.length, name).toBeGreaterThan(20);
    expect(binary.map(({ frame }) => comparable(frame))).toEqual(
      json.map(({ frame }) => comparable(frame)),
    );
  }
  const [{ json, binary } = { json: [], binary: [] }] = topics;
  const bytesOf = (frames: readonly { bytes: Buffer }[]): number =>
    frames.slice(1).reduce((sum, { bytes }) => sum + bytes.length, 0) / (frames.length - 1);
  const [text, bytes] = [bytesOf(json), bytesOf(binary)];
  process.stdout.write(`a delta of depth 20: ${text.toFixed(0)} B, ${bytes.toFixed(1)} B\n`);
  expect(bytes / text).toBeLessThan(BYTES_PART_MAX);
}, 120_000);

test('the vectors are what the service sends', async () => {
  scene = await StreamScene.start({ turnMs: 50, makers: 12 });
  const topics = await followBoth(VECTOR_TURNS);
  const lines = topics.flatMap(({ binary }) =>
    binary.map(({ frame: { sendNs, ...frame }, bytes }) =>
      JSON.stringify({ hex: bytes.toString('hex'), frame: { ...frame, sendNs } }),
    ),
  );
  const untimed = lines.filter((line) => !line.includes('sendNs'));
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(VECTORS, `${untimed.join('\n')}\n`);
  expect(untimed).toEqual(readFileSync(VECTORS, 'utf8').trimEnd().split('\n'));
}, 120_000);

test('a stream of bytes is resumed, also by another decoder after a refusal', async () => {
  scene = await StreamScene.start();
  const first = await scene.open();
  const book = await first.follow({ ...sol, ...BINARY });
  scene.live(20);
  await first.settle();
  const { epoch = '', seq } = book;
  await first.close();
  scene.live(100);
  const next = await scene.open();
  next.follower.decoder = first.follower.decoder;
  next.books.set(book.topic, book);
  await next.subscribe({ ...sol, ...BINARY, resume: { epoch, seq } });
  scene.live(20);
  await expectShown(scene, next);
  expect(book.counts.snapshot).toBe(1);
});

test('an encoding that there is not is refused, and json is the default', async () => {
  scene = await StreamScene.start();
  const client = await scene.open();
  expect(await client.subscribe({ ...sol, encoding: 'json' })).toBe('book:SOL-PERP:20');
  expect(await client.subscribe({ ...sol, ...BINARY })).toBe('book:SOL-PERP:20:binary');
  await expect(client.subscribe({ ...sol, encoding: 'cbor' })).rejects.toThrow(
    /INVALID_PARAM.*encoding was .*cbor.*must be json or binary/,
  );
});

test('the library follows by bytes, over a cut and a spoilt frame', async () => {
  scene = await StreamScene.start();
  const repairs: ProtocolViolation[] = [];
  const sockets: SpoiltSocket[] = [];
  class SpoiltSocket extends WebSocket {
    isSpoilt = false;
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
    override addEventListener(type: never, listener: never): void {
      const call = listener as (event: { data: unknown }) => void;
      super.addEventListener(type, ((event: { data: unknown }) => {
        const isCut = this.isSpoilt && event.data instanceof ArrayBuffer;
        this.isSpoilt = this.isSpoilt && !isCut;
        call(isCut ? { data: (event.data as ArrayBuffer).slice(0, 12) } : event);
      }) as never);
    }
  }
  const stream = new StreamClient({
    url: scene.url,
    WebSocket: SpoiltSocket as never,
    onRepair: (violation) => repairs.push(violation),
  });
  const book = stream.subscribe({ channel: 'book', market: 'SOL-PERP', depth: 20 });
  const isShown = (): boolean => {
    const { bids, asks } = scene.levels('book:SOL-PERP:20');
    const rows = (side: readonly { price: bigint; size: bigint }[] | undefined) =>
      (side ?? []).map(({ price, size }) => `${price} ${size}`);
    const shown = [bids, asks].map((side) => side.map(([price, size]) => `${price} ${size}`));
    return JSON.stringify([rows(book.view?.bids), rows(book.view?.asks)]) === JSON.stringify(shown);
  };
  await until('the book', () => book.view?.isFollowing === true && isShown());
  expect(book.topicName).toBe('book:SOL-PERP:20:binary');
  const spoilt = sockets.at(-1);
  if (spoilt !== undefined) spoilt.isSpoilt = true;
  await until('a repair', () => {
    scene.live(1);
    return repairs.length > 0;
  });
  expect(repairs[0]).toMatchObject({ rule: 'malformed' });
  expect(repairs[0]?.message).toContain('the frame ends too early');
  await until('the book again', () => book.view?.isFollowing === true && isShown());
  sockets.at(-1)?.terminate();
  await until('a resumed book', () => {
    scene.live(1);
    return sockets.length > 2 && book.view?.isFollowing === true && isShown();
  });
  expect(repairs).toHaveLength(1);
  stream.close();
});

test('no bytes are taken for a frame that they are not', () => {
  const [line = ''] = readFileSync(VECTORS, 'utf8').split('\n');
  const whole = Buffer.from(JSON.parse(line).hex, 'hex');
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => new FrameDecoder().decodeFrame(whole.subarray(0, length))).toThrow(RangeError);
  }
  expect(() => new FrameDecoder().decodeFrame(Buffer.concat([whole, Buffer.of(0)]))).toThrow();
  const spoil = (at: number, byte: number) => () => {
    const bytes = Buffer.from(whole);
    bytes[at] = byte;
    return new FrameDecoder().decodeFrame(bytes);
  };
  expect(spoil(0, 0xa1)).toThrow('which is not version 1');
  expect(spoil(0, 0x95)).toThrow('came before its snapshot');
  expect(spoil(9, 0x7a)).toThrow('is not that of its names');
});
