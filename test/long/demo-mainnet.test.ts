/** The demo with mainnet's markets, and a client that asks for all of them in one request, as those in use do. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { ConfigReader } from '../../src/config/config.js';
import { until } from '../support/until.js';

interface Row {
  readonly symbol: string;
  readonly marketIndex: number;
  readonly marketType: 'perp' | 'spot';
}
interface Book {
  readonly marketName: string;
  readonly state: string;
  readonly bids: readonly unknown[];
  readonly asks: readonly unknown[];
}

let service: Service;

beforeAll(async () => {
  // A slow life, so that the books are those of its beginning.
  const pace = { rate: '1', fills: '0', makers: '400' };
  // A machine that is busy with 148 markets is no reason for a book that lags.
  const late = { laggingAfterMs: '60000', staleAfterMs: '120000' };
  const flags = {
    port: '0',
    logLevel: 'silent',
    marketsPreset: 'mainnet',
    noHistory: true,
    ...late,
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  service = await startDemoService(new ConfigReader({ ...flags, ...pace }, {}).readDemo());
  await until(async () => (await fetch(`${service.url}/ready`)).ok);
});

afterAll(async () => {
  await service?.stop();
  vi.restoreAllMocks();
});

async function getJson<Body>(path: string): Promise<Body> {
  const reply = await fetch(`${service.url}${path}`);
  expect(reply.status).toBe(200);
  return (await reply.json()) as Body;
}

test('all 148 markets are polled in one request, and all but USDC have quotes on both sides', async () => {
  const markets = await getJson<readonly Row[]>('/markets');
  expect(markets.length).toBe(148);
  const list = (value: (row: Row) => unknown): string => markets.map(value).join(',');
  const { l2s } = await getJson<{ l2s: readonly Book[] }>(
    `/batchL2?marketIndex=${list((row) => row.marketIndex)}&marketType=${list(
      (row) => row.marketType,
    )}&depth=${list(() => 5)}&includeVamm=${list(() => false)}&includeOracle=${list(() => true)}`,
  );
  expect(l2s.map(({ marketName }) => marketName)).toEqual(markets.map(({ symbol }) => symbol));
  expect(l2s.filter(({ state }) => state !== 'live')).toEqual([]);
  const bare = l2s.filter(({ bids, asks }) => bids.length === 0 || asks.length === 0);
  expect(bare.map(({ marketName }) => marketName)).toEqual(['USDC']);
});
