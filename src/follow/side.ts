import { Breach } from './breach.js';
import type { Row } from './rows.js';

/** One side of a followed book: its rows, best first. */
export class Side {
  #rows: readonly Row[] = [];

  constructor(
    private readonly name: 'bid' | 'ask',
    private readonly depth: number,
  ) {}

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Takes a whole side. Throws a Breach when the rows are no side. */
  replace(rows: readonly Row[]): void {
    this.#check(rows);
    this.#rows = rows;
  }

  /** Takes rows away and puts rows in, each at its place. Throws a Breach when that cannot be. */
  change(changes: { readonly put: readonly Row[]; readonly remove: readonly string[] }): void {
    const rows = new Map(this.#rows.map((row) => [row.key, row]));
    for (const key of changes.remove) {
      if (rows.delete(key)) continue;
      throw new Breach('absent', `${key} is removed from the ${this.name}s and was not there`);
    }
    for (const row of changes.put) rows.set(row.key, row);
    const sorted = [...rows.values()].sort((a, b) => this.#order(a, b));
    this.#check(sorted);
    this.#rows = sorted;
  }

  has(key: string): boolean {
    return this.#rows.some((row) => row.key === key);
  }

  /** Negative when `a` is better, or ahead at the same price. */
  #order(a: Row, b: Row): number {
    const better = this.name === 'bid' ? b.price - a.price : a.price - b.price;
    const ahead = better === 0n ? a.queue - b.queue : better;
    return ahead < 0n ? -1 : Number(ahead > 0n);
  }

  #check(rows: readonly Row[]): void {
    if (rows.length > this.depth) {
      throw new Breach('depth', `${rows.length} ${this.name}s, must be at most ${this.depth}`);
    }
    const empty = rows.find(({ size }) => size === 0n);
    if (empty !== undefined) throw new Breach('empty', `${this.name} ${empty.key} has no size`);
    for (const [at, row] of rows.entries()) {
      const before = rows[at - 1];
      if (before === undefined || this.#order(before, row) < 0) continue;
      throw new Breach('order', `${this.name} ${row.key} does not stand behind ${before.key}`);
    }
  }
}

/**
 * Whether each order has ahead of it at its price what stands before it. With one maker's orders alone
 * there may be more.
 */
export function checkQueues(rows: readonly Row[], shows: 'all' | 'oneMaker'): void {
  for (const [at, { key, price, queue }] of rows.entries()) {
    const before = rows[at - 1];
    const ahead = before?.price === price ? before.queue + before.size : 0n;
    if (queue === ahead || (shows === 'oneMaker' && queue > ahead)) continue;
    throw new Breach('queue', `${key} has a queue of ${queue}, and ${ahead} stands before it`);
  }
}
