/**
 * The data interface in the forms of the system in production: every value against the record or the
 * account that it comes from, never against another body of ours.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineWith, makerWith, ORACLE, PERP, SLOT, SPOT } from '../src/engine/testing.js';
import { Direction } from '../src/sim/bytes/generated/enums.js';
import type { Fill, FundingRate } from './support/logged-records.js';
import { MarketDataScene } from './support/market-data-scene.js';

type Row = Readonly<Record<string, unknown>>;

let scene: MarketDataScene;
let fill: Fill;
let older: Fill;
let rateRecord: FundingRate;
let pastRate: FundingRate;

beforeAll(async () => {
  scene = await MarketDataScene.start(engineWith(PERP, SPOT, ORACLE, twoSided));
  older = scene.fill({ ts: scene.ts - 25 * 3_600 });
  fill = scene.fill({ ts: scene.ts - 60, quoteAssetAmountFilled: 220_000_002n });
  pastRate = scene.fundingRate({ ts: scene.ts - 8 * 86_400, fundingRate: 90_000_001n });
  rateRecord = scene.fundingRate({ ts: scene.ts - 30, fundingRate: -7_000_001n });
});

afterAll(() => scene?.stop());

/** A user account with orders on both sides of the perpetual market. */
const twoSided = makerWith(
  7,
  [149_000_000n, 148_500_000n, 151_000_000n].map((price, index) => ({
    ...{ slot: BigInt(SLOT - 1_000), price, postOnly: true },
    baseAssetAmount: 100_000_000n * BigInt(index + 1),
    direction: price < 150_000_000n ? Direction.Long : Direction.Short,
  })),
);

async function body(path: string): Promise<Record<string, Row[]>> {
  const { status, body } = await scene.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
}

/** Of the captured accounts, as another decoder reads them: test/golden/vectors, perp-0-sol-202603. */
const CAPTURED = { oracle: 143_798_202n, long: '422751.35', short: '-425175.12' };

function marketIn(rows: readonly Row[] | undefined, symbol: string): Row {
  const found = rows?.find((row) => symbol === (row['symbol'] ?? row['ticker_id']));
  if (found === undefined) throw new Error(`there is no ${symbol}`);
  return found;
}

/** Quote for one base, in decimals with six places. */
function priceOf({ quoteAssetAmountFilled: quote, baseAssetAmountFilled: base }: Fill): string {
  return (Number(quote) / Number(base) / 1e-3).toFixed(6);
}

describe('statistics', () => {
  test('/data/stats/markets has the envelope and what accounts, book and trades say', async () => {
    const stats = await body('/data/stats/markets');
    expect(stats['success']).toBe(true);
    const [l2, spec] = [
      await body('/l2?marketName=SOL-PERP&includeVamm=true'),
      await scene.rows('/stats/markets'),
    ];
    const perp = marketIn(stats['markets'], 'SOL-PERP');
    const rate = ((-7_000_001 / 1e9 / (Number(rateRecord.oraclePriceTwap) / 1e6)) * 100).toFixed(6);
    const account = Buffer.from(PERP.data, 'base64');
    expect(perp).toMatchObject({
      ...{ marketIndex: 0, marketType: 'perp', uiStatus: 'visible', uiHideAtTs: null },
      ...{ baseAsset: 'SOL', quoteAsset: 'USDC', status: 'active', precision: 9 },
      fees: { maker: -0.0002, taker: 0.001 },
      oraclePrice: '143.798202',
      markPrice: (Number(l2['markPrice']) / 1e6).toFixed(6),
      quoteVolume: '220.000002',
      baseVolume: (Number(fill.baseAssetAmountFilled) / 1e9).toFixed(6),
      ...{ deposits: '', borrows: '' },
      openInterest: { long: CAPTURED.long, short: CAPTURED.short },
      fundingRate: { long: String(-Number(rate)), short: String(Number(rate)) },
      fundingRate24h: rate,
      fundingRateUpdateTs: rateRecord.ts,
      price: priceOf(fill),
      priceChange24h: (Number(priceOf(fill)) - Number(priceOf(older))).toFixed(6),
      priceHigh: { oracle: (Number(fill.oraclePrice) / 1e6).toFixed(6), fill: priceOf(fill) },
    });
    expect(perp['limits']).toMatchObject({
      leverage: { min: 1, max: Math.floor(1_000_000 / account.readUInt32LE(1_136)) / 100 },
      amount: { min: Number(account.readBigUInt64LE(824)) / 1e9, max: null },
    });
    const percent = (Number(priceOf(fill)) / Number(priceOf(older)) - 1) * 100;
    expect(Number(perp['priceChange24hPercent'])).toBeCloseTo(percent, 2);
    expect(spec.map(({ symbol }) => symbol)).toEqual(
      (stats['markets'] ?? []).map(({ symbol }) => symbol),
    );
    expect(marketIn(stats['markets'], 'SOL')).toMatchObject({
      ...{ marketType: 'spot', baseAsset: 'SOL', price: '', priceChange24h: '' },
      deposits: expect.stringMatching(/^\d+(\.\d+)?$/),
    });
  });

  test('/markets has the assets, fees and leverage of each market', async () => {
    const markets = await scene.rows('/markets');
    const ratio = Buffer.from(PERP.data, 'base64').readUInt32LE(1_136);
    expect(marketIn(markets, 'SOL-PERP')).toMatchObject({
      ...{ baseAsset: 'SOL', quoteAsset: 'USDC', fees: { maker: -0.0002, taker: 0.001 } },
      leverageMax: Math.floor(1_000_000 / ratio) / 100,
    });
    expect(marketIn(markets, 'SOL')).toMatchObject({ baseAsset: 'SOL', leverageMax: 1 });
  });

  test('/stats/markets/prices has both prices and what lies between them', async () => {
    const { markets } = await body('/data/stats/markets/prices');
    expect(marketIn(markets, 'SOL-PERP')).toMatchObject({
      ...{ currentPrice: priceOf(fill), price24hAgo: priceOf(older) },
      priceChange: (Number(priceOf(fill)) - Number(priceOf(older))).toFixed(6),
    });
    expect(marketIn(markets, 'SOL')).toMatchObject({ currentPrice: '', priceChangePercent: '' });
  });

  test.each(['/contracts', '/external/coingecko/contracts'])('%s', async (path) => {
    const { contracts = [] } = await body(path);
    const interest = Number(CAPTURED.long) - Number(CAPTURED.short);
    expect(marketIn(contracts, 'SOL-PERP')).toMatchObject({
      ...{ contract_index: 0, base_currency: 'SOL', quote_currency: 'USDC', product_type: 'PERP' },
      ...{ last_price: priceOf(fill), index_price: '143.798202', quote_volume: '220.000002' },
      open_interest: interest.toFixed(9),
      next_funding_rate_timestamp: `${rateRecord.ts + 3_600}000`,
    });
    const symbols = contracts.map((row) => row['ticker_id']);
    expect(symbols).toEqual(path === '/contracts' ? ['SOL-PERP', 'SOL'] : ['SOL-PERP']);
  });

  test('/stats/fundingRates has the means of four periods in percent', async () => {
    const percentOf = ({ fundingRate, oraclePriceTwap }: FundingRate) =>
      (Number(fundingRate) / 1e9 / (Number(oraclePriceTwap) / 1e6)) * 100;
    const day = percentOf(rateRecord).toFixed(9);
    const month = ((percentOf(rateRecord) + percentOf(pastRate)) / 2).toFixed(9);
    const { markets } = await body('/data/stats/fundingRates');
    expect(markets).toEqual([
      {
        ...{ marketIndex: 0, symbol: 'SOL-PERP' },
        fundingRates: { '24h': day, '7d': day, '30d': month, '1y': month },
      },
    ]);
  });

  test('CoinGecko has tickers, and a book whose top they show', async () => {
    const ticker = marketIn(await scene.rows('/tickers'), 'SOL-PERP');
    const book = await body('/orderbook?ticker_id=SOL-PERP&depth=10');
    const l2 = await body('/l2?marketName=SOL-PERP&includeVamm=true&depth=5');
    const raw = (side: 'bids' | 'asks') =>
      (l2[side] ?? []).map((level) => [Number(level['price']) / 1e6, Number(level['size']) / 1e9]);
    for (const side of ['bids', 'asks'] as const) {
      const levels = (book[side] ?? []) as unknown as string[][];
      expect(levels.map((level) => level.map(Number))).toEqual(raw(side));
    }
    expect(raw('bids').length).toBeGreaterThan(0);
    expect(ticker).toMatchObject({ target_currency: 'USDC', target_volume: '220.000002' });
    expect([Number(ticker['bid']), Number(ticker['ask'])]).toEqual([
      raw('bids')[0]?.[0],
      raw('asks')[0]?.[0],
    ]);
  });
});

describe('the older paths by marketName', () => {
  test('/fundingRates has the integers of the record as text', async () => {
    const { fundingRates = [] } = await body('/data/fundingRates?marketName=SOL-PERP');
    const raw = ({ index: _, ...members }: FundingRate) =>
      Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
    const [row = {}] = fundingRates;
    expect(row).toMatchObject({
      ...{ ...raw(rateRecord), marketIndex: 0, recordId: String(row['slot']) },
    });
    expect(Object.keys(row)).toHaveLength(15);
  });

  test('/trades has each trade as JSON in a text, in decimals', async () => {
    const { trades } = (await body('/trades?marketIndex=0&marketType=perp'))[
      'data'
    ] as unknown as Row;
    const [row = {}] = (trades as string[]).map((text): Row => JSON.parse(text));
    expect(Number(row['quoteAssetAmountFilled'])).toBe(220.000002);
    expect(Number(row['baseAssetAmountFilled'])).toBe(Number(fill.baseAssetAmountFilled) / 1e9);
    expect([row['taker'], row['maker']]).toEqual([fill.taker, fill.maker]);
    expect(row['ts']).toBe(fill.ts);
  });
});

describe('the archive of a day', () => {
  const dayOf = (ts: number, pad: number) =>
    new Date(ts * 1_000)
      .toISOString()
      .slice(0, 10)
      .split('-')
      .map((part) => String(Number(part)).padStart(pad, '0'))
      .join('/');

  test('has the trades of that day alone, also with zeroes in the date', async () => {
    for (const pad of [1, 2]) {
      const { records = [] } = await body(`/data/market/SOL-PERP/trades/${dayOf(older.ts, pad)}`);
      expect(records.map(({ ts }) => ts)).toEqual([older.ts]);
    }
  });

  test('as CSV is a file that browsers save', async () => {
    const path = `/data/market/sol-perp/fundingRates/${dayOf(rateRecord.ts, 1)}?format=csv`;
    const { text, headers } = await scene.getText(path);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const day = dayOf(rateRecord.ts, 1).replaceAll('/', '-');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="market-SOL-PERP-fundingRates-${day}.csv"`,
    );
    const [names = [], values = []] = text.split('\r\n').map((line) => line.split(','));
    const row = Object.fromEntries(names.map((name, at) => [name, values[at]]));
    expect(row).toMatchObject({ ts: String(rateRecord.ts), fundingRate: '-0.007000001' });
  });

  test('that is over may be cached for minutes, today for a second', async () => {
    const ageOf = async (ts: number) =>
      (await scene.getText(`/market/SOL-PERP/trades/${dayOf(ts, 1)}`)).headers.get('cache-control');
    expect(await ageOf(older.ts - 86_400)).toBe('public, max-age=300');
    expect(await ageOf(scene.ts)).toBe('public, max-age=1');
  });
});
