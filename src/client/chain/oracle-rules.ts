/**
 * The rules that decide whether an oracle price is valid for orders, and which of two prices is
 * used.
 */
import {
  FIRST_TOO_VOLATILE_RATIO,
  isMmOracleUsed,
  isTooVolatile,
  type MmOracle,
} from '../accounts/math/mm-oracle.js';
import type { OracleReading } from './oracle.js';
import { type SlotSchedule, unitsBetween } from './slot-clock.js';

export type { MmOracle };

/** The limits of the state account within which an oracle price is valid. */
export interface GuardRails {
  readonly slotsBeforeStaleForMargin: bigint;
  /** Parts of 1e6 of the price. */
  readonly confidenceIntervalMaxSize: bigint;
  /** The factor by which a price may be above or below its average. */
  readonly tooVolatileRatio: bigint;
}

/** The program's initial values. Source: programs/drift/src/state/state.rs `OracleGuardRails`. */
export const FIRST_GUARD_RAILS: GuardRails = {
  slotsBeforeStaleForMargin: 120n,
  confidenceIntervalMaxSize: 20_000n,
  tooVolatileRatio: FIRST_TOO_VOLATILE_RATIO,
};

/** The market's parameters of the oracle rules. */
export interface OracleTerms {
  readonly guardRails: GuardRails;
  /** The oracle's average price in the market account, 1e6. */
  readonly lastTwap: bigint;
  /** Multiplier of the confidence limit for the market's tier. */
  readonly confidenceMultiplier: bigint;
  /**
   * How fast a price expires: a prelaunch price never does, and a stable coin's takes three times
   * as long.
   */
  readonly ageing: 'never' | 'usual' | 'slow';
  readonly slot: bigint;
  /** The lengths of slots; null when all have 400 ms. */
  readonly slots: SlotSchedule | null;
}

/** The reason for which a price must not be used for orders with an oracle offset. */
export type OracleFault = 'nonPositive' | 'tooVolatile' | 'tooUncertain' | 'staleForMargin';

const PARTS = 1_000_000n;

/**
 * Returns the reason for which a price is invalid for orders; null when it is valid. Too few
 * publishers, or staleness that matters only to the AMM, do not make it invalid.
 *
 * Source: programs/drift/src/math/oracle.rs `oracle_validity`, `is_oracle_valid_for_action`.
 */
export function oracleFault(reading: OracleReading, terms: OracleTerms): OracleFault | null {
  const { guardRails, confidenceMultiplier } = terms;
  if (reading.price <= 0n) return 'nonPositive';
  if (isTooVolatile(reading.price, volatility(terms))) return 'tooVolatile';
  const uncertainty = (most(reading.confidence, 1n) * PARTS) / reading.price;
  const uncertaintyMax = guardRails.confidenceIntervalMaxSize * confidenceMultiplier;
  if (uncertainty > uncertaintyMax) return 'tooUncertain';
  const isStale = ageOf(reading, terms) > guardRails.slotsBeforeStaleForMargin * patience(terms);
  return isStale ? 'staleForMargin' : null;
}

/**
 * Returns the reading that prices a perp market's orders: the market makers' price while it is
 * used, otherwise the oracle price.
 *
 * Source: programs/drift/src/state/perp_market.rs `get_mm_oracle_price_data`.
 */
export function mmReading(
  exchange: OracleReading,
  mm: MmOracle,
  terms: OracleTerms,
): OracleReading {
  const ageless = terms.ageing === 'never' ? { slot: terms.slot } : null;
  if (!isMmOracleUsed(exchange, mm, { ...volatility(terms), ageless })) return exchange;
  const apart = magnitude(mm.price - exchange.price);
  return {
    price: mm.price,
    confidence: exchange.confidence + apart,
    slot: mm.slot,
    sequenceId: 0n,
    hasSufficientData: true,
  };
}

function volatility({ lastTwap, guardRails }: OracleTerms) {
  return { lastTwap, tooVolatileRatio: guardRails.tooVolatileRatio };
}

/** In units of 400 ms. */
function ageOf(reading: OracleReading, { ageing, slot, slots }: OracleTerms): bigint {
  return ageing === 'never' ? 0n : unitsBetween(reading.slot, slot, slots);
}

const patience = ({ ageing }: OracleTerms): bigint => (ageing === 'slow' ? 3n : 1n);
const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const most = (left: bigint, right: bigint): bigint => (left > right ? left : right);
