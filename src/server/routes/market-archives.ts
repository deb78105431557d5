/**
 * The trades and the funding rates of one market on one day, in the format of the Drift v2 data
 * API.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { ArchiveQuery } from '../../contract/history-queries.js';
import { marketOf } from '../api/market-params.js';
import { symbol, whole, wordSchema } from '../api/param-parts.js';
import { archive, fundingRateRecord, tradeRecord } from '../api/record-parts.js';
import { checkRequest, type ParseContext, type RequestTexts } from '../api/request-params.js';
import { ServerError } from '../transport/errors.js';
import { ofHistory, responderOf } from './history-paths.js';
import type { HistoryService, Path } from './path.js';

const archiveParams = Type.Object({
  symbol,
  year: whole(
    { min: LIMITS.archiveYearMin, max: LIMITS.archiveYearMax },
    'Year of the day, of UTC.',
  ),
  month: whole({ min: 1, max: 12 }, 'Month of the day.'),
  day: whole({ min: 1, max: 31 }, 'Day of the month.'),
  format: wordSchema(['json', 'csv'], {
    default: 'json',
    description: 'JSON, or CSV with the members of a record as columns.',
  }),
  page: whole(
    { min: 1, max: LIMITS.archivePagesMax, byDefault: 1 },
    'The page of 5,000 records, 1 is the first.',
  ),
});

/** The path of trades. */
export const tradeArchive = {
  ...ofHistory,
  summary: 'The trades of a market of one day of UTC, oldest first, as JSON or CSV',
  params: archiveParams,
  body: {
    name: 'TradeArchive',
    schema: archive(tradeRecord),
  },
  csv: true,
  open: (service: HistoryService) => responderOf(service).routeOf(parseTradeArchive),
} as const satisfies Path;

/** The path of funding rates. */
export const fundingRateArchive = {
  ...ofHistory,
  summary: 'The funding rates of a market of one day of UTC, oldest first, as JSON or CSV',
  params: archiveParams,
  body: {
    name: 'FundingRateArchive',
    schema: archive(fundingRateRecord),
  },
  csv: true,
  open: (service: HistoryService) => responderOf(service).routeOf(parseFundingRateArchive),
} as const satisfies Path;

/**
 * Reads the parameters of a market's archive of trades. Throws a ServerError that names the wrong
 * parameter.
 */
function parseTradeArchive(request: RequestTexts, of: ParseContext): ArchiveQuery {
  return { kind: 'archive', records: 'trades', ...dayOf(request, of) };
}

/**
 * Reads the parameters of a market's archive of funding rates. Throws a ServerError that names the
 * wrong parameter.
 */
function parseFundingRateArchive(request: RequestTexts, of: ParseContext): ArchiveQuery {
  return { kind: 'archive', records: 'fundingRates', ...dayOf(request, of) };
}

/** Checks that year, month and day are a calendar day, which a schema cannot express. */
function dayOf(request: RequestTexts, { markets }: ParseContext) {
  const params = checkRequest(archiveParams, request);
  const { symbol, year, month, day, page, format } = params;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1) {
    const message = `day was ${day}, must be a day of month ${month} of ${year}`;
    throw new ServerError('INVALID_PARAM', message, 'day');
  }
  const from = date.getTime() / 1_000;
  const form: ArchiveQuery['form'] = format === 'csv' ? 'csv' : 'records';
  return { market: marketOf(symbol, markets), from, to: from + DAY_SECONDS, page, form };
}

const DAY_SECONDS = 86_400;
