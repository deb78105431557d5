// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { keyAt, manyAt, u128At } from '../reading.js';

/** The struct `FeeTier`; amounts are raw. */
export interface FeeTier {
  readonly feeNumerator: number;
  readonly feeDenominator: number;
  readonly makerRebateNumerator: number;
  readonly makerRebateDenominator: number;
  readonly referrerRewardNumerator: number;
  readonly referrerRewardDenominator: number;
  readonly refereeFeeNumerator: number;
  readonly refereeFeeDenominator: number;
}

/** Where the fields of `FeeTier` are, and how many bytes it has. */
export const FEE_TIER = {
  bytes: 32,
  feeNumerator: 0,
  feeDenominator: 4,
  makerRebateNumerator: 8,
  makerRebateDenominator: 12,
  referrerRewardNumerator: 16,
  referrerRewardDenominator: 20,
  refereeFeeNumerator: 24,
  refereeFeeDenominator: 28,
} as const;

/** Reads `FeeTier` at a place, whose bytes are there. */
export function feeTierAt(view: DataView, at: number): FeeTier {
  return {
    feeNumerator: view.getUint32(at, true),
    feeDenominator: view.getUint32(at + 4, true),
    makerRebateNumerator: view.getUint32(at + 8, true),
    makerRebateDenominator: view.getUint32(at + 12, true),
    referrerRewardNumerator: view.getUint32(at + 16, true),
    referrerRewardDenominator: view.getUint32(at + 20, true),
    refereeFeeNumerator: view.getUint32(at + 24, true),
    refereeFeeDenominator: view.getUint32(at + 28, true),
  };
}

/** The struct `OrderFillerRewardStructure`; amounts are raw. */
export interface OrderFillerRewardStructure {
  readonly rewardNumerator: number;
  readonly rewardDenominator: number;
  readonly timeBasedRewardLowerBound: bigint;
}

/** Where the fields of `OrderFillerRewardStructure` are, and how many bytes it has. */
export const ORDER_FILLER_REWARD_STRUCTURE = {
  bytes: 24,
  rewardNumerator: 0,
  rewardDenominator: 4,
  timeBasedRewardLowerBound: 8,
} as const;

/** Reads `OrderFillerRewardStructure` at a place, whose bytes are there. */
export function orderFillerRewardStructureAt(view: DataView, at: number): OrderFillerRewardStructure {
  return {
    rewardNumerator: view.getUint32(at, true),
    rewardDenominator: view.getUint32(at + 4, true),
    timeBasedRewardLowerBound: u128At(view, at + 8),
  };
}

/** The struct `FeeStructure`; amounts are raw. */
export interface FeeStructure {
  readonly feeTiers: readonly FeeTier[];
  readonly fillerRewardStructure: OrderFillerRewardStructure;
  readonly referrerRewardEpochUpperBound: bigint;
  readonly flatFillerFee: bigint;
}

/** Where the fields of `FeeStructure` are, and how many bytes it has. */
export const FEE_STRUCTURE = {
  bytes: 360,
  feeTiers: 0,
  fillerRewardStructure: 320,
  referrerRewardEpochUpperBound: 344,
  flatFillerFee: 352,
} as const;

/** Reads `FeeStructure` at a place, whose bytes are there. */
export function feeStructureAt(view: DataView, at: number): FeeStructure {
  return {
    feeTiers: manyAt(view, at, 10, 32, feeTierAt),
    fillerRewardStructure: orderFillerRewardStructureAt(view, at + 320),
    referrerRewardEpochUpperBound: view.getBigUint64(at + 344, true),
    flatFillerFee: view.getBigUint64(at + 352, true),
  };
}

/** The struct `PriceDivergenceGuardRails`; amounts are raw. */
export interface PriceDivergenceGuardRails {
  readonly markOraclePercentDivergence: bigint;
  readonly oracleTwap5minPercentDivergence: bigint;
}

/** Where the fields of `PriceDivergenceGuardRails` are, and how many bytes it has. */
export const PRICE_DIVERGENCE_GUARD_RAILS = {
  bytes: 16,
  markOraclePercentDivergence: 0,
  oracleTwap5minPercentDivergence: 8,
} as const;

/** Reads `PriceDivergenceGuardRails` at a place, whose bytes are there. */
export function priceDivergenceGuardRailsAt(view: DataView, at: number): PriceDivergenceGuardRails {
  return {
    markOraclePercentDivergence: view.getBigUint64(at, true),
    oracleTwap5minPercentDivergence: view.getBigUint64(at + 8, true),
  };
}

/** The struct `ValidityGuardRails`; amounts are raw. */
export interface ValidityGuardRails {
  readonly slotsBeforeStaleForAmm: bigint;
  readonly slotsBeforeStaleForMargin: bigint;
  readonly confidenceIntervalMaxSize: bigint;
  readonly tooVolatileRatio: bigint;
}

/** Where the fields of `ValidityGuardRails` are, and how many bytes it has. */
export const VALIDITY_GUARD_RAILS = {
  bytes: 32,
  slotsBeforeStaleForAmm: 0,
  slotsBeforeStaleForMargin: 8,
  confidenceIntervalMaxSize: 16,
  tooVolatileRatio: 24,
} as const;

/** Reads `ValidityGuardRails` at a place, whose bytes are there. */
export function validityGuardRailsAt(view: DataView, at: number): ValidityGuardRails {
  return {
    slotsBeforeStaleForAmm: view.getBigInt64(at, true),
    slotsBeforeStaleForMargin: view.getBigInt64(at + 8, true),
    confidenceIntervalMaxSize: view.getBigUint64(at + 16, true),
    tooVolatileRatio: view.getBigInt64(at + 24, true),
  };
}

/** The struct `OracleGuardRails`; amounts are raw. */
export interface OracleGuardRails {
  readonly priceDivergence: PriceDivergenceGuardRails;
  readonly validity: ValidityGuardRails;
}

/** Where the fields of `OracleGuardRails` are, and how many bytes it has. */
export const ORACLE_GUARD_RAILS = {
  bytes: 48,
  priceDivergence: 0,
  validity: 16,
} as const;

/** Reads `OracleGuardRails` at a place, whose bytes are there. */
export function oracleGuardRailsAt(view: DataView, at: number): OracleGuardRails {
  return {
    priceDivergence: priceDivergenceGuardRailsAt(view, at),
    validity: validityGuardRailsAt(view, at + 16),
  };
}

/** The account `State`; amounts are raw. */
export interface State {
  readonly admin: string;
  readonly whitelistMint: string;
  readonly discountMint: string;
  readonly signer: string;
  readonly srmVault: string;
  readonly perpFeeStructure: FeeStructure;
  readonly spotFeeStructure: FeeStructure;
  readonly oracleGuardRails: OracleGuardRails;
  readonly numberOfAuthorities: bigint;
  readonly numberOfSubAccounts: bigint;
  readonly lpCooldownTime: bigint;
  readonly liquidationMarginBufferRatio: number;
  readonly settlementDuration: number;
  readonly numberOfMarkets: number;
  readonly numberOfSpotMarkets: number;
  readonly signerNonce: number;
  readonly minPerpAuctionDuration: number;
  readonly defaultMarketOrderTimeInForce: number;
  readonly defaultSpotAuctionDuration: number;
  readonly exchangeStatus: number;
  readonly liquidationDuration: number;
  readonly initialPctToLiquidate: number;
  readonly maxNumberOfSubAccounts: number;
  readonly maxInitializeUserFee: number;
  readonly featureBitFlags: number;
  readonly lpPoolFeatureBitFlags: number;
}

/** Where the fields of `State` are, and how many bytes it has. */
export const STATE = {
  bytes: 992,
  admin: 8,
  whitelistMint: 40,
  discountMint: 72,
  signer: 104,
  srmVault: 136,
  perpFeeStructure: 168,
  spotFeeStructure: 528,
  oracleGuardRails: 888,
  numberOfAuthorities: 936,
  numberOfSubAccounts: 944,
  lpCooldownTime: 952,
  liquidationMarginBufferRatio: 960,
  settlementDuration: 964,
  numberOfMarkets: 966,
  numberOfSpotMarkets: 968,
  signerNonce: 970,
  minPerpAuctionDuration: 971,
  defaultMarketOrderTimeInForce: 972,
  defaultSpotAuctionDuration: 973,
  exchangeStatus: 974,
  liquidationDuration: 975,
  initialPctToLiquidate: 976,
  maxNumberOfSubAccounts: 978,
  maxInitializeUserFee: 980,
  featureBitFlags: 982,
  lpPoolFeatureBitFlags: 983,
} as const;

/** Reads `State` at a place, whose bytes are there. */
export function stateAt(view: DataView, at: number): State {
  return {
    admin: keyAt(view, at + 8),
    whitelistMint: keyAt(view, at + 40),
    discountMint: keyAt(view, at + 72),
    signer: keyAt(view, at + 104),
    srmVault: keyAt(view, at + 136),
    perpFeeStructure: feeStructureAt(view, at + 168),
    spotFeeStructure: feeStructureAt(view, at + 528),
    oracleGuardRails: oracleGuardRailsAt(view, at + 888),
    numberOfAuthorities: view.getBigUint64(at + 936, true),
    numberOfSubAccounts: view.getBigUint64(at + 944, true),
    lpCooldownTime: view.getBigUint64(at + 952, true),
    liquidationMarginBufferRatio: view.getUint32(at + 960, true),
    settlementDuration: view.getUint16(at + 964, true),
    numberOfMarkets: view.getUint16(at + 966, true),
    numberOfSpotMarkets: view.getUint16(at + 968, true),
    signerNonce: view.getUint8(at + 970),
    minPerpAuctionDuration: view.getUint8(at + 971),
    defaultMarketOrderTimeInForce: view.getUint8(at + 972),
    defaultSpotAuctionDuration: view.getUint8(at + 973),
    exchangeStatus: view.getUint8(at + 974),
    liquidationDuration: view.getUint8(at + 975),
    initialPctToLiquidate: view.getUint16(at + 976, true),
    maxNumberOfSubAccounts: view.getUint16(at + 978, true),
    maxInitializeUserFee: view.getUint16(at + 980, true),
    featureBitFlags: view.getUint8(at + 982),
    lpPoolFeatureBitFlags: view.getUint8(at + 983),
  };
}

/** How an account `State` is told from others. */
export const STATE_KIND = {
  name: 'State',
  discriminatorHigh: 0xd8926b5e,
  discriminatorLow: 0x684bb6b1,
  bytes: 992,
  hasFixedLength: true,
} as const;
