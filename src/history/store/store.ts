import type { MarketKey } from '../../contract/markets.js';
import { TS_MAX } from '../model/limits.js';
import type { FundingRow, TradeRow } from '../model/records.js';
import { CandleBuilder } from './candle-builder.js';
import { CandleTables } from './candle-tables.js';
import type { Connection } from './connection.js';
import type { StoreError } from './error.js';
import { type FillGaps, FillRuns } from './fill-runs.js';
import { type CheckedSlice, IntegrityWalk } from './integrity-walk.js';
import { readMarks } from './marks.js';
import { RetentionCutoffs, RowTotals, type StoreTotals } from './meta.js';
import { NameIds } from './name-ids.js';
import { openFile } from './open.js';
import { fundingPage, tradePage } from './pages.js';
import { healCutoffs, newestTs, type Retired, retiredSpan, retireSome } from './retention.js';
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

/** Opens the store of a chain, making or migrating its file. Throws a StoreError. */
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
 * Trades, funding rates and candles of one chain in one file. Everything is synchronous and throws a
 * StoreError; a write is on disk when it returns and is not there at all when it throws, and the same
 * store goes on when the disk works again. It belongs to one thread of one process.
 */
export class HistoryStore {
  readonly #parts: StoreParts;
  readonly #writer: Writer;
  readonly #walk: IntegrityWalk;
  /**
   * The line of trades, unix seconds, where opening found it behind everything stored and moved it back;
   * null when all was well.
   */
  readonly healedLine: number | null;

  constructor(connection: Connection, options: Omit<StoreOptions, 'folder' | 'genesisHash'>) {
    const nameIds = new NameIds(connection);
    const cutoffs = new RetentionCutoffs(connection);
    const candleBuilder = new CandleBuilder(connection, nameIds, options);
    const candles = new CandleTables({
      connection,
      cutoffs,
      rules: options.rules,
      points: (code, span) => candleBuilder.readPoints(code, span),
    });
    this.#parts = {
      connection,
      nameIds,
      cutoffs,
      candleBuilder,
      candles,
      transactions: new Transactions(connection),
      fillRuns: new FillRuns(connection),
      totals: new RowTotals(connection),
    };
    this.#writer = new Writer(this.#parts);
    this.#walk = new IntegrityWalk(connection, candles);
    const isWriter = options.role !== 'read';
    this.healedLine = isWriter ? this.#runTransaction(() => healCutoffs(this.#parts)) : null;
  }

  /** Where it is. */
  get file(): string {
    return this.#parts.connection.file;
  }

  /**
   * Stores what is new of a batch, with its candles and its marks. A transaction that comes again
   * leaves each event once; in another slot it replaces what it left before, unless that was final.
   */
  writeBatch(batch: StoreBatch): StoreChange {
    return this.#runTransaction(() => this.#writer.writeBatch(batch));
  }

  /** Adds pending fills whose decimals are known by now to the candles; null when there are none. */
  addPendingFills(): StoreChange | null {
    return this.#parts.candleBuilder.hasReadyFills ? this.writeBatch({ transactions: [] }) : null;
  }

  /** Removes transactions that a fork reverted, and rebuilds their buckets. */
  removeTransactions(signatures: readonly string[]): StoreChange {
    return this.#runTransaction(() => this.#writer.removeTransactions(signatures));
  }

  /**
   * Gives transactions the place of the finalised listing and makes them final. Signatures that are
   * not stored are passed over; those in another slot are left as they are and returned in
   * `elsewhere`, because they must be read again.
   */
  finaliseTransactions(
    places: readonly FinalPosition[],
    progress?: StoreBatch['progress'],
  ): { readonly change: StoreChange; readonly elsewhere: readonly string[] } {
    return this.#runTransaction(() => this.#writer.finaliseTransactions(places, progress));
  }

  /** Which of some signatures are stored. */
  findStored(signatures: readonly string[]): ReadonlySet<string> {
    return this.#runRead(() => this.#parts.transactions.findStored(signatures));
  }

  /** Which of some signatures are stored of a log that was cut. */
  findTruncated(signatures: readonly string[]): ReadonlySet<string> {
    return this.#runRead(() => this.#parts.transactions.findTruncated(signatures));
  }

  /** Transactions that are not final yet, oldest first; at most `UNFINALISED_READ_MAX`. */
  readUnfinalised(query: UnfinalisedQuery): readonly StoredTransaction[] {
    return this.#runRead(() => this.#parts.transactions.readUnfinalised(query));
  }

  /** The marks of what is stored, by name. */
  readProgress(): ReadonlyMap<string, string> {
    return this.#runRead(() => readMarks(this.#parts.connection, 'progress'));
  }

  /** A page of trades, newest first; at most `PAGE_ROWS_MAX`. */
  readTrades(query: RecordPageQuery): readonly TradeRow[] {
    return this.#runRead(() => tradePage(this.#parts.connection, this.#parts.nameIds, query));
  }

  /** A page of funding rates, newest first; at most `PAGE_ROWS_MAX`. */
  readFundingRates(query: RecordPageQuery): readonly FundingRow[] {
    return this.#runRead(() => fundingPage(this.#parts.connection, this.#parts.nameIds, query));
  }

  /** Runs a read that is written in a file of its own. */
  runRead<T>(read: (parts: StoreParts) => T): T {
    return this.#runRead(() => read(this.#parts));
  }

  /** The newest `limit` buckets of a range, oldest first; at most `CANDLES_READ_MAX`. */
  readCandles(query: CandleQuery): readonly StoredCandle[] {
    return this.#runRead(() => this.#parts.candles.readCandles(query));
  }

  /** The newest bucket that starts before a moment, or null. */
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null {
    return this.#runRead(() => this.#parts.candles.candleBefore(market, minutes, start));
  }

  /** The oldest bucket of a market, or null. */
  firstCandle(market: MarketKey, minutes: CandleMinutes): StoredCandle | null {
    return this.#runRead(() => this.#parts.candles.firstCandle(market, minutes));
  }

  /** What the fills with `from <= ts < to` come to, or null without any; unix seconds. */
  aggregateSpan(
    market: MarketKey,
    span: { readonly from: number; readonly to: number },
  ): CandleAggregate | null {
    return this.#runRead(() => this.#parts.candles.aggregateSpan(market, span));
  }

  /** The last fill before a moment, or null. */
  lastFillBefore(market: MarketKey, ts: number): CandleEnd | null {
    return this.#runRead(() => this.#parts.candles.lastFillBefore(market, ts));
  }

  /** Markets that have a candle. */
  listMarkets(): readonly MarketKey[] {
    return this.#runRead(() => this.#parts.candles.listMarkets());
  }

  /** fillRecordIds that are missing between stored ones, of one market or of all. */
  findGaps(market?: MarketKey): FillGaps {
    return this.#runRead(() => this.#parts.fillRuns.findGaps(market));
  }

  /** How much is stored. */
  readTotals(): StoreTotals {
    return this.#parts.totals.currentTotals;
  }

  /** Transactions whose log the node cut, so that records of theirs may be missing. */
  countTruncated(): number {
    return this.#runRead(() => this.#parts.transactions.countTruncated());
  }

  /** Trades from before it are deleted and not stored again, unix seconds; null without any. */
  get tradesSince(): number | null {
    const { tradesBefore: trades } = this.#parts.cutoffs;
    return Number.isFinite(trades) ? trades : null;
  }

  /** The time of the newest record up to a moment, unix seconds; null without one. */
  readNewestTs(tsMax = TS_MAX): number | null {
    return this.#runRead(() => newestTs(this.#parts, tsMax));
  }

  /** The seconds from the oldest record that a policy deletes to its line; 0 when it deletes none. */
  readRetiredSpan(policy: RetirePolicy): number {
    return this.#runRead(() => retiredSpan(this.#parts, policy));
  }

  /** Deletes some of what is older than a policy says, at most `RETIRE_ROWS_MAX` rows. */
  retireRows(policy: RetirePolicy): Retired {
    return this.#runTransaction(() => retireSome(this.#parts, policy));
  }

  /** Rebuilds the candles of a market from its trades, where retention has left all of them; nothing must change. */
  rebuildCandles(market: MarketKey): void {
    this.#runTransaction(() => this.#parts.candles.rebuildMarket(market));
  }

  /** Checks the next rows of the file, and after the last ones the first again; some milliseconds. */
  checkSlice(): CheckedSlice {
    return this.#runRead(() => this.#walk.checkSlice());
  }

  /** Reads the whole file and returns what is wrong with it; it takes seconds a gigabyte. */
  checkIntegrity(): readonly string[] {
    return this.#runRead(() => this.#parts.connection.checkIntegrity());
  }

  /** Names the file among all others of the machine; another one at the same path has another name. */
  get identity(): string | null {
    return this.#parts.connection.identity;
  }

  /** Whether what is at the path is still the file that was opened, and not another one or none. */
  isInPlace(): boolean {
    return this.#parts.connection.isInPlace();
  }

  /** Lets go of a file that is not in its place; whatever is asked later fails with `reason`. */
  abandon(reason: StoreError): void {
    this.#parts.connection.abandon(reason);
  }

  /** Closes the file. */
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

  /** Reads again what is kept in memory: another service has written, or a write failed. */
  reloadState(): void {
    const { cutoffs, totals, candleBuilder, fillRuns, transactions } = this.#parts;
    fillRuns.clearCache();
    transactions.clearCache();
    cutoffs.reloadCutoffs();
    totals.reloadTotals();
    candleBuilder.reloadState();
  }

  /** Clears the caches, which may hold what was rolled back. */
  #clearCaches(): void {
    this.#parts.nameIds.clearCache();
    this.#parts.candles.clearChanges();
    try {
      this.reloadState();
    } catch {
      // A disk that cannot be read fails the next call as well, which then reports it.
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
