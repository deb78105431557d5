/** The shown trades while a market's own have not arrived. */
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ScriptedStream } from '../../../test/support/scripted-stream.js';
import { until } from '../../../test/support/until.js';
import { TradeFeed } from './trade-feed.js';

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.unstubAllGlobals();
});

/** A trade in the stream's format. */
const TRADE = {
  ...{ ts: 1_750_000_000, txSig: 'tx', txSigIndex: 3, slot: 1_000, fillRecordId: '7' },
  ...{ marketIndex: 0, marketType: 'perp', symbol: 'SOL-PERP', action: 'fill' },
  ...{ actionExplanation: 'orderFilledWithAmm', oraclePrice: 150.25, bitFlags: 0 },
  ...{ baseAssetAmountFilled: 2, quoteAssetAmountFilled: 301, takerFee: 0.1, maker: null },
  ...{ fillerReward: 0.01, spotFulfillmentMethodFee: null },
};

test('trades of the market before go at once, and those of the same market stay until new ones come', async () => {
  vi.stubGlobal('WebSocket', WebSocket);
  // Sends the trades of the first subscription only: the later state must not depend on it.
  const service = await ScriptedStream.start((count, { channelType, symbol }, client) => {
    const sent = { type: 'init', channelType, symbol, trades: [TRADE] };
    if (count === 0) client.send(JSON.stringify(sent));
  });
  stops.push(() => service.stop());
  const shown: number[] = [];
  const meter = { addBytes: () => {}, addClockSample: () => {} };
  const feed = new TradeFeed(service.url.replace('ws', 'http'), meter, () => {
    shown.push(feed.trades.length);
  });
  stops.push(() => feed.stop());
  feed.show('SOL-PERP');
  expect(feed.isLoaded).toBe(false);
  await until('its trade', () => feed.trades.length === 1);
  expect(feed.isLoaded).toBe(true);
  expect(shown).toEqual([0, 1]);
  feed.show('SOL-PERP');
  expect(shown).toEqual([0, 1]);
  feed.show('BTC-PERP');
  expect(shown).toEqual([0, 1, 0]);
  expect(feed.isLoaded).toBe(false);
});
