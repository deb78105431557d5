/** Frames as bytes over real sockets: they say what the JSON frames of the same topic say, frame by frame. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { Frame } from './support/model-book.js';
import { playTurns } from './support/replay-tape.js';
import { expectShown, StreamScene } from './support/stream-scene.js';

const BINARY = { encoding: 'binary' };
const VECTORS = fileURLToPath(new URL('vectors/binary/frames.jsonl', import.meta.url));
/** Of the vectors: enough that every kind of row is among them. */
const VECTOR_TURNS = 25;

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

test('both streams of a topic agree frame by frame, and the vectors are what the service sends', async () => {
  scene = await StreamScene.start({ turnMs: 50, makers: 12 });
  const topics = await followBoth(VECTOR_TURNS);
  for (const { name, json, binary } of topics) {
    const [bytes, texts] = [binary, json].map((frames) =>
      frames.map((one) => comparable(one.frame)),
    );
    expect(bytes, name).toEqual(texts);
  }
  const lines = topics.flatMap(({ binary }) =>
    binary.map(({ frame: { sendNs, ...frame }, bytes }) =>
      JSON.stringify({ hex: bytes.toString('hex'), frame: { ...frame, sendNs } }),
    ),
  );
  const untimed = lines.filter((line) => !line.includes('sendNs'));
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(VECTORS, `${untimed.join('\n')}\n`);
  expect(untimed).toEqual(readFileSync(VECTORS, 'utf8').trimEnd().split('\n'));
}, 120_000);

test('an encoding that there is not is refused, and json is the default', async () => {
  scene = await StreamScene.start();
  const client = await scene.open();
  expect(await client.subscribe({ ...sol, encoding: 'json' })).toBe('book:SOL-PERP:20');
  expect(await client.subscribe({ ...sol, ...BINARY })).toBe('book:SOL-PERP:20:binary');
  await expect(client.subscribe({ ...sol, encoding: 'cbor' })).rejects.toThrow(
    /INVALID_PARAM.*encoding was .*cbor.*must be json or binary/,
  );
});
