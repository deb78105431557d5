import type { Connection } from './connection.js';
import { readMarks, writeMark } from './marks.js';
import type { CandleMinutes } from './types.js';

/** What has a line; funding rates have none, because nothing counts one twice. */
export type CutoffKind = 'trades' | `candles_${CandleMinutes}`;

/**
 * The moments before which retention has deleted, by kind. They are stored, because a trade from
 * before its line that comes again must not be taken for a new one: its bucket still counts it.
 */
export class RetentionCutoffs {
  readonly #connection: Connection;
  #cutoffs = new Map<string, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reloadCutoffs();
  }

  /** Trades from before it are deleted, unix seconds. */
  get tradesBefore(): number {
    return this.#cutoffs.get('trades') ?? Number.NEGATIVE_INFINITY;
  }

  /** Buckets that start before it are deleted, unix seconds. */
  candlesBefore(minutes: CandleMinutes): number {
    return this.#cutoffs.get(`candles_${minutes}`) ?? Number.NEGATIVE_INFINITY;
  }

  /** Moves a line forward, never back. */
  advanceCutoff(kind: CutoffKind, ts: number): void {
    if (ts > (this.#cutoffs.get(kind) ?? Number.NEGATIVE_INFINITY)) this.#writeCutoff(kind, ts);
  }

  /** Moves every line that is later than this back to it; those that it moved. */
  limitCutoffs(tsMax: number): readonly string[] {
    const late = [...this.#cutoffs].filter(([, ts]) => ts > tsMax).map(([kind]) => kind);
    for (const kind of late) this.#writeCutoff(kind, tsMax);
    return late;
  }

  #writeCutoff(kind: string, ts: number): void {
    writeMark(this.#connection, 'meta', { name: `retired:${kind}`, value: String(ts) });
    this.#cutoffs.set(kind, ts);
  }

  /** Reads what is stored: at the start, and when a write failed. */
  reloadCutoffs(): void {
    const marks = readMarks(this.#connection, 'meta', 'retired:');
    this.#cutoffs = new Map(
      [...marks].map(([name, value]) => [name.slice('retired:'.length), Number(value)]),
    );
  }
}

/** How much is stored. */
export interface StoreTotals {
  readonly trades: number;
  readonly fundingRates: number;
  readonly transactions: number;
}

const noRows: StoreTotals = { trades: 0, fundingRates: 0, transactions: 0 };

/** Counts kept beside the rows, because counting ten million of them takes seconds. */
export class RowTotals {
  readonly #connection: Connection;
  #totals: StoreTotals = noRows;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reloadTotals();
  }

  /** The counts as of the last write. */
  get currentTotals(): StoreTotals {
    return this.#totals;
  }

  /** Adds to the counts, or takes from them. */
  addCounts(more: StoreTotals): void {
    if (more.trades === 0 && more.fundingRates === 0 && more.transactions === 0) return;
    this.#totals = {
      trades: this.#totals.trades + more.trades,
      fundingRates: this.#totals.fundingRates + more.fundingRates,
      transactions: this.#totals.transactions + more.transactions,
    };
    const value = JSON.stringify(this.#totals);
    writeMark(this.#connection, 'meta', { name: 'totals', value });
  }

  /** Reads what is stored: at the start, and when a write failed. */
  reloadTotals(): void {
    const text = readMarks(this.#connection, 'meta', 'totals').get('totals') ?? '{}';
    this.#totals = { ...noRows, ...(JSON.parse(text) as Partial<StoreTotals>) };
  }
}
