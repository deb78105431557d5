/** The demo as a newcomer starts it: trades, funding rates, statistics and a candle that moves. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Service } from '../../src/app/book-service.js';
import { startDemoService } from '../../src/app/start-service.js';
import { FrameDecoder } from '../../src/client/binary/index.js';
import { ConfigReader } from '../../src/config/config.js';
import { until } from '../support/until.js';

const SYMBOLS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'SOL'];

type Row = Readonly<Record<string, unknown>>;
interface Candle {
  readonly ts: number;
  readonly quoteVolume: number;
  readonly lastFillRecordId?: string;
}

let service: Service;

beforeAll(async () => {
  const flags = { port: '0', logLevel: 'silent', makers: '60', fills: '5', fundingSeconds: '2' };
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  service = await startDemoService(new ConfigReader(flags, {}).readDemo());
});

afterAll(async () => {
  await service?.stop();
  vi.restoreAllMocks();
});

async function rows(path: string): Promise<Row[]> {
  const answer = await fetch(`${service.url}${path}`);
  return answer.status === 200 ? ((await answer.json()) as Row[]) : [];
}

test('trades of every market are there when the demo is ready', async () => {
  await until(async () => (await fetch(`${service.url}/ready`)).ok);
  await until('a history', async () => (await fetch(`${service.url}/trades?symbol=SOL-PERP`)).ok);
  for (const symbol of SYMBOLS) {
    expect((await rows(`/trades?symbol=${symbol}`)).length).toBeGreaterThan(0);
  }
});

test('trades of every market are shown', async () => {
  for (const symbol of SYMBOLS) {
    await until(async () => (await rows(`/trades?symbol=${symbol}`)).length > 2);
  }
});

test('funding rates of every perp market are shown', async () => {
  for (const symbol of SYMBOLS.slice(0, 3)) {
    const path = `/fundingRates?symbol=${symbol}`;
    await until(async () => (await rows(path)).length > 1);
  }
});

test('statistics have the volume of what was traded', async () => {
  await until(async () => {
    const traded = (await rows('/stats/markets')).filter((row) => Number(row['volume24h']) > 0);
    return traded.length === SYMBOLS.length;
  });
});

test.each(['json', 'binary'])(
  'a candle on the WebSocket moves with the trades, as %s',
  async (encoding) => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
    const candles: Candle[] = [];
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const message = isBinary ? new FrameDecoder().decodeFrame(data) : JSON.parse(data.toString());
      if (message.candle === undefined) return;
      expect(isBinary).toBe(encoding === 'binary');
      candles.push(message.candle);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    const request = { symbol: 'SOL-PERP', resolution: '1', encoding };
    socket.send(JSON.stringify({ type: 'subscribe', ...request }));
    const moves = () => new Set(candles.map(({ lastFillRecordId }) => lastFillRecordId)).size;
    await until(() => moves() >= 3);
    socket.terminate();
  },
);
