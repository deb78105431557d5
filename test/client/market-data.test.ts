/** What the library reads of trades, records and statistics of a running service on a chain that trades. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FundingRateRecord, HttpClient, type Trade } from '../../src/client/index.js';
import { type Demo, startDemo } from '../../src/sim/demo/demo.js';
import { ServiceProbe } from '../support/service-probe.js';
import { until } from '../support/until.js';

const symbol = 'SOL-PERP';
const TRADES_MIN = 8;

let demo: Demo;
let service: ServiceProbe;
let http: HttpClient;
const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-client-'));

beforeAll(async () => {
  const pace = { rate: 50, fillsPerSecond: 3, fundingSeconds: 3, slotTimeMs: 200 };
  demo = await startDemo({ seed: 7, makers: 40, ...pace });
  demo.done.catch(() => undefined);
  service = await ServiceProbe.start(demo, { dataDir: folder });
  http = new HttpClient({ url: service.url });
  await until(async () => (await trades()).length >= TRADES_MIN);
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** None while the history is being opened. */
async function trades(): Promise<readonly Trade[]> {
  return (await http.trades({ symbol, limit: 1_000 })).records;
}

test('trades have raw bigints, and all of them by cursor are the same', async () => {
  const known = await trades();
  const [first] = known;
  expect(first).toMatchObject({ marketIndex: 0, marketType: 'perp', action: 'fill' });
  expect(typeof first?.baseAssetAmountFilled).toBe('bigint');
  const all: Trade[] = [];
  for await (const trade of http.eachTrade({ symbol, limit: 3 })) all.push(trade);
  expect(all.slice(-known.length)).toEqual(known);
  const ids = all.map(({ fillRecordId }) => fillRecordId);
  expect(ids).toEqual(ids.map((_, at) => (ids[0] ?? 0n) - BigInt(at)));
});

test('funding rates and statistics are read as the service writes them', async () => {
  await until(async () => (await http.fundingRates({ symbol })).records.length > 0);
  const { records } = await http.fundingRates({ symbol, limit: 1 });
  expect(records[0]).toMatchObject({ symbol, marketIndex: 0 });
  const stats = await http.marketStats();
  const body = JSON.parse((await service.get('/stats/markets')).text);
  expect(stats.map((row) => row.symbol)).toEqual(body.map((row: { symbol: string }) => row.symbol));
  await expect(http.trades({ symbol: 'NOPE' })).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
});

test('records have every digit raw, and all pages of them are the same trades', async () => {
  const known = (await trades()).slice(0, 7);
  const records = [];
  for await (const record of http.eachTradeRecord({ symbol, limit: 3 })) records.push(record);
  const ids = known.map(({ fillRecordId }) => fillRecordId);
  const own = records.filter(({ fillRecordId }) => ids.includes(fillRecordId ?? -1n));
  expect(own).toHaveLength(known.length);
  for (const [at, trade] of known.entries()) {
    const { txSigIndex, takerFee, makerFee, ...members } = trade;
    const record = own[at];
    expect(record).toMatchObject(members);
    // What there is not is null here, and 0 there.
    expect([record?.takerFee ?? 0n, record?.makerFee ?? 0n]).toEqual([takerFee, makerFee]);
  }
  const page = await http.tradeRecords({ symbol, limit: 2 });
  const rest = await http.tradeRecords({ symbol, limit: 1, page: page.nextCursor ?? '' });
  expect(rest.records[0]?.fillRecordId).toBe((page.records[1]?.fillRecordId ?? 0n) - 1n);
  await expect(http.tradeRecords({ symbol, page: 'x' })).rejects.toMatchObject({ param: 'page' });
});

test('records of funding rates are those of /fundingRates', async () => {
  await until(async () => (await http.fundingRates({ symbol })).records.length > 1);
  const all: FundingRateRecord[] = [];
  for await (const record of http.eachFundingRateRecord({ symbol, limit: 1 })) all.push(record);
  const { records } = await http.fundingRates({ symbol });
  const { fundingRate, oraclePriceTwap, ts } = all[0] as FundingRateRecord;
  const same = records.find((record) => record.ts === ts);
  expect(same?.fundingRate).toBeCloseTo(Number(fundingRate) / 1_000 / Number(oraclePriceTwap), 15);
  expect(all.map(({ recordId }) => recordId)).toEqual(
    all.map((_, at) => (all[0]?.recordId ?? 0n) - BigInt(at)),
  );
});

test('volumes of a span are sums of its trades, and their total', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const endTs = now - (now % 3_600) + 3_600;
  const before = await trades();
  const read = await http.volumes({ startTs: endTs - 7_200, endTs });
  const after = await trades();
  const sum = (rows: readonly Trade[]) =>
    rows.reduce((all, row) => all + row.quoteAssetAmountFilled, 0n);
  const own = read.markets.find((market) => market.symbol === symbol);
  expect(own?.quoteVolume).toBeGreaterThanOrEqual(sum(before));
  expect(own?.quoteVolume).toBeLessThanOrEqual(sum(after));
  expect(read.total).toBe(read.markets.reduce((all, { quoteVolume }) => all + quoteVolume, 0n));
  for (const span of ['1h', '24h', '30d'] as const) {
    expect((await http.volumes(span)).total).toBeGreaterThan(0n);
  }
  const wrong = http.volumes({ startTs: endTs, endTs: endTs - 3_600 });
  await expect(wrong).rejects.toMatchObject({ status: 400 });
});

test('/status and /ready tell of the history', async () => {
  const { history } = await http.status();
  expect(history).toMatchObject({ state: 'live', reason: null, storeFailures: 0 });
  expect(history?.trades).toBeGreaterThanOrEqual(TRADES_MIN);
  expect((await http.ready()).history).toEqual({ state: 'live', reason: null });
  expect(await http.health()).toEqual({ status: 'ok' });
  const stats = await http.marketStats();
  expect(stats[0]?.price).toBeTypeOf('number');
});
