/** Past moments: which ones the page reads, how many at a time, and how it plays them. */
import { HttpClient } from '@slotbook/client';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { answer as answerAll, ScriptedStream } from '../../../test/support/scripted-stream.js';
import { until } from '../../../test/support/until.js';
import { PastFeed } from './past-feed.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.unstubAllGlobals();
});

/** A book of a moment without rows. */
function bodyAt(ts: number, seq: number, oracle = '1'): string {
  const reading = { price: '1', slot: '1', confidence: '1', twap: '1', twapConfidence: '1' };
  const oracleData = { ...reading, hasSufficientNumberOfDataPoints: true };
  return JSON.stringify({
    ...{ bids: [], asks: [], marketName: 'SOL-PERP', marketType: 'perp', marketIndex: 0 },
    ...{ ts, slot: 1, markPrice: '1', oracle, oracleData, mmOracleData: oracleData },
    ...{ marketSlot: 1, seq, epoch: 'e', state: 'live', crossed: false },
    ...{ bestBidPrice: null, bestAskPrice: null, spreadPct: null, spreadQuote: null },
    asOf: { epoch: 'e', slot: 1, ts },
  });
}

/** A feed whose reads the test answers, in order; playback comes from a given address. */
function scriptedFeed({ url = 'http://127.0.0.1:1', grouping = 1 } = {}) {
  const asked: URLSearchParams[] = [];
  const waiting: ((body: string) => void)[] = [];
  const http = new HttpClient({
    url: 'http://127.0.0.1:1',
    fetch: (url) => {
      asked.push(new URL(url).searchParams);
      return new Promise((resolve) => waiting.push((body) => resolve(new Response(body))));
    },
  });
  const events: string[] = [];
  const feed = new PastFeed(http, url, {
    onChange: () => events.push(`${feed.shown?.ts}`),
    onCaughtUp: () => events.push('caught up'),
  });
  stops.push(() => feed.leave());
  feed.setKept({ firstTs: 1_000, lastTs: 9_000, gaps: [{ fromTs: 4_000, toTs: 6_000 }] });
  feed.setChoice({ market: 'SOL-PERP', grouping }, 100n);
  const answer = async (ts: number, seq = 1): Promise<void> => {
    await until('a read', () => waiting.length > 0);
    waiting.shift()?.(bodyAt(ts, seq));
    await until('the moment', () => feed.shown?.ts === ts);
  };
  return { feed, asked, waiting, events, answer };
}

/** A service that sends frames for each subscription. */
async function startStream(...frames: readonly object[]): Promise<ScriptedStream> {
  vi.stubGlobal('WebSocket', WebSocket);
  const stream = await ScriptedStream.start((_count, sent, client) => {
    const texts = frames.map((frame) => JSON.stringify({ topic: 'book', ...frame }));
    answerAll(client, sent, texts);
  });
  stops.push(() => stream.stop());
  return stream;
}

/** A book without rows, whose checksum is the empty text's. */
const snapshotAt = (ts: number, seq: number) => ({
  ...{ type: 'snapshot', reset: false, epoch: 'e', seq, slot: 1, ts, state: 'live' },
  ...{ bids: [], asks: [], crc: 0 },
});

const tsOf = (query: URLSearchParams | undefined) => query?.get('ts');

test('one moment is read at a time, and then the one that was requested last', async () => {
  const { feed, asked, waiting, answer } = scriptedFeed();
  for (const ts of [2_000, 2_500, 3_000]) feed.showTime(ts);
  expect(waiting).toHaveLength(1);
  await answer(2_000);
  await answer(3_000);
  expect(asked.map(tsOf)).toEqual(['2000', '3000']);
});

test('a time of which nothing is kept is the moment before it', async () => {
  const { feed, asked, answer } = scriptedFeed();
  feed.showTime(5_000);
  await answer(4_000);
  expect(tsOf(asked[0])).toBe('4000');
});

test('what is played is the stream of the service from the shown moment on, up to now', async () => {
  const live = { type: 'live', epoch: 'e', seq: 8 };
  const stream = await startStream(snapshotAt(2_000, 7), snapshotAt(8_000, 8), live);
  const { feed, asked, events, waiting, answer } = scriptedFeed({ url: stream.url });
  feed.showTime(2_000);
  await answer(2_000, 7);
  feed.play(100);
  await until('now', () => events.includes('caught up'));
  expect(stream.subscriptions[0]).toMatchObject({
    ...{ channel: 'book', market: 'SOL-PERP', depth: 100, intervalMs: 1_000 },
    ...{ from: { epoch: 'e', seq: 7 }, speed: 100 },
  });
  expect(feed.shown).toMatchObject({ ts: 8_000, moment: { epoch: 'e', seq: 8 } });
  // Only the oracle is read in parallel to the stream.
  expect([waiting.length, asked[1]?.get('depth'), asked[1]?.get('seq')]).toEqual([1, '1', '7']);
});

test('what is played goes on from another moment, of another book, and stands still at the end', async () => {
  const ended = { type: 'ended', slot: 1, ts: 3_000, reason: 'end' };
  const stream = await startStream(snapshotAt(3_000, 9), ended);
  const { feed, asked, events, waiting, answer } = scriptedFeed({ url: stream.url });
  feed.showTime(2_000);
  await answer(2_000);
  feed.showTime(3_000);
  feed.play(1);
  expect(stream.subscriptions).toEqual([]);
  await answer(3_000, 9);
  await until('the end', () => feed.problem === 'The journal ends here.');
  expect([feed.speed, feed.shown?.ts, events.includes('caught up')]).toEqual([0, 3_000, false]);
  // The oracle shown during playback is older: the last moment's is read, and the end state stays.
  await until('its read', () => asked.length > 3);
  expect(asked.slice(3).map((query) => query.get('seq'))).toEqual(['9']);
  waiting.pop()?.(bodyAt(3_000, 9, '5'));
  await until('its oracle', () => feed.shown?.oracle === 5n);
  expect(feed.problem).toBe('The journal ends here.');
});

test('what is to play while another market is read plays once that is there', async () => {
  const stream = await startStream(snapshotAt(3_000, 9));
  const { feed, waiting, answer } = scriptedFeed({ url: stream.url });
  feed.play(2);
  expect(feed.speed).toBe(0);
  feed.showTime(2_000);
  await answer(2_000);
  feed.setChoice({ market: 'BTC-PERP', grouping: 1, hasAmm: true }, 100_000n);
  feed.play(2);
  expect([feed.speed, stream.subscriptions]).toEqual([2, []]);
  // The read moment is shown until the stream has begun, which may be soon.
  await until('its read', () => waiting.length > 0);
  waiting.shift()?.(bodyAt(2_000, 7));
  await until('its stream', () => stream.subscriptions.length > 0);
  expect(stream.subscriptions[0]).toMatchObject({ market: 'BTC-PERP', speed: 2 });
  await until('what is played', () => feed.shown?.ts === 3_000);
});

test('what is paused is read whole: the oracle of its own moment stands beside it', async () => {
  const stream = await startStream(snapshotAt(3_000, 9));
  const { feed, asked, waiting, answer } = scriptedFeed({ url: stream.url });
  feed.showTime(2_000);
  await answer(2_000, 7);
  feed.play(100);
  // The oracle during playback was requested, but does not arrive.
  await until('a later moment', () => feed.shown?.ts === 3_000 && asked.length === 2);
  feed.pause();
  feed.pause();
  await until('its read', () => asked.length > 2);
  expect(asked.slice(2).map((query) => query.get('seq'))).toEqual(['9']);
  waiting.pop()?.(bodyAt(3_000, 9, '5'));
  await until('its oracle', () => feed.shown?.oracle === 5n);
  expect([feed.shown?.moment, feed.speed]).toEqual([{ epoch: 'e', seq: 9 }, 0]);
});

test('a replay that the service refuses is said, and the moment stays', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  const error = { code: 'LIMIT_EXCEEDED', message: '4 replays of your address, at most 4' };
  const stream = await ScriptedStream.start((_count, { id }, client) => {
    client.send(JSON.stringify({ type: 'error', id, ...error }));
  });
  stops.push(() => stream.stop());
  const { feed, answer } = scriptedFeed({ url: stream.url });
  feed.showTime(2_000);
  await answer(2_000);
  feed.play(10);
  await until('the words of the service', () => feed.problem === error.message);
  expect([feed.speed, feed.shown?.ts]).toEqual([0, 2_000]);
});

test('a step is to the state before, and what comes after leaving is not shown', async () => {
  const { feed, asked, waiting, events, answer } = scriptedFeed();
  feed.showTime(2_000);
  await answer(2_000, 7);
  feed.step(-1);
  await until('its read', () => asked.length === 2);
  expect([asked[1]?.get('epoch'), asked[1]?.get('seq')]).toEqual(['e', '6']);
  feed.leave();
  const count = events.length;
  waiting.shift()?.(bodyAt(1_900, 6));
  await new Promise((resolve) => setImmediate(resolve));
  expect([feed.shown, events.length]).toEqual([undefined, count]);
});

test('a moment that is not kept is said with what is kept', async () => {
  const refusal = { code: 'MOMENT_NOT_KEPT', message: 'ts 1 is not kept' };
  const http = new HttpClient({
    url: 'http://127.0.0.1:1',
    fetch: async () => Response.json({ error: refusal }, { status: 404 }),
  });
  const feed = new PastFeed(http, '', { onChange: () => {}, onCaughtUp: () => {} });
  feed.setChoice({ market: 'SOL-PERP', grouping: 1, hasAmm: true }, 100n);
  feed.showMoment({ ts: 1 });
  await until('the words of the service', () => feed.problem === refusal.message);
  feed.setKept({ firstTs: 1_000, lastTs: 9_000, gaps: [] });
  feed.showMoment({ ts: 1 });
  const [first, last] = ['1970-01-01 00:00:01.000', '1970-01-01 00:00:09.000'];
  const said = `That moment is not kept: the journal has ${first} to ${last} UTC.`;
  await until('the words of the page', () => feed.problem === said);
  expect(feed.shown).toBeUndefined();
});
