/** Records as plain data, between ingestion, the store and bodies. */
import type { MarketInfo, MarketKey } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import type { LoggedRecord, RecordKind } from '../../engine/events.js';

/** The market data that bodies need. */
export interface HistoryMarket
  extends Pick<MarketInfo, 'symbol' | 'marketType' | 'marketIndex' | 'decimals'> {
  readonly key: MarketKey;
}

/** The history's view of the book. */
export interface HistoryBook {
  readonly markets: readonly HistoryMarket[];
  /** The chain that the history must be of; null for any chain. */
  readonly genesisHash: string | null;
}

/** The position of a record in its market: by slot, then by `id`. It never changes. */
export interface RecordPosition {
  readonly slot: number;
  /**
   * The program's number of the record; for kinds without one, a number of the transaction's
   * signature and of the index in its log.
   */
  readonly id: bigint;
}

/** A stored record. */
export interface RecordRow extends RecordPosition {
  readonly program: ProgramName;
  readonly kind: RecordKind;
  /** See `LoggedRecord.market`. */
  readonly market: number;
  /**
   * Position of the transaction among the program's transactions of its slot; 0 is the oldest. A
   * live notification has a provisional position until the finalised listing sets it.
   */
  readonly place: number;
  /** Base58 of the 64 bytes. */
  readonly txSig: string;
  /** Position among the program's events in the transaction; its public name is txSigIndex. */
  readonly index: number;
  /** The chain's time, unix seconds. */
  readonly ts: number;
  /** See `LoggedRecord.fraction`. */
  readonly fraction: bigint | null;
  /** As the program logged it. */
  readonly bytes: Uint8Array;
}

/** Where a transaction is on the chain. */
export interface TransactionPosition {
  /** Base58 of the 64 bytes. */
  readonly signature: string;
  readonly slot: number;
  /** See `RecordRow.place`. */
  readonly place: number;
}

/** The records of one transaction, decoded from its log. */
export interface TransactionRecords extends TransactionPosition {
  /**
   * Whether the transaction was read at `finalized`, with its final place; it can then no longer
   * change.
   */
  readonly isFinal: boolean;
  /** Whether the node truncated the log, so that records may be missing. */
  readonly isTruncated: boolean;
  /** Number of unreadable events in the log, which a later reading may recover. Absent for none. */
  readonly unreadableEvents?: number;
  readonly records: readonly LoggedRecord[];
}

/** The key of a market. */
export function marketKeyOf({
  marketType,
  marketIndex,
}: Pick<MarketInfo, 'marketType' | 'marketIndex'>): MarketKey {
  return `${marketType}_${marketIndex}`;
}
