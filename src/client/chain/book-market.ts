/** The fields of a market account that the local book needs, for perp and spot markets alike. */
import type {
  AssetTier,
  ContractTier,
  MarketStatus,
  OracleSource,
} from '../accounts/generated/enums.js';
import type { PerpMarket } from '../accounts/generated/perp-market.js';
import type { SpotMarket } from '../accounts/generated/spot-market.js';
import { malformedAccount } from '../accounts/reading.js';
import { type MarketId, perpMarket, spotMarket } from '../keys.js';
import type { MmOracle } from './oracle-rules.js';

/** The fields shared by all markets. */
export interface BookMarket {
  readonly id: MarketId;
  readonly name: string;
  readonly status: MarketStatus;
  /**
   * Whether a fill of any order must reduce the position of its owner, as in a reduce-only market of
   * Velocity; in one of Drift v2, orders that are not reduce-only do not rest.
   */
  readonly reducesEveryOrder: boolean;
  readonly areFillsPaused: boolean;
  /** Unix seconds; 0 for never. */
  readonly expiryTs: bigint;
  /** 1e6. */
  readonly tickSize: bigint;
  /** In the unit of the market's orders. */
  readonly stepSize: bigint;
  /**
   * The decimals of the market's order sizes: 9 for perp markets, the token's decimals for spot
   * markets.
   */
  readonly decimals: number;
  readonly isPrediction: boolean;
  /** Base58. */
  readonly oracle: string;
  readonly oracleSource: OracleSource;
  /** The factor by which an oracle's confidence interval may be wider in a market of this tier. */
  readonly confidenceMultiplier: bigint;
  /** The oracle's average price in the market account, 1e6. */
  readonly lastOracleTwap: bigint;
  /** Null for spot markets. */
  readonly mmOracle: MmOracle | null;
  /** The cumulative interest of a spot market, 1e10; null for perp markets. */
  readonly interest: { readonly deposit: bigint; readonly borrow: bigint } | null;
}

/** Decimals of the orders of perp markets. */
export const PERP_DECIMALS = 9;
/** Bits of paused fills. Source: programs/drift/src/state/paused_operations.rs `PerpOperation`, `SpotOperation`. */
export const PAUSED_FILL = { perp: 4, spot: 2 };

/** Factors of the confidence limit. Source: programs/drift/src/state/perp_market.rs `get_max_confidence_interval_multiplier`. */
export const CONTRACT_TIERS: Readonly<Record<ContractTier, bigint>> = {
  a: 1n,
  b: 1n,
  c: 2n,
  speculative: 10n,
  highlySpeculative: 50n,
  isolated: 50n,
};
/** Source: programs/drift/src/state/spot_market.rs `get_max_confidence_interval_multiplier`. */
const ASSET_TIERS: Readonly<Record<AssetTier, bigint>> = {
  collateral: 1n,
  protected: 1n,
  cross: 5n,
  isolated: 50n,
  unlisted: 50n,
};

/** The book's view of a perp market. */
export function bookPerpMarket(market: PerpMarket): BookMarket {
  const { amm } = market;
  return {
    id: perpMarket(market.marketIndex),
    name: market.name,
    status: market.status,
    expiryTs: market.expiryTs,
    reducesEveryOrder: false,
    areFillsPaused: (market.pausedOperations & PAUSED_FILL.perp) !== 0,
    tickSize: amm.orderTickSize,
    stepSize: amm.orderStepSize,
    decimals: PERP_DECIMALS,
    isPrediction: market.contractType === 'prediction',
    oracle: amm.oracle,
    oracleSource: amm.oracleSource,
    confidenceMultiplier: CONTRACT_TIERS[market.contractTier],
    lastOracleTwap: amm.historicalOracleData.lastOraclePriceTwap,
    mmOracle: {
      price: amm.mmOraclePrice,
      slot: amm.mmOracleSlot,
      sequenceId: amm.mmOracleSequenceId,
    },
    interest: null,
  };
}

/** Balances are at 1e9 and interest at 1e10, so a token has at most 19 decimals. */
const TOKEN_DECIMALS_MAX = 19;

/**
 * Returns the book's view of a spot market. Throws MALFORMED_ACCOUNT for a token with impossible
 * decimals.
 */
export function bookSpotMarket(market: SpotMarket): BookMarket {
  requireDecimals(market);
  const { cumulativeDepositInterest: deposit, cumulativeBorrowInterest: borrow } = market;
  return {
    id: spotMarket(market.marketIndex),
    name: market.name,
    status: market.status,
    expiryTs: market.expiryTs,
    reducesEveryOrder: false,
    areFillsPaused: (market.pausedOperations & PAUSED_FILL.spot) !== 0,
    tickSize: market.orderTickSize,
    stepSize: market.orderStepSize,
    decimals: market.decimals,
    isPrediction: false,
    oracle: market.oracle,
    oracleSource: market.oracleSource,
    confidenceMultiplier: ASSET_TIERS[market.assetTier],
    lastOracleTwap: market.historicalOracleData.lastOraclePriceTwap,
    mmOracle: null,
    interest: { deposit, borrow },
  };
}

function requireDecimals({ marketIndex, decimals }: SpotMarket): void {
  if (decimals <= TOKEN_DECIMALS_MAX) return;
  const message = `spot market ${marketIndex} had ${decimals} decimals, must have at most ${TOKEN_DECIMALS_MAX}`;
  throw malformedAccount(message);
}

/** The rule that empties a market's book; null when no rule does. */
export type EmptyReason =
  | 'ordersOnClob'
  | 'marketStatus'
  | 'marketFillPaused'
  | 'exchangeFillPaused'
  | 'marketExpired';

/** Bit of the exchange's status. Source: programs/drift/src/state/state.rs `ExchangeStatus`. */
const EXCHANGE_FILL_PAUSED = 8;

/** The facts besides the market that empty its book. */
interface EmptyTerms {
  readonly exchangeStatus: number;
  /** The chain's time in seconds. */
  readonly now: bigint;
  /** Whether orders of the market rest on a CLOB program. */
  readonly isOnClob: boolean;
}

/** Returns the rule that empties the book; null when no rule does. */
export function emptyReason(
  market: BookMarket,
  { exchangeStatus, now, isOnClob }: EmptyTerms,
): EmptyReason | null {
  if (isOnClob) return 'ordersOnClob';
  if (market.status !== 'active' && market.status !== 'reduceOnly') return 'marketStatus';
  if (market.areFillsPaused) return 'marketFillPaused';
  if ((exchangeStatus & EXCHANGE_FILL_PAUSED) !== 0) return 'exchangeFillPaused';
  return market.expiryTs !== 0n && now >= market.expiryTs ? 'marketExpired' : null;
}
