import type { MarketKey } from '../../contract/markets.js';
import type { FundingRow, TradeRow } from '../model/records.js';
import { Charts } from './candle-builder.js';
import { CandleTables } from './candle-tables.js';
import type { Connection } from './connection.js';
import { type FillGaps, FillRuns } from './fill-runs.js';
import { Lines, type StoreTotals, Totals } from './meta.js';
import { Numbers } from './name-ids.js';
import { openFile } from './open.js';
import { fundingPage, tradePage } from './pages.js';
import { type Retired, retireSome } from './retention.js';
import { Transactions } from './transactions.js';
import type {
  CandleAggregate,
  CandleEnd,
  CandleMinutes,
  CandleQuery,
  RecordPageQuery,
  RetirePolicy,
  SettledPlace,
  StoreBatch,
  StoreChange,
  StoredCandle,
  StoredTransaction,
  StoreOptions,
  UnsettledQuery,
} from './types.js';
import { type StoreParts, Writer } from './writer.js';

/** Opens the store of a chain, making or migrating its file. Throws a StoreError. */
export async function openStore(options: StoreOptions): Promise<HistoryStore> {
  return new HistoryStore(await openFile(options), options);
}

/**
 * Trades, funding rates and candles of one chain in one file. Everything is synchronous and throws a
 * StoreError; a write is on disk when it returns and is not there at all when it throws, and the same
 * store goes on when the disk has healed. It belongs to one thread of one process.
 */
export class HistoryStore {
  readonly #parts: StoreParts;
  readonly #writer: Writer;

  constructor(connection: Connection, options: Pick<StoreOptions, 'rules' | 'decimalsOf'>) {
    const numbers = new Numbers(connection);
    const lines = new Lines(connection);
    const charts = new Charts(connection, numbers, options);
    const candles = new CandleTables({
      connection,
      lines,
      rules: options.rules,
      points: (code, span) => charts.points(code, span),
    });
    this.#parts = {
      connection,
      numbers,
      lines,
      charts,
      candles,
      transactions: new Transactions(connection),
      fillRuns: new FillRuns(connection),
      totals: new Totals(connection),
    };
    this.#writer = new Writer(this.#parts);
  }

  /** Where it is. */
  get file(): string {
    return this.#parts.connection.file;
  }

  /**
   * Stores what is new of a batch, with its candles and its marks. A transaction that comes again
   * leaves each event once; in another slot it replaces what it left before, unless that was final.
   */
  write(batch: StoreBatch): StoreChange {
    return this.#atOnce(() => this.#writer.write(batch));
  }

  /** Charts some of what waited for decimals that are known by now; null when nothing did. */
  catchUp(): StoreChange | null {
    return this.#parts.charts.isBehind ? this.write({ transactions: [] }) : null;
  }

  /** Takes transactions away that a fork took back, and makes their buckets anew. */
  remove(signatures: readonly string[]): StoreChange {
    return this.#atOnce(() => this.#writer.remove(signatures));
  }

  /**
   * Gives transactions the place of the finalised listing and makes them final. Signatures that are
   * not stored are passed over; those that stand in another slot are not touched but named in
   * `elsewhere`, because they must be read again.
   */
  settle(
    places: readonly SettledPlace[],
    progress?: StoreBatch['progress'],
  ): { readonly change: StoreChange; readonly elsewhere: readonly string[] } {
    return this.#atOnce(() => this.#writer.settle(places, progress));
  }

  /** Which of some signatures are stored. */
  known(signatures: readonly string[]): ReadonlySet<string> {
    return this.#read(() => this.#parts.transactions.known(signatures));
  }

  /** Which of some signatures are stored of a log that was cut. */
  truncatedOf(signatures: readonly string[]): ReadonlySet<string> {
    return this.#read(() => this.#parts.transactions.truncatedOf(signatures));
  }

  /** Transactions that are not final yet, oldest first; at most `UNSETTLED_READ_MAX`. */
  unsettled(query: UnsettledQuery): readonly StoredTransaction[] {
    return this.#read(() => this.#parts.transactions.unsettled(query));
  }

  /** The marks of what is stored, by name. */
  progress(): ReadonlyMap<string, string> {
    return this.#read(() => {
      const rows = this.#parts.connection.all('select name, value from progress');
      return new Map(rows.map(([name, value]) => [String(name), String(value)]));
    });
  }

  /** A page of trades, newest first; at most `PAGE_ROWS_MAX`. */
  trades(query: RecordPageQuery): readonly TradeRow[] {
    return this.#read(() => tradePage(this.#parts.connection, this.#parts.numbers, query));
  }

  /** A page of funding rates, newest first; at most `PAGE_ROWS_MAX`. */
  fundingRates(query: RecordPageQuery): readonly FundingRow[] {
    return this.#read(() => fundingPage(this.#parts.connection, query));
  }

  /** The newest `limit` buckets of a span, oldest first; at most `CANDLES_READ_MAX`. */
  candles(query: CandleQuery): readonly StoredCandle[] {
    return this.#read(() => this.#parts.candles.read(query));
  }

  /** The newest bucket that starts before a moment, or null. */
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null {
    return this.#read(() => this.#parts.candles.before(market, minutes, start));
  }

  /** The oldest bucket of a market, or null. */
  firstCandle(market: MarketKey, minutes: CandleMinutes): StoredCandle | null {
    return this.#read(() => this.#parts.candles.first(market, minutes));
  }

  /** What the fills with `from <= ts < to` come to, or null without any; unix seconds. */
  aggregate(
    market: MarketKey,
    span: { readonly from: number; readonly to: number },
  ): CandleAggregate | null {
    return this.#read(() => this.#parts.candles.aggregateSpan(market, span));
  }

  /** The last fill before a moment, or null. */
  lastFillBefore(market: MarketKey, ts: number): CandleEnd | null {
    return this.#read(() => this.#parts.candles.lastFillBefore(market, ts));
  }

  /** Markets that have a candle. */
  markets(): readonly MarketKey[] {
    return this.#read(() => this.#parts.candles.markets());
  }

  /** fillRecordIds that are missing between stored ones, of one market or of all. */
  gaps(market?: MarketKey): FillGaps {
    return this.#read(() => this.#parts.fillRuns.gaps(market));
  }

  /** How much is stored. */
  totals(): StoreTotals {
    return this.#parts.totals.now;
  }

  /** Transactions whose log the node cut, so that records of theirs may be missing. */
  truncated(): number {
    return this.#read(() => this.#parts.transactions.truncated());
  }

  /** Trades from before it are deleted and not stored again, unix seconds; null without any. */
  get tradesSince(): number | null {
    const { trades } = this.#parts.lines;
    return Number.isFinite(trades) ? trades : null;
  }

  /** Deletes some of what is older than a policy says, at most `RETIRE_ROWS_MAX` rows. */
  retire(policy: RetirePolicy): Retired {
    return this.#atOnce(() => retireSome(this.#parts, policy));
  }

  /**
   * Makes the candles of a market anew from its trades, where retention has left all of them: what was
   * there before must be the same.
   */
  rebuildCandles(market: MarketKey): void {
    this.#atOnce(() => this.#parts.candles.rebuild(market));
  }

  /** Reads the whole file and tells what is wrong with it; it takes seconds a gigabyte. */
  check(): readonly string[] {
    const rows = this.#read(() => this.#parts.connection.all('pragma integrity_check(100)'));
    return rows.map(([problem]) => String(problem)).filter((problem) => problem !== 'ok');
  }

  /** Gives the file back. */
  close(): void {
    this.#parts.connection.close();
  }

  #atOnce<T>(work: () => T): T {
    try {
      return this.#parts.connection.transaction(work);
    } catch (error) {
      this.#forget();
      throw this.#parts.connection.failure(error);
    }
  }

  /** What is remembered beside the file may name what was taken back. */
  #forget(): void {
    const { numbers, candles, fillRuns, lines, totals, charts, transactions } = this.#parts;
    numbers.forget();
    transactions.forget();
    candles.forget();
    fillRuns.forget();
    try {
      lines.reload();
      totals.reload();
      charts.reload();
    } catch {
      // A disk that cannot be read fails the next call as well, which then tells why.
    }
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#parts.connection.failure(error);
    }
  }
}
