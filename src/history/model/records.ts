/**
 * What the history keeps, as plain data: every number is the program's own integer. Prices and
 * quote amounts are at 1e6, base amounts of perp markets at 1e9, those of spot markets in the
 * decimals of the token (`HistoryMarket.decimals`); they are scaled where bodies are made.
 */

import type { MarketInfo, MarketKey } from '../../contract/markets.js';
import type { FillEvent, FundingRateEvent } from '../../engine/events.js';

/** A market as the history needs to know it to make bodies. */
export interface HistoryMarket
  extends Pick<MarketInfo, 'symbol' | 'marketType' | 'marketIndex' | 'decimals'> {
  readonly key: MarketKey;
}

/** What the history knows of the book beside it. */
export interface HistoryBook {
  /** With which bodies are made. */
  readonly markets: readonly HistoryMarket[];
  /** The chain of which a history that is read has to be; null for any. */
  readonly genesisHash: string | null;
}

/** The explanation of a transfer between two accounts, at a price that they choose: it is no trade. */
export const TRANSFER_EXPLANATION = 'transferPerpPosition';

/** Numbers that the decoder gives of every fill, and whose columns in the file may be empty. */
type StoredNumber = 'fillRecordId' | 'baseAssetAmountFilled' | 'quoteAssetAmountFilled';

/** A fill as it is stored. */
export type Fill = Omit<FillEvent, StoredNumber> & {
  readonly [Name in StoredNumber]: FillEvent[Name] | null;
};

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
export type FundingRow = FundingRateEvent & ChainPlace;

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
  /** Events in the log that cannot be read; another reading of it may have them. Absent of none. */
  readonly unreadableEvents?: number;
  readonly fills: readonly Fill[];
  readonly fundingRates: readonly FundingRateEvent[];
  /** Events of the program in it that the history does not keep. */
  readonly otherEvents: number;
}

/** The key of a market. */
export function marketKeyOf({
  marketType,
  marketIndex,
}: Pick<MarketInfo, 'marketType' | 'marketIndex'>): MarketKey {
  return `${marketType}_${marketIndex}`;
}
