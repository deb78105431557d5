/**
 * The parameters of /match, from a raw query string to an order. Each is checked by its schema; here
 * stands what they may not be together.
 */
import type { Static } from '@sinclair/typebox';
import type { JitOffer, MatchRequest } from '../ports/book-source.js';
import { ServerError } from '../transport/errors.js';
import { checkParams, parseAmount, parseInRange } from './param-check.js';
import { matchParams, offerRanges } from './param-schemas.js';
import { type Markets, missingParamError, selectMarket } from './params.js';
import { splitRepeating } from './query.js';

type Params = Static<typeof matchParams>;
type AmountName = 'size' | 'quote' | 'limitPrice' | 'position' | 'auctionStart' | 'auctionEnd';

/** Reads the parameters of /match. Throws a ServerError that names the wrong one. */
export function parseMatch(raw: string, markets: Markets): MatchRequest {
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
    throw conflictError('quote', 'quote was given with size, must be given without it');
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
    throw missingParamError('limitPrice', 'limitPrice is missing, a limit order needs it');
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
  if (text === undefined) throw missingParamError(name, `${name} is missing, ${by} needs it`);
  return parseAmount(matchParams, name, text);
}

function conflictError(param: string, message: string): ServerError {
  return new ServerError('INVALID_PARAM', message, param);
}
