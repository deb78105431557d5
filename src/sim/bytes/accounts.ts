import { PublicKey } from '@solana/web3.js';
import type { ProgramName } from '../../contract/program.js';
import { accountBytes, writeFields } from './account-bytes.js';
import type { FundingFields, OpenPositions } from './amm-bytes.js';
import { fundingOf, HOUR_SECONDS } from './amm-bytes.js';
import { AssetTier, MarketStatus, OracleSource } from './generated/enums.js';
import { LAYOUTS } from './generated/layout.js';
import { addresses } from './keys.js';
import type { PerpPreset, SpotPreset } from './market-presets.js';

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
  const { STATE } = LAYOUTS[program];
  const state = accountBytes(STATE, {
    signer: addresses[program].signer(),
    // Source: programs/drift/src/state/state.rs, impl Default for OracleGuardRails.
    markOraclePercentDivergence: 100_000n,
    oracleTwap5minPercentDivergence: 500_000n,
    slotsBeforeStaleForAmm: 10n,
    slotsBeforeStaleForMargin: 120n,
    confidenceIntervalMaxSize: 20_000n,
    tooVolatileRatio: 5n,
    numberOfAuthorities: counts.users,
    numberOfSubAccounts: counts.users,
    liquidationMarginBufferRatio: 200,
    numberOfMarkets: counts.perpMarkets,
    numberOfSpotMarkets: counts.spotMarkets,
    minPerpAuctionDuration: 10,
    defaultMarketOrderTimeInForce: 60,
    defaultSpotAuctionDuration: 10,
    initialPctToLiquidate: 10,
  });
  for (const at of [STATE.perpFeeStructure, STATE.spotFeeStructure]) writeFees(state, at, program);
  return state;
}

/** A PythLazerOracle account. */
export function lazerOracleBytes({ publishTimeUs, ...price }: LazerPrice): Buffer {
  // The table is the same in both programs.
  return accountBytes(LAYOUTS.drift.PYTH_LAZER_ORACLE, price, { publishTime: publishTimeUs });
}

/**
 * Returns a PerpMarket account at its own derived address. The AMM's peg follows the oracle; its
 * reserves stay.
 */
export function perpMarketBytes(market: PerpMarketFields): Buffer {
  const { preset, program = 'drift', positions = {}, numberOfUsers } = market;
  const { numberOfUsersWithBase = numberOfUsers } = market;
  const atHour = { ts: market.time.unixSeconds, fundingPeriod: HOUR_SECONDS };
  const { funding = fundingOf(preset.amm, atHour) } = market;
  const terms = {
    pegMultiplier: (preset.amm.pegMultiplier * market.oraclePrice) / preset.startPrice,
    name: preset.name,
    marketIndex: preset.marketIndex,
    contractTier: preset.contractTier,
    oracleSource: OracleSource.PythLazer,
    nextCurveRecordId: 5_048n,
    numberOfUsersWithBase,
    // Long and short positions have the same rate.
    lastFundingRateLong: funding.lastFundingRate,
    lastFundingRateShort: funding.lastFundingRate,
  };
  return accountBytes(
    LAYOUTS[program].PERP_MARKET,
    preset.amm,
    market.addresses,
    market,
    terms,
    termsOf(preset),
    PERP_RISK,
    perpPrices(market),
    positions,
    funding,
  );
}

/** Returns a SpotMarket account at its own derived address. */
export function spotMarketBytes(market: SpotMarketFields): Buffer {
  const { preset, oraclePrice, program = 'drift' } = market;
  const { unixSeconds } = market.time;
  const { marketIndex } = preset;
  const isQuote = preset.feedId === undefined;
  const { SPOT_MARKET } = LAYOUTS[program];
  const account = accountBytes(SPOT_MARKET, market.addresses, preset, termsOf(preset), SPOT_RISK, {
    vault: addresses[program].spotMarketVault(marketIndex),
    lastOraclePrice: oraclePrice,
    lastOraclePriceTwap: oraclePrice,
    lastOraclePriceTwap5min: oraclePrice,
    lastOraclePriceTwapTs: unixSeconds,
    lastInterestTs: unixSeconds,
    lastTwapTs: unixSeconds,
    nextFillRecordId: market.nextFillRecordId,
    nextDepositRecordId: 1n,
    oracleSource: isQuote ? OracleSource.QuoteAsset : OracleSource.PythLazer,
    status: MarketStatus.Active,
  });
  // The first member of the fund.
  const fund = new PublicKey(addresses[program].insuranceFundVault(marketIndex));
  account.set(fund.toBytes(), SPOT_MARKET.insuranceFund);
  return account;
}

const FEES_PER_MILLION = [1_000, 800, 600, 500, 400, 300];

function writeFees(state: Buffer, at: number, program: ProgramName): void {
  const { FEE_STRUCTURE, FEE_TIER } = LAYOUTS[program];
  FEES_PER_MILLION.forEach((fee, i) => {
    const fields = {
      feeNumerator: fee / 10,
      feeDenominator: 100_000,
      makerRebateNumerator: 20,
      makerRebateDenominator: 100_000,
      referrerRewardNumerator: 15,
      referrerRewardDenominator: 100,
      refereeFeeNumerator: 5,
      refereeFeeDenominator: 100,
    };
    const tier = at + FEE_STRUCTURE.feeTiers + i * FEE_TIER.size;
    writeFields(state, { table: FEE_TIER, at: tier }, fields);
  });
  const fields = {
    rewardNumerator: 10,
    rewardDenominator: 100,
    timeBasedRewardLowerBound: 10_000n,
    referrerRewardEpochUpperBound: 4_000_000_000n,
    flatFillerFee: 10_000n,
  };
  writeFields(state, { table: FEE_STRUCTURE, at }, fields);
}

function termsOf({ step, tick, minOrderSize }: PerpPreset | SpotPreset) {
  return { orderStepSize: step, orderTickSize: tick, minOrderSize };
}

const PERP_RISK = {
  imfFactor: 50,
  liquidatorFee: 7_500,
  ifLiquidationFee: 7_500,
  marginRatioInitial: 500,
  marginRatioMaintenance: 300,
  unrealizedPnlMaintenanceAssetWeight: 10_000,
};

const SPOT_RISK = {
  optimalUtilization: 800_000,
  optimalBorrowRate: 100_000,
  maxBorrowRate: 1_500_000,
  assetTier: AssetTier.Collateral,
};

function perpPrices({ oraclePrice, time, mmOracle, preset }: PerpMarketFields) {
  return {
    lastOraclePrice: oraclePrice,
    lastOracleDelay: 1n,
    lastOraclePriceTwap: oraclePrice,
    lastOraclePriceTwap5min: oraclePrice,
    lastOraclePriceTwapTs: time.unixSeconds,
    lastOracleNormalisedPrice: oraclePrice,
    lastFundingOracleTwap: oraclePrice,
    lastBidPriceTwap: oraclePrice - preset.tick,
    lastAskPriceTwap: oraclePrice + preset.tick,
    lastMarkPriceTwap: oraclePrice,
    lastMarkPriceTwap5min: oraclePrice,
    lastMarkPriceTwapTs: time.unixSeconds,
    lastUpdateSlot: time.slot,
    lastOracleConfPct: 190n,
    lastOracleValid: true,
    mmOraclePrice: mmOracle.price,
    mmOracleSlot: mmOracle.slot,
    mmOracleSequenceId: mmOracle.sequenceId,
  };
}
