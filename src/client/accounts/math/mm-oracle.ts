/** The rule that decides whether the market makers' price of a perp market is used. */
import { abs, max } from './integer.js';

/** The market makers' price in the account of a perp market. */
export interface MmOracle {
  /** 1e6; 0 for none. */
  readonly price: bigint;
  /** 0 when it never was set. */
  readonly slot: bigint;
  /** 0 when unknown. */
  readonly sequenceId: bigint;
}

/** The price of the market's own oracle, of the slot at which it was published. */
type ExchangePrice = MmOracle;

/** The other inputs of the rule. */
interface MmTerms {
  /** The oracle's average price in the market account, 1e6. */
  readonly lastTwap: bigint;
  /** The factor by which a price may be above or below its average. */
  readonly tooVolatileRatio: bigint;
  /** The current slot for an oracle that never expires, as before a launch; otherwise null. */
  readonly ageless: { readonly slot: bigint } | null;
}

/** The program's initial value. Source: state/state.rs `OracleGuardRails`. */
export const FIRST_TOO_VOLATILE_RATIO = 5n;

const PARTS = 1_000_000n;
/** Maximum distance of the market makers' price from the oracle price: 1 %. */
const MM_DIVERGENCE_MAX = PARTS / 100n;
/** Sequence ids are comparable when they differ by less than this fraction (1 / 10,000). */
const SEQUENCE_ID_PARTS = 10_000n;

/**
 * Returns whether the market makers' price is used: it must be set, as recent as the oracle price,
 * not too volatile, and within 1 % of the oracle price. Old accounts hold other bytes in its place,
 * so slot 0 means that there is no price.
 *
 * Source: programs/drift/src/state/perp_market.rs `get_mm_oracle_price_data`. The SDK compares with
 * the five-minute average instead, and compares slots as decimal text.
 */
export function isMmOracleUsed(exchange: ExchangePrice, mm: MmOracle, terms: MmTerms): boolean {
  if (mm.slot === 0n || mm.price <= 0n) return false;
  const apart = abs(mm.price - exchange.price);
  const isNear = (apart * PARTS) / max(abs(exchange.price), 1n) <= MM_DIVERGENCE_MAX;
  return isNear && !isTooVolatile(mm.price, terms) && isAsRecent(exchange, mm, terms);
}

/** Returns whether a price is above or below its average by more than the allowed factor. */
export function isTooVolatile(
  price: bigint,
  { lastTwap, tooVolatileRatio }: Pick<MmTerms, 'lastTwap' | 'tooVolatileRatio'>,
): boolean {
  const [low, high] = price < lastTwap ? [price, lastTwap] : [lastTwap, price];
  return high / max(low, 1n) > tooVolatileRatio;
}

function isAsRecent(exchange: ExchangePrice, mm: MmOracle, { ageless }: MmTerms): boolean {
  const theirs = exchange.sequenceId;
  const ours = mm.sequenceId;
  const both = theirs !== 0n && ours !== 0n;
  if (both && abs(theirs - ours) < theirs / SEQUENCE_ID_PARTS) return ours >= theirs;
  return mm.slot >= (ageless?.slot ?? exchange.slot);
}
