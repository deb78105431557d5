import type { Connection } from './connection.js';

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
