/** /stats/fundingRates: the mean funding rates of all perpetual markets. */
import { Type } from '@sinclair/typebox';
import { floorTo } from '../api/request-params.js';
import { fixed, marketIndex, symbol } from '../api/schema-parts.js';
import type { HttpRequest } from '../transport/reply.js';
import { ofHistory, summariesOf } from './history-paths.js';
import type { HistoryService, Path } from './path.js';

const fundingMeans = Type.Object({
  marketIndex,
  symbol,
  fundingRates: Type.Object(
    {
      '24h': fixed(9, 'Of a day.'),
      '7d': fixed(9, 'Of 7 days.'),
      '30d': fixed(9, 'Of 30 days.'),
      '1y': fixed(9, 'Of 365 days.'),
    },
    { description: 'Percent per hour, positive when longs pay; empty without a record.' },
  ),
});

/** The path. */
export const fundingMeansPath = {
  ...ofHistory,
  summary: 'The mean funding rates of all perpetual markets, of a day to a year',
  body: {
    name: 'FundingMeans',
    schema: Type.Object({
      success: Type.Literal(true),
      markets: Type.Array(fundingMeans, { description: 'Perpetual markets, by index.' }),
    }),
  },
  errors: ['NOT_READY', 'LIMIT_EXCEEDED'],
  open: (service: HistoryService) => (request: HttpRequest) =>
    summariesOf(service).replyTo(request, (ts) => ({
      kind: 'fundingMeans',
      now: floorTo(ts, 60),
    })),
} as const satisfies Path;
