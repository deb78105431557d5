import { AccountBytes } from './account-bytes.js';
import type { FundingFields, OpenPositions } from './amm-bytes.js';
import {
  fundingOf,
  HOUR_SECONDS,
  writeAmm,
  writeFunding,
  writeOpenPositions,
} from './amm-bytes.js';
import { AssetTier, MarketStatus, OracleSource } from './chain-enums.js';
import {
  FEE_STRUCTURE,
  FEE_TIER,
  PERP_MARKET,
  PYTH_LAZER_ORACLE,
  SPOT_MARKET,
  STATE,
} from './generated/layout.js';
import { address } from './keys.js';
import type { PerpPreset, SpotPreset } from './market-presets.js';

/** The slot and second at which the program last updated a market. */
export interface ChainMoment {
  readonly slot: bigint;
  readonly unixSeconds: bigint;
}

/** A market's own address and its oracle's, derived once. `oracle` is undefined for the quote asset. */
export interface MarketAddresses {
  readonly pubkey: string;
  readonly oracle: string | undefined;
}

/** The variable fields of a perp market. Prices at 1e6. */
interface PerpMarketFields {
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
  /** Undefined for the preset's, on the last full hour. */
  readonly funding?: FundingFields;
  /** Undefined for the preset's. */
  readonly positions?: OpenPositions;
}

/** The variable fields of a spot market. */
interface SpotMarketFields {
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
export function stateBytes(counts: {
  readonly perpMarkets: number;
  readonly spotMarkets: number;
  readonly users: number;
}): Buffer {
  const account = new AccountBytes(STATE);
  account.writeKey(STATE.signer, address.signer());
  writeFees(account, STATE.perpFeeStructure);
  writeFees(account, STATE.spotFeeStructure);
  // Source: programs/drift/src/state/state.rs, impl Default for OracleGuardRails.
  account.u64(STATE.markOraclePercentDivergence, 100_000n);
  account.u64(STATE.oracleTwap5minPercentDivergence, 500_000n);
  account.i64(STATE.slotsBeforeStaleForAmm, 10n);
  account.i64(STATE.slotsBeforeStaleForMargin, 120n);
  account.u64(STATE.confidenceIntervalMaxSize, 20_000n);
  account.i64(STATE.tooVolatileRatio, 5n);
  account.u64(STATE.numberOfAuthorities, BigInt(counts.users));
  account.u64(STATE.numberOfSubAccounts, BigInt(counts.users));
  account.u32(STATE.liquidationMarginBufferRatio, 200);
  account.u16(STATE.numberOfMarkets, counts.perpMarkets);
  account.u16(STATE.numberOfSpotMarkets, counts.spotMarkets);
  account.u8(STATE.minPerpAuctionDuration, 10);
  account.u8(STATE.defaultMarketOrderTimeInForce, 60);
  account.u8(STATE.defaultSpotAuctionDuration, 10);
  account.u16(STATE.initialPctToLiquidate, 10);
  return account.bytes;
}

/** A PythLazerOracle account. */
export function lazerOracleBytes(price: LazerPrice): Buffer {
  const account = new AccountBytes(PYTH_LAZER_ORACLE);
  account.i64(PYTH_LAZER_ORACLE.price, price.price);
  account.u64(PYTH_LAZER_ORACLE.publishTime, price.publishTimeUs);
  account.u64(PYTH_LAZER_ORACLE.postedSlot, price.postedSlot);
  account.i32(PYTH_LAZER_ORACLE.exponent, price.exponent);
  account.u64(PYTH_LAZER_ORACLE.conf, price.conf);
  return account.bytes;
}

/** A PerpMarket account at its own derived address; the AMM's peg follows the oracle, its reserves stay. */
export function perpMarketBytes(market: PerpMarketFields): Buffer {
  const { preset } = market;
  const account = new AccountBytes(PERP_MARKET);
  writeAddresses(account, PERP_MARKET, market.addresses);
  account.writeName(PERP_MARKET.name, preset.name);
  account.u16(PERP_MARKET.marketIndex, preset.marketIndex);
  account.u8(PERP_MARKET.status, market.status);
  account.u8(PERP_MARKET.contractTier, preset.contractTier);
  account.u8(PERP_MARKET.pausedOperations, market.pausedOperations);
  account.u8(PERP_MARKET.oracleSource, OracleSource.PythLazer);
  account.u64(PERP_MARKET.orderStepSize, preset.step);
  account.u64(PERP_MARKET.orderTickSize, preset.tick);
  account.u64(PERP_MARKET.minOrderSize, preset.minOrderSize);
  writePerpRisk(account);
  writePerpPrices(account, market);
  writePerpTrades(account, market);
  writeAmm(
    account,
    preset.amm,
    (preset.amm.pegMultiplier * market.oraclePrice) / preset.startPrice,
  );
  if (market.positions !== undefined) writeOpenPositions(account, market.positions);
  writeFunding(account, market.funding ?? presetFunding(preset, market.time));
  return account.bytes;
}

/** A SpotMarket account at its own derived address. */
export function spotMarketBytes(market: SpotMarketFields): Buffer {
  const { preset, time } = market;
  const account = new AccountBytes(SPOT_MARKET);
  writeAddresses(account, SPOT_MARKET, market.addresses);
  account.writeKey(SPOT_MARKET.mint, preset.mint);
  account.writeKey(SPOT_MARKET.vault, address.spotMarketVault(preset.marketIndex));
  account.writeKey(SPOT_MARKET.insuranceFund, address.insuranceFundVault(preset.marketIndex));
  account.writeName(SPOT_MARKET.name, preset.name);
  account.i64(SPOT_MARKET.lastOraclePrice, market.oraclePrice);
  account.i64(SPOT_MARKET.lastOraclePriceTwap, market.oraclePrice);
  account.i64(SPOT_MARKET.lastOraclePriceTwap5min, market.oraclePrice);
  account.i64(SPOT_MARKET.lastOraclePriceTwapTs, time.unixSeconds);
  account.u128(SPOT_MARKET.depositBalance, preset.depositBalance);
  account.u128(SPOT_MARKET.borrowBalance, preset.borrowBalance);
  account.u128(SPOT_MARKET.cumulativeDepositInterest, preset.cumulativeDepositInterest);
  account.u128(SPOT_MARKET.cumulativeBorrowInterest, preset.cumulativeBorrowInterest);
  account.u64(SPOT_MARKET.lastInterestTs, time.unixSeconds);
  account.u64(SPOT_MARKET.lastTwapTs, time.unixSeconds);
  account.u64(SPOT_MARKET.nextFillRecordId, market.nextFillRecordId);
  account.u64(SPOT_MARKET.nextDepositRecordId, 1n);
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

function writeFees(account: AccountBytes, at: number): void {
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
  account.u64(at + FEE_STRUCTURE.referrerRewardEpochUpperBound, 4_000_000_000n);
  account.u64(at + FEE_STRUCTURE.flatFillerFee, 10_000n);
}

function writePerpRisk(account: AccountBytes): void {
  account.u32(PERP_MARKET.imfFactor, 50);
  account.u32(PERP_MARKET.liquidatorFee, 7_500);
  account.u32(PERP_MARKET.ifLiquidationFee, 7_500);
  account.u32(PERP_MARKET.marginRatioInitial, 500);
  account.u32(PERP_MARKET.marginRatioMaintenance, 300);
  account.u32(PERP_MARKET.unrealizedPnlMaintenanceAssetWeight, 10_000);
}

function writePerpPrices(account: AccountBytes, market: PerpMarketFields): void {
  const { oraclePrice, time, mmOracle } = market;
  const { slot, unixSeconds } = time;
  account.i64(PERP_MARKET.lastOraclePrice, oraclePrice);
  account.i64(PERP_MARKET.lastOracleDelay, 1n);
  account.i64(PERP_MARKET.lastOraclePriceTwap, oraclePrice);
  account.i64(PERP_MARKET.lastOraclePriceTwap5min, oraclePrice);
  account.i64(PERP_MARKET.lastOraclePriceTwapTs, unixSeconds);
  account.i64(PERP_MARKET.lastOracleNormalisedPrice, oraclePrice);
  account.i64(PERP_MARKET.lastFundingOracleTwap, oraclePrice);
  account.u64(PERP_MARKET.lastBidPriceTwap, oraclePrice - market.preset.tick);
  account.u64(PERP_MARKET.lastAskPriceTwap, oraclePrice + market.preset.tick);
  account.u64(PERP_MARKET.lastMarkPriceTwap, oraclePrice);
  account.u64(PERP_MARKET.lastMarkPriceTwap5min, oraclePrice);
  account.i64(PERP_MARKET.lastMarkPriceTwapTs, unixSeconds);
  account.u64(PERP_MARKET.lastUpdateSlot, slot);
  account.u64(PERP_MARKET.lastOracleConfPct, 190n);
  account.writeBool(PERP_MARKET.lastOracleValid, true);
  account.i64(PERP_MARKET.mmOraclePrice, mmOracle.price);
  account.u64(PERP_MARKET.mmOracleSlot, mmOracle.slot);
  account.u64(PERP_MARKET.mmOracleSequenceId, mmOracle.sequenceId);
}

function presetFunding({ amm }: PerpPreset, { unixSeconds }: ChainMoment): FundingFields {
  return fundingOf(amm, { ts: unixSeconds, periodSeconds: HOUR_SECONDS });
}

function writePerpTrades(account: AccountBytes, market: PerpMarketFields): void {
  account.u64(PERP_MARKET.volume24h, market.volume24h);
  account.i64(PERP_MARKET.lastTradeTs, market.lastTradeTs);
  account.u64(PERP_MARKET.lastFillPrice, market.lastFillPrice);
  account.u64(PERP_MARKET.nextFillRecordId, market.nextFillRecordId);
  account.u64(PERP_MARKET.nextCurveRecordId, 5_048n);
  const { numberOfUsers, numberOfUsersWithBase = numberOfUsers } = market;
  account.u32(PERP_MARKET.numberOfUsersWithBase, numberOfUsersWithBase);
  account.u32(PERP_MARKET.numberOfUsers, numberOfUsers);
}

function writeSpotTerms(account: AccountBytes, preset: SpotPreset): void {
  account.u64(SPOT_MARKET.orderStepSize, preset.step);
  account.u64(SPOT_MARKET.orderTickSize, preset.tick);
  account.u64(SPOT_MARKET.minOrderSize, preset.minOrderSize);
  account.u32(SPOT_MARKET.initialAssetWeight, preset.initialAssetWeight);
  account.u32(SPOT_MARKET.maintenanceAssetWeight, preset.maintenanceAssetWeight);
  account.u32(SPOT_MARKET.initialLiabilityWeight, preset.initialLiabilityWeight);
  account.u32(SPOT_MARKET.maintenanceLiabilityWeight, preset.maintenanceLiabilityWeight);
  account.u32(SPOT_MARKET.optimalUtilization, 800_000);
  account.u32(SPOT_MARKET.optimalBorrowRate, 100_000);
  account.u32(SPOT_MARKET.maxBorrowRate, 1_500_000);
  account.u32(SPOT_MARKET.decimals, preset.decimals);
  account.u16(SPOT_MARKET.marketIndex, preset.marketIndex);
  account.writeBool(SPOT_MARKET.ordersEnabled, preset.ordersEnabled);
  account.u8(
    SPOT_MARKET.oracleSource,
    preset.feedId === undefined ? OracleSource.QuoteAsset : OracleSource.PythLazer,
  );
  account.u8(SPOT_MARKET.status, MarketStatus.Active);
  account.u8(SPOT_MARKET.assetTier, AssetTier.Collateral);
}
