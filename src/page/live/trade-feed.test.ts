/** Which trades the page shows while a market's own have not come. */
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ScriptedStream } from '../../../test/support/scripted-stream.js';
import { TradeFeed } from './trade-feed.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.unstubAllGlobals();
});

test('trades of the market before go at once, and those of the same market stay until new ones come', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  // It sends nothing: what is shown is decided without it.
  const service = await ScriptedStream.start(() => {});
  stops.push(() => service.stop());
  const shown: number[] = [];
  const meter = { addBytes: () => {}, addClockSample: () => {} };
  const feed = new TradeFeed(service.url.replace('ws', 'http'), meter, () => {
    shown.push(feed.trades.length);
  });
  stops.push(() => feed.stop());
  feed.show('SOL-PERP');
  expect(shown).toEqual([0]);
  feed.show('SOL-PERP');
  expect(shown).toEqual([0]);
  feed.show('BTC-PERP');
  expect(shown).toEqual([0, 0]);
});
