import type { MarketKey } from '../../contract/markets.js';
import { TS_MAX } from '../model/limits.js';
import type { RecordRow } from '../model/records.js';
import { CandleBuilder } from './candle-builder.js';
import { CandleTables } from './candle-tables.js';
import type { Connection } from './connection.js';
import type { StoreError } from './error.js';
import { type FillGaps, FillRuns } from './fill-runs.js';
import { type CheckedSlice, IntegrityWalk } from './integrity-walk.js';
import { readMarks } from './marks.js';
import { RetentionCutoffs, RowTotals, type StoreTotals } from './meta.js';
import { openFile } from './open.js';
import { storedRules } from './owner.js';
import { recordPage } from './record-pages.js';
import { newestTs, type Retired, retiredSpan, retireSome } from './retention.js';
import { Transactions } from './transactions.js';
import type {
  CandleAggregate,
  CandleEnd,
  CandleMinutes,
  CandleQuery,
  FinalPosition,
  RecordPageQuery,
  RetirePolicy,
  StoreBatch,
  StoreChange,
  StoredCandle,
  StoredTransaction,
  StoreOptions,
  UnfinalisedQuery,
} from './types.js';
import { type StoreParts, Writer } from './writer.js';

/** Opens the store of a chain; creates its file if there is none. Rejects with a StoreError. */
export async function openStore(options: StoreOptions): Promise<HistoryStore> {
  const connection = await openFile(options);
  try {
    return new HistoryStore(connection, options);
  } catch (error) {
    connection.close();
    throw connection.toStoreError(error);
  }
}

/**
 * The store of one chain: records and candles. All methods are synchronous and throw
 * a StoreError. A write is on disk when it returns and has no effect when it throws; the store
 * works again when the disk does. A store belongs to one thread of one process.
 */
export class HistoryStore {
  readonly #parts: StoreParts;
  readonly #writer: Writer;
  readonly #walk: IntegrityWalk;

  constructor(connection: Connection, options: Omit<StoreOptions, 'folder' | 'genesisHash'>) {
    const program = storedRules(connection);
    const cutoffs = new RetentionCutoffs(connection);
    const candleBuilder = new CandleBuilder({ connection, program }, options);
    const candles = new CandleTables({
      connection,
      cutoffs,
      rules: options.rules,
      points: (code, span) => candleBuilder.readPoints(code, span),
    });
    this.#parts = {
      connection,
      program,
      cutoffs,
      candleBuilder,
      candles,
      transactions: new Transactions(connection),
      fillRuns: new FillRuns(connection),
      totals: new RowTotals(connection),
    };
    this.#writer = new Writer(this.#parts);
    this.#walk = new IntegrityWalk(connection, candles);
  }

  get file(): string {
    return this.#parts.connection.file;
  }

  /**
   * Stores the new records of a batch, with candles and progress marks. Each event of a repeated
   * transaction is stored once; a transaction in another slot replaces its earlier records, unless
   * they were final.
   */
  writeBatch(batch: StoreBatch): StoreChange {
    return this.#runTransaction(() => this.#writer.writeBatch(batch));
  }

  /** Adds pending fills whose decimals are now known to the candles; null without any. */
  addPendingFills(): StoreChange | null {
    return this.#parts.candleBuilder.hasReadyFills ? this.writeBatch({ transactions: [] }) : null;
  }

  /** Removes transactions that a fork reverted, and rebuilds their buckets. */
  removeTransactions(signatures: readonly string[]): StoreChange {
    return this.#runTransaction(() => this.#writer.removeTransactions(signatures));
  }

  /**
   * Sets the final places of transactions. Signatures that are not stored are skipped; transactions
   * stored in another slot are unchanged and returned in `elsewhere`, because they must be read
   * again.
   */
  finaliseTransactions(
    places: readonly FinalPosition[],
    progress?: StoreBatch['progress'],
  ): { readonly change: StoreChange; readonly elsewhere: readonly string[] } {
    return this.#runTransaction(() => this.#writer.finaliseTransactions(places, progress));
  }

  findStored(signatures: readonly string[]): ReadonlySet<string> {
    return this.#runRead(() => this.#parts.transactions.findStored(signatures));
  }

  /** Returns which of these signatures are stored from a truncated log. */
  findTruncated(signatures: readonly string[]): ReadonlySet<string> {
    return this.#runRead(() => this.#parts.transactions.findTruncated(signatures));
  }

  /** Returns transactions that are not final yet, oldest first; at most `UNFINALISED_READ_MAX`. */
  readUnfinalised(query: UnfinalisedQuery): readonly StoredTransaction[] {
    return this.#runRead(() => this.#parts.transactions.readUnfinalised(query));
  }

  /** Progress marks by name. */
  readProgress(): ReadonlyMap<string, string> {
    return this.#runRead(() => readMarks(this.#parts.connection, 'progress'));
  }

  /** Returns a page of records, newest first; at most `PAGE_ROWS_MAX`. */
  readRecords(query: RecordPageQuery): readonly RecordRow[] {
    return this.#runRead(() => recordPage(this.#parts, query));
  }

  runRead<T>(read: (parts: StoreParts) => T): T {
    return this.#runRead(() => read(this.#parts));
  }

  /** Returns the newest `limit` buckets of a range, oldest first; at most `CANDLES_READ_MAX`. */
  readCandles(query: CandleQuery): readonly StoredCandle[] {
    return this.#runRead(() => this.#parts.candles.readCandles(query));
  }

  /** Returns the newest bucket that starts before a moment, or null. */
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null {
    return this.#runRead(() => this.#parts.candles.candleBefore(market, minutes, start));
  }

  /** Returns the sum of the fills with `from <= ts < to` (unix seconds), or null without any. */
  aggregateSpan(
    market: MarketKey,
    span: { readonly from: number; readonly to: number },
  ): CandleAggregate | null {
    return this.#runRead(() => this.#parts.candles.aggregateSpan(market, span));
  }

  /** Returns the last fill before a moment, or null. */
  lastFillBefore(market: MarketKey, ts: number): CandleEnd | null {
    return this.#runRead(() => this.#parts.candles.lastFillBefore(market, ts));
  }

  listMarkets(): readonly MarketKey[] {
    return this.#runRead(() => this.#parts.candles.listMarkets());
  }

  /** Returns the missing fillRecordIds between stored ones, of one market or of all. */
  findGaps(market?: MarketKey): FillGaps {
    return this.#runRead(() => this.#parts.fillRuns.findGaps(market));
  }

  readTotals(): StoreTotals {
    return this.#parts.totals.currentTotals;
  }

  /** Returns the number of transactions whose log the node truncated. */
  countTruncated(): number {
    return this.#runRead(() => this.#parts.transactions.countTruncated());
  }

  /** The retention cutoff of trades, unix seconds; null when there is none. */
  get tradesSince(): number | null {
    const trades = this.#parts.cutoffs.recordsBefore('trade');
    return Number.isFinite(trades) ? trades : null;
  }

  /** Returns the time of the newest record up to a moment, unix seconds; null without any. */
  readNewestTs(tsMax = TS_MAX): number | null {
    return this.#runRead(() => newestTs(this.#parts, tsMax));
  }

  /** Returns the seconds from the oldest record to a policy's cutoff; 0 when it deletes nothing. */
  readRetiredSpan(policy: RetirePolicy): number {
    return this.#runRead(() => retiredSpan(this.#parts, policy));
  }

  /** Deletes records older than a policy allows, at most `RETIRE_ROWS_MAX` rows. */
  retireRows(policy: RetirePolicy): Retired {
    return this.#runTransaction(() => retireSome(this.#parts, policy));
  }

  /** Checks the next rows of the file, in a cycle; takes some milliseconds. */
  checkSlice(): CheckedSlice {
    return this.#runRead(() => this.#walk.checkSlice());
  }

  /** The identity of the file; another file at the same path has another identity. */
  get identity(): string | null {
    return this.#parts.connection.identity;
  }

  /** Returns whether the opened file is still at its path. */
  isInPlace(): boolean {
    return this.#parts.connection.isInPlace();
  }

  /** Abandons a file that is no longer at its path; later calls fail with `reason`. */
  abandon(reason: StoreError): void {
    this.#parts.connection.abandon(reason);
  }

  close(): void {
    this.#parts.connection.close();
  }

  #runTransaction<T>(work: () => T): T {
    try {
      return this.#parts.connection.runTransaction(work);
    } catch (error) {
      this.#clearCaches();
      throw this.#parts.connection.toStoreError(error);
    }
  }

  /** Reloads cached state, after another service has written or a write failed. */
  reloadState(): void {
    const { cutoffs, totals, candleBuilder, fillRuns, transactions } = this.#parts;
    fillRuns.clearCache();
    transactions.clearCache();
    cutoffs.reloadCutoffs();
    totals.reloadTotals();
    candleBuilder.reloadState();
  }

  /** Clears the caches, which may contain rolled back values. */
  #clearCaches(): void {
    this.#parts.candles.clearChanges();
    try {
      this.reloadState();
    } catch {
      // The next call fails as well when the disk is unreadable, and reports it.
    }
  }

  #runRead<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#parts.connection.toStoreError(error);
    }
  }
}
