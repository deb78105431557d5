import type { Connection } from './connection.js';
import type { CandleMinutes } from './types.js';

/**
 * The moments before which retention has deleted, by kind. They are stored, because a record from
 * before its line that comes again must not be taken for a new one: its bucket still counts it.
 */
export class Lines {
  readonly #connection: Connection;
  #lines = new Map<string, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reload();
  }

  /** Trades from before it are deleted, unix seconds. */
  get trades(): number {
    return this.#lines.get('trades') ?? Number.NEGATIVE_INFINITY;
  }

  /** Funding rates from before it are deleted, unix seconds. */
  get fundingRates(): number {
    return this.#lines.get('funding_rates') ?? Number.NEGATIVE_INFINITY;
  }

  /** Buckets that start before it are deleted, unix seconds. */
  candles(minutes: CandleMinutes): number {
    return this.#lines.get(`candles_${minutes}`) ?? Number.NEGATIVE_INFINITY;
  }

  /** Moves a line forward, never back. */
  advance(kind: 'trades' | 'funding_rates' | `candles_${CandleMinutes}`, ts: number): void {
    if (ts <= (this.#lines.get(kind) ?? Number.NEGATIVE_INFINITY)) return;
    this.#connection.run('insert or replace into meta (name, value) values (?, ?)', [
      `retired:${kind}`,
      String(ts),
    ]);
    this.#lines.set(kind, ts);
  }

  /** Reads what is stored: at the start, and when a write failed. */
  reload(): void {
    const rows = this.#connection.all("select name, value from meta where name like 'retired:%'");
    this.#lines = new Map(
      rows.map(([name, value]) => [String(name).slice('retired:'.length), Number(value)]),
    );
  }
}

/** How much is stored. */
export interface StoreTotals {
  readonly trades: number;
  readonly fundingRates: number;
  readonly transactions: number;
}

const none: StoreTotals = { trades: 0, fundingRates: 0, transactions: 0 };

/** Counts kept beside the rows, because counting ten million of them takes seconds. */
export class Totals {
  readonly #connection: Connection;
  #totals: StoreTotals = none;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reload();
  }

  /** The counts as of the last write. */
  get now(): StoreTotals {
    return this.#totals;
  }

  /** Adds to the counts, or takes from them. */
  add(more: StoreTotals): void {
    if (more.trades === 0 && more.fundingRates === 0 && more.transactions === 0) return;
    this.#totals = {
      trades: this.#totals.trades + more.trades,
      fundingRates: this.#totals.fundingRates + more.fundingRates,
      transactions: this.#totals.transactions + more.transactions,
    };
    this.#connection.run("insert or replace into meta (name, value) values ('totals', ?)", [
      JSON.stringify(this.#totals),
    ]);
  }

  /** Reads what is stored: at the start, and when a write failed. */
  reload(): void {
    const row = this.#connection.one("select value from meta where name = 'totals'");
    this.#totals =
      row === null ? none : { ...none, ...(JSON.parse(String(row[0])) as StoreTotals) };
  }
}
