// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { boolAt, enumAt, i128At, keyAt, textAt, u128At } from '../reading.js';
import { CONTRACT_TIER, CONTRACT_TYPE, MARKET_STATUS, ORACLE_SOURCE, type ContractTier, type ContractType, type MarketStatus, type OracleSource } from './enums.js';
import { historicalOracleDataAt, poolBalanceAt, type HistoricalOracleData, type PoolBalance } from './common.js';

/** The struct `AMM`; amounts are raw. */
export interface Amm {
  readonly oracle: string;
  readonly historicalOracleData: HistoricalOracleData;
  readonly baseAssetAmountPerLp: bigint;
  readonly quoteAssetAmountPerLp: bigint;
  readonly feePool: PoolBalance;
  readonly baseAssetReserve: bigint;
  readonly quoteAssetReserve: bigint;
  readonly concentrationCoef: bigint;
  readonly minBaseAssetReserve: bigint;
  readonly maxBaseAssetReserve: bigint;
  readonly sqrtK: bigint;
  readonly pegMultiplier: bigint;
  readonly terminalQuoteAssetReserve: bigint;
  readonly baseAssetAmountLong: bigint;
  readonly baseAssetAmountShort: bigint;
  readonly baseAssetAmountWithAmm: bigint;
  readonly baseAssetAmountWithUnsettledLp: bigint;
  readonly maxOpenInterest: bigint;
  readonly quoteAssetAmount: bigint;
  readonly quoteEntryAmountLong: bigint;
  readonly quoteEntryAmountShort: bigint;
  readonly quoteBreakEvenAmountLong: bigint;
  readonly quoteBreakEvenAmountShort: bigint;
  readonly userLpShares: bigint;
  readonly lastFundingRate: bigint;
  readonly lastFundingRateLong: bigint;
  readonly lastFundingRateShort: bigint;
  readonly last24hAvgFundingRate: bigint;
  readonly totalFee: bigint;
  readonly totalMmFee: bigint;
  readonly totalExchangeFee: bigint;
  readonly totalFeeMinusDistributions: bigint;
  readonly totalFeeWithdrawn: bigint;
  readonly totalLiquidationFee: bigint;
  readonly cumulativeFundingRateLong: bigint;
  readonly cumulativeFundingRateShort: bigint;
  readonly totalSocialLoss: bigint;
  readonly askBaseAssetReserve: bigint;
  readonly askQuoteAssetReserve: bigint;
  readonly bidBaseAssetReserve: bigint;
  readonly bidQuoteAssetReserve: bigint;
  readonly lastOracleNormalisedPrice: bigint;
  readonly lastOracleReservePriceSpreadPct: bigint;
  readonly lastBidPriceTwap: bigint;
  readonly lastAskPriceTwap: bigint;
  readonly lastMarkPriceTwap: bigint;
  readonly lastMarkPriceTwap5min: bigint;
  readonly lastUpdateSlot: bigint;
  readonly lastOracleConfPct: bigint;
  readonly netRevenueSinceLastFunding: bigint;
  readonly lastFundingRateTs: bigint;
  readonly fundingPeriod: bigint;
  readonly orderStepSize: bigint;
  readonly orderTickSize: bigint;
  readonly minOrderSize: bigint;
  readonly mmOracleSlot: bigint;
  readonly volume24h: bigint;
  readonly longIntensityVolume: bigint;
  readonly shortIntensityVolume: bigint;
  readonly lastTradeTs: bigint;
  readonly markStd: bigint;
  readonly oracleStd: bigint;
  readonly lastMarkPriceTwapTs: bigint;
  readonly baseSpread: number;
  readonly maxSpread: number;
  readonly longSpread: number;
  readonly shortSpread: number;
  readonly mmOraclePrice: bigint;
  readonly maxFillReserveFraction: number;
  readonly maxSlippageRatio: number;
  readonly curveUpdateIntensity: number;
  readonly ammJitIntensity: number;
  readonly oracleSource: OracleSource;
  readonly lastOracleValid: boolean;
  readonly targetBaseAssetAmountPerLp: number;
  readonly perLpBase: number;
  readonly oracleLowRiskSlotDelayOverride: number;
  readonly ammSpreadAdjustment: number;
  readonly oracleSlotDelayOverride: number;
  readonly mmOracleSequenceId: bigint;
  readonly netUnsettledFundingPnl: bigint;
  readonly quoteAssetAmountWithUnsettledLp: bigint;
  readonly referencePriceOffset: number;
  readonly ammInventorySpreadAdjustment: number;
  readonly referencePriceOffsetDeadbandPct: number;
  readonly lastFundingOracleTwap: bigint;
}

/** Where the fields of `AMM` are, and how many bytes it has. */
export const AMM = {
  bytes: 936,
  oracle: 0,
  historicalOracleData: 32,
  baseAssetAmountPerLp: 80,
  quoteAssetAmountPerLp: 96,
  feePool: 112,
  baseAssetReserve: 136,
  quoteAssetReserve: 152,
  concentrationCoef: 168,
  minBaseAssetReserve: 184,
  maxBaseAssetReserve: 200,
  sqrtK: 216,
  pegMultiplier: 232,
  terminalQuoteAssetReserve: 248,
  baseAssetAmountLong: 264,
  baseAssetAmountShort: 280,
  baseAssetAmountWithAmm: 296,
  baseAssetAmountWithUnsettledLp: 312,
  maxOpenInterest: 328,
  quoteAssetAmount: 344,
  quoteEntryAmountLong: 360,
  quoteEntryAmountShort: 376,
  quoteBreakEvenAmountLong: 392,
  quoteBreakEvenAmountShort: 408,
  userLpShares: 424,
  lastFundingRate: 440,
  lastFundingRateLong: 448,
  lastFundingRateShort: 456,
  last24hAvgFundingRate: 464,
  totalFee: 472,
  totalMmFee: 488,
  totalExchangeFee: 504,
  totalFeeMinusDistributions: 520,
  totalFeeWithdrawn: 536,
  totalLiquidationFee: 552,
  cumulativeFundingRateLong: 568,
  cumulativeFundingRateShort: 584,
  totalSocialLoss: 600,
  askBaseAssetReserve: 616,
  askQuoteAssetReserve: 632,
  bidBaseAssetReserve: 648,
  bidQuoteAssetReserve: 664,
  lastOracleNormalisedPrice: 680,
  lastOracleReservePriceSpreadPct: 688,
  lastBidPriceTwap: 696,
  lastAskPriceTwap: 704,
  lastMarkPriceTwap: 712,
  lastMarkPriceTwap5min: 720,
  lastUpdateSlot: 728,
  lastOracleConfPct: 736,
  netRevenueSinceLastFunding: 744,
  lastFundingRateTs: 752,
  fundingPeriod: 760,
  orderStepSize: 768,
  orderTickSize: 776,
  minOrderSize: 784,
  mmOracleSlot: 792,
  volume24h: 800,
  longIntensityVolume: 808,
  shortIntensityVolume: 816,
  lastTradeTs: 824,
  markStd: 832,
  oracleStd: 840,
  lastMarkPriceTwapTs: 848,
  baseSpread: 856,
  maxSpread: 860,
  longSpread: 864,
  shortSpread: 868,
  mmOraclePrice: 872,
  maxFillReserveFraction: 880,
  maxSlippageRatio: 882,
  curveUpdateIntensity: 884,
  ammJitIntensity: 885,
  oracleSource: 886,
  lastOracleValid: 887,
  targetBaseAssetAmountPerLp: 888,
  perLpBase: 892,
  oracleLowRiskSlotDelayOverride: 893,
  ammSpreadAdjustment: 894,
  oracleSlotDelayOverride: 895,
  mmOracleSequenceId: 896,
  netUnsettledFundingPnl: 904,
  quoteAssetAmountWithUnsettledLp: 912,
  referencePriceOffset: 920,
  ammInventorySpreadAdjustment: 924,
  referencePriceOffsetDeadbandPct: 925,
  lastFundingOracleTwap: 928,
} as const;

/** Reads `AMM` at a place, whose bytes are there. */
export function ammAt(view: DataView, at: number): Amm {
  return {
    oracle: keyAt(view, at),
    historicalOracleData: historicalOracleDataAt(view, at + 32),
    baseAssetAmountPerLp: i128At(view, at + 80),
    quoteAssetAmountPerLp: i128At(view, at + 96),
    feePool: poolBalanceAt(view, at + 112),
    baseAssetReserve: u128At(view, at + 136),
    quoteAssetReserve: u128At(view, at + 152),
    concentrationCoef: u128At(view, at + 168),
    minBaseAssetReserve: u128At(view, at + 184),
    maxBaseAssetReserve: u128At(view, at + 200),
    sqrtK: u128At(view, at + 216),
    pegMultiplier: u128At(view, at + 232),
    terminalQuoteAssetReserve: u128At(view, at + 248),
    baseAssetAmountLong: i128At(view, at + 264),
    baseAssetAmountShort: i128At(view, at + 280),
    baseAssetAmountWithAmm: i128At(view, at + 296),
    baseAssetAmountWithUnsettledLp: i128At(view, at + 312),
    maxOpenInterest: u128At(view, at + 328),
    quoteAssetAmount: i128At(view, at + 344),
    quoteEntryAmountLong: i128At(view, at + 360),
    quoteEntryAmountShort: i128At(view, at + 376),
    quoteBreakEvenAmountLong: i128At(view, at + 392),
    quoteBreakEvenAmountShort: i128At(view, at + 408),
    userLpShares: u128At(view, at + 424),
    lastFundingRate: view.getBigInt64(at + 440, true),
    lastFundingRateLong: view.getBigInt64(at + 448, true),
    lastFundingRateShort: view.getBigInt64(at + 456, true),
    last24hAvgFundingRate: view.getBigInt64(at + 464, true),
    totalFee: i128At(view, at + 472),
    totalMmFee: i128At(view, at + 488),
    totalExchangeFee: u128At(view, at + 504),
    totalFeeMinusDistributions: i128At(view, at + 520),
    totalFeeWithdrawn: u128At(view, at + 536),
    totalLiquidationFee: u128At(view, at + 552),
    cumulativeFundingRateLong: i128At(view, at + 568),
    cumulativeFundingRateShort: i128At(view, at + 584),
    totalSocialLoss: u128At(view, at + 600),
    askBaseAssetReserve: u128At(view, at + 616),
    askQuoteAssetReserve: u128At(view, at + 632),
    bidBaseAssetReserve: u128At(view, at + 648),
    bidQuoteAssetReserve: u128At(view, at + 664),
    lastOracleNormalisedPrice: view.getBigInt64(at + 680, true),
    lastOracleReservePriceSpreadPct: view.getBigInt64(at + 688, true),
    lastBidPriceTwap: view.getBigUint64(at + 696, true),
    lastAskPriceTwap: view.getBigUint64(at + 704, true),
    lastMarkPriceTwap: view.getBigUint64(at + 712, true),
    lastMarkPriceTwap5min: view.getBigUint64(at + 720, true),
    lastUpdateSlot: view.getBigUint64(at + 728, true),
    lastOracleConfPct: view.getBigUint64(at + 736, true),
    netRevenueSinceLastFunding: view.getBigInt64(at + 744, true),
    lastFundingRateTs: view.getBigInt64(at + 752, true),
    fundingPeriod: view.getBigInt64(at + 760, true),
    orderStepSize: view.getBigUint64(at + 768, true),
    orderTickSize: view.getBigUint64(at + 776, true),
    minOrderSize: view.getBigUint64(at + 784, true),
    mmOracleSlot: view.getBigUint64(at + 792, true),
    volume24h: view.getBigUint64(at + 800, true),
    longIntensityVolume: view.getBigUint64(at + 808, true),
    shortIntensityVolume: view.getBigUint64(at + 816, true),
    lastTradeTs: view.getBigInt64(at + 824, true),
    markStd: view.getBigUint64(at + 832, true),
    oracleStd: view.getBigUint64(at + 840, true),
    lastMarkPriceTwapTs: view.getBigInt64(at + 848, true),
    baseSpread: view.getUint32(at + 856, true),
    maxSpread: view.getUint32(at + 860, true),
    longSpread: view.getUint32(at + 864, true),
    shortSpread: view.getUint32(at + 868, true),
    mmOraclePrice: view.getBigInt64(at + 872, true),
    maxFillReserveFraction: view.getUint16(at + 880, true),
    maxSlippageRatio: view.getUint16(at + 882, true),
    curveUpdateIntensity: view.getUint8(at + 884),
    ammJitIntensity: view.getUint8(at + 885),
    oracleSource: enumAt(view, at + 886, ORACLE_SOURCE, 'oracleSource'),
    lastOracleValid: boolAt(view, at + 887, 'lastOracleValid'),
    targetBaseAssetAmountPerLp: view.getInt32(at + 888, true),
    perLpBase: view.getInt8(at + 892),
    oracleLowRiskSlotDelayOverride: view.getInt8(at + 893),
    ammSpreadAdjustment: view.getInt8(at + 894),
    oracleSlotDelayOverride: view.getInt8(at + 895),
    mmOracleSequenceId: view.getBigUint64(at + 896, true),
    netUnsettledFundingPnl: view.getBigInt64(at + 904, true),
    quoteAssetAmountWithUnsettledLp: view.getBigInt64(at + 912, true),
    referencePriceOffset: view.getInt32(at + 920, true),
    ammInventorySpreadAdjustment: view.getInt8(at + 924),
    referencePriceOffsetDeadbandPct: view.getUint8(at + 925),
    lastFundingOracleTwap: view.getBigInt64(at + 928, true),
  };
}

/** The struct `InsuranceClaim`; amounts are raw. */
export interface InsuranceClaim {
  readonly revenueWithdrawSinceLastSettle: bigint;
  readonly maxRevenueWithdrawPerPeriod: bigint;
  readonly quoteMaxInsurance: bigint;
  readonly quoteSettledInsurance: bigint;
  readonly lastRevenueWithdrawTs: bigint;
}

/** Where the fields of `InsuranceClaim` are, and how many bytes it has. */
export const INSURANCE_CLAIM = {
  bytes: 40,
  revenueWithdrawSinceLastSettle: 0,
  maxRevenueWithdrawPerPeriod: 8,
  quoteMaxInsurance: 16,
  quoteSettledInsurance: 24,
  lastRevenueWithdrawTs: 32,
} as const;

/** Reads `InsuranceClaim` at a place, whose bytes are there. */
export function insuranceClaimAt(view: DataView, at: number): InsuranceClaim {
  return {
    revenueWithdrawSinceLastSettle: view.getBigInt64(at, true),
    maxRevenueWithdrawPerPeriod: view.getBigUint64(at + 8, true),
    quoteMaxInsurance: view.getBigUint64(at + 16, true),
    quoteSettledInsurance: view.getBigUint64(at + 24, true),
    lastRevenueWithdrawTs: view.getBigInt64(at + 32, true),
  };
}

/** The account `PerpMarket`; amounts are raw. */
export interface PerpMarket {
  readonly pubkey: string;
  readonly amm: Amm;
  readonly pnlPool: PoolBalance;
  readonly name: string;
  readonly insuranceClaim: InsuranceClaim;
  readonly unrealizedPnlMaxImbalance: bigint;
  readonly expiryTs: bigint;
  readonly expiryPrice: bigint;
  readonly nextFillRecordId: bigint;
  readonly nextFundingRateRecordId: bigint;
  readonly nextCurveRecordId: bigint;
  readonly imfFactor: number;
  readonly unrealizedPnlImfFactor: number;
  readonly liquidatorFee: number;
  readonly ifLiquidationFee: number;
  readonly marginRatioInitial: number;
  readonly marginRatioMaintenance: number;
  readonly unrealizedPnlInitialAssetWeight: number;
  readonly unrealizedPnlMaintenanceAssetWeight: number;
  readonly numberOfUsersWithBase: number;
  readonly numberOfUsers: number;
  readonly marketIndex: number;
  readonly status: MarketStatus;
  readonly contractType: ContractType;
  readonly contractTier: ContractTier;
  readonly pausedOperations: number;
  readonly quoteSpotMarketIndex: number;
  readonly feeAdjustment: number;
  readonly fuelBoostPosition: number;
  readonly fuelBoostTaker: number;
  readonly fuelBoostMaker: number;
  readonly poolId: number;
  readonly highLeverageMarginRatioInitial: number;
  readonly highLeverageMarginRatioMaintenance: number;
  readonly protectedMakerLimitPriceDivisor: number;
  readonly protectedMakerDynamicDivisor: number;
  readonly lpFeeTransferScalar: number;
  readonly lpStatus: number;
  readonly lpPausedOperations: number;
  readonly lpExchangeFeeExcluscionScalar: number;
  readonly lastFillPrice: bigint;
  readonly lpPoolId: number;
  readonly marketConfig: number;
}

/** Where the fields of `PerpMarket` are, and how many bytes it has. */
export const PERP_MARKET = {
  bytes: 1216,
  pubkey: 8,
  amm: 40,
  pnlPool: 976,
  name: 1000,
  insuranceClaim: 1032,
  unrealizedPnlMaxImbalance: 1072,
  expiryTs: 1080,
  expiryPrice: 1088,
  nextFillRecordId: 1096,
  nextFundingRateRecordId: 1104,
  nextCurveRecordId: 1112,
  imfFactor: 1120,
  unrealizedPnlImfFactor: 1124,
  liquidatorFee: 1128,
  ifLiquidationFee: 1132,
  marginRatioInitial: 1136,
  marginRatioMaintenance: 1140,
  unrealizedPnlInitialAssetWeight: 1144,
  unrealizedPnlMaintenanceAssetWeight: 1148,
  numberOfUsersWithBase: 1152,
  numberOfUsers: 1156,
  marketIndex: 1160,
  status: 1162,
  contractType: 1163,
  contractTier: 1164,
  pausedOperations: 1165,
  quoteSpotMarketIndex: 1166,
  feeAdjustment: 1168,
  fuelBoostPosition: 1170,
  fuelBoostTaker: 1171,
  fuelBoostMaker: 1172,
  poolId: 1173,
  highLeverageMarginRatioInitial: 1174,
  highLeverageMarginRatioMaintenance: 1176,
  protectedMakerLimitPriceDivisor: 1178,
  protectedMakerDynamicDivisor: 1179,
  lpFeeTransferScalar: 1180,
  lpStatus: 1181,
  lpPausedOperations: 1182,
  lpExchangeFeeExcluscionScalar: 1183,
  lastFillPrice: 1184,
  lpPoolId: 1192,
  marketConfig: 1193,
} as const;

/** Reads `PerpMarket` at a place, whose bytes are there. */
export function perpMarketAt(view: DataView, at: number): PerpMarket {
  return {
    pubkey: keyAt(view, at + 8),
    amm: ammAt(view, at + 40),
    pnlPool: poolBalanceAt(view, at + 976),
    name: textAt(view, at + 1000),
    insuranceClaim: insuranceClaimAt(view, at + 1032),
    unrealizedPnlMaxImbalance: view.getBigUint64(at + 1072, true),
    expiryTs: view.getBigInt64(at + 1080, true),
    expiryPrice: view.getBigInt64(at + 1088, true),
    nextFillRecordId: view.getBigUint64(at + 1096, true),
    nextFundingRateRecordId: view.getBigUint64(at + 1104, true),
    nextCurveRecordId: view.getBigUint64(at + 1112, true),
    imfFactor: view.getUint32(at + 1120, true),
    unrealizedPnlImfFactor: view.getUint32(at + 1124, true),
    liquidatorFee: view.getUint32(at + 1128, true),
    ifLiquidationFee: view.getUint32(at + 1132, true),
    marginRatioInitial: view.getUint32(at + 1136, true),
    marginRatioMaintenance: view.getUint32(at + 1140, true),
    unrealizedPnlInitialAssetWeight: view.getUint32(at + 1144, true),
    unrealizedPnlMaintenanceAssetWeight: view.getUint32(at + 1148, true),
    numberOfUsersWithBase: view.getUint32(at + 1152, true),
    numberOfUsers: view.getUint32(at + 1156, true),
    marketIndex: view.getUint16(at + 1160, true),
    status: enumAt(view, at + 1162, MARKET_STATUS, 'status'),
    contractType: enumAt(view, at + 1163, CONTRACT_TYPE, 'contractType'),
    contractTier: enumAt(view, at + 1164, CONTRACT_TIER, 'contractTier'),
    pausedOperations: view.getUint8(at + 1165),
    quoteSpotMarketIndex: view.getUint16(at + 1166, true),
    feeAdjustment: view.getInt16(at + 1168, true),
    fuelBoostPosition: view.getUint8(at + 1170),
    fuelBoostTaker: view.getUint8(at + 1171),
    fuelBoostMaker: view.getUint8(at + 1172),
    poolId: view.getUint8(at + 1173),
    highLeverageMarginRatioInitial: view.getUint16(at + 1174, true),
    highLeverageMarginRatioMaintenance: view.getUint16(at + 1176, true),
    protectedMakerLimitPriceDivisor: view.getUint8(at + 1178),
    protectedMakerDynamicDivisor: view.getUint8(at + 1179),
    lpFeeTransferScalar: view.getUint8(at + 1180),
    lpStatus: view.getUint8(at + 1181),
    lpPausedOperations: view.getUint8(at + 1182),
    lpExchangeFeeExcluscionScalar: view.getUint8(at + 1183),
    lastFillPrice: view.getBigUint64(at + 1184, true),
    lpPoolId: view.getUint8(at + 1192),
    marketConfig: view.getUint8(at + 1193),
  };
}

/** How an account `PerpMarket` is told from others. */
export const PERP_MARKET_KIND = {
  name: 'PerpMarket',
  discriminatorHigh: 0x0adf0c2c,
  discriminatorLow: 0x6bf537f7,
  bytes: 1216,
  hasFixedLength: true,
} as const;
