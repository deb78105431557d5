/** The parameters of a page of a market's records in slotbook's own format. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { TradesQuery } from '../../contract/history-queries.js';
import { ServerError } from '../transport/errors.js';
import { keyOf, marketOf, missingParamError, selectMarket } from './market-params.js';
import {
  ANY_CASE,
  cursor,
  market,
  ruleOf,
  symbol,
  wholeSchema,
  wordSchema,
} from './param-parts.js';
import { floorTo } from './request-params.js';

/** Which page. */
export const paging = {
  pageIndex: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.pagedRowsMax },
      `Pages to skip, 0 is the newest; pageIndex times limit is at most ` +
        `${LIMITS.pagedRowsMax}. Not together with before.`,
    ),
  ),
  before: cursor('The cursor X-Next-Cursor of an earlier response: returns what is older.'),
};

/** The parameters that name the market of a page. */
export const named = {
  symbol: Type.Optional({
    ...symbol,
    description:
      'Name of the market in any case, such as SOL-PERP. marketName or marketIndex instead of it return ' +
      'the form of the Drift v2 data API.',
  }),
  marketName: Type.Optional({ ...symbol, description: 'Name of the market in any case.' }),
  marketIndex: market.marketIndex,
  marketType: Type.Optional(
    wordSchema(['perp', 'spot'], {
      [ANY_CASE]: true,
      description: 'Type of the market in any case; perp for a marketIndex alone.',
    }),
  ),
};

type NamedMarket = Static<ReturnType<typeof Type.Object<typeof named>>>;
type Place = Static<ReturnType<typeof Type.Object<typeof paging>>> & { readonly limit: number };

/**
 * Returns the market that `symbol` names, with slotbook's own format, or the market that a
 * parameter of the Drift v2 data API names, with the format of that API.
 */
export function namedMarket(
  { symbol, ...others }: NamedMarket,
  markets: MarketDirectory,
): Pick<TradesQuery, 'market' | 'form'> {
  const { marketName = symbol, marketIndex, marketType } = others;
  if (marketName === undefined && marketIndex === undefined) {
    const rule = ruleOf(named.symbol);
    throw missingParamError('symbol', `symbol must ${rule}, but is missing`);
  }
  if (symbol !== undefined) marketOf(symbol, markets);
  const typeOfIndex = marketName === undefined ? 'perp' : undefined;
  const row = selectMarket(
    { marketName, marketIndex, marketType: marketType ?? typeOfIndex },
    markets,
  );
  if (symbol === undefined) return { market: keyOf(row), form: 'named' };
  selectMarket({ ...row, marketName: symbol }, markets);
  return { market: keyOf(row), form: 'spec' };
}

/** Returns the position of a page. Throws a ServerError for an impossible position. */
export function placeOf({ limit, pageIndex, before }: Place) {
  if (before !== undefined) {
    if (pageIndex === undefined) return { limit, before };
    throw new ServerError('INVALID_PARAM', 'pageIndex cannot be given with before', 'pageIndex');
  }
  if (pageIndex === undefined || pageIndex === 0) return { limit };
  if (pageIndex * limit <= LIMITS.pagedRowsMax) return { limit, pageIndex };
  const message =
    `pageIndex was ${pageIndex}, must be at most ${Math.floor(LIMITS.pagedRowsMax / limit)} with ` +
    `a limit of ${limit}; for older rows send the header X-Next-Cursor of a page as before`;
  throw new ServerError('OUT_OF_RANGE', message, 'pageIndex');
}

/** The place of a page of records. */
export function pageOf({ limit, page }: { readonly limit: number; readonly page?: string }) {
  return page === undefined ? { limit } : { limit, before: page };
}

/** Returns the time of the oldest funding rates that are served, unix seconds. */
export function sinceOf(nowSeconds: number): number {
  return floorTo(Math.max(0, nowSeconds - LIMITS.fundingRatesSeconds), 3_600);
}
