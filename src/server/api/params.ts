/**
 * The parameters of the book paths, from a raw query string to a request that the book understands.
 *
 * This file does not know where the answer comes from; it asks the book only which markets exist.
 */
import { LIMITS } from '../../config/limits.js';
import type {
  AuctionsRequest,
  BookSource,
  L2Request,
  L3Request,
  MarketRow,
  Sources,
} from '../ports/book-source.js';
import { quoted, ServerError } from '../transport/errors.js';
import { checkParams, compileParamSchemas, type Texts } from './param-check.js';
import {
  auctionsParams,
  l2Params,
  l3Params,
  matchParams,
  topMakersParams,
} from './param-schemas.js';
import { splitQuery } from './query.js';

/** What a parser asks the book. */
export type Markets = Pick<BookSource, 'markets' | 'findMarket'>;

/** Makes ready for all requests of the book paths, which takes some 30 ms. */
export function compileBookParams(): void {
  compileParamSchemas([l2Params, l3Params, auctionsParams, matchParams, topMakersParams]);
}

/** Reads the parameters of /l2. Throws a ServerError that names the wrong one. */
export function parseL2(raw: string, markets: Markets): L2Request {
  return l2Request(splitQuery(raw, l2Params.properties), markets);
}

/** Reads the parameters of /l3. Throws a ServerError that names the wrong one. */
export function parseL3(raw: string, markets: Markets): L3Request {
  const params = checkParams(l3Params, splitQuery(raw, l3Params.properties));
  const { depth, maker, includeIndicative, uncross } = params;
  return {
    market: selectMarket(params, markets).id,
    ...(depth === undefined ? {} : { depth }),
    ...(maker === undefined ? {} : { maker }),
    ...(includeIndicative ? { indicative: true } : {}),
    ...(uncross ? { uncross } : {}),
  };
}

/** Reads the parameters of /auctions. Throws a ServerError that names the wrong one. */
export function parseAuctions(raw: string, markets: Markets): AuctionsRequest {
  const params = checkParams(auctionsParams, splitQuery(raw, auctionsParams.properties));
  return { market: selectMarket(params, markets).id };
}

/** What /topMakers is asked for. */
export interface TopMakersQuery {
  readonly market: number;
  readonly side: 'bid' | 'ask';
  readonly limit: number;
  readonly includeAccounts: boolean;
}

/** Reads the parameters of /topMakers. Throws a ServerError that names the wrong one. */
export function parseTopMakers(raw: string, markets: Markets): TopMakersQuery {
  const params = checkParams(topMakersParams, splitQuery(raw, topMakersParams.properties));
  const { side, limit, includeAccounts } = params;
  return { market: selectMarket(params, markets).id, side, limit, includeAccounts };
}

/** One entry of a batch: a request, or why there is none. */
export type BatchEntry = L2Request | ServerError;

/**
 * Reads the parameters of /batchL2: those of /l2, each a comma-separated list of one length. Throws a
 * ServerError when the lists do not fit together; what is wrong with one entry is in that entry.
 */
export function parseBatchL2(raw: string, markets: Markets): readonly BatchEntry[] {
  const texts = splitQuery(raw, l2Params.properties);
  const lists = Array.from(texts, ([name, text]) => ({ name, values: text.split(',') }));
  const length = commonLength(lists);
  return Array.from({ length }, (_, index) => {
    const given = lists.map(({ name, values }) => [name, values[index] ?? ''] as const);
    return batchEntry(new Map(given.filter(([, value]) => value !== '')), markets);
  });
}

interface List {
  readonly name: string;
  readonly values: readonly string[];
}

function commonLength(lists: readonly List[]): number {
  let longest: List = { name: '', values: [] };
  for (const list of lists) if (list.values.length > longest.values.length) longest = list;
  const { length } = longest.values;
  if (length > LIMITS.batchEntriesMax) {
    const message = `${longest.name} was a list of ${length}, must have at most ${LIMITS.batchEntriesMax}`;
    throw new ServerError('OUT_OF_RANGE', message, longest.name);
  }
  for (const { name, values } of lists) {
    if (values.length === length) continue;
    const message = `${name} was a list of ${values.length}, must have ${length} as ${longest.name} has`;
    throw new ServerError('INVALID_PARAM', message, name);
  }
  return length;
}

function batchEntry(texts: Texts, markets: Markets): BatchEntry {
  try {
    return l2Request(texts, markets);
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
}

function l2Request(texts: Texts, markets: Markets): L2Request {
  const params = checkParams(l2Params, texts);
  const { depth, grouping, uncross } = params;
  return {
    market: selectMarket(params, markets).id,
    depth,
    ...(grouping === undefined ? {} : { grouping }),
    ...sourcesOf(params),
    ...(uncross ? { uncross } : {}),
  };
}

/** What is asked for beside orders; nothing is named that is not. */
function sourcesOf(params: {
  readonly includeVamm: boolean;
  readonly includeIndicative: boolean;
}): Sources {
  return {
    ...(params.includeVamm ? { vamm: true } : {}),
    ...(params.includeIndicative ? { indicative: true } : {}),
  };
}

/** A name wins over index and type, which have been checked all the same. */
export function selectMarket(
  named: {
    readonly marketName?: string;
    readonly marketIndex?: number;
    readonly marketType?: 'perp' | 'spot';
  },
  markets: Markets,
): MarketRow {
  const { marketName, marketIndex, marketType } = named;
  if (marketName !== undefined) {
    return markets.findMarket(marketName) ?? throwUnknownMarket(marketName, 'marketName');
  }
  if (marketIndex === undefined && marketType === undefined) {
    throw missingParamError(
      'marketName',
      'marketName, or marketIndex and marketType, must be given',
    );
  }
  if (marketIndex === undefined)
    throw missingParamError('marketIndex', 'marketType needs a marketIndex');
  if (marketType === undefined)
    throw missingParamError('marketType', 'marketIndex needs a marketType');
  const found = markets
    .markets()
    .find((row) => row.marketIndex === marketIndex && row.marketType === marketType);
  return found ?? throwUnknownMarket(`${marketType} ${marketIndex}`, 'marketIndex');
}

/** A parameter without which the others make no request. */
export function missingParamError(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

/** Refuses a market that does not exist, named by this parameter. */
export function throwUnknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoted(name)}`, param);
}
