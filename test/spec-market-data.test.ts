/** The specification's market data interface over HTTP, sentence by sentence, from a store on a disk. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fill, FundingRate } from './support/logged-records.js';
import { MarketDataScene } from './support/market-data-scene.js';

type Row = Readonly<Record<string, unknown>>;

let scene: MarketDataScene;
let fill: Fill;
let rate: FundingRate;
let trade: Row;
let fundingRate: Row;
let candle: Row;

/** What a JSON text has for this member: its digits, not what a number makes of them. */
function digitsOf(text: string, name: string): string | undefined {
  return new RegExp(`"${name}":([^,}\\]]+)`).exec(text)?.[1];
}

/** The candle of a minute in which a market of its own traded at these prices. */
async function candleOf(prices: readonly bigint[]): Promise<Row> {
  const [ts, spot] = [scene.ts - 120, { marketType: 'spot', marketIndex: 1 } as const];
  for (const [at, price] of prices.entries()) {
    const quoteAssetAmountFilled = price * 2n;
    scene.fill({ ...spot, ts: ts + at, baseAssetAmountFilled: 2_000_000n, quoteAssetAmountFilled });
  }
  const [candle = {}] = await scene.rows(`/candles?symbol=SOL&resolution=1&from=${ts}&to=${ts}`);
  return candle;
}

beforeAll(async () => {
  scene = await MarketDataScene.start();
  fill = scene.fill({
    baseAssetAmountFilled: 1_500_000_000n,
    quoteAssetAmountFilled: 225_030_001n,
  });
  rate = scene.fundingRate({ oraclePriceTwap: 150_020_000n, markPriceTwap: 150_040_500n });
  [trade = {}] = await scene.rows('/trades?symbol=SOL-PERP');
  [fundingRate = {}] = await scene.rows('/fundingRates?symbol=SOL-PERP');
  candle = await candleOf([100_000_000n, 103_250_000n, 98_000_001n, 101_500_000n]);
});

afterAll(() => scene?.stop());

test('trade-precision-base: base in trades is at 1e9, in a market of other decimals too', async () => {
  expect(trade['baseAssetAmountFilled']).toBe(1_500_000_000);
  // The token has six decimals on chain.
  scene.fill({ marketType: 'spot', marketIndex: 1, baseAssetAmountFilled: 1_500_000n });
  const [spot] = await scene.rows('/trades?symbol=SOL');
  expect(spot).toMatchObject({ marketType: 'spot', baseAssetAmountFilled: 1_500_000_000 });
});

test('trade-precision-quote: quote in trades is at 1e6', () => {
  expect(trade['quoteAssetAmountFilled']).toBe(225_030_001);
});

test('trade-precision-raw: amounts are raw integers, of which no digit is lost', async () => {
  const [base, quote] = [2n ** 64n - 1n, 2n ** 53n + 1n];
  const ts = scene.ts - 90_000;
  scene.fill({ ts, baseAssetAmountFilled: base, quoteAssetAmountFilled: quote });
  const { text } = await scene.get('/trades?symbol=SOL-PERP&limit=1');
  expect(digitsOf(text, 'baseAssetAmountFilled')).toBe('18446744073709551615');
  expect(digitsOf(text, 'quoteAssetAmountFilled')).toBe('9007199254740993');
});

test('funding-ts: ts is unix seconds', () => {
  expect(fundingRate['ts']).toBe(scene.ts);
});

test('funding-symbol: symbol is the name of the market', () => {
  expect(fundingRate['symbol']).toBe('SOL-PERP');
});

test('funding-index: marketIndex is an integer', () => {
  expect(fundingRate['marketIndex']).toBe(0);
});

test('funding-rate: fundingRate is the rate over the oracle, a fraction per hour', () => {
  const expected = Number(rate.fundingRate) / 1e9 / (Number(rate.oraclePriceTwap) / 1e6);
  expect(fundingRate['fundingRate']).toBeCloseTo(expected, 16);
  expect(expected).toBeGreaterThan(1e-5);
});

test('funding-oracle: oraclePrice is a decimal', () => {
  expect(fundingRate['oraclePrice']).toBe(150.02);
});

test('funding-mark: markPrice is a decimal', () => {
  expect(fundingRate['markPrice']).toBe(150.0405);
});

test('trade-ts: ts is unix seconds', () => {
  expect(trade['ts']).toBe(scene.ts);
});

test('trade-index: marketIndex is an integer', () => {
  expect(trade['marketIndex']).toBe(0);
});

test('trade-type: marketType is perp', () => {
  expect(trade['marketType']).toBe('perp');
});

test('trade-filler: filler is its address, null where nobody filled', async () => {
  expect(trade['filler']).toBe(fill.filler);
  scene.fill({ filler: null });
  expect((await scene.rows('/trades?symbol=SOL-PERP'))[0]).toMatchObject({ filler: null });
});

test('trade-taker: taker is its address', () => {
  expect(trade['taker']).toBe(fill.taker);
  expect(fill.taker).not.toBe(fill.maker);
});

test('trade-maker: maker is its address, null when the AMM filled', async () => {
  expect(trade['maker']).toBe(fill.maker);
  const amm = { maker: null, makerOrderId: null, actionExplanation: 'orderFilledWithAmm' };
  scene.fill(amm);
  expect((await scene.rows('/trades?symbol=SOL-PERP'))[0]).toMatchObject(amm);
});

test('trade-taker-order: takerOrderId is an integer', () => {
  expect(trade['takerOrderId']).toBe(fill.takerOrderId);
});

test('trade-maker-order: makerOrderId is an integer', () => {
  expect(trade['makerOrderId']).toBe(fill.makerOrderId);
});

test('trade-base: baseAssetAmountFilled is an integer at 1e9', () => {
  expect(trade['baseAssetAmountFilled']).toBe(Number(fill.baseAssetAmountFilled));
});

test('trade-quote: quoteAssetAmountFilled is an integer at 1e6', () => {
  expect(trade['quoteAssetAmountFilled']).toBe(Number(fill.quoteAssetAmountFilled));
});

test('trade-taker-fee: takerFee is positive for a charge', () => {
  expect(trade['takerFee']).toBe(Number(fill.takerFee));
  expect(fill.takerFee).toBeGreaterThan(0n);
});

test('trade-maker-fee: makerFee is negative for a rebate', () => {
  expect(trade['makerFee']).toBe(Number(fill.makerFee));
  expect(fill.makerFee).toBeLessThan(0n);
});

test('trade-action: action is fill', () => {
  expect(trade['action']).toBe('fill');
});

test('trade-explanation: actionExplanation is orderFilledWithMatch', () => {
  expect(trade['actionExplanation']).toBe('orderFilledWithMatch');
});

test('candle-ts: ts is the start in unix seconds', () => {
  expect(candle['ts']).toBe(scene.ts - 120);
});

test('candle-open: fillOpen is the price of the first trade', () => {
  expect(candle['fillOpen']).toBe(100);
});

test('candle-high: fillHigh is the highest price', () => {
  expect(candle['fillHigh']).toBe(103.25);
});

test('candle-low: fillLow is the lowest price', () => {
  expect(candle['fillLow']).toBe(98.000001);
});

test('candle-close: fillClose is the price of the last trade', () => {
  expect(candle['fillClose']).toBe(101.5);
});

test('candle-volume: baseVolume is the base that was traded', () => {
  expect(candle['baseVolume']).toBe(8);
});

test.each(['1', '5', '15', '60', '240', '1440'])(
  'a candle of %s minutes begins with them',
  async (resolution) => {
    const seconds = Number(resolution) * 60;
    const candles = await scene.rows(`/candles?symbol=SOL-PERP&resolution=${resolution}&limit=3`);
    const starts = candles.map(({ ts }) => Number(ts));
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.filter((ts) => ts % seconds !== 0)).toEqual([]);
  },
);

test('candle-resolutions: all of the specification are served, and others are refused', async () => {
  for (const resolution of ['1', '5', '15', '60', '240', '1440']) {
    const { status } = await scene.get(`/candles?symbol=SOL-PERP&resolution=${resolution}`);
    expect([resolution, status]).toEqual([resolution, 200]);
  }
  expect((await scene.get('/candles?symbol=SOL-PERP&resolution=7')).status).toBe(400);
});

test('path-funding-rates: the records of the market are a JSON array, newest first', async () => {
  scene.fundingRate({ ts: scene.ts + 1, marketIndex: 3 });
  scene.fundingRate({ ts: scene.ts + 2 });
  const rows = await scene.rows('/fundingRates?symbol=sol-perp');
  expect(rows.map(({ ts }) => ts)).toEqual([scene.ts + 2, scene.ts]);
  expect(Object.keys(rows[0] ?? {})).toEqual([
    ...['ts', 'symbol', 'marketIndex', 'fundingRate', 'oraclePrice', 'markPrice'],
  ]);
  expect((await scene.get('/fundingRates')).status).toBe(400);
});

test('path-trades: the trades of the market are a JSON array, newest first', async () => {
  const rows = await scene.rows('/trades?symbol=sol-perp');
  const slots = rows.map(({ slot }) => Number(slot));
  expect(slots).toEqual([...slots].sort((left, right) => right - left));
  expect(slots.length).toBeGreaterThan(2);
  expect(new Set(rows.map(({ marketType }) => marketType))).toEqual(new Set(['perp']));
});

test('path-trades-symbol: symbol is required', async () => {
  const { status, body } = await scene.get('/trades');
  expect({ status, body }).toMatchObject({
    ...{ status: 400, body: { error: { code: 'MISSING_PARAM', param: 'symbol' } } },
  });
});

test('path-trades-limit: limit is the most that comes', async () => {
  for (const limit of [1, 2, 3]) {
    expect(await scene.rows(`/trades?symbol=SOL-PERP&limit=${limit}`)).toHaveLength(limit);
  }
});

test('path-trades-page: pageIndex goes on where the page before ended', async () => {
  const all = await scene.rows('/trades?symbol=SOL-PERP');
  const pages = await Promise.all(
    [0, 1, 2].map((page) => scene.rows(`/trades?symbol=SOL-PERP&limit=2&pageIndex=${page}`)),
  );
  expect(pages.flat()).toEqual(all.slice(0, 6));
});

test('market-data-open: everybody may read, with or without credentials', async () => {
  for (const name of ['/trades', '/fundingRates']) {
    for (const headers of [{}, { Authorization: 'Bearer x' }]) {
      const { status } = await scene.get(`${name}?symbol=SOL-PERP`, headers);
      expect(status).toBe(200);
    }
  }
});

test('limit-trades: limit goes to 1000 and no further', async () => {
  for (let more = 0; more < 1_010; more += 1) scene.fill({ marketType: 'spot', marketIndex: 1 });
  expect(await scene.rows('/trades?symbol=SOL&limit=1000')).toHaveLength(1_000);
  expect((await scene.get('/trades?symbol=SOL&limit=1001')).status).toBe(400);
});
