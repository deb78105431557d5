/** /tickers: the tickers of all markets in CoinGecko's format. */
import { Type } from '@sinclair/typebox';
import { base, price, quote, symbol } from '../api/schema-parts.js';
import { assets, day } from '../api/stats-parts.js';
import type { Path } from './path.js';
import { ofStats, statsRoute } from './stats.js';
import { tickersText } from './stats-records.js';

const ticker = Type.Object({
  ticker_id: symbol,
  base_currency: assets.baseAsset,
  target_currency: assets.quoteAsset,
  last_price: price('Of the last trade'),
  base_volume: base('Traded in 24 hours'),
  target_volume: quote('Traded in 24 hours'),
  bid: price('Best bid, with the AMM'),
  ask: price('Best ask, with the AMM'),
  ...day,
});

/** The path. */
export const tickers = {
  ...ofStats,
  summary: 'The tickers of all markets, for CoinGecko',
  body: {
    name: 'Tickers',
    schema: Type.Array(ticker, { description: 'In the same order.' }),
  },
  open: statsRoute(tickersText),
} as const satisfies Path;
