/**
 * What the history keeps, as plain data: every number is the program's own integer. Prices and
 * quote amounts are at 1e6, base amounts of perp markets at 1e9, those of spot markets in the
 * decimals of the token (`HistoryMarket.decimals`); they are scaled where bodies are made.
 */

/** One market, as topics, cursors and cache keys name it. */
export type MarketKey = `perp_${number}` | `spot_${number}`;

/** The two kinds of markets that the program has. */
export type MarketType = 'perp' | 'spot';

/** A market as the history needs to know it to make bodies. */
export interface HistoryMarket {
  readonly key: MarketKey;
  /** The name on chain: `SOL-PERP`, `SOL`. */
  readonly symbol: string;
  readonly marketType: MarketType;
  readonly marketIndex: number;
  /** Decimals of base amounts: 9 for perp markets, the token's for spot markets. */
  readonly decimals: number;
}

/** The side that an order of a fill was on. */
export type FillDirection = 'long' | 'short';

/**
 * One OrderActionRecord whose action is `fill`. Null is what the program left out: a fill against
 * the AMM has no maker, and records older than a field have none of it.
 *
 * Source: programs/drift/src/state/events.rs OrderActionRecord.
 */
export interface Fill {
  /** Place among the program's own events of its transaction, from 0. */
  readonly index: number;
  /** The chain's clock, unix seconds. */
  readonly ts: number;
  readonly action: 'fill';
  /** Why, by the SDK's name: `orderFilledWithMatch`. */
  readonly actionExplanation: string;
  readonly marketIndex: number;
  readonly marketType: MarketType;
  /** Base58, as all keys here. */
  readonly filler: string | null;
  readonly fillerReward: bigint | null;
  /** Contiguous from fill to fill of a market. */
  readonly fillRecordId: bigint | null;
  readonly baseAssetAmountFilled: bigint | null;
  readonly quoteAssetAmountFilled: bigint | null;
  readonly takerFee: bigint | null;
  /** Negative is a rebate. */
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
  /** OrderBitFlag of the taker's order. */
  readonly bitFlags: number;
  readonly takerExistingQuoteEntryAmount: bigint | null;
  readonly takerExistingBaseAssetAmount: bigint | null;
  readonly makerExistingQuoteEntryAmount: bigint | null;
  readonly makerExistingBaseAssetAmount: bigint | null;
}

/**
 * One FundingRateRecord. Rates are quote a base unit and hour at 1e9, twaps at 1e6.
 *
 * Source: programs/drift/src/state/events.rs FundingRateRecord.
 */
export interface FundingRate {
  /** Place among the program's own events of its transaction, from 0. */
  readonly index: number;
  /** The chain's clock, unix seconds. */
  readonly ts: number;
  readonly recordId: bigint;
  /** Of a perp market. */
  readonly marketIndex: number;
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

/** Where a record stands on the chain; records are in the order of (slot, place, index). */
export interface ChainPlace {
  readonly slot: number;
  /**
   * Position of the transaction among the program's transactions of the slot, oldest 0. That of a
   * live notification is provisional until the finalised listing sets it.
   */
  readonly place: number;
  /** Base58 of the 64 bytes. */
  readonly txSig: string;
}

/** A stored fill: its `index` is what the interface calls txSigIndex. */
export type TradeRow = Fill & ChainPlace;

/** A stored funding rate. */
export type FundingRow = FundingRate & ChainPlace;

/** What one transaction of the program left, as decoded from its log. */
export interface TransactionRecords {
  /** Base58 of the 64 bytes. */
  readonly signature: string;
  readonly slot: number;
  /** See `ChainPlace.place`. */
  readonly place: number;
  /** Whether it was read at `finalized`, with its final place: nothing replaces it any more. */
  readonly isFinal: boolean;
  /** Whether the node cut the log, so that records of it may be missing. */
  readonly isTruncated: boolean;
  readonly fills: readonly Fill[];
  readonly fundingRates: readonly FundingRate[];
  /** Events of the program in it that the history does not keep. */
  readonly otherEvents: number;
}

/** The key of a market. */
export function marketKeyOf(market: {
  readonly marketType: MarketType;
  readonly marketIndex: number;
}): MarketKey {
  return `${market.marketType}_${market.marketIndex}`;
}
