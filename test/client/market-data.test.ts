/** The library's candles, trades and statistics against a running service on a chain that trades. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Candle, CandleClient, HttpClient, type Trade } from '../../src/client/index.js';
import { type Demo, startDemo } from '../../src/sim/demo.js';
import { CutProxy } from '../support/cut-proxy.js';
import { ServiceProbe } from '../support/service-probe.js';

const symbol = 'SOL-PERP';
const TRADES_MIN = 8;
const until = (holds: () => unknown) => vi.waitUntil(holds, { timeout: 60_000, interval: 100 });

let demo: Demo;
let service: ServiceProbe;
let proxy: CutProxy;
let http: HttpClient;
const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-client-'));

beforeAll(async () => {
  const pace = { rate: 50, fillsPerSecond: 3, fundingSeconds: 3, slotTimeMs: 200 };
  demo = await startDemo({ seed: 7, makers: 40, ...pace });
  demo.done.catch(() => undefined);
  service = await ServiceProbe.start(demo, { dataDir: folder });
  proxy = await CutProxy.start(service.url);
  http = new HttpClient({ url: proxy.url });
  await until(async () => (await trades()).length >= TRADES_MIN);
}, 120_000);

afterAll(async () => {
  await proxy?.stop();
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

test('candles that came live, through cuts, are those that are fetched', async () => {
  const client = new CandleClient({ url: proxy.url, WebSocket });
  const params = { marketId: 'perp_0', resolution: '1' } as const;
  const heard = new Map<number, Candle>();
  const ends: string[] = [];
  client.on('chart', 'candle-update', (candle) => heard.set(candle.ts, candle));
  client.on('chart', 'end', ({ code }) => ends.push(code));
  await client.subscribe(params, 'chart');
  await until(() => heard.size > 0);
  for (let cut = 0; cut < 3; cut += 1) {
    proxy.cut();
    const [before] = await trades();
    await until(async () => (await trades())[0]?.fillRecordId !== before?.fillRecordId);
  }
  const fresh = new CandleClient({ url: service.url });
  await until(async () => {
    const toTs = Math.floor(Date.now() / 1_000);
    const range = { ...params, fromTs: toTs - 600, toTs };
    const [fetched, kept] = [await fresh.fetch(range), await client.fetch(range)];
    const live = fetched.filter(({ ts }) => heard.has(ts)).map(({ ts }) => heard.get(ts));
    return isSame(fetched, kept) && isSame(fetched.slice(-live.length), live);
  });
  const last = [...heard.values()].at(-1);
  expect(last?.lastFillRecordId).toBeTypeOf('bigint');
  expect(ends).toEqual([]);
  const refused = client.subscribe({ ...params, marketId: 'NOPE' }, 'other');
  await expect(refused).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
  client.close();
  fresh.close();
});

/** What pages and the socket both tell of candles. */
function isSame(
  one: readonly (Candle | undefined)[],
  other: readonly (Candle | undefined)[],
): boolean {
  const texts = [one, other].map((candles) =>
    JSON.stringify(
      candles.map(({ lastTradeTs, lastFillRecordId, ...candle }: Partial<Candle> = {}) => candle),
    ),
  );
  return texts[0] === texts[1] && one.length > 0;
}
