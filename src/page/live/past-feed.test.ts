/** Which past moments the page reads, and how many at once. */
import { HttpClient } from '@slotbook/client';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.js';
import { PastFeed } from './past-feed.js';

/** A book of a moment without rows. */
function bodyAt(ts: number, seq: number): string {
  const reading = { price: '1', slot: '1', confidence: '1', twap: '1', twapConfidence: '1' };
  const oracleData = { ...reading, hasSufficientNumberOfDataPoints: true };
  return JSON.stringify({
    ...{ bids: [], asks: [], marketName: 'SOL-PERP', marketType: 'perp', marketIndex: 0 },
    ...{ ts, slot: 1, markPrice: '1', oracle: '1', oracleData, mmOracleData: oracleData },
    ...{ marketSlot: 1, seq, epoch: 'e', state: 'live', crossed: false },
    ...{ bestBidPrice: null, bestAskPrice: null, spreadPct: null, spreadQuote: null },
    asOf: { epoch: 'e', slot: 1, ts },
  });
}

/** A feed whose reads are answered by hand, in their order. */
function scriptedFeed() {
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
  const feed = new PastFeed(http, {
    onChange: () => events.push(`${feed.shown?.ts}`),
    onCaughtUp: () => events.push('caught up'),
  });
  feed.setKept({ firstTs: 1_000, lastTs: 9_000, gaps: [{ fromTs: 4_000, toTs: 6_000 }] });
  feed.setChoice({ market: 'SOL-PERP', grouping: 1 });
  const answer = async (ts: number, seq = 1): Promise<void> => {
    await until('a read', () => waiting.length > 0);
    waiting.shift()?.(bodyAt(ts, seq));
    await until('the moment', () => feed.shown?.ts === ts);
  };
  return { feed, asked, waiting, events, answer };
}

const tsOf = (query: URLSearchParams | undefined) => query?.get('ts');

test('one moment is read at a time, and then the one that was requested last', async () => {
  const { feed, asked, waiting, answer } = scriptedFeed();
  for (const ts of [2_000, 2_500, 3_000]) feed.showTime(ts);
  expect(waiting).toHaveLength(1);
  await answer(2_000);
  await answer(3_000);
  expect(asked.map(tsOf)).toEqual(['2000', '3000']);
});

test('a time of which nothing is kept is the moment before it, and is played over', async () => {
  const { feed, asked, answer } = scriptedFeed();
  feed.showTime(5_000);
  await answer(4_000);
  expect(tsOf(asked[0])).toBe('4000');
  feed.play(100);
  await answer(6_000);
  expect(tsOf(asked[1])).toBe('6000');
  feed.leave();
});

test('what is played ends at the newest moment', async () => {
  const { feed, events, answer } = scriptedFeed();
  feed.showTime(2_000);
  await answer(2_000);
  feed.play(100);
  await answer(2_000);
  await until('the end', () => events.includes('caught up'));
  feed.leave();
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
  const feed = new PastFeed(http, { onChange: () => {}, onCaughtUp: () => {} });
  feed.setChoice({ market: 'SOL-PERP', grouping: 1 });
  feed.showMoment({ ts: 1 });
  await until('the words of the service', () => feed.problem === refusal.message);
  feed.setKept({ firstTs: 1_000, lastTs: 9_000, gaps: [] });
  feed.showMoment({ ts: 1 });
  const [first, last] = ['1970-01-01 00:00:01.000', '1970-01-01 00:00:09.000'];
  const said = `That moment is not kept: the journal has ${first} to ${last} UTC.`;
  await until('the words of the page', () => feed.problem === said);
  expect(feed.shown).toBeUndefined();
});
