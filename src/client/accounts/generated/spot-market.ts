// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { boolAt, enumAt, keyAt, textAt, u128At } from '../reading.js';
import { ASSET_TIER, MARKET_STATUS, ORACLE_SOURCE, type AssetTier, type MarketStatus, type OracleSource } from './enums.js';
import { historicalOracleDataAt, poolBalanceAt, type HistoricalOracleData, type PoolBalance } from './common.js';

/** The struct `HistoricalIndexData`; amounts are raw. */
export interface HistoricalIndexData {
  readonly lastIndexBidPrice: bigint;
  readonly lastIndexAskPrice: bigint;
  readonly lastIndexPriceTwap: bigint;
  readonly lastIndexPriceTwap5min: bigint;
  readonly lastIndexPriceTwapTs: bigint;
}

/** Where the fields of `HistoricalIndexData` are, and how many bytes it has. */
export const HISTORICAL_INDEX_DATA = {
  bytes: 40,
  lastIndexBidPrice: 0,
  lastIndexAskPrice: 8,
  lastIndexPriceTwap: 16,
  lastIndexPriceTwap5min: 24,
  lastIndexPriceTwapTs: 32,
} as const;

/** Reads `HistoricalIndexData` at a place, whose bytes are there. */
export function historicalIndexDataAt(view: DataView, at: number): HistoricalIndexData {
  return {
    lastIndexBidPrice: view.getBigUint64(at, true),
    lastIndexAskPrice: view.getBigUint64(at + 8, true),
    lastIndexPriceTwap: view.getBigUint64(at + 16, true),
    lastIndexPriceTwap5min: view.getBigUint64(at + 24, true),
    lastIndexPriceTwapTs: view.getBigInt64(at + 32, true),
  };
}

/** The struct `InsuranceFund`; amounts are raw. */
export interface InsuranceFund {
  readonly vault: string;
  readonly totalShares: bigint;
  readonly userShares: bigint;
  readonly sharesBase: bigint;
  readonly unstakingPeriod: bigint;
  readonly lastRevenueSettleTs: bigint;
  readonly revenueSettlePeriod: bigint;
  readonly totalFactor: number;
  readonly userFactor: number;
}

/** Where the fields of `InsuranceFund` are, and how many bytes it has. */
export const INSURANCE_FUND = {
  bytes: 112,
  vault: 0,
  totalShares: 32,
  userShares: 48,
  sharesBase: 64,
  unstakingPeriod: 80,
  lastRevenueSettleTs: 88,
  revenueSettlePeriod: 96,
  totalFactor: 104,
  userFactor: 108,
} as const;

/** Reads `InsuranceFund` at a place, whose bytes are there. */
export function insuranceFundAt(view: DataView, at: number): InsuranceFund {
  return {
    vault: keyAt(view, at),
    totalShares: u128At(view, at + 32),
    userShares: u128At(view, at + 48),
    sharesBase: u128At(view, at + 64),
    unstakingPeriod: view.getBigInt64(at + 80, true),
    lastRevenueSettleTs: view.getBigInt64(at + 88, true),
    revenueSettlePeriod: view.getBigInt64(at + 96, true),
    totalFactor: view.getUint32(at + 104, true),
    userFactor: view.getUint32(at + 108, true),
  };
}

/** The account `SpotMarket`; amounts are raw. */
export interface SpotMarket {
  readonly pubkey: string;
  readonly oracle: string;
  readonly mint: string;
  readonly vault: string;
  readonly name: string;
  readonly historicalOracleData: HistoricalOracleData;
  readonly historicalIndexData: HistoricalIndexData;
  readonly revenuePool: PoolBalance;
  readonly spotFeePool: PoolBalance;
  readonly insuranceFund: InsuranceFund;
  readonly totalSpotFee: bigint;
  readonly depositBalance: bigint;
  readonly borrowBalance: bigint;
  readonly cumulativeDepositInterest: bigint;
  readonly cumulativeBorrowInterest: bigint;
  readonly totalSocialLoss: bigint;
  readonly totalQuoteSocialLoss: bigint;
  readonly withdrawGuardThreshold: bigint;
  readonly maxTokenDeposits: bigint;
  readonly depositTokenTwap: bigint;
  readonly borrowTokenTwap: bigint;
  readonly utilizationTwap: bigint;
  readonly lastInterestTs: bigint;
  readonly lastTwapTs: bigint;
  readonly expiryTs: bigint;
  readonly orderStepSize: bigint;
  readonly orderTickSize: bigint;
  readonly minOrderSize: bigint;
  readonly maxPositionSize: bigint;
  readonly nextFillRecordId: bigint;
  readonly nextDepositRecordId: bigint;
  readonly initialAssetWeight: number;
  readonly maintenanceAssetWeight: number;
  readonly initialLiabilityWeight: number;
  readonly maintenanceLiabilityWeight: number;
  readonly imfFactor: number;
  readonly liquidatorFee: number;
  readonly ifLiquidationFee: number;
  readonly optimalUtilization: number;
  readonly optimalBorrowRate: number;
  readonly maxBorrowRate: number;
  readonly decimals: number;
  readonly marketIndex: number;
  readonly ordersEnabled: boolean;
  readonly oracleSource: OracleSource;
  readonly status: MarketStatus;
  readonly assetTier: AssetTier;
  readonly pausedOperations: number;
  readonly ifPausedOperations: number;
  readonly feeAdjustment: number;
  readonly maxTokenBorrowsFraction: number;
  readonly flashLoanAmount: bigint;
  readonly flashLoanInitialTokenAmount: bigint;
  readonly totalSwapFee: bigint;
  readonly scaleInitialAssetWeightStart: bigint;
  readonly minBorrowRate: number;
  readonly fuelBoostDeposits: number;
  readonly fuelBoostBorrows: number;
  readonly fuelBoostTaker: number;
  readonly fuelBoostMaker: number;
  readonly fuelBoostInsurance: number;
  readonly tokenProgramFlag: number;
  readonly poolId: number;
}

/** Where the fields of `SpotMarket` are, and how many bytes it has. */
export const SPOT_MARKET = {
  bytes: 776,
  pubkey: 8,
  oracle: 40,
  mint: 72,
  vault: 104,
  name: 136,
  historicalOracleData: 168,
  historicalIndexData: 216,
  revenuePool: 256,
  spotFeePool: 280,
  insuranceFund: 304,
  totalSpotFee: 416,
  depositBalance: 432,
  borrowBalance: 448,
  cumulativeDepositInterest: 464,
  cumulativeBorrowInterest: 480,
  totalSocialLoss: 496,
  totalQuoteSocialLoss: 512,
  withdrawGuardThreshold: 528,
  maxTokenDeposits: 536,
  depositTokenTwap: 544,
  borrowTokenTwap: 552,
  utilizationTwap: 560,
  lastInterestTs: 568,
  lastTwapTs: 576,
  expiryTs: 584,
  orderStepSize: 592,
  orderTickSize: 600,
  minOrderSize: 608,
  maxPositionSize: 616,
  nextFillRecordId: 624,
  nextDepositRecordId: 632,
  initialAssetWeight: 640,
  maintenanceAssetWeight: 644,
  initialLiabilityWeight: 648,
  maintenanceLiabilityWeight: 652,
  imfFactor: 656,
  liquidatorFee: 660,
  ifLiquidationFee: 664,
  optimalUtilization: 668,
  optimalBorrowRate: 672,
  maxBorrowRate: 676,
  decimals: 680,
  marketIndex: 684,
  ordersEnabled: 686,
  oracleSource: 687,
  status: 688,
  assetTier: 689,
  pausedOperations: 690,
  ifPausedOperations: 691,
  feeAdjustment: 692,
  maxTokenBorrowsFraction: 694,
  flashLoanAmount: 696,
  flashLoanInitialTokenAmount: 704,
  totalSwapFee: 712,
  scaleInitialAssetWeightStart: 720,
  minBorrowRate: 728,
  fuelBoostDeposits: 729,
  fuelBoostBorrows: 730,
  fuelBoostTaker: 731,
  fuelBoostMaker: 732,
  fuelBoostInsurance: 733,
  tokenProgramFlag: 734,
  poolId: 735,
} as const;

/** Reads `SpotMarket` at a place, whose bytes are there. */
export function spotMarketAt(view: DataView, at: number): SpotMarket {
  return {
    pubkey: keyAt(view, at + 8),
    oracle: keyAt(view, at + 40),
    mint: keyAt(view, at + 72),
    vault: keyAt(view, at + 104),
    name: textAt(view, at + 136),
    historicalOracleData: historicalOracleDataAt(view, at + 168),
    historicalIndexData: historicalIndexDataAt(view, at + 216),
    revenuePool: poolBalanceAt(view, at + 256),
    spotFeePool: poolBalanceAt(view, at + 280),
    insuranceFund: insuranceFundAt(view, at + 304),
    totalSpotFee: u128At(view, at + 416),
    depositBalance: u128At(view, at + 432),
    borrowBalance: u128At(view, at + 448),
    cumulativeDepositInterest: u128At(view, at + 464),
    cumulativeBorrowInterest: u128At(view, at + 480),
    totalSocialLoss: u128At(view, at + 496),
    totalQuoteSocialLoss: u128At(view, at + 512),
    withdrawGuardThreshold: view.getBigUint64(at + 528, true),
    maxTokenDeposits: view.getBigUint64(at + 536, true),
    depositTokenTwap: view.getBigUint64(at + 544, true),
    borrowTokenTwap: view.getBigUint64(at + 552, true),
    utilizationTwap: view.getBigUint64(at + 560, true),
    lastInterestTs: view.getBigUint64(at + 568, true),
    lastTwapTs: view.getBigUint64(at + 576, true),
    expiryTs: view.getBigInt64(at + 584, true),
    orderStepSize: view.getBigUint64(at + 592, true),
    orderTickSize: view.getBigUint64(at + 600, true),
    minOrderSize: view.getBigUint64(at + 608, true),
    maxPositionSize: view.getBigUint64(at + 616, true),
    nextFillRecordId: view.getBigUint64(at + 624, true),
    nextDepositRecordId: view.getBigUint64(at + 632, true),
    initialAssetWeight: view.getUint32(at + 640, true),
    maintenanceAssetWeight: view.getUint32(at + 644, true),
    initialLiabilityWeight: view.getUint32(at + 648, true),
    maintenanceLiabilityWeight: view.getUint32(at + 652, true),
    imfFactor: view.getUint32(at + 656, true),
    liquidatorFee: view.getUint32(at + 660, true),
    ifLiquidationFee: view.getUint32(at + 664, true),
    optimalUtilization: view.getUint32(at + 668, true),
    optimalBorrowRate: view.getUint32(at + 672, true),
    maxBorrowRate: view.getUint32(at + 676, true),
    decimals: view.getUint32(at + 680, true),
    marketIndex: view.getUint16(at + 684, true),
    ordersEnabled: boolAt(view, at + 686, 'ordersEnabled'),
    oracleSource: enumAt(view, at + 687, ORACLE_SOURCE, 'oracleSource'),
    status: enumAt(view, at + 688, MARKET_STATUS, 'status'),
    assetTier: enumAt(view, at + 689, ASSET_TIER, 'assetTier'),
    pausedOperations: view.getUint8(at + 690),
    ifPausedOperations: view.getUint8(at + 691),
    feeAdjustment: view.getInt16(at + 692, true),
    maxTokenBorrowsFraction: view.getUint16(at + 694, true),
    flashLoanAmount: view.getBigUint64(at + 696, true),
    flashLoanInitialTokenAmount: view.getBigUint64(at + 704, true),
    totalSwapFee: view.getBigUint64(at + 712, true),
    scaleInitialAssetWeightStart: view.getBigUint64(at + 720, true),
    minBorrowRate: view.getUint8(at + 728),
    fuelBoostDeposits: view.getUint8(at + 729),
    fuelBoostBorrows: view.getUint8(at + 730),
    fuelBoostTaker: view.getUint8(at + 731),
    fuelBoostMaker: view.getUint8(at + 732),
    fuelBoostInsurance: view.getUint8(at + 733),
    tokenProgramFlag: view.getUint8(at + 734),
    poolId: view.getUint8(at + 735),
  };
}

/** How an account `SpotMarket` is told from others. */
export const SPOT_MARKET_KIND = {
  name: 'SpotMarket',
  discriminatorHigh: 0x64b1086b,
  discriminatorLow: 0xa8414127,
  bytes: 776,
  hasFixedLength: true,
} as const;
