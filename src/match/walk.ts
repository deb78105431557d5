/** The body of /match as this room reads it. */
import { MatchError } from './error.js';

/** One fill; amounts are raw integers as texts. */
export interface WalkFill {
  readonly source: string;
  readonly maker: string | null;
  readonly orderId: number | null;
  readonly price: string;
  readonly size: string;
  readonly quote: string;
  readonly takerFee: string;
  readonly makerRebate: string;
}

/** What an order would get. */
export interface Walk {
  readonly fills: readonly WalkFill[];
  readonly filledBase: string;
  readonly filledQuote: string;
  readonly averagePrice: string | null;
  readonly worstPrice: string | null;
  readonly priceImpact: string | null;
  readonly takerFee: string;
  readonly unfilled: string;
  readonly rests: {
    readonly price: string;
    readonly size: string;
    readonly rebateRate: string;
  } | null;
  readonly marketName: string;
  readonly model: string;
  readonly slot: number;
  readonly state: string;
  readonly reason?: string;
}

const AMOUNT = /^-?\d+$/;

/** Reads a body. Throws a MatchError when it is none of /match. */
export function parseWalk(text: string): Walk {
  const value = parseJson(text);
  if (!isWalk(value)) throw malformed();
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

/** The first readings of an unknown: what is printed as a number is one. */
function isWalk(value: unknown): value is Walk {
  if (!isRecord(value)) return false;
  const { fills, averagePrice, worstPrice, priceImpact, rests, marketName, model } = value;
  const { slot, state, reason = '' } = value;
  const sums = [value['filledBase'], value['filledQuote'], value['takerFee'], value['unfilled']];
  return (
    Array.isArray(fills) &&
    fills.every(isFill) &&
    sums.every(isAmount) &&
    [averagePrice, worstPrice].every((price) => price === null || isAmount(price)) &&
    (priceImpact === null || typeof priceImpact === 'string') &&
    (rests === null || isRests(rests)) &&
    [marketName, model, state, reason].every((name) => typeof name === 'string') &&
    typeof slot === 'number'
  );
}

function isFill(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { source, maker, orderId, price, size, quote, takerFee, makerRebate } = value;
  return (
    typeof source === 'string' &&
    (maker === null || typeof maker === 'string') &&
    (orderId === null || typeof orderId === 'number') &&
    [price, size, quote, takerFee, makerRebate].every(isAmount)
  );
}

function isRests(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { price, size, rebateRate } = value;
  return isAmount(price) && isAmount(size) && typeof rebateRate === 'string';
}

function isAmount(value: unknown): boolean {
  return typeof value === 'string' && AMOUNT.test(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function malformed(): MatchError {
  return new MatchError('MALFORMED_MATCH', 'the answer was no body of /match');
}
