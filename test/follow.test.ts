/** `slotbook follow`: against the service, and against a script. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { Backoff } from '../src/client/backoff.js';
import { BACKOFF_BOUNDS } from '../src/client/limits.js';
import { type FollowRun, follow } from '../src/follow/follow.js';
import { type FollowedTopic, topicOf } from '../src/follow/follow-options.js';
import { Follower } from '../src/follow/follower.js';
import { answer, type Script, ScriptedStream } from './support/scripted-stream.js';
import { StreamScene } from './support/stream-scene.js';
import { vectorOf } from './support/stream-vectors.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const book: FollowedTopic = { channel: 'book', market: 'SOL-PERP', depth: 10 };

async function startScene(): Promise<StreamScene> {
  const scene = await StreamScene.start({ socketsPerIp: 100 });
  stops.push(() => scene.stop());
  return scene;
}

function startFollower(url: string, topic: FollowedTopic): Follower {
  const follower = new Follower({ url, topic });
  stops.push(() => follower.stop());
  follower.start();
  return follower;
}

const kept = (name: string) => {
  const path = new URL(`./vectors/stream/${name}.jsonl`, import.meta.url);
  return vectorOf(readFileSync(path, 'utf8'));
};
const clean = kept('clean').frames;

async function scripted(script: Script): Promise<ScriptedStream> {
  const stream = await ScriptedStream.start(script);
  stops.push(() => stream.stop());
  return stream;
}

test('the sources, the depth and the grouping of a followed topic are those of its subscription', () => {
  const shape = { grouping: 100, depth: 500, timing: true } as const;
  const followed = { ...book, ...shape, vamm: true, indicative: true };
  const sources = { includeVamm: true, includeIndicative: true };
  expect(topicOf(followed)).toEqual({ ...book, ...shape, ...sources });
});

describe('a follower of a script', () => {
  test('asks again when the service is not ready, and gives up when the market is unknown', async () => {
    const stream = await scripted((count, { id }, client) => {
      const code = count === 0 ? 'NOT_READY' : 'UNKNOWN_MARKET';
      client.send(JSON.stringify({ type: 'error', code, message: 'a text', id }));
    });
    const follower = startFollower(stream.url, book);
    const error = await follower.failed;
    expect(error).toMatchObject({
      code: 'SUBSCRIPTION_REFUSED',
      message: 'UNKNOWN_MARKET: a text',
    });
    expect(stream.subscriptions).toHaveLength(2);
  });
});

test('the pause before a connection doubles up to its cap, and is what the service asks for', () => {
  let chance = 1;
  const backoff = new Backoff(BACKOFF_BOUNDS, () => chance);
  const pauses = Array.from({ length: 7 }, () => backoff.nextMs());
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  chance = 0.1;
  expect(backoff.nextMs()).toBe(500);
  chance = 1;
  backoff.setNextMs(1_234);
  expect(backoff.nextMs()).toBe(1_234);
  backoff.setNextMs(10 ** 9);
  expect(backoff.nextMs()).toBe(30_000);
  backoff.reset();
  expect(backoff.nextMs()).toBe(250);
});

/** A run, and what it wrote; it is stopped when that is enough. */
async function run(
  given: Pick<FollowRun, 'url' | 'flags'> & { isTTY?: boolean; isEnough?: RegExp },
) {
  const { isTTY = false, isEnough, ...rest } = given;
  let text = '';
  const stop = new AbortController();
  const write = (part: string): void => {
    text += part;
    if (isEnough?.test(text)) stop.abort();
  };
  const output = { write, isTTY };
  const isRight = await follow({ market: 'SOL-PERP', output, stop: stop.signal, ...rest });
  return { isRight, text };
}

describe('the command', () => {
  test('prints a line a second and a report', async () => {
    const scene = await startScene();
    const living = setInterval(() => scene.live(1), 20);
    stops.push(() => clearInterval(living));
    const isEnough = /following live slot .*\n/;
    const { isRight, text } = await run({ url: scene.url, flags: { depth: '10' }, isEnough });
    expect(isRight).toBe(true);
    expect(text).toMatch(
      /^\d\d:\d\d:\d\d following live slot \d+ seq \d+ bid [\d.]+ x [\d.]+ ask /m,
    );
    expect(text).toMatch(
      /^frames +\d+ in \d+\.\d s: 1 snapshots, [1-9]\d* deltas, \d+ heartbeats$/m,
    );
    expect(text).toMatch(/^checksums +0 wrong$/m);
  });

  test('draws the top of the book on a screen, asks above bids', async () => {
    const stream = await scripted((_, subscription, client) => answer(client, subscription, clean));
    const isEnough = / {2}following {2}live(.*\n){20}/;
    const { text } = await run({ url: stream.url, flags: {}, isTTY: true, isEnough });
    const screen = text.split('\x1b[H\x1b[J').at(-1)?.split('frames  ')[0] ?? '';
    expect(screen).toContain('book:SOL-PERP:10  following  live');
    const prices = [...screen.matchAll(/^\P{L}\[3[12]m +(\d+\.\d+)\P{L}/gmu)].map(([, one]) =>
      Number(one),
    );
    expect(prices).toHaveLength(20);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
  });

  test('tells which rule was broken', async () => {
    const stream = await scripted((count, subscription, client) => {
      answer(client, subscription, count === 0 ? kept('duplicate').frames : clean);
    });
    const { isRight, text } = await run({ url: stream.url, flags: {}, isEnough: /following live/ });
    expect(isRight).toBe(false);
    expect(text).toContain('gaps       0, and 1 repeated');
    expect(text).toMatch(/^broken +repeated: a delta follows \d+, the book is at \d+$/m);
  });

  test.each([
    [{ depth: '7' }, '--depth was 7'],
    [{ channel: 'trades' }, '--channel was trades'],
    [{ grouping: '0' }, '--grouping was 0'],
    [{ seconds: 'x' }, '--seconds was x'],
  ])('%j is refused', async (flags, message) => {
    const refused = run({ url: 'http://127.0.0.1:1', flags });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_FOLLOW_OPTION',
      message: expect.stringContaining(message),
    });
  });
});
