/**
 * TradingView's chart library over UDF, asked as its own data feed asks: configuration, search, a market,
 * then bars back to the first one. Every bar is held to the trades that were stored.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MarketDataScene } from './support/market-data-scene.js';

type Body = Readonly<Record<string, unknown>>;

interface Bars {
  readonly s: string;
  readonly t: readonly number[];
  readonly o: readonly number[];
  readonly h: readonly number[];
  readonly l: readonly number[];
  readonly c: readonly number[];
  readonly v: readonly number[];
  readonly nextTime?: number;
}

const MINUTE = 60;

let scene: MarketDataScene;

beforeAll(async () => {
  scene = await MarketDataScene.start();
  // 101 ten minutes ago, 99 and 104 in one minute, five minutes ago.
  trade(10 * MINUTE, 101);
  trade(5 * MINUTE, 99);
  trade(5 * MINUTE - 1, 104);
});

afterAll(() => scene?.stop());

/** Stores a trade of 2 base at a price. */
function trade(secondsAgo: number, price: number): void {
  scene.fill({
    ts: scene.ts - secondsAgo,
    baseAssetAmountFilled: 2_000_000_000n,
    quoteAssetAmountFilled: BigInt(price) * 2_000_000n,
  });
}

async function get(path: string): Promise<{ status: number; body: Body }> {
  return scene.get(`/udf${path}`);
}

async function bars(query: string): Promise<Bars> {
  const { body } = await get(`/history?symbol=SOL-PERP&resolution=1&${query}`);
  return body as never;
}

describe('the chart library', () => {
  test('finds a market by a part of its name, those that begin with it first', async () => {
    const { body } = await get('/search?query=sol&type=&exchange=&limit=30');
    expect(body).toMatchObject([{ symbol: 'SOL-PERP', type: 'perp' }, { symbol: 'SOL' }]);
    const perps = await get('/search?query=PERP&type=perp&limit=1');
    expect(perps.body).toEqual([
      {
        ...{ symbol: 'SOL-PERP', ticker: 'SOL-PERP', full_name: 'Drift:SOL-PERP', type: 'perp' },
        ...{ exchange: 'Drift', description: 'SOL / USDC' },
      },
    ]);
    expect((await get('/search?query=nothing')).body).toEqual([]);
  });

  test('gets the step of prices as a part of a power of ten', async () => {
    const { body } = await get('/symbols?symbol=sol-perp');
    const [row] = await scene.rows('/markets');
    const step = Number(row?.['tick']) / 1e6;
    const [minmov, pricescale] = [Number(body['minmov']), Number(body['pricescale'])];
    expect(minmov / pricescale).toBeCloseTo(step, 12);
    expect(String(pricescale)).toMatch(/^10*$/);
    expect(body).toMatchObject({ name: 'SOL-PERP', session: '24x7', has_weekly_and_monthly: true });
  });

  test('may name a market with its exchange, as a saved chart does', async () => {
    const { body } = await get('/symbols?symbol=Drift:SOL-PERP');
    expect(body).toMatchObject({ name: 'SOL-PERP', ticker: 'SOL-PERP' });
    const found = await get('/history?symbol=drift:SOL-PERP&resolution=1&countback=1');
    expect(found.body).toMatchObject({ s: 'ok', c: [104] });
  });

  test('up to a time that is farther than any trade are those of all times', async () => {
    const all = await bars(`from=0&to=${scene.ts + 60}`);
    expect(all.s).toBe('ok');
    for (const to of [4_294_967_296, 9_999_999_999, Number.MAX_SAFE_INTEGER]) {
      expect(await bars(`from=-9999999999&to=${to}`)).toEqual(all);
    }
  });

  test('gets the time as a bare number', async () => {
    const { text, headers } = await scene.getText('/udf/time');
    expect(text).toMatch(/^\d{10}$/);
    expect(Number(text) - (Number(text) % MINUTE)).toBe(scene.ts);
    expect(headers.get('content-type')).toContain('text/plain');
  });

  test('gets as many bars as it counts back, whatever from says', async () => {
    const future = scene.ts + 86_400;
    const found = await bars(`from=0&to=${future}&countback=6`);
    const starts = [5, 4, 3, 2, 1, 0].map((minutes) => scene.ts - minutes * MINUTE);
    expect(found).toEqual({
      ...{ s: 'ok', t: starts, o: [101, 104, 104, 104, 104, 104] },
      ...{ h: [104, 104, 104, 104, 104, 104], l: [99, 104, 104, 104, 104, 104] },
      ...{ c: [104, 104, 104, 104, 104, 104], v: [4, 0, 0, 0, 0, 0] },
    });
  });

  test('reads back to the first bar, each once, as `to` is exclusive', async () => {
    const all: number[] = [];
    let to = scene.ts + MINUTE;
    for (let page = 0; page < 10; page += 1) {
      const { s, t, ...rest } = await bars(`from=0&to=${to}&countback=4`);
      if (s === 'no_data') {
        expect(rest).toEqual({});
        break;
      }
      all.unshift(...t);
      to = t[0] ?? 0;
    }
    expect(all).toEqual(Array.from({ length: 11 }, (_, at) => scene.ts - (10 - at) * MINUTE));
  });

  test('is told the last bar before a range without any', async () => {
    const [from, to] = [scene.ts + 3_600, scene.ts + 7_200];
    expect(await bars(`from=${from}&to=${to}`)).toEqual({ s: 'no_data', nextTime: scene.ts });
    const before = await bars(`from=${-5}&to=${scene.ts - 3_600}`);
    expect(before).toEqual({ s: 'no_data' });
  });

  test('gets the bars of a range without countback, from inclusive', async () => {
    const { t } = await bars(`from=${scene.ts - 4 * MINUTE}&to=${scene.ts - MINUTE}`);
    expect(t).toEqual([4, 3, 2].map((minutes) => scene.ts - minutes * MINUTE));
  });

  test.each(['1D', 'D', '1440'])('knows a day as %s', async (resolution) => {
    const { body } = await get(`/history?symbol=SOL-PERP&resolution=${resolution}&countback=1`);
    expect(body).toMatchObject({ s: 'ok', c: [104] });
  });
});

describe('an error', () => {
  test.each([
    ['/history?symbol=NOPE&resolution=1', 404, 'UNKNOWN_MARKET'],
    ['/history?symbol=SOL-PERP&resolution=7', 400, 'INVALID_PARAM'],
    ['/history?symbol=SOL-PERP', 400, 'MISSING_PARAM'],
    ['/history?symbol=SOL-PERP&resolution=1&from=x', 400, 'INVALID_PARAM'],
    ['/history?symbol=SOL-PERP&resolution=1&countback=-1', 400, 'OUT_OF_RANGE'],
    ['/symbols?symbol=NOPE', 404, 'UNKNOWN_MARKET'],
    ['/symbols', 400, 'MISSING_PARAM'],
    ['/search?limit=0', 400, 'OUT_OF_RANGE'],
  ])('of %s has the form that the library reads', async (path, status, code) => {
    const found = await get(path);
    expect(found.status).toBe(status);
    const { s, errmsg, error } = found.body as { s: string; errmsg: string; error: Body };
    expect([s, error['code'], error['message']]).toEqual(['error', code, errmsg]);
  });
});
