import type { Rows } from './book-text.js';
import { DIFFERENT_MS_MIN, READINGS_MIN } from './limits.js';

/** A row that differs between the two books; `null` in a book that lacks the row. */
export interface Difference {
  readonly name: string;
  readonly service: string | null;
  readonly chain: string | null;
}

/** One reading: the service's rows, and the chain's rows before and after. */
interface RowsReading {
  readonly service: Rows;
  readonly before: Rows;
  readonly after: Rows;
  /** Monotonic. */
  readonly atMs: number;
}

interface Unconfirmed extends Difference {
  /** The number of consecutive readings with a difference, and the time of the first of them. */
  readonly readings: number;
  readonly sinceMs: number;
}

/**
 * Distinguishes differences from updates in flight. Both books change, and either may be ahead: a
 * row of the service is correct when the chain's book had it just before, just after, or at the end
 * of the previous reading. Otherwise the row differs once several consecutive readings over some
 * seconds have shown a difference while at least one of the two rows was constant; rows that change
 * constantly in both books are not judged.
 */
export class Comparison {
  #unconfirmed: ReadonlyMap<string, Unconfirmed> = new Map();
  #last: Rows = new Map();
  #readings = 0;
  #firstMs = 0;
  #atMs = 0;

  /** The time from the first reading to the last, milliseconds. */
  get spanMs(): number {
    return this.#atMs - this.#firstMs;
  }

  /** Whether more readings cannot change the result. */
  get decided(): boolean {
    return this.#readings > 0 && this.moving === 0;
  }

  /** The number of rows that differed in the last reading, but not yet for long enough. */
  get moving(): number {
    return this.#unconfirmed.size - this.listDifferences().length;
  }

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
