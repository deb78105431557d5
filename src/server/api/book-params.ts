/**
 * The parameters of the book paths, from a raw query string to a request that the book understands.
 *
 * This file does not know how a request is served; of the book it uses only the list of markets.
 */

import type { Static, TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type {
  AuctionsRequest,
  JitOffer,
  L2Request,
  L3Request,
  LiquiditySources,
  MatchRequest,
  TopMakersRequest,
} from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { quoteValue, ServerError } from '../transport/errors.js';
import {
  checkParams,
  compileParamSchemas,
  parseAmount,
  parseInRange,
  splitQuery,
  splitRepeating,
  type Texts,
} from './param-check.js';
import {
  auctionsParams,
  l2CompatibleParams,
  l2Params,
  l3Params,
  matchParams,
  offerRanges,
  orderbookParams,
  priorityFeesParams,
  topMakersParams,
} from './param-schemas.js';

/** Compiles the schemas of the book paths, which takes some 30 ms. */
export function compileBookParams(): void {
  compileParamSchemas([
    l2Params,
    l2CompatibleParams,
    l3Params,
    auctionsParams,
    matchParams,
    topMakersParams,
  ]);
  compileParamSchemas([orderbookParams, priorityFeesParams]);
}

/** The schema of /l2, with whichever defaults. */
export type L2Params = typeof l2Params;

/** Reads the parameters of /l2. Throws a ServerError that names the wrong one. */
export function parseL2(raw: string, markets: MarketDirectory, schema = l2Params): L2Request {
  return l2Request(splitQuery(raw, schema.properties), markets, schema);
}

/** Reads the parameters of /l3. Throws a ServerError that names the wrong one. */
export function parseL3(raw: string, markets: MarketDirectory): L3Request {
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
export function parseAuctions(raw: string, markets: MarketDirectory): AuctionsRequest {
  const params = checkParams(auctionsParams, splitQuery(raw, auctionsParams.properties));
  return { market: selectMarket(params, markets).id };
}

/** Reads the parameters of /orderbook: half of the levels are of each side. */
export function parseOrderbook(raw: string, markets: MarketDirectory): L2Request {
  const params = checkParams(orderbookParams, splitQuery(raw, orderbookParams.properties));
  const { ticker_id: name, depth } = params;
  const { id } = markets.findMarket(name) ?? throwUnknownMarket(name, 'ticker_id');
  return { market: id, depth: depth === 0 ? LIMITS.depthMax : Math.ceil(depth / 2), vamm: true };
}

/** The parameters of /topMakers. */
export interface TopMakersQuery extends TopMakersRequest {
  readonly includeAccounts: boolean;
}

/** Reads the parameters of /topMakers. Throws a ServerError that names the wrong one. */
export function parseTopMakers(raw: string, markets: MarketDirectory): TopMakersQuery {
  const params = checkParams(topMakersParams, splitQuery(raw, topMakersParams.properties));
  const { side, limit, includeAccounts } = params;
  return { market: selectMarket(params, markets).id, side, limit, includeAccounts };
}

/** One entry of a batch: a request, or its error. */
export type BatchEntry = L2Request | ServerError;

/**
 * Reads the parameters of /batchL2: those of /l2, each a comma-separated list of one length. Throws a
 * ServerError when the lists do not fit together, or ask for too much; what is wrong with one entry is in
 * that entry.
 */
export function parseBatchL2(
  raw: string,
  markets: MarketDirectory,
  schema = l2Params,
): readonly BatchEntry[] {
  const entries = splitLists(raw, schema).map((texts) =>
    batchEntry(() => l2Request(texts, markets, schema)),
  );
  requireBatchLevels(entries);
  return entries;
}

/** The texts of each entry of comma-separated lists of one length; an empty value is not given. */
function splitLists(raw: string, { properties }: TObject): readonly Texts[] {
  const texts = splitQuery(raw, properties);
  const lists = Array.from(texts, ([name, text]) => ({ name, values: text.split(',') }));
  return Array.from({ length: commonLength(lists) }, (_, index) => {
    const given = lists.map(({ name, values }) => [name, values[index] ?? ''] as const);
    return new Map(given.filter(([, value]) => value !== ''));
  });
}

/** Reads the parameters of /priorityFees. Throws a ServerError that names the wrong one. */
export function parseFeeMarket(raw: string, markets: MarketDirectory): MarketInfo {
  return selectMarket(
    checkParams(priorityFeesParams, splitQuery(raw, priorityFeesParams.properties)),
    markets,
  );
}

/** A market of /batchPriorityFees, or what is wrong with the entry that named it. */
export type FeeMarket = MarketInfo | ({ readonly error: ServerError } & Partial<FeeMarketName>);

/** What an entry names, as far as it can be read. */
interface FeeMarketName {
  readonly marketType: string;
  readonly marketIndex: number;
}

/** Reads the parameters of /batchPriorityFees: those of /priorityFees, each a comma-separated list. */
export function parseFeeMarkets(raw: string, markets: MarketDirectory): readonly FeeMarket[] {
  return splitLists(raw, priorityFeesParams).map((texts) => {
    const found = batchEntry(() => selectMarket(checkParams(priorityFeesParams, texts), markets));
    if (!(found instanceof ServerError)) return found;
    const marketType = texts.get('marketType');
    const marketIndex = Number(texts.get('marketIndex'));
    return {
      ...(marketType === undefined ? {} : { marketType }),
      ...(Number.isSafeInteger(marketIndex) ? { marketIndex } : {}),
      error: found,
    };
  });
}

function requireBatchLevels(entries: readonly BatchEntry[]): void {
  let levels = 0;
  for (const entry of entries) if (!(entry instanceof ServerError)) levels += entry.depth;
  if (levels <= LIMITS.batchLevelsMax) return;
  const message = `the depths add up to ${levels}, must be at most ${LIMITS.batchLevelsMax}`;
  throw new ServerError('OUT_OF_RANGE', message, 'depth');
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

function batchEntry<Entry>(read: () => Entry): Entry | ServerError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
}

function l2Request(texts: Texts, markets: MarketDirectory, schema: L2Params): L2Request {
  const params = checkParams(schema, texts);
  const { depth, grouping, uncross } = params;
  return {
    market: selectMarket(params, markets).id,
    depth,
    ...(grouping === undefined ? {} : { grouping }),
    ...sourcesOf(params),
    ...(uncross ? { uncross } : {}),
  };
}

/** The requested sources beside orders; the others have no member. */
function sourcesOf(params: {
  readonly includeVamm: boolean;
  readonly includeIndicative: boolean;
}): LiquiditySources {
  return {
    ...(params.includeVamm ? { vamm: true } : {}),
    ...(params.includeIndicative ? { indicative: true } : {}),
  };
}

/** Finds a market: a name wins over index and type, which have been checked all the same. */
export function selectMarket(
  named: {
    readonly marketName?: string;
    readonly marketIndex?: number;
    readonly marketType?: 'perp' | 'spot';
  },
  markets: MarketDirectory,
): MarketInfo {
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

/** The error of a parameter that the others need. */
export function missingParamError(param: string, message: string): ServerError {
  return new ServerError('MISSING_PARAM', message, param);
}

/** Refuses a market that does not exist, named by this parameter. */
export function throwUnknownMarket(name: string, param: string): never {
  throw new ServerError('UNKNOWN_MARKET', `there is no market ${quoteValue(name)}`, param);
}

type Params = Static<typeof matchParams>;
type AmountName = 'size' | 'quote' | 'limitPrice' | 'position' | 'auctionStart' | 'auctionEnd';

/**
 * Reads the parameters of /match. Each is checked by its schema, their combinations here. Throws a
 * ServerError that names the wrong one.
 */
export function parseMatch(raw: string, markets: MarketDirectory): MatchRequest {
  const { texts, values } = splitRepeating(raw, matchParams.properties, 'jit');
  const params = checkParams(matchParams, texts, values.length === 0 ? {} : { jit: values });
  const { side, orderType, postOnly, reduceOnly, feeTier, referred, model } = params;
  const { includeVamm, includeIndicative, taker } = params;
  const request = {
    market: selectMarket(params, markets).id,
    ...{ side, orderType, postOnly, feeTier, referred, model, includeVamm, includeIndicative },
    ...amountsOf(params),
    ...auctionOf(params),
    jit: values.map(offerOf),
    ...(taker === undefined ? {} : { taker }),
  };
  checkKind(request);
  checkAuction(request);
  if (!reduceOnly) return request;
  return { ...request, reduceOnly, position: requiredAmount(params, 'position', 'reduceOnly') };
}

function amountsOf(params: Params): Pick<MatchRequest, 'size' | 'quote' | 'limitPrice'> {
  const { size, quote } = params;
  if (size === undefined && quote === undefined) {
    throw missingParamError('size', 'size or quote must be given');
  }
  if (size !== undefined && quote !== undefined) {
    throw conflictError('quote', 'quote was given together with size, must be given alone');
  }
  return {
    ...optionalAmount(params, 'size'),
    ...optionalAmount(params, 'quote'),
    ...optionalAmount(params, 'limitPrice'),
  };
}

type Auction = Pick<
  MatchRequest,
  'auctionStart' | 'auctionEnd' | 'auctionDuration' | 'slotsElapsed'
>;

/** The auction's three parameters come together, and the slots that have passed with them. */
function auctionOf(params: Params): Auction {
  const names = ['auctionStart', 'auctionEnd', 'auctionDuration', 'slotsElapsed'] as const;
  const given = names.find((name) => params[name] !== undefined);
  if (given === undefined) return {};
  const { auctionDuration, slotsElapsed = 0 } = params;
  const auctionStart = requiredAmount(params, 'auctionStart', given);
  const auctionEnd = requiredAmount(params, 'auctionEnd', given);
  if (auctionDuration === undefined) {
    throw missingParamError('auctionDuration', `${given} needs an auctionDuration`);
  }
  if (slotsElapsed > auctionDuration) {
    const message = `slotsElapsed was ${slotsElapsed}, must be 0 to auctionDuration, which was ${auctionDuration}`;
    throw new ServerError('OUT_OF_RANGE', message, 'slotsElapsed');
  }
  return { auctionStart, auctionEnd, auctionDuration, slotsElapsed };
}

function checkKind({ orderType, limitPrice, postOnly }: MatchRequest): void {
  if (orderType === 'limit' && limitPrice === undefined) {
    throw missingParamError('limitPrice', 'limitPrice is missing: a limit order needs it');
  }
  if (orderType === 'market' && postOnly) {
    throw conflictError('postOnly', 'postOnly was true, must be false for a market order');
  }
}

/** Source: programs/drift/src/validation/order.rs validate_auction_params. */
function checkAuction(request: MatchRequest): void {
  const { side, auctionStart, auctionEnd, auctionDuration, limitPrice, postOnly } = request;
  if (auctionStart === undefined || auctionEnd === undefined || auctionDuration === 0) return;
  if (postOnly) {
    throw conflictError('postOnly', 'postOnly was true, must be false for an order in auction');
  }
  const isBuy = side === 'buy';
  const bound = isBuy ? 'at least' : 'at most';
  if (isBuy ? auctionEnd < auctionStart : auctionEnd > auctionStart) {
    const message = `auctionEnd was ${auctionEnd}, must be ${bound} auctionStart, which was ${auctionStart}`;
    throw conflictError('auctionEnd', message);
  }
  if (limitPrice === undefined) return;
  if (isBuy ? limitPrice < auctionEnd : limitPrice > auctionEnd) {
    const message = `limitPrice was ${limitPrice}, must be ${bound} auctionEnd, which was ${auctionEnd}`;
    throw conflictError('limitPrice', message);
  }
}

function offerOf(text: string): JitOffer {
  const [price = '', size = ''] = text.split(':');
  return {
    price: parseInRange('jit', price, offerRanges.price),
    size: parseInRange('jit', size, offerRanges.size),
  };
}

function optionalAmount<Name extends AmountName>(params: Params, name: Name) {
  const text: string | undefined = params[name];
  const value = text === undefined ? undefined : parseAmount(matchParams, name, text);
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: bigint };
}

function requiredAmount(params: Params, name: AmountName, by: string): bigint {
  const text = params[name];
  if (text === undefined) throw missingParamError(name, `${name} is missing: ${by} needs it`);
  return parseAmount(matchParams, name, text);
}

function conflictError(param: string, message: string): ServerError {
  return new ServerError('INVALID_PARAM', message, param);
}
