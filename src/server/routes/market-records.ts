/** /data/stats/markets: the statistics of all markets in the format of the Drift v2 data API. */
import { Type } from '@sinclair/typebox';
import { wordSchema } from '../api/param-parts.js';
import { count, countOrNull, fixed, price, quote, text, trimmed } from '../api/schema-parts.js';
import { assets, identity } from '../api/stats-parts.js';
import type { Path } from './path.js';
import { ofStats, statsRoute } from './stats.js';
import { marketRecordsText } from './stats-records.js';

const numberOrNull = Type.Unsafe<number | null>({ type: ['number', 'null'] });

const limitRange = Type.Object({ min: numberOrNull, max: numberOrNull });

const marketRecord = Type.Object({
  ...identity,
  uiStatus: wordSchema(['visible'], { description: 'Whether front ends show it.' }),
  uiHideAtTs: Type.Null(),
  ...assets,
  status: text('Of the market on chain, such as `active`.'),
  precision: count('Decimals of a base amount.'),
  limits: Type.Object(
    { leverage: limitRange, amount: limitRange, withdraw: limitRange, deposit: limitRange },
    { description: 'Null for what no account says.' },
  ),
  fees: Type.Object(
    { maker: Type.Number(), taker: Type.Number() },
    { description: 'Parts of the quote in the first tier; negative is a rebate.' },
  ),
  oraclePrice: price('Of the oracle now'),
  markPrice: price('Middle of the book with the AMM'),
  baseVolume: fixed(6, 'Base traded in the last 24 hours.'),
  quoteVolume: quote('Traded in the last 24 hours'),
  deposits: trimmed('Tokens deposited; empty for perpetual markets.'),
  borrows: trimmed('Tokens borrowed; empty for perpetual markets.'),
  openInterest: Type.Object({
    long: trimmed('Base of the long positions.'),
    short: trimmed('Base of the short positions, not above 0.'),
  }),
  fundingRate: Type.Object({
    long: trimmed('Percent per hour that longs get; negative when they pay.'),
    short: trimmed('Percent per hour that shorts get.'),
  }),
  fundingRate24h: fixed(6, 'Percent per hour that longs paid, the average of 24 hours.'),
  fundingRateUpdateTs: countOrNull('When the funding rate was set, unix seconds.'),
  price: price('Of the last trade'),
  priceChange24h: price('By which it moved in 24 hours'),
  priceChange24hPercent: fixed(2, 'The same in percent.'),
  priceHigh: Type.Object({ oracle: price('Of 24 hours'), fill: price('Of 24 hours') }),
  priceLow: Type.Object({ oracle: price('Of 24 hours'), fill: price('Of 24 hours') }),
});

/** The path. */
export const marketRecords = {
  ...ofStats,
  summary: 'Statistics of all markets as the Drift v2 data API writes them',
  kind: 'service',
  body: {
    name: 'MarketRecords',
    schema: Type.Object({
      success: Type.Literal(true),
      markets: Type.Array(marketRecord, {
        description: 'Perpetual markets first, each kind by index.',
      }),
    }),
  },
  open: statsRoute(marketRecordsText),
} as const satisfies Path;
