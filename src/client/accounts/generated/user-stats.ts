// Generated from the layout tables of crates/protocol/layouts by its test client_layouts.
import { keyAt } from '../reading.js';

/** The struct `UserFees`; amounts are raw. */
export interface UserFees {
  readonly totalFeePaid: bigint;
  readonly totalFeeRebate: bigint;
  readonly totalTokenDiscount: bigint;
  readonly totalRefereeDiscount: bigint;
  readonly totalReferrerReward: bigint;
  readonly currentEpochReferrerReward: bigint;
}

/** Where the fields of `UserFees` are, and how many bytes it has. */
export const USER_FEES = {
  bytes: 48,
  totalFeePaid: 0,
  totalFeeRebate: 8,
  totalTokenDiscount: 16,
  totalRefereeDiscount: 24,
  totalReferrerReward: 32,
  currentEpochReferrerReward: 40,
} as const;

/** Reads `UserFees` at a place, whose bytes are there. */
export function userFeesAt(view: DataView, at: number): UserFees {
  return {
    totalFeePaid: view.getBigUint64(at, true),
    totalFeeRebate: view.getBigUint64(at + 8, true),
    totalTokenDiscount: view.getBigUint64(at + 16, true),
    totalRefereeDiscount: view.getBigUint64(at + 24, true),
    totalReferrerReward: view.getBigUint64(at + 32, true),
    currentEpochReferrerReward: view.getBigUint64(at + 40, true),
  };
}

/** The account `UserStats`; amounts are raw. */
export interface UserStats {
  readonly authority: string;
  readonly referrer: string;
  readonly fees: UserFees;
  readonly nextEpochTs: bigint;
  readonly makerVolume30d: bigint;
  readonly takerVolume30d: bigint;
  readonly fillerVolume30d: bigint;
  readonly lastMakerVolume30dTs: bigint;
  readonly lastTakerVolume30dTs: bigint;
  readonly lastFillerVolume30dTs: bigint;
  readonly ifStakedQuoteAssetAmount: bigint;
  readonly numberOfSubAccounts: number;
  readonly numberOfSubAccountsCreated: number;
  readonly referrerStatus: number;
  readonly disableUpdatePerpBidAskTwap: number;
  readonly pausedOperations: number;
  readonly fuelOverflowStatus: number;
  readonly fuelInsurance: number;
  readonly fuelDeposits: number;
  readonly fuelBorrows: number;
  readonly fuelPositions: number;
  readonly fuelTaker: number;
  readonly fuelMaker: number;
  readonly ifStakedGovTokenAmount: bigint;
  readonly lastFuelIfBonusUpdateTs: number;
}

/** Where the fields of `UserStats` are, and how many bytes it has. */
export const USER_STATS = {
  bytes: 240,
  authority: 8,
  referrer: 40,
  fees: 72,
  nextEpochTs: 120,
  makerVolume30d: 128,
  takerVolume30d: 136,
  fillerVolume30d: 144,
  lastMakerVolume30dTs: 152,
  lastTakerVolume30dTs: 160,
  lastFillerVolume30dTs: 168,
  ifStakedQuoteAssetAmount: 176,
  numberOfSubAccounts: 184,
  numberOfSubAccountsCreated: 186,
  referrerStatus: 188,
  disableUpdatePerpBidAskTwap: 189,
  pausedOperations: 190,
  fuelOverflowStatus: 191,
  fuelInsurance: 192,
  fuelDeposits: 196,
  fuelBorrows: 200,
  fuelPositions: 204,
  fuelTaker: 208,
  fuelMaker: 212,
  ifStakedGovTokenAmount: 216,
  lastFuelIfBonusUpdateTs: 224,
} as const;

/** Reads `UserStats` at a place, whose bytes are there. */
export function userStatsAt(view: DataView, at: number): UserStats {
  return {
    authority: keyAt(view, at + 8),
    referrer: keyAt(view, at + 40),
    fees: userFeesAt(view, at + 72),
    nextEpochTs: view.getBigInt64(at + 120, true),
    makerVolume30d: view.getBigUint64(at + 128, true),
    takerVolume30d: view.getBigUint64(at + 136, true),
    fillerVolume30d: view.getBigUint64(at + 144, true),
    lastMakerVolume30dTs: view.getBigInt64(at + 152, true),
    lastTakerVolume30dTs: view.getBigInt64(at + 160, true),
    lastFillerVolume30dTs: view.getBigInt64(at + 168, true),
    ifStakedQuoteAssetAmount: view.getBigUint64(at + 176, true),
    numberOfSubAccounts: view.getUint16(at + 184, true),
    numberOfSubAccountsCreated: view.getUint16(at + 186, true),
    referrerStatus: view.getUint8(at + 188),
    disableUpdatePerpBidAskTwap: view.getUint8(at + 189),
    pausedOperations: view.getUint8(at + 190),
    fuelOverflowStatus: view.getUint8(at + 191),
    fuelInsurance: view.getUint32(at + 192, true),
    fuelDeposits: view.getUint32(at + 196, true),
    fuelBorrows: view.getUint32(at + 200, true),
    fuelPositions: view.getUint32(at + 204, true),
    fuelTaker: view.getUint32(at + 208, true),
    fuelMaker: view.getUint32(at + 212, true),
    ifStakedGovTokenAmount: view.getBigUint64(at + 216, true),
    lastFuelIfBonusUpdateTs: view.getUint32(at + 224, true),
  };
}

/** How an account `UserStats` is told from others. */
export const USER_STATS_KIND = {
  name: 'UserStats',
  discriminatorHigh: 0xb0df881b,
  discriminatorLow: 0x7a4f20e3,
  bytes: 240,
  hasFixedLength: true,
} as const;
