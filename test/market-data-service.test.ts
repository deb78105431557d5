/**
 * Trades, funding rates and candles of a real service on a real chain that trades: every path says the
 * same, whichever way it is read, while trades go on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../src/sim/demo/demo.js';
import { ServiceProbe } from './support/service-probe.js';
import { until } from './support/until.js';

const TRADES_MIN = 12;
const SYMBOL = 'SOL-PERP';

interface Trade {
  readonly ts: number;
  readonly slot: number;
  readonly fillRecordId: number;
  readonly txSig: string;
  readonly baseAssetAmountFilled: number;
  readonly quoteAssetAmountFilled: number;
}

interface Candle {
  readonly ts: number;
  readonly fillOpen: number;
  readonly fillHigh: number;
  readonly fillLow: number;
  readonly fillClose: number;
  readonly baseVolume: number;
  readonly quoteVolume: number;
}

let demo: Demo;
let service: ServiceProbe;
const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-market-data-'));

beforeAll(async () => {
  demo = await startDemo({
    seed: 6,
    makers: 40,
    rate: 50,
    fillsPerSecond: 2,
    fundingSeconds: 3,
    slotTimeMs: 200,
  });
  demo.done.catch(() => undefined);
  service = await ServiceProbe.start(demo, { dataDir: folder });
  await until(async () => (await trades('&limit=1000')).length >= TRADES_MIN);
  await until(async () => (await rows(`/fundingRates?symbol=${SYMBOL}`)).length >= 2);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The rows of a path; none while the history is being opened. */
async function rows<Row>(url: string): Promise<readonly Row[]> {
  const { status, text } = await service.get(url);
  return status === 200 ? JSON.parse(text) : [];
}

const trades = (rest = ''): Promise<readonly Trade[]> => rows(`/trades?symbol=${SYMBOL}${rest}`);

/** All trades that there are, page by page along the cursors. */
async function walk(limit: number): Promise<readonly Trade[]> {
  const all: Trade[] = [];
  let rest = '';
  for (;;) {
    const { headers, text } = await service.get(`/trades?symbol=${SYMBOL}&limit=${limit}${rest}`);
    all.push(...JSON.parse(text));
    const cursor = headers.get('x-next-cursor');
    if (cursor === null) return all;
    rest = `&before=${cursor}`;
  }
}

/** Trades and candles between which no trade came. */
async function sameMoment(): Promise<{ all: readonly Trade[]; candles: readonly Candle[] }> {
  for (;;) {
    const all = await trades('&limit=1000');
    const candles = await rows<Candle>(`/candles?symbol=${SYMBOL}&resolution=1`);
    const [newest] = await trades('&limit=1');
    if (newest?.fillRecordId === all[0]?.fillRecordId) return { all, candles };
  }
}

describe('/trades of a chain that trades', () => {
  test('have every number, each once, the newest first', async () => {
    const ids = (await trades('&limit=1000')).map(({ fillRecordId }) => fillRecordId);
    expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) - at));
    expect(ids.length).toBeGreaterThanOrEqual(TRADES_MIN);
  });

  test('are the same page by page, while more come', async () => {
    const before = await trades('&limit=1000');
    const walked = await walk(3);
    expect(walked.slice(-before.length)).toEqual(before);
    const ids = walked.map(({ fillRecordId }) => fillRecordId);
    expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0) - at));
  });

  test('are the same as the records of the system in production', async () => {
    const { text } = await service.get(`/market/${SYMBOL}/trades?limit=1000`);
    const { success, records } = JSON.parse(text);
    const mine = await trades('&limit=1000');
    const first = mine.findIndex(({ txSig }) => txSig === records[0].txSig);
    expect([success, first >= 0]).toEqual([true, true]);
    const plain = mine.slice(first).map(({ fillRecordId, baseAssetAmountFilled }) => {
      return [String(fillRecordId), (baseAssetAmountFilled / 1e9).toFixed(9)];
    });
    expect(
      records.map((record: Record<string, string>) => [
        ...[record['fillRecordId'], record['baseAssetAmountFilled']],
      ]),
    ).toEqual(plain);
  });

  test('are kept for who has them, until there are more', async () => {
    const url = `/trades?symbol=${SYMBOL}&limit=5`;
    await until(async () => (await service.get(url)).headers.get('x-state') === 'live');
    const etag = (await service.get(url)).headers.get('etag') ?? '';
    await until(async () => (await service.get(url, { 'If-None-Match': etag })).status === 200);
    // A page that is final stays, whatever comes.
    const { headers: last } = await service.get(url);
    const older = `${url}&before=${last.get('x-next-cursor')}`;
    await until(async () => {
      const found = await service.get(older);
      return found.headers.get('cache-control') === 'public, max-age=86400';
    });
  });
});

describe('candles of a chain that trades', () => {
  test('are the plain recomputation of the trades', async () => {
    const { all, candles } = await sameMoment();
    const oldest = all.at(-1)?.ts ?? 0;
    expect(candles[0]?.ts).toBe(oldest - (oldest % 60));
    for (const { ts, ...candle } of candles) {
      const own = all.filter((trade) => trade.ts >= ts && trade.ts < ts + 60);
      const base = own.reduce((sum, trade) => sum + trade.baseAssetAmountFilled, 0);
      const quote = own.reduce((sum, trade) => sum + trade.quoteAssetAmountFilled, 0);
      expect([candle.baseVolume, candle.quoteVolume]).toEqual([base / 1e9, quote / 1e6]);
    }
    for (const [at, candle] of candles.entries()) {
      if (at > 0) expect(candle.fillOpen).toBe(candles[at - 1]?.fillClose);
      expect(candle.fillHigh).toBeGreaterThanOrEqual(Math.max(candle.fillOpen, candle.fillClose));
      expect(candle.fillLow).toBeLessThanOrEqual(Math.min(candle.fillOpen, candle.fillClose));
    }
  });

  test('are the same as records, newest first, and by both names of a day', async () => {
    for (const resolution of ['60', '240', '1440', 'D', 'W', 'M']) {
      const { text } = await service.get(`/market/${SYMBOL}/candles/${resolution}`);
      const { success, records } = JSON.parse(text);
      expect([resolution, success, records.length > 0]).toEqual([resolution, true, true]);
    }
  });
});

test('funding rates are of the market, newest first, and of all records', async () => {
  const found = await rows<{ ts: number; symbol: string; oraclePrice: number }>(
    `/fundingRates?symbol=${SYMBOL}`,
  );
  const times = found.map(({ ts }) => ts);
  expect(times).toEqual([...times].sort((left, right) => right - left));
  expect(new Set(found.map(({ symbol }) => symbol))).toEqual(new Set([SYMBOL]));
  const { text } = await service.get(`/market/${SYMBOL}/fundingRates?limit=750`);
  const ids = JSON.parse(text).records.map(({ recordId }: { recordId: string }) =>
    Number(recordId),
  );
  expect(ids).toEqual(ids.map((_: number, at: number) => ids[0] - at));
});

test('archives, the trades of an account and bars say what the other paths say', async () => {
  const json = async (url: string) => JSON.parse((await service.get(url)).text);
  const [trade] = await rows<Trade & { taker: string }>(`/trades?symbol=${SYMBOL}&limit=1`);
  const { ts = 0, fillRecordId, taker, txSig } = trade ?? {};
  const day = new Date(ts * 1_000).toISOString().slice(0, 10).replaceAll('-', '/');
  const archive = await json(`/data/market/${SYMBOL}/trades/${day}`);
  const ofAccount = await json(`/user/${taker}/trades/${SYMBOL}?limit=1000`);
  const texts = (records: readonly Record<string, string>[]) =>
    records.map((row) => `${row['fillRecordId']} ${row['txSig']}`);
  expect(texts(archive.records)).toContain(`${fillRecordId} ${txSig}`);
  expect(texts(ofAccount.records)).toContain(`${fillRecordId} ${txSig}`);
  const { markets } = await json('/data/stats/fundingRates');
  expect(markets[0]).toMatchObject({
    symbol: SYMBOL,
    fundingRates: { '1y': expect.stringMatching(/^-?\d+\.\d{9}$/) },
  });
  const minute = ts - (ts % 60);
  const bars = await json(
    `/udf/history?symbol=${SYMBOL}&resolution=1&from=${minute}&to=${ts + 60}`,
  );
  expect([bars.s, bars.t[0]]).toEqual(['ok', minute]);
});
