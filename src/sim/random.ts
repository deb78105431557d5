/**
 * A seeded random number generator (mulberry32): equal seeds give equal numbers on every machine.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 (inclusive) to `count` (exclusive). */
  nextBelow(count: number): number {
    return Math.floor(this.#nextUnit() * count);
  }

  /** Returns an integer from `low` to `high`, both inclusive. */
  nextBetween(low: number, high: number): number {
    return low + this.nextBelow(high - low + 1);
  }

  /** True once in `of` times on average. */
  oneIn(of: number): boolean {
    return this.nextBelow(of) === 0;
  }

  /** Returns one of the items; undefined when there are none. */
  pickOne<T>(items: readonly T[]): T | undefined {
    return items[this.nextBelow(items.length)];
  }

  /**
   * Returns an integer from 0 (inclusive) to `count` (exclusive); small ones are more likely (by
   * squaring).
   */
  nextSkewed(count: number): number {
    const x = this.#nextUnit();
    return Math.floor(x * x * count);
  }

  #nextUnit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
}
