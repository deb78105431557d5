/** GET /stats/markets: what its figures are, to the digit, and how they are kept and tagged. */
import { beforeEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { MarketStats } from '../../contract/history-source.js';
import type { ChainStats, PerpStats } from '../../contract/markets.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeHistory, liveFigures } from '../testing/fake-history.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

const FUNDED_AT = 1_763_737_200;

const PERP: PerpStats = {
  baseLong: 12_345_678_901n,
  baseShort: -11_000_000_000n,
  fundingRate: 1_500_000n,
  fundingRate24h: -3_000_000n,
  fundingOracleTwap: 150_000_000n,
  fundingTs: BigInt(FUNDED_AT),
  marginRatioInitial: 500n,
};

const FIGURES: MarketStats = {
  market: 'perp_0',
  baseVolume24h: 2_500_000_000n,
  quoteVolume24h: 375_000_001n,
  price: 150_020_000n,
  price24hAgo: 149_000_000n,
  high24h: 151_000_000n,
  low24h: 148_500_000n,
  oracleHigh24h: null,
  oracleLow24h: null,
  fundingRate: 20_000_000_000_000n,
  fundingRate24hAvg: 7_000_000_000_000n,
  fundingRateTs: FUNDED_AT,
};

let history: FakeHistory;
let book: FakeBook;
let server: RunningServer;
let nowMs: number;

beforeEach(async () => {
  history = new FakeHistory();
  book = new FakeBook();
  nowMs = 1_763_740_830_000;
  server = await startServer(book, { history, timers: { ...systemTimers, unixMs: () => nowMs } });
});

function show(perp: Partial<PerpStats> | null, oraclePrice = 150_000_000n): void {
  const figures: ChainStats = {
    ...{ oraclePrice, takerFee: 0n, makerRebate: 0n, spot: null },
    perp: perp === null ? null : { ...PERP, ...perp },
  };
  book.chainStats = book.rows.map(() => figures);
}

const get = (headers?: Record<string, string>) => server.ask('/stats/markets', headers);

/** The text of the first market's row. */
async function firstText(): Promise<string> {
  nowMs += LIMITS.statisticsKeptMs;
  const { text } = await get();
  return text.slice(1, text.indexOf('}') + 1);
}

describe('statistics of markets', () => {
  // Specification: stats-index, stats-symbol, stats-type, stats-oracle, stats-volume,
  // stats-interest, stats-funding, stats-funding-average, stats-status.
  test('are decimals that are written to the last digit of the integers behind them', async () => {
    show({});
    history.markets.set('perp_0', FIGURES);
    expect(await firstText()).toBe(
      '{"marketIndex":0,"symbol":"SOL-PERP","marketType":"perp","oraclePrice":150,' +
        '"volume24h":375.000001,"openInterest":1851.851835,"fundingRate":0.00002,' +
        '"fundingRate24hAvg":0.000007,"status":"active","longOpenInterest":12.345678901,' +
        `"shortOpenInterest":-11,"fundingRateTs":${FUNDED_AT},"baseVolume24h":2.5,` +
        '"price":150.02,"price24hAgo":149,"high24h":151,"low24h":148.5}',
    );
  });

  // Specification: stats-path.
  test('are of all markets, perpetual ones first, each kind by index', async () => {
    show({});
    const names = (rows: readonly { marketType: string; marketIndex: number }[]) =>
      rows.map((row) => `${row.marketType} ${row.marketIndex}`);
    const shown = names((await get()).body);
    expect(shown).toEqual(names((await server.ask('/markets')).body));
    expect(shown).toHaveLength(book.rows.length);
  });

  test('without a history have no volume and no trade, and the funding of the account', async () => {
    show({ fundingTs: 0n });
    expect(JSON.parse(await firstText())).toMatchObject({
      ...{ volume24h: 0, baseVolume24h: 0, price: null, price24hAgo: null },
      ...{ high24h: null, low24h: null, fundingRateTs: null },
      ...{ fundingRate: 0.00001, fundingRate24hAvg: -0.00002 },
    });
  });

  test('tell the newer funding rate of the account and of the history', async () => {
    history.markets.set('perp_0', FIGURES);
    show({ fundingTs: BigInt(FUNDED_AT + 1) });
    const newer = { fundingRate: 0.00001, fundingRateTs: FUNDED_AT + 1 };
    expect(JSON.parse(await firstText())).toMatchObject(newer);
    show({ fundingTs: BigInt(FUNDED_AT - 1) });
    const told = { fundingRate: 0.00002, fundingRateTs: FUNDED_AT };
    expect(JSON.parse(await firstText())).toMatchObject(told);
  });

  test('of a spot market have neither open interest nor funding', async () => {
    show(null, 1_000_000n);
    expect(JSON.parse(await firstText())).toMatchObject({
      ...{ oraclePrice: 1, openInterest: 0, fundingRate: 0, fundingRate24hAvg: 0 },
      ...{ longOpenInterest: 0, shortOpenInterest: 0, fundingRateTs: null },
    });
  });

  test('keep their digits where a double would not', async () => {
    show({ baseLong: 9_007_199_254_740_993_000_000_001n }, 1_000_000n);
    expect(await firstText()).toContain('"longOpenInterest":9007199254740993.000000001,');
    show({ fundingRate: -1n, fundingOracleTwap: 3n }, -5n);
    const text = await firstText();
    expect(text).toContain('"fundingRate":-0.000333333333333333,');
    expect(text).toContain('"oraclePrice":-0.000005,');
    show({ fundingOracleTwap: 0n });
    expect(await firstText()).toContain('"fundingRate":0,"fundingRate24hAvg":0,');
  });
});

describe('an answer of statistics', () => {
  test('serves all requests of half a second, and is tagged by what it says', async () => {
    show({});
    const first = await get();
    const etag = first.header('etag') ?? '';
    expect(first.header('cache-control')).toBe('public, max-age=1');
    expect(first.header('x-state')).toBe('live');
    expect(etag).toMatch(/^"epoch-1\.[\w-]{27}"$/);
    expect((await get({ 'If-None-Match': etag })).status).toBe(304);
    show({ baseLong: 1n });
    expect((await get({ 'If-None-Match': etag })).status).toBe(304);
    nowMs += LIMITS.statisticsKeptMs;
    const second = await get({ 'If-None-Match': etag });
    expect(second.status).toBe(200);
    expect(second.header('etag')).not.toBe(etag);
    // The old content has the old tag.
    show({});
    nowMs += LIMITS.statisticsKeptMs;
    expect((await get({ 'If-None-Match': etag })).status).toBe(304);
  });

  test('is made anew for another epoch, and when the clock was set back', async () => {
    show({});
    const etag = (await get()).header('etag');
    book.epoch = 'epoch-2';
    expect((await get()).header('etag')).not.toBe(etag);
    show({ baseLong: 1n });
    nowMs -= 60_000;
    expect((await get()).text).toContain('"longOpenInterest":0.000000001,');
  });

  test('says how far the history is, and is there without one', async () => {
    history.state = { ...liveFigures, state: 'backfilling', reason: 'older trades are read' };
    expect((await get()).header('x-state')).toBe('backfilling');
    const bare = await startServer(new FakeBook(), {});
    const answer = await bare.ask('/v1/stats/markets');
    expect([answer.status, answer.header('x-state')]).toEqual([200, 'off']);
  });
});
