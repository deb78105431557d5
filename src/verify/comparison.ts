import type { Rows } from './book-text.js';
import { DIFFERENT_MS_MIN, READINGS_MIN } from './limits.js';

/** The same rows in both books; `null` where a book lacks one. */
export interface Difference {
  readonly name: string;
  readonly service: string | null;
  readonly chain: string | null;
}

/** What one reading found: the service's rows, and the chain's before and after they were read. */
export interface RowsReading {
  readonly service: Rows;
  readonly before: Rows;
  readonly after: Rows;
  /** Monotonic. */
  readonly atMs: number;
}

interface Unconfirmed extends Difference {
  /** Readings in a row in which it differed, and when the first of them was. */
  readonly readings: number;
  readonly sinceMs: number;
}

/**
 * Separates differences from updates in flight. Both books move, and neither is notified first: a row of the
 * service counts as right when the chain's book had it just before, just after, or at the end of the
 * reading before. Otherwise it is a difference once it was found in some readings in a row, for some
 * seconds, in which at least one of the two stood still; a row that both change all the time is not
 * judged.
 */
export class Comparison {
  #unconfirmed: ReadonlyMap<string, Unconfirmed> = new Map();
  #last: Rows = new Map();
  #readings = 0;
  #firstMs = 0;
  #atMs = 0;

  /** Time from the first reading to the last. */
  get spanMs(): number {
    return this.#atMs - this.#firstMs;
  }

  /** Whether more readings would change nothing. */
  get decided(): boolean {
    return this.#readings > 0 && this.moving === 0;
  }

  /** Rows that differed in the last reading, but not yet for long enough. */
  get moving(): number {
    return this.#unconfirmed.size - this.listDifferences().length;
  }

  /** What differs for certain. */
  listDifferences(): readonly Difference[] {
    return [...this.#unconfirmed.values()].filter(
      ({ readings, sinceMs }) =>
        readings >= READINGS_MIN && this.#atMs - sinceMs >= DIFFERENT_MS_MIN,
    );
  }

  addReading({ service, before, after, atMs }: RowsReading): void {
    if (this.#readings === 0) this.#firstMs = atMs;
    this.#atMs = atMs;
    const suspects = new Map<string, Unconfirmed>();
    for (const name of new Set([...service.keys(), ...after.keys()])) {
      const shown = service.get(name) ?? null;
      const chain = after.get(name) ?? null;
      const known = [chain, before.get(name) ?? null];
      if (this.#readings > 0) known.push(this.#last.get(name) ?? null);
      if (!known.includes(shown)) suspects.set(name, this.#confirm(name, shown, chain));
    }
    this.#unconfirmed = suspects;
    this.#last = after;
    this.#readings += 1;
  }

  #confirm(name: string, service: string | null, chain: string | null): Unconfirmed {
    const last = this.#unconfirmed.get(name);
    const still = last !== undefined && (last.service === service || last.chain === chain);
    const { readings, sinceMs } = still ? last : { readings: 0, sinceMs: this.#atMs };
    return { name, service, chain, readings: readings + 1, sinceMs };
  }
}
