import type { ProgramName } from '../../contract/program.js';
import { AccountBytes } from './account-bytes.js';
import type { FundingFields, OpenPositions, PerpMarketBytes } from './amm-bytes.js';
import {
  fundingOf,
  HOUR_SECONDS,
  writeAmm,
  writeFunding,
  writeOpenPositions,
} from './amm-bytes.js';
import { AssetTier, MarketStatus, OracleSource } from './chain-enums.js';
import { LAYOUTS } from './generated/layout.js';
import { addresses } from './keys.js';
import type { PerpPreset, SpotPreset } from './market-presets.js';

type SpotMarketBytes = AccountBytes<(typeof LAYOUTS)[ProgramName]['SPOT_MARKET']>;

/** The slot and second at which the program last updated a market. */
export interface ChainMoment {
  readonly slot: bigint;
  readonly unixSeconds: bigint;
}

/**
 * The addresses of a market and of its oracle, derived once. `oracle` is undefined for the quote
 * asset.
 */
export interface MarketAddresses {
  readonly pubkey: string;
  readonly oracle: string | undefined;
}

/** The variable fields of a perp market. Prices at 1e6. */
interface PerpMarketFields {
  /** Drift v2 by default. */
  readonly program?: ProgramName;
  readonly preset: PerpPreset;
  readonly addresses: MarketAddresses;
  readonly time: ChainMoment;
  readonly status: number;
  readonly pausedOperations: number;
  readonly oraclePrice: bigint;
  /** The price that market makers push to the program; slot 0 means none. */
  readonly mmOracle: { readonly price: bigint; readonly slot: bigint; readonly sequenceId: bigint };
  readonly lastFillPrice: bigint;
  readonly nextFillRecordId: bigint;
  /** Quote at 1e6. */
  readonly volume24h: bigint;
  readonly lastTradeTs: bigint;
  readonly numberOfUsers: number;
  /** Users with a position; undefined for all. */
  readonly numberOfUsersWithBase?: number;
  /** The funding state; undefined for the preset's funding at the last full hour. */
  readonly funding?: FundingFields;
  /** Undefined for the preset's. */
  readonly positions?: OpenPositions;
}

/** The variable fields of a spot market. */
interface SpotMarketFields {
  /** Drift v2 by default. */
  readonly program?: ProgramName;
  readonly preset: SpotPreset;
  readonly addresses: MarketAddresses;
  readonly time: ChainMoment;
  readonly oraclePrice: bigint;
  readonly nextFillRecordId: bigint;
}

/** One published price of a Pyth Lazer feed: price and confidence at 10^exponent, time in microseconds. */
interface LazerPrice {
  readonly price: bigint;
  readonly conf: bigint;
  readonly exponent: number;
  readonly postedSlot: bigint;
  readonly publishTimeUs: bigint;
}

/** The State account with the program's default guard rails, and fee tiers of 10 to 3 basis points. */
export function stateBytes(
  counts: {
    readonly perpMarkets: number;
    readonly spotMarkets: number;
    readonly users: number;
  },
  program: ProgramName = 'drift',
): Buffer {
  const account = new AccountBytes(LAYOUTS[program].STATE);
  const { at } = account;
  account.writeKey(at.signer, addresses[program].signer());
  const { FEE_STRUCTURE, FEE_TIER } = LAYOUTS[program];
  for (const place of [at.perpFeeStructure, at.spotFeeStructure]) {
    writeFees(account, place, { FEE_STRUCTURE, FEE_TIER });
  }
  // Source: programs/drift/src/state/state.rs, impl Default for OracleGuardRails.
  account.u64(at.markOraclePercentDivergence, 100_000n);
  account.u64(at.oracleTwap5minPercentDivergence, 500_000n);
  account.i64(at.slotsBeforeStaleForAmm, 10n);
  account.i64(at.slotsBeforeStaleForMargin, 120n);
  account.u64(at.confidenceIntervalMaxSize, 20_000n);
  account.i64(at.tooVolatileRatio, 5n);
  account.u64(at.numberOfAuthorities, BigInt(counts.users));
  account.u64(at.numberOfSubAccounts, BigInt(counts.users));
  account.u32(at.liquidationMarginBufferRatio, 200);
  account.u16(at.numberOfMarkets, counts.perpMarkets);
  account.u16(at.numberOfSpotMarkets, counts.spotMarkets);
  account.u8(at.minPerpAuctionDuration, 10);
  account.u8(at.defaultMarketOrderTimeInForce, 60);
  account.u8(at.defaultSpotAuctionDuration, 10);
  account.u16(at.initialPctToLiquidate, 10);
  return account.bytes;
}

/** A PythLazerOracle account. */
export function lazerOracleBytes(price: LazerPrice): Buffer {
  // The table is the same in both programs.
  const account = new AccountBytes(LAYOUTS.drift.PYTH_LAZER_ORACLE);
  const { at } = account;
  account.i64(at.price, price.price);
  account.u64(at.publishTime, price.publishTimeUs);
  account.u64(at.postedSlot, price.postedSlot);
  account.i32(at.exponent, price.exponent);
  account.u64(at.conf, price.conf);
  return account.bytes;
}

/**
 * Returns a PerpMarket account at its own derived address. The AMM's peg follows the oracle; its
 * reserves stay.
 */
export function perpMarketBytes(market: PerpMarketFields): Buffer {
  const { preset, program = 'drift' } = market;
  const account: PerpMarketBytes = new AccountBytes(LAYOUTS[program].PERP_MARKET);
  const { at } = account;
  writeAddresses(account, at, market.addresses);
  account.writeName(at.name, preset.name);
  account.u16(at.marketIndex, preset.marketIndex);
  account.u8(at.status, market.status);
  account.u8(at.contractTier, preset.contractTier);
  account.u8(at.pausedOperations, market.pausedOperations);
  account.u8(at.oracleSource, OracleSource.PythLazer);
  account.u64(at.orderStepSize, preset.step);
  account.u64(at.orderTickSize, preset.tick);
  account.u64(at.minOrderSize, preset.minOrderSize);
  writePerpRisk(account);
  writePerpPrices(account, market);
  writePerpTrades(account, market);
  const peg = (preset.amm.pegMultiplier * market.oraclePrice) / preset.startPrice;
  writeAmm(account, preset.amm, peg);
  if (market.positions !== undefined) writeOpenPositions(account, market.positions);
  writeFunding(account, market.funding ?? presetFunding(preset, market.time));
  return account.bytes;
}

/** Returns a SpotMarket account at its own derived address. */
export function spotMarketBytes(market: SpotMarketFields): Buffer {
  const { preset, time, program = 'drift' } = market;
  const account: SpotMarketBytes = new AccountBytes(LAYOUTS[program].SPOT_MARKET);
  const { at } = account;
  writeAddresses(account, at, market.addresses);
  account.writeKey(at.mint, preset.mint);
  account.writeKey(at.vault, addresses[program].spotMarketVault(preset.marketIndex));
  account.writeKey(at.insuranceFund, addresses[program].insuranceFundVault(preset.marketIndex));
  account.writeName(at.name, preset.name);
  account.i64(at.lastOraclePrice, market.oraclePrice);
  account.i64(at.lastOraclePriceTwap, market.oraclePrice);
  account.i64(at.lastOraclePriceTwap5min, market.oraclePrice);
  account.i64(at.lastOraclePriceTwapTs, time.unixSeconds);
  account.u128(at.depositBalance, preset.depositBalance);
  account.u128(at.borrowBalance, preset.borrowBalance);
  account.u128(at.cumulativeDepositInterest, preset.cumulativeDepositInterest);
  account.u128(at.cumulativeBorrowInterest, preset.cumulativeBorrowInterest);
  account.u64(at.lastInterestTs, time.unixSeconds);
  account.u64(at.lastTwapTs, time.unixSeconds);
  account.u64(at.nextFillRecordId, market.nextFillRecordId);
  account.u64(at.nextDepositRecordId, 1n);
  writeSpotTerms(account, preset);
  return account.bytes;
}

function writeAddresses(
  account: AccountBytes,
  at: { readonly pubkey: number; readonly oracle: number },
  addresses: MarketAddresses,
): void {
  account.writeKey(at.pubkey, addresses.pubkey);
  if (addresses.oracle !== undefined) account.writeKey(at.oracle, addresses.oracle);
}

function writeFees(
  account: AccountBytes,
  at: number,
  { FEE_STRUCTURE, FEE_TIER }: Pick<(typeof LAYOUTS)[ProgramName], 'FEE_STRUCTURE' | 'FEE_TIER'>,
): void {
  const feesPerMillion = [1_000, 800, 600, 500, 400, 300];
  feesPerMillion.forEach((fee, i) => {
    const tier = at + FEE_STRUCTURE.feeTiers + i * FEE_TIER.size;
    account.u32(tier + FEE_TIER.feeNumerator, fee / 10);
    account.u32(tier + FEE_TIER.feeDenominator, 100_000);
    account.u32(tier + FEE_TIER.makerRebateNumerator, 20);
    account.u32(tier + FEE_TIER.makerRebateDenominator, 100_000);
    account.u32(tier + FEE_TIER.referrerRewardNumerator, 15);
    account.u32(tier + FEE_TIER.referrerRewardDenominator, 100);
    account.u32(tier + FEE_TIER.refereeFeeNumerator, 5);
    account.u32(tier + FEE_TIER.refereeFeeDenominator, 100);
  });
  account.u32(at + FEE_STRUCTURE.rewardNumerator, 10);
  account.u32(at + FEE_STRUCTURE.rewardDenominator, 100);
  account.u128(at + FEE_STRUCTURE.timeBasedRewardLowerBound, 10_000n);
  const { referrerRewardEpochUpperBound: bound } = FEE_STRUCTURE;
  if (bound !== undefined) account.u64(at + bound, 4_000_000_000n);
  account.u64(at + FEE_STRUCTURE.flatFillerFee, 10_000n);
}

function writePerpRisk(account: PerpMarketBytes): void {
  const { at } = account;
  account.u32(at.imfFactor, 50);
  account.u32(at.liquidatorFee, 7_500);
  account.u32(at.ifLiquidationFee, 7_500);
  account.u32(at.marginRatioInitial, 500);
  account.u32(at.marginRatioMaintenance, 300);
  account.u32(at.unrealizedPnlMaintenanceAssetWeight, 10_000);
}

function writePerpPrices(account: PerpMarketBytes, market: PerpMarketFields): void {
  const { at } = account;
  const { oraclePrice, time, mmOracle } = market;
  const { slot, unixSeconds } = time;
  account.i64(at.lastOraclePrice, oraclePrice);
  account.i64(at.lastOracleDelay, 1n);
  account.i64(at.lastOraclePriceTwap, oraclePrice);
  account.i64(at.lastOraclePriceTwap5min, oraclePrice);
  account.i64(at.lastOraclePriceTwapTs, unixSeconds);
  account.i64(at.lastOracleNormalisedPrice, oraclePrice);
  account.i64(at.lastFundingOracleTwap, oraclePrice);
  account.u64(at.lastBidPriceTwap, oraclePrice - market.preset.tick);
  account.u64(at.lastAskPriceTwap, oraclePrice + market.preset.tick);
  account.u64(at.lastMarkPriceTwap, oraclePrice);
  account.u64(at.lastMarkPriceTwap5min, oraclePrice);
  account.i64(at.lastMarkPriceTwapTs, unixSeconds);
  account.u64(at.lastUpdateSlot, slot);
  account.u64(at.lastOracleConfPct, 190n);
  account.writeBool(at.lastOracleValid, true);
  account.i64(at.mmOraclePrice, mmOracle.price);
  account.u64(at.mmOracleSlot, mmOracle.slot);
  account.u64(at.mmOracleSequenceId, mmOracle.sequenceId);
}

function presetFunding({ amm }: PerpPreset, { unixSeconds }: ChainMoment): FundingFields {
  return fundingOf(amm, { ts: unixSeconds, periodSeconds: HOUR_SECONDS });
}

function writePerpTrades(account: PerpMarketBytes, market: PerpMarketFields): void {
  const { at } = account;
  account.u64(at.volume24h, market.volume24h);
  account.i64(at.lastTradeTs, market.lastTradeTs);
  account.u64(at.lastFillPrice, market.lastFillPrice);
  account.u64(at.nextFillRecordId, market.nextFillRecordId);
  if (at.nextCurveRecordId !== undefined) account.u64(at.nextCurveRecordId, 5_048n);
  const { numberOfUsers, numberOfUsersWithBase = numberOfUsers } = market;
  account.u32(at.numberOfUsersWithBase, numberOfUsersWithBase);
  account.u32(at.numberOfUsers, numberOfUsers);
}

function writeSpotTerms(account: SpotMarketBytes, preset: SpotPreset): void {
  const { at } = account;
  account.u64(at.orderStepSize, preset.step);
  account.u64(at.orderTickSize, preset.tick);
  account.u64(at.minOrderSize, preset.minOrderSize);
  account.u32(at.initialAssetWeight, preset.initialAssetWeight);
  account.u32(at.maintenanceAssetWeight, preset.maintenanceAssetWeight);
  account.u32(at.initialLiabilityWeight, preset.initialLiabilityWeight);
  account.u32(at.maintenanceLiabilityWeight, preset.maintenanceLiabilityWeight);
  account.u32(at.optimalUtilization, 800_000);
  account.u32(at.optimalBorrowRate, 100_000);
  account.u32(at.maxBorrowRate, 1_500_000);
  account.u32(at.decimals, preset.decimals);
  account.u16(at.marketIndex, preset.marketIndex);
  account.writeBool(at.ordersEnabled, preset.ordersEnabled);
  account.u8(
    at.oracleSource,
    preset.feedId === undefined ? OracleSource.QuoteAsset : OracleSource.PythLazer,
  );
  account.u8(at.status, MarketStatus.Active);
  account.u8(at.assetTier, AssetTier.Collateral);
}
