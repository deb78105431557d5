/** /stats/markets: the statistics of all markets in slotbook's own format. */
import { Type } from '@sinclair/typebox';
import {
  countOrNull,
  decimal,
  marketIndex,
  marketType,
  mayMiss,
  symbol,
  text,
} from '../api/schema-parts.js';
import type { Path } from './path.js';
import { ofStats, statsRoute } from './stats.js';
import { statsText } from './stats-text.js';

const decimalOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });

const marketStats = Type.Object({
  marketIndex,
  symbol,
  marketType,
  oraclePrice: decimal('Of the oracle now.'),
  volume24h: decimal('Quote traded in the last 24 hours.'),
  openInterest: decimal('Long positions at the price of the oracle, in USD; 0 for spot markets.'),
  fundingRate: decimal('The last one, a fraction an hour; positive when longs pay. 0 for spot.'),
  fundingRate24hAvg: decimal('The average of the last 24 hours, likewise.'),
  status: text('Of the market on chain, such as `active`.'),
  longOpenInterest: mayMiss(decimal('Base of the long positions.')),
  shortOpenInterest: mayMiss(decimal('Base of the short positions, not above 0.')),
  fundingRateTs: mayMiss(countOrNull('When the funding rate was set, unix seconds.')),
  baseVolume24h: mayMiss(decimal('Base traded in the last 24 hours.')),
  price: mayMiss(decimalOrNull('Of the last trade; null before the first.')),
  price24hAgo: mayMiss(decimalOrNull('Of the last trade before the last 24 hours.')),
  high24h: mayMiss(
    decimalOrNull('Highest price of the trades of the last 24 hours; null without any.'),
  ),
  low24h: mayMiss(decimalOrNull('Lowest price of them.')),
});

/** The path. */
export const marketStatsPath = {
  ...ofStats,
  summary: 'Statistics of all markets: prices, volume, open interest, funding',
  kind: 'service',
  body: {
    name: 'MarketStats',
    schema: Type.Array(marketStats, {
      description: 'All markets, perpetual markets first, each kind by index.',
    }),
  },
  open: statsRoute(statsText),
} as const satisfies Path;
