/**
 * The stored records as plain data; every number is the program's own integer. Prices and quote
 * amounts are at 1e6, base amounts of perp markets at 1e9, base amounts of spot markets in the
 * token's decimals (`HistoryMarket.decimals`); bodies scale them.
 */

import type { MarketInfo, MarketKey } from '../../contract/markets.js';
import type { FillEvent, FundingRateEvent } from '../../engine/events.js';

/** The market data that bodies need. */
export interface HistoryMarket
  extends Pick<MarketInfo, 'symbol' | 'marketType' | 'marketIndex' | 'decimals'> {
  readonly key: MarketKey;
}

/** The history's view of the book. */
export interface HistoryBook {
  readonly markets: readonly HistoryMarket[];
  /** The chain that a history opened for reading must be of; null for any chain. */
  readonly genesisHash: string | null;
}

/**
 * The explanation of a position transfer between two accounts. It is not a trade, because the
 * accounts choose its price.
 */
export const TRANSFER_EXPLANATION = 'transferPerpPosition';

/** Members that every decoded fill has, but whose stored columns may be empty. */
type StoredNumber = 'fillRecordId' | 'baseAssetAmountFilled' | 'quoteAssetAmountFilled';

/** A stored fill. */
export type Fill = Omit<FillEvent, StoredNumber> & {
  readonly [Name in StoredNumber]: FillEvent[Name] | null;
};

/** The position of a record on the chain; records are ordered by (slot, place, index). */
export interface ChainPlace {
  readonly slot: number;
  /**
   * Position of the transaction among the program's transactions of its slot; 0 is the oldest. A
   * live notification has a provisional position until the finalised listing sets it.
   */
  readonly place: number;
  /** Base58 of the 64 bytes. */
  readonly txSig: string;
}

/** A stored fill; the public name of its `index` is txSigIndex. */
export type TradeRow = Fill & ChainPlace;

/** A stored funding rate. */
export type FundingRow = FundingRateEvent & ChainPlace;

/** The records of one transaction, decoded from its log. */
export interface TransactionRecords {
  /** Base58 of the 64 bytes. */
  readonly signature: string;
  readonly slot: number;
  /** See `ChainPlace.place`. */
  readonly place: number;
  /**
   * Whether the transaction was read at `finalized`, with its final place; it can then no longer
   * change.
   */
  readonly isFinal: boolean;
  /** Whether the node truncated the log, so that records may be missing. */
  readonly isTruncated: boolean;
  /** Number of unreadable events in the log, which a later reading may recover. Absent for none. */
  readonly unreadableEvents?: number;
  readonly fills: readonly Fill[];
  readonly fundingRates: readonly FundingRateEvent[];
  /** Number of program events that the history does not store. */
  readonly otherEvents: number;
}

/** The key of a market. */
export function marketKeyOf({
  marketType,
  marketIndex,
}: Pick<MarketInfo, 'marketType' | 'marketIndex'>): MarketKey {
  return `${marketType}_${marketIndex}`;
}
