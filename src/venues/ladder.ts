/** Converts a ladder of swap quotes to price levels, rounded against the taker. */
import { VenueError } from './error.js';
import { ROUND_TRIP_GAIN_BPS_MAX, ROUND_TRIP_LOSS_BPS_MAX, VENUE_PRICE_MAX } from './limits.js';
import type { VenueLevel, VenueLevels, VenueMarket } from './venue.js';

/** One size, quoted in both directions. All amounts are in the tokens' own decimals and above 0. */
export interface Rung {
  /** Quote paid for buying the base. */
  readonly quoteIn: bigint;
  /** The base bought with the quote amount, which is then sold in the other direction. */
  readonly base: bigint;
  /** Quote received for selling the base. */
  readonly quoteOut: bigint;
}

const PRICE_SCALE = 1_000_000n;
const SIZE_SCALE = 1_000_000_000n;
const BPS = 10_000n;

/** The rounding direction of a division. */
type Division = (dividend: bigint, divisor: bigint) => bigint;

const divFloor: Division = (dividend, divisor) => dividend / divisor;
const divCeil: Division = (dividend, divisor) => (dividend + divisor - 1n) / divisor;

/** The functions that compute the levels of one side. */
interface SideRule {
  readonly quoteOf: (rung: Rung) => bigint;
  readonly divide: Division;
  readonly isWorse: (price: bigint, than: bigint) => boolean;
}

const askRule: SideRule = {
  quoteOf: ({ quoteIn }) => quoteIn,
  divide: divCeil,
  isWorse: (price, than) => price > than,
};

const bidRule: SideRule = {
  quoteOf: ({ quoteOut }) => quoteOut,
  divide: divFloor,
  isWorse: (price, than) => price < than,
};

/**
 * Returns the levels: each is a step of the ladder, at the price of that step alone. A taker that
 * uses up levels from the best on never pays less, nor receives more, than was quoted. The ladder
 * ends where more of one token yields no more of the other, or where a round trip loses more than
 * half.
 *
 * # Errors
 * Throws a VenueError when a price is implausible, or an immediate round trip would gain.
 */
export function levelsOf(rungs: readonly Rung[], market: VenueMarket): VenueLevels {
  const usable = rungs.slice(0, endOf(rungs));
  return { asks: sideOf(usable, market, askRule), bids: sideOf(usable, market, bidRule) };
}

function endOf(rungs: readonly Rung[]): number {
  const end = rungs.findIndex(({ quoteIn, quoteOut }) => {
    if (quoteOut * BPS > quoteIn * (BPS + ROUND_TRIP_GAIN_BPS_MAX)) {
      const message = `selling brought ${quoteOut} of what was bought for ${quoteIn}`;
      throw new VenueError('VENUE_PRICE_OUT_OF_RANGE', `${message}, which cannot be so much more`);
    }
    return quoteOut * BPS < quoteIn * (BPS - ROUND_TRIP_LOSS_BPS_MAX);
  });
  return end === -1 ? rungs.length : end;
}

function sideOf(
  rungs: readonly Rung[],
  { base, quote }: VenueMarket,
  { quoteOf, divide, isWorse }: SideRule,
): readonly VenueLevel[] {
  const baseUnit = 10n ** BigInt(base.decimals);
  const quoteUnit = 10n ** BigInt(quote.decimals);
  const levels: VenueLevel[] = [];
  let taken = { base: 0n, quote: 0n };
  for (const rung of rungs) {
    const baseStep = rung.base - taken.base;
    const quoteStep = quoteOf(rung) - taken.quote;
    if (baseStep <= 0n || quoteStep <= 0n) break;
    const size = divFloor(baseStep * SIZE_SCALE, baseUnit);
    // A step smaller than one unit of size is merged with the next step.
    if (size === 0n) continue;
    const marginal = divide(quoteStep * PRICE_SCALE * baseUnit, baseStep * quoteUnit);
    const before = levels.at(-1)?.price ?? marginal;
    const price = isWorse(before, marginal) ? before : marginal;
    if (price === 0n) break;
    requirePrice(price);
    levels.push({ price, size });
    taken = { base: rung.base, quote: quoteOf(rung) };
  }
  return levels;
}

function requirePrice(price: bigint): void {
  if (price <= VENUE_PRICE_MAX) return;
  const message = `price was ${price}, must be at most ${VENUE_PRICE_MAX}`;
  throw new VenueError('VENUE_PRICE_OUT_OF_RANGE', message);
}
