import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import {
  type AggregatorReply,
  ScriptedAggregator,
  type SeenQuote,
} from '../../test/support/scripted-aggregator.js';
import { until } from '../../test/support/until.js';
import type { Log } from '../rpc/log.js';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import type { VenueLevels, VenueMarket } from './venue.js';
import { VenuePoller } from './venue-poller.js';

const BASE = { mint: 'So11111111111111111111111111111111111111112', reserve: 10n ** 15n };
const QUOTE = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', reserve: 150n * 10n ** 12n };
const SOL: VenueMarket = {
  id: 7,
  symbol: 'SOL',
  base: { mint: BASE.mint, decimals: 9 },
  quote: { mint: QUOTE.mint, decimals: 6 },
};

let server: ScriptedAggregator;
let timers: ManualTimers;
let markets: readonly VenueMarket[];
let told: Map<number, VenueLevels>;
let lines: string[];
let poller: VenuePoller;

beforeEach(async () => {
  server = await ScriptedAggregator.start(BASE, QUOTE);
  timers = new ManualTimers();
  markets = [SOL];
  told = new Map();
  lines = [];
});

afterEach(async () => {
  poller.stop();
  await server.stop();
});

const log: Log = {
  info: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`),
};

function startPoller(options: Partial<AggregatorOptions> = {}): void {
  const venue = new Aggregator({
    url: server.url,
    sizes: [100, 1_000],
    timeoutMs: 2_000,
    requestsPerSecond: 1_000_000,
    timers,
    random: () => 1,
    ...options,
  });
  poller = new VenuePoller({
    venue,
    markets: () => markets,
    onLevels: ({ id }, levels) => void told.set(id, levels),
    ...{ intervalMs: 1_000, maxAgeMs: 5_000, log, timers, random: () => 1 },
  });
  poller.start();
}

const counts = () => poller.stats().events;
const reasonOf = (): string | null => poller.stats().markets[0]?.reason ?? null;
const depth = (): number => (told.get(7)?.asks.length ?? 0) + (told.get(7)?.bids.length ?? 0);

/** Passes time in small steps, because timers may start only after network events. */
async function pass(holds: () => boolean, stepMs = 50, stepsMax = 400): Promise<void> {
  for (let step = 0; !holds(); step += 1) {
    if (step === stepsMax) throw new Error(`it never held: ${JSON.stringify(poller.stats())}`);
    timers.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const readingsAre = (count: number) => () => counts().readings >= count;

describe('venue: a good aggregator', () => {
  test('is asked what each size buys, and what that brings when it is sold', async () => {
    startPoller();
    await pass(readingsAre(1));
    const asked = server.seen.map(({ path, query }) => [path, ...query.values()]);
    const bought = [100n, 1_000n].map((size) => server.outOf(QUOTE.mint, size * 1_000_000n));
    expect(asked.sort()).toEqual(
      [
        ['/quote', QUOTE.mint, BASE.mint, '100000000', '50'],
        ['/quote', QUOTE.mint, BASE.mint, '1000000000', '50'],
        ...bought.map((base) => ['/quote', BASE.mint, QUOTE.mint, base.toString(), '50']),
      ].sort(),
    );
    const { asks = [], bids = [] } = told.get(7) ?? {};
    expect([asks.length, bids.length]).toEqual([2, 2]);
    // Around 150 for one, with the fee of 0.1 % on each way.
    expect(Number(asks[0]?.price)).toBeCloseTo(150_150_000, -4);
    expect(Number(bids[0]?.price)).toBeCloseTo(149_850_000, -4);
    expect(poller.stats().markets).toMatchObject([
      { symbol: 'SOL', used: true, levels: 4, reason: null },
    ]);
    expect(lines).toEqual([]);
  });

  test('is asked again after the interval, and not before', async () => {
    startPoller();
    await pass(readingsAre(1), 1);
    const { requests } = counts();
    timers.advance(900);
    expect(counts().requests).toBe(requests);
    await pass(readingsAre(2));
    expect(counts()).toEqual({ requests: 2 * requests, readings: 2, failures: 0 });
  });

  test('gets no more requests at once than it may, and no more a second', async () => {
    markets = Array.from({ length: 10 }, (_, id) => ({ ...SOL, id }));
    server.answer = () => ({ delayMs: 5 });
    startPoller({ requestsPerSecond: 10, timeoutMs: 60_000 });
    await pass(() => counts().requests >= 10, 10);
    expect(server.atOnceMax).toBeLessThanOrEqual(4);
    // The first goes out immediately, each further one a tenth of a second later.
    expect(timers.nowMs()).toBeGreaterThanOrEqual(900);
  });

  test('keys of its address stay in it', async () => {
    const url = new URL(`${server.url}/v6/pathkey123`);
    url.username = 'user-name';
    url.password = 'pass-word';
    url.searchParams.set('api-key', 'querykey123');
    server.answer = ({ query, authorization }) => ({
      status: 401,
      body: `not for ${query} ${authorization} ${url.href}`,
    });
    startPoller({ url: url.href });
    await pass(() => counts().failures > 0);
    await server.stop();
    await pass(() => counts().failures > 1, 500);
    const [first] = server.seen;
    expect(first?.path).toBe('/v6/pathkey123/quote');
    expect(first?.query.get('api-key')).toBe('querykey123');
    expect(first?.authorization).toBe(`Basic ${btoa('user-name:pass-word')}`);
    const shown = `${lines.join()}${JSON.stringify(poller.stats())}`;
    expect(shown).toContain('VENUE_HTTP_STATUS');
    expect(shown).toContain('VENUE_UNREACHABLE');
    for (const key of ['pathkey', 'querykey', 'user-name', 'pass-word', btoa('user-name')]) {
      expect(shown).not.toContain(key.slice(0, 8));
    }
  });
});

const huge = '9'.repeat(60);

describe('venue: an aggregator that fails is left out at once, counted, and used again', () => {
  const isSale = ({ query }: SeenQuote): boolean => query.get('inputMint') === BASE.mint;

  test.each<[string, string, AggregatorReply]>([
    ['no JSON', 'MALFORMED_VENUE_ANSWER', { body: '<html>busy</html>' }],
    ['JSON that is no object', 'MALFORMED_VENUE_ANSWER', { body: '[1]' }],
    ['nothing', 'MALFORMED_VENUE_ANSWER', { body: '' }],
    ['nested without end', 'MALFORMED_VENUE_ANSWER', { body: '['.repeat(200_000) }],
    ['an error as JSON', 'MALFORMED_VENUE_ANSWER', { body: '{"error":"no route"}' }],
    ['no amount', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: undefined } }],
    ['a number', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: 5 } }],
    ['a negative amount', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: '-5' } }],
    ['a fraction', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: '1.5' } }],
    ['an exponent', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: '1e9' } }],
    ['a huge amount', 'MALFORMED_VENUE_ANSWER', { fields: { outAmount: huge } }],
    [
      'more than a u64',
      'VENUE_PRICE_OUT_OF_RANGE',
      { fields: { outAmount: '18446744073709551616' } },
    ],
    ['nothing for it', 'VENUE_PRICE_OUT_OF_RANGE', { fields: { outAmount: '0' } }],
    [
      'more than was paid',
      'VENUE_PRICE_OUT_OF_RANGE',
      { fields: { outAmount: '9000000000000000000' } },
    ],
    ['another mint in', 'VENUE_QUOTE_MISMATCH', { fields: { inputMint: 'other' } }],
    ['another mint out', 'VENUE_QUOTE_MISMATCH', { fields: { outputMint: 'other' } }],
    ['another amount', 'VENUE_QUOTE_MISMATCH', { fields: { inAmount: '7' } }],
    ['the other mode', 'VENUE_QUOTE_MISMATCH', { fields: { swapMode: 'ExactOut' } }],
    ['half of it', 'VENUE_UNREACHABLE', 'cut'],
    ['a broken connection', 'VENUE_UNREACHABLE', 'destroy'],
    ['no end', 'VENUE_BODY_EXCEEDED', 'flood'],
    ['silence', 'VENUE_TIMEOUT', 'hang'],
    ['a byte now and then', 'VENUE_TIMEOUT', { dripMs: 50 }],
    ['400', 'VENUE_HTTP_STATUS', { status: 400, body: '{"errorCode":"NO_ROUTES_FOUND"}' }],
    ['500', 'VENUE_HTTP_STATUS', { status: 500 }],
    [
      'a redirect',
      'VENUE_HTTP_STATUS',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    ],
    ['429', 'VENUE_RATE_EXCEEDED', { status: 429 }],
  ])('%s', async (_, code, reply) => {
    startPoller();
    await pass(readingsAre(1));
    expect(depth()).toBe(4);
    // One of the four answers is enough.
    server.answer = (seen) => (isSale(seen) ? reply : 'good');
    await pass(() => counts().failures > 0);
    expect(depth()).toBe(0);
    expect(poller.stats()).toMatchObject({
      failures: { [code]: counts().failures },
      markets: [{ used: false, levels: 0, ageMs: null, reason: code }],
    });
    expect(lines.filter((line) => line.includes('left out') && line.includes(code))).toHaveLength(
      1,
    );
    server.answer = () => 'good';
    await pass(readingsAre(2));
    expect(depth()).toBe(4);
    expect(reasonOf()).toBe(null);
    expect(lines.at(-1)).toContain('a venue is used again');
  });

  test('each failure in a row waits twice as long, up to 30 s', async () => {
    server.answer = () => ({ status: 500 });
    startPoller();
    const atMs: number[] = [];
    for (let count = 1; count <= 8; count += 1) {
      await pass(() => counts().failures >= count, 100, 2_000);
      atMs.push(timers.nowMs());
    }
    const waits = atMs.slice(1).map((ms, index) => Math.floor((ms - (atMs[index] ?? 0)) / 1_000));
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(lines).toHaveLength(1);
  });

  test.each([429, 503])('Retry-After of %d holds for all markets', async (status) => {
    markets = [SOL, { ...SOL, id: 8 }];
    server.answer = () => ({ status, headers: { 'retry-after': '20' } });
    startPoller({ sizes: [100] });
    await pass(() => counts().failures >= 1);
    const [{ requests }, sinceMs] = [counts(), timers.nowMs()];
    server.answer = () => 'good';
    await pass(() => counts().requests > requests, 100);
    expect(timers.nowMs() - sinceMs).toBeGreaterThanOrEqual(19_000);
    await pass(readingsAre(2));
  });

  test('levels that are too old are left out although nothing has failed', async () => {
    startPoller({ timeoutMs: 60_000 });
    await pass(readingsAre(1), 1);
    const askedMs = timers.nowMs();
    server.answer = () => 'hang';
    await pass(() => depth() === 0, 100);
    expect(timers.nowMs() - askedMs).toBeGreaterThanOrEqual(4_800);
    expect(timers.nowMs() - askedMs).toBeLessThanOrEqual(5_100);
    expect(reasonOf()).toBe('VENUE_LEVELS_STALE');
    expect(poller.stats().failures).toEqual({ VENUE_LEVELS_STALE: 1 });
  });

  test('levels that are too old when they come are never used', async () => {
    startPoller({ timeoutMs: 60_000 });
    server.answer = () => ({ delayMs: 20 });
    await pass(() => server.seen.length >= 2, 1);
    timers.advance(5_001);
    await pass(() => counts().failures > 0 || counts().readings > 0, 1);
    expect(told.get(7)?.asks ?? []).toEqual([]);
    expect(reasonOf()).toBe('VENUE_LEVELS_STALE');
  });
});

describe('venue: markets', () => {
  test('one that is gone loses its levels', async () => {
    startPoller();
    await pass(readingsAre(1));
    markets = [];
    await pass(() => poller.stats().markets.length === 0);
    expect(depth()).toBe(0);
  });

  test('one whose token is another is read anew', async () => {
    startPoller();
    await pass(readingsAre(1));
    const other = { ...SOL, base: { mint: 'other', decimals: 9 } };
    markets = [other];
    server.answer = () => 'hang';
    await pass(() => depth() === 0);
    await pass(() => server.seen.at(-1)?.query.get('outputMint') === 'other');
  });

  test('a stopped one asks nothing more and tells nothing more', async () => {
    server.answer = () => 'hang';
    startPoller();
    await pass(() => server.seen.length >= 2);
    poller.stop();
    const { requests } = counts();
    timers.advance(60_000);
    await until('the connections are closed', () => true);
    expect(counts().requests).toBe(requests);
    expect(timers.waitsMs).toEqual([]);
    expect(told.size).toBe(0);
    expect(lines).toEqual([]);
  });

  test('whoever takes the levels may fail', async () => {
    const failing = new VenuePoller({
      venue: new Aggregator({
        ...{ url: server.url, sizes: [100], timeoutMs: 2_000, requestsPerSecond: 1_000, timers },
      }),
      markets: () => markets,
      onLevels: () => {
        throw new Error('deliberate');
      },
      ...{ intervalMs: 1_000, maxAgeMs: 5_000, log, timers },
    });
    poller = failing;
    failing.start();
    await pass(readingsAre(2));
    expect(lines[0]).toContain('levels were not taken');
  });
});
