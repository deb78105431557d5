/**
 * The trades and the funding rates of one market on one day, in the format of the Drift v2 data
 * API.
 */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { ArchiveQuery } from '../../contract/history-queries.js';
import { marketOf } from '../api/market-params.js';
import { symbol, wholeSchema, wordSchema } from '../api/param-parts.js';
import { archive, fundingRateRecord, tradeRecord } from '../api/record-parts.js';
import type { ParseContext } from '../api/request-params.js';
import { ServerError } from '../transport/errors.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

const archiveParams = Type.Object({
  symbol,
  year: wholeSchema(
    { min: LIMITS.archiveYearMin, max: LIMITS.archiveYearMax },
    'Year of the day, of UTC.',
  ),
  month: wholeSchema({ min: 1, max: 12 }, 'Month of the day.'),
  day: wholeSchema({ min: 1, max: 31 }, 'Day of the month.'),
  format: wordSchema(['json', 'csv'], {
    default: 'json',
    description: 'JSON, or CSV with the members of a record as columns.',
  }),
  page: wholeSchema(
    { min: 1, max: LIMITS.archivePagesMax, byDefault: 1 },
    'The page of 5,000 records, 1 is the first.',
  ),
});

/** The path of trades. */
export const tradeArchive = {
  ...ofHistory,
  summary: 'The trades of a market of one day of UTC, oldest first, as JSON or CSV',
  ...queryBy(archiveParams, (params, of) => dayOf('trades', params, of)),
  body: {
    name: 'TradeArchive',
    schema: archive(tradeRecord),
  },
  csv: true,
} as const satisfies Path;

/** The path of funding rates. */
export const fundingRateArchive = {
  ...ofHistory,
  summary: 'The funding rates of a market of one day of UTC, oldest first, as JSON or CSV',
  ...queryBy(archiveParams, (params, of) => dayOf('fundingRates', params, of)),
  body: {
    name: 'FundingRateArchive',
    schema: archive(fundingRateRecord),
  },
  csv: true,
} as const satisfies Path;

/**
 * Returns the query for the records of a day. Checks that year, month and day are a calendar day,
 * which a schema cannot express.
 */
function dayOf(
  records: ArchiveQuery['records'],
  params: Static<typeof archiveParams>,
  { markets }: ParseContext,
): ArchiveQuery {
  const { symbol, year, month, day, page, format } = params;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1) {
    const message = `day was ${day}, must be a day of month ${month} of ${year}`;
    throw new ServerError('INVALID_PARAM', message, 'day');
  }
  const from = date.getTime() / 1_000;
  const form = format === 'csv' ? 'csv' : 'records';
  const market = marketOf(symbol, markets);
  return { kind: 'archive', records, market, from, to: from + DAY_SECONDS, page, form };
}

const DAY_SECONDS = 86_400;
