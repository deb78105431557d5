import type { MarketType } from './markets.js';

/** A side of an order or a position. */
export type FillDirection = 'long' | 'short';

/**
 * One fill: an OrderActionRecord of action fill, as the program logged it. Base is in units of 1e-9
 * for perps and of the token's decimals for spot, quote, fees and prices of 1e-6. Null is what the
 * record does not have: a fill of the AMM has no maker. The decoder rejects a fill that lacks its number,
 * its base or its quote.
 *
 * Source: programs/drift/src/state/events.rs OrderActionRecord.
 */
export interface FillEvent {
  /** Position among the program's events of the transaction, from 0. */
  readonly index: number;
  /** The chain's time, in seconds. */
  readonly ts: number;
  readonly action: 'fill';
  /** The SDK's name, `orderFilledWithMatch` for one. `transferPerpPosition` is no trade. */
  readonly actionExplanation: string;
  readonly marketIndex: number;
  readonly marketType: MarketType;
  /** Base58, as all keys here. */
  readonly filler: string | null;
  readonly fillerReward: bigint | null;
  /** The market's number of this fill; contiguous in each market. */
  readonly fillRecordId: bigint;
  readonly baseAssetAmountFilled: bigint;
  readonly quoteAssetAmountFilled: bigint;
  readonly takerFee: bigint | null;
  /** Negative for a rebate. */
  readonly makerFee: bigint | null;
  readonly referrerReward: number | null;
  readonly quoteAssetAmountSurplus: bigint | null;
  readonly spotFulfillmentMethodFee: bigint | null;
  readonly taker: string | null;
  readonly takerOrderId: number | null;
  readonly takerOrderDirection: FillDirection | null;
  readonly takerOrderBaseAssetAmount: bigint | null;
  readonly takerOrderCumulativeBaseAssetAmountFilled: bigint | null;
  readonly takerOrderCumulativeQuoteAssetAmountFilled: bigint | null;
  readonly maker: string | null;
  readonly makerOrderId: number | null;
  readonly makerOrderDirection: FillDirection | null;
  readonly makerOrderBaseAssetAmount: bigint | null;
  readonly makerOrderCumulativeBaseAssetAmountFilled: bigint | null;
  readonly makerOrderCumulativeQuoteAssetAmountFilled: bigint | null;
  readonly oraclePrice: bigint;
  /** OrderBitFlag of the taker's order; 0 in records before 2025. */
  readonly bitFlags: number;
  readonly takerExistingQuoteEntryAmount: bigint | null;
  readonly takerExistingBaseAssetAmount: bigint | null;
  readonly makerExistingQuoteEntryAmount: bigint | null;
  readonly makerExistingBaseAssetAmount: bigint | null;
}

/**
 * One update of a perp market's funding rate. Rates are quote per base and hour in units of 1e-9,
 * prices of 1e-6, quote of 1e-6, base of 1e-9.
 *
 * Source: programs/drift/src/state/events.rs FundingRateRecord.
 */
export interface FundingRateEvent {
  /** Position among the program's events of the transaction, from 0. */
  readonly index: number;
  /** The chain's time, in seconds. */
  readonly ts: number;
  /** The market's number of this update. */
  readonly recordId: bigint;
  readonly marketIndex: number;
  /** Positive when longs pay. */
  readonly fundingRate: bigint;
  readonly fundingRateLong: bigint;
  readonly fundingRateShort: bigint;
  readonly cumulativeFundingRateLong: bigint;
  readonly cumulativeFundingRateShort: bigint;
  readonly oraclePriceTwap: bigint;
  readonly markPriceTwap: bigint;
  readonly periodRevenue: bigint;
  readonly baseAssetAmountWithAmm: bigint;
  readonly baseAssetAmountWithUnsettledLp: bigint;
}

/** What the logs of one transaction hold. */
export interface LogEvents {
  /** In the order of the logs. */
  readonly fills: FillEvent[];
  readonly fundingRates: FundingRateEvent[];
  /** All events of the program, of whatever kind. */
  readonly events: number;
  /** Whether the runtime cut the logs: events may be missing behind. */
  readonly isTruncated: boolean;
  /** Events that could not be read: cut within a field, or of values that stand for nothing. */
  readonly unreadable: number;
}
