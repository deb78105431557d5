/**
 * Derives the auction of an order that should fill immediately, like the dlob-server: start price,
 * end price and limit price. Percentages are doubles as in the dlob-server; prices are integers at
 * 1e6.
 */
import type { AuctionOrderRequest, PRICE_NAMES } from '../api/auction-order-params.js';
import { ServerError } from '../transport/errors.js';

/** The prices of the expected fills of an order, and the prices of its market, at 1e6. */
export interface AuctionPrices {
  readonly oracle: bigint;
  readonly mark: bigint;
  /**
   * Prices of the side that the order takes: the best price, and the average and the worst price of
   * the expected fills.
   */
  readonly best: bigint;
  readonly entry: bigint;
  readonly worst: bigint;
  /** The spread in percent; undefined when a side is empty. */
  readonly spreadPercent: number | undefined;
}

/**
 * The auction, its limit price, and the slippage (percent) from which the limit price is derived.
 */
export interface AuctionOrder {
  readonly start: bigint;
  readonly end: bigint;
  readonly limit: bigint;
  readonly slippagePercent: number;
}

/** Default slippage, in percent, by the trading activity of the market. */
const CLASSES = {
  major: { base: 0, multiplier: 1.1 },
  midMajor: { base: 0.25, multiplier: 1.25 },
  other: { base: 0.5, multiplier: 1.5 },
};

const MAJORS = [0, 1, 2];
const MID_MAJORS = [13, 23, 4, 59, 9, 76];
const SLIPPAGE_RANGE = { min: 0.035, max: 5 };
const SPREAD_SHARE = 0.9;
/** The spread of a book without one. */
const UNKNOWN_SPREAD = 0.0005;
const UNBOUNDED_SLIPPAGE = 15;
const SLIPPAGE_MAX = 99;
const END_OFFSET = 0.1;
const START_OFFSET = 0.1;
const VERSION_2_FACTOR = 1.2;
/** The program refuses a higher price in a prediction market. */
const PREDICTION_PRICE_MAX = 1_000_000n;

/** Derives the auction. Its start is never worse for the taker than its end. */
export function deriveAuction(request: AuctionOrderRequest, prices: AuctionPrices): AuctionOrder {
  const { direction, auctionEndPriceOffset, auctionEndPriceOffsetFrom = 'worst' } = request;
  const isLong = direction === 'long';
  const worse = isLong ? 1 : -1;
  const { from, offset } = startOf(request);
  const startFrom = priceOf(from, prices, isLong);
  const wantedStart = movedBy(startFrom, -worse * offset);
  const slippagePercent = slippageOf(request, prices, wantedStart);
  const unbuffered = movedBy(startFrom, worse * limitPercent(request, slippagePercent));
  const endName = auctionEndPriceOffsetFrom === 'marketBased' ? 'worst' : auctionEndPriceOffsetFrom;
  const endFrom = worseOf(isLong, startFrom, priceOf(endName, prices, isLong));
  const endOffset = Math.abs(Number(auctionEndPriceOffset ?? END_OFFSET)) || 0;
  const wantedEnd = movedBy(endFrom, worse * endOffset);
  const bounded = request.forceUpToSlippage ? unbuffered : betterOf(isLong, wantedEnd, unbuffered);
  // The program refuses an auction that ends beyond its limit price, so the limit price moves as
  // well.
  const buffer = BigInt(worse * request.additionalEndPriceBuffer) * 1_000_000n;
  const end = bounded + buffer;
  const limit = unbuffered + buffer;
  requirePositive(end, limit);
  const start = betterOf(isLong, wantedStart, end);
  const capped = (price: bigint): bigint =>
    request.market.isPrediction && price > PREDICTION_PRICE_MAX ? PREDICTION_PRICE_MAX : price;
  return { start: capped(start), end: capped(end), limit: capped(limit), slippagePercent };
}

function requirePositive(end: bigint, limit: bigint): void {
  if (end > 0n && limit > 0n) return;
  const message = `the auction would end at ${end} with a limit of ${limit}, must be above 0`;
  throw new ServerError('OUT_OF_RANGE', message, 'additionalEndPriceBuffer');
}

function classOf({ marketType, marketIndex }: AuctionOrderRequest['market']) {
  if (marketType === 'perp' && MAJORS.includes(marketIndex)) return CLASSES.major;
  if (marketType === 'perp' && MID_MAJORS.includes(marketIndex)) return CLASSES.midMajor;
  return CLASSES.other;
}

/**
 * Auctions of large markets start at the mark price, others at a price better for the taker than
 * the best price.
 */
function startOf(request: AuctionOrderRequest) {
  const { market, auctionStartPriceOffset, auctionStartPriceOffsetFrom } = request;
  const isMajor = classOf(market) === CLASSES.major;
  const byMarket = { from: isMajor ? 'mark' : 'bestOffer', offset: isMajor ? 0 : START_OFFSET };
  const from = auctionStartPriceOffsetFrom ?? 'marketBased';
  const offset = Math.abs(Number(auctionStartPriceOffset ?? Number.NaN));
  return {
    from: (from === 'marketBased' ? byMarket.from : from) as PriceName,
    offset: Number.isNaN(offset) ? byMarket.offset : offset,
  };
}

type PriceName = (typeof PRICE_NAMES)[number];

function priceOf(name: PriceName, prices: AuctionPrices, isLong: boolean): bigint {
  const { oracle, mark, best, entry, worst } = prices;
  if (name !== 'best') return { oracle, mark, bestOffer: best, entry, worst }[name];
  // A price of 0 means that there is no such price.
  const there = [oracle, mark].filter((price) => price > 0n);
  return there.reduce((found, price) => betterOf(isLong, found, price), best);
}

/**
 * Returns the slippage in percent. A default grows with the spread and with the depth that the
 * order reaches in the book.
 */
function slippageOf(request: AuctionOrderRequest, prices: AuctionPrices, start: bigint): number {
  const chosen = Number(request.slippageTolerance ?? Number.NaN);
  if (!Number.isNaN(chosen)) return chosen;
  const { base, multiplier } = classOf(request.market);
  const { spreadPercent, worst } = prices;
  const spread = spreadPercent === undefined ? UNKNOWN_SPREAD : spreadPercent * SPREAD_SHARE;
  const away = worst > start ? worst - start : start - worst;
  const depth = start === 0n ? 0 : (Number(away) / Number(start)) * 50;
  const { min, max } = SLIPPAGE_RANGE;
  const dynamic = Math.min(Math.max(Math.max(base + spread, depth) * multiplier, min), max);
  return request.version === 2 ? dynamic * VERSION_2_FACTOR : dynamic;
}

function limitPercent({ allowInfSlippage }: AuctionOrderRequest, slippage: number): number {
  return allowInfSlippage ? UNBOUNDED_SLIPPAGE : Math.min(Math.abs(slippage), SLIPPAGE_MAX);
}

/** Returns the price raised by `percent`, rounded to a millionth. */
function movedBy(price: bigint, percent: number): bigint {
  return (price * BigInt(1_000_000 + Math.round(percent * 10_000))) / 1_000_000n;
}

/** Returns the price that is better for the taker. */
export function betterOf(isLong: boolean, one: bigint, other: bigint): bigint {
  return one < other === isLong ? one : other;
}

function worseOf(isLong: boolean, one: bigint, other: bigint): bigint {
  return one < other === isLong ? other : one;
}
