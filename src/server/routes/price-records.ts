/** /stats/markets/prices: the prices of all markets. */
import { Type } from '@sinclair/typebox';
import { fixed, price } from '../api/schema-parts.js';
import { identity } from '../api/stats-parts.js';
import type { Path } from './path.js';
import { ofStats, statsRoute } from './stats.js';
import { priceRecordsText } from './stats-records.js';

const priceRecord = Type.Object({
  ...identity,
  currentPrice: price('Of the last trade'),
  price24hAgo: price('Of the last trade before the last 24 hours'),
  priceChange: price('By which it moved'),
  priceChangePercent: fixed(2, 'The same in percent.'),
});

/** The path. */
export const priceRecords = {
  ...ofStats,
  summary: 'The prices of all markets now and 24 hours ago',
  body: {
    name: 'PriceRecords',
    schema: Type.Object({
      success: Type.Literal(true),
      markets: Type.Array(priceRecord, { description: 'In the same order.' }),
    }),
  },
  open: statsRoute(priceRecordsText),
} as const satisfies Path;
