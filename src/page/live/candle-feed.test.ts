/** The updates for a chart while its candles change, or cannot be read. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Candle } from '@slotbook/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { candleAt, type SentCandle } from '../../../test/support/candle-service.js';
import { until } from '../../../test/support/until.js';
import { textOfError } from '../model/error-text.js';
import { CandleFeed } from './candle-feed.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

beforeEach(() => {
  vi.stubGlobal('WebSocket', WebSocket);
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 1));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
});

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.unstubAllGlobals();
});

/** The start of this minute. */
const nowTs = Math.floor(Date.now() / 60_000) * 60;
const lastThree = [2, 1, 0].map((back) => candleAt(nowTs - back * 60));

/** A service with three candles of each series, which rejects the first requests for them. */
async function startService(refusals: number) {
  let refusalsLeft = refusals;
  const server = createServer((_request, response) => {
    refusalsLeft -= 1;
    if (refusalsLeft >= 0) {
      response.writeHead(404);
      response.end('{"error":{"code":"NO_HISTORY","message":"no history yet"}}');
    } else {
      response.end(JSON.stringify({ success: true, records: [...lastThree].reverse() }));
    }
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client) => {
    client.on('message', (data) => {
      const { type, symbol, resolution } = JSON.parse(String(data));
      if (type !== 'subscribe') return;
      client.send(JSON.stringify({ type: 'subscription', symbol, resolution }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const client of sockets.clients) client.terminate();
    return new Promise((resolve) => server.close(resolve));
  });
  const send = (candle: SentCandle): void => {
    const sent = { symbol: 'SOL-PERP', resolution: '1', ...candle };
    for (const client of sockets.clients) {
      client.send(JSON.stringify({ type: 'update', candle: sent }));
    }
  };
  const refuseAll = (): void => {
    refusalsLeft = Number.POSITIVE_INFINITY;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, send, refuseAll };
}

function chartFeed(url: string) {
  const told = { series: [] as (readonly Candle[])[], problems: [] as (string | undefined)[] };
  const meter = { addBytes: () => {}, addClockSample: () => {} };
  const feed = new CandleFeed(url, meter, {
    onCandles: (candles) => told.series.push([...candles]),
    onCandle: () => {},
    onProblem: (error) => told.problems.push(error === undefined ? undefined : textOfError(error)),
  });
  stops.push(() => feed.stop());
  const isShown = (count: number): boolean => told.series.at(-1)?.length === count;
  return { feed, told, isShown };
}

const choice = { market: 'SOL-PERP', resolution: '1' } as const;

test('candles that cannot be read are tried again, and meanwhile none of another series are there', async () => {
  const { url } = await startService(1);
  const { feed, told, isShown } = chartFeed(url);
  feed.show(choice);
  expect(told.series).toEqual([[]]);
  await until('the candles', () => isShown(3));
  expect(told.problems).toEqual([undefined, 'no history yet', undefined]);
  feed.show({ ...choice, market: 'BTC-PERP' });
  expect(told.series.at(-1)).toEqual([]);
});

test('candles stay while the same series is read again', async () => {
  const { url } = await startService(0);
  const { feed, told, isShown } = chartFeed(url);
  feed.show(choice);
  await until('the candles', () => isShown(3));
  feed.show(choice);
  await until('the candles again', () => told.series.length === 3);
  expect(told.series.map(({ length }) => length)).toEqual([0, 3, 3]);
});

test('a candle that is corrected after it ended is replaced', async () => {
  const { url, send } = await startService(0);
  const { feed, told, isShown } = chartFeed(url);
  feed.show(choice);
  await until('the candles', () => isShown(3));
  send(candleAt(nowTs - 60, 7));
  await until('the correction', () => told.series.at(-1)?.[1]?.baseVolume === 7);
  expect(told.series.at(-1)?.map(({ ts }) => ts)).toEqual(lastThree.map(({ ts }) => ts));
});

test('older candles that cannot be read are a problem, and none when another series is shown', async () => {
  const { url, refuseAll } = await startService(0);
  const { feed, told, isShown } = chartFeed(url);
  feed.show(choice);
  await until('the candles', () => isShown(3));
  refuseAll();
  await feed.loadOlder();
  expect(told.problems.at(-1)).toBe('no history yet');
  const loading = feed.loadOlder();
  feed.show({ ...choice, market: 'BTC-PERP' });
  await loading;
  expect(told.problems.at(-1)).toBeUndefined();
});
