import type { Core, MatchOptions } from '@slotbook/core/native';
import type { JitOffer, MatchRequest } from '../contract/book-requests.js';
import { EngineError } from './errors.js';

/** The parameter names in an error's `context.param`, as in /match. */
type Param = keyof MatchRequest;

const U64_MAX = (1n << 64n) - 1n;
const I64_MAX = (1n << 63n) - 1n;

/** The maximum size, scaled by 1e9: sizes of tokens with few decimals exceed 64 bits. */
const SIZE_MAX = 10n ** 30n;

/** The maximum auction duration in slots: the program stores it in one byte. */
const AUCTION_SLOTS_MAX = 255;

/** The program's highest volume tier; the lowest is 0. */
const FEE_TIER_MAX = 5;

/** The maximum number of offers that the core considers in one auction. */
export const JIT_OFFERS_MAX = 256;

/** Indexed by the core's codes. */
const MODELS = ['spec', 'onchain'] as const;
const SIDES = ['buy', 'sell'] as const;
const ORDER_TYPES = ['market', 'limit'] as const;

/**
 * Encodes the order for the core.
 *
 * @throws EngineError INVALID_MATCH or MATCH_OUT_OF_RANGE, with the parameter in `context.param`.
 */
export function matchOptions(request: MatchRequest): MatchOptions {
  const { limitPrice, slotsElapsed = 0 } = request;
  const auction = auctionOf(request);
  const position = positionOf(request);
  return {
    market: request.market,
    model: codeIn(MODELS, 'model', request.model ?? 'spec'),
    direction: codeIn(SIDES, 'side', request.side),
    kind: codeIn(ORDER_TYPES, 'orderType', request.orderType),
    ...amountOf(request),
    ...(limitPrice === undefined ? {} : { limitPrice: requirePositive('limitPrice', limitPrice) }),
    postOnly: request.postOnly ?? false,
    ...(position === undefined ? {} : { position }),
    ...(auction === undefined
      ? {}
      : { auction: { ...auction, elapsed: requireWhole('slotsElapsed', slotsElapsed) } }),
    taker: request.taker ?? '',
    feeTier: requireWhole('feeTier', request.feeTier ?? 0, FEE_TIER_MAX),
    referred: request.referred ?? false,
    jit: offersOf(request.jit ?? []),
    vamm: request.includeVamm ?? true,
    indicative: request.includeIndicative ?? false,
  };
}

/** The error for an order that the core rejects because its fields contradict each other. */
export function refusalOf(core: Core, options: MatchOptions): EngineError | undefined {
  const fault = core.takerFault(options);
  return fault === null ? undefined : invalidMatch(fault.param, fault.message);
}

function amountOf({ size, quote }: MatchRequest): Pick<MatchOptions, 'amount' | 'inQuote'> {
  if (size !== undefined && quote !== undefined) {
    throw invalidMatch('quote', 'quote was given together with size, must be given alone');
  }
  if (quote !== undefined) return { amount: requirePositive('quote', quote), inQuote: true };
  if (size === undefined)
    throw invalidMatch('size', 'size and quote are missing: one of them is needed');
  return { amount: requireRange('size', size, 1n, SIZE_MAX), inQuote: false };
}

function positionOf({ reduceOnly = false, position }: MatchRequest): bigint | undefined {
  if (!reduceOnly) return undefined;
  if (position === undefined) {
    throw invalidMatch('position', 'position is missing: a reduce-only order needs it');
  }
  return requireRange('position', position, -SIZE_MAX, SIZE_MAX);
}

function auctionOf(
  request: MatchRequest,
): { start: bigint; end: bigint; duration: number } | undefined {
  const { auctionStart: start, auctionEnd: end, auctionDuration: duration } = request;
  if (start === undefined && end === undefined && duration === undefined) return undefined;
  if (start === undefined) throw missingOfAuction('auctionStart');
  if (end === undefined) throw missingOfAuction('auctionEnd');
  if (duration === undefined) throw missingOfAuction('auctionDuration');
  return {
    start: requireRange('auctionStart', start, 0n, I64_MAX),
    end: requireRange('auctionEnd', end, 0n, I64_MAX),
    duration: requireWhole('auctionDuration', duration, AUCTION_SLOTS_MAX),
  };
}

function offersOf(jit: readonly JitOffer[]): bigint[] {
  if (jit.length > JIT_OFFERS_MAX) throw outOfRange('jit', jit.length, `at most ${JIT_OFFERS_MAX}`);
  return jit.flatMap(({ price, size }) => [
    requirePositive('jit', price),
    requireRange('jit', size, 1n, SIZE_MAX),
  ]);
}

function codeIn(names: readonly string[], param: Param, name: string): number {
  const code = names.indexOf(name);
  if (code < 0)
    throw invalidMatch(param, `${param} was ${name}, must be one of ${names.join(', ')}`);
  return code;
}

function requirePositive(param: Param, value: bigint): bigint {
  return requireRange(param, value, 1n, U64_MAX);
}

function requireRange(param: Param, value: bigint, least: bigint, most: bigint): bigint {
  if (value < least || value > most) throw outOfRange(param, value, `${least} to ${most}`);
  return value;
}

function requireWhole(param: Param, value: number, most = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw outOfRange(param, value, `a whole number of 0 to ${most}`);
  }
  return value;
}

function missingOfAuction(param: Param): EngineError {
  return invalidMatch(param, `${param} is missing: an auction has a start, an end and a duration`);
}

function invalidMatch(param: string, message: string): EngineError {
  return new EngineError('INVALID_MATCH', message, { param });
}

function outOfRange(param: Param, value: bigint | number, range: string): EngineError {
  const message = `${param} was ${value}, must be ${range}`;
  return new EngineError('MATCH_OUT_OF_RANGE', message, { param });
}
