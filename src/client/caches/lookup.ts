/**
 * A cache of values by market; only newer values replace cached ones, and listeners are called for
 * changes.
 */
import type { MarketKey } from '../keys.js';
import { Listeners } from '../listeners.js';

/** Where a value is from in time. */
export interface Stamp {
  /** The slot that the value is of. */
  readonly slot: number;
  /** Time of the service in Unix milliseconds; undefined when it is not known. */
  readonly ts?: number | undefined;
  /**
   * The epoch of the value, which names a run of the service: slots of two epochs are not
   * comparable.
   */
  readonly epoch?: string | undefined;
}

/** The argument of a listener: the values of the changed markets only. */
export type Lookup<Value> = Readonly<Partial<Record<MarketKey, Value>>>;

/** A value with its version. */
interface Update<Value> {
  readonly key: MarketKey;
  readonly value: Value;
  readonly stamp: Stamp;
}

/** Values by market. */
export class LookupCache<Value extends object> {
  readonly #held = new Map<MarketKey, { readonly value: Value; readonly stamp: Stamp }>();
  readonly #listeners = new Listeners<Lookup<Value>>();

  /** All cached values. */
  get store(): Lookup<Value> {
    return Object.fromEntries(Array.from(this.#held, ([key, { value }]) => [key, value]));
  }

  /** Returns the value of a market; undefined before the first value. */
  get(key: MarketKey): Value | undefined {
    return this.#held.get(key)?.value;
  }

  /** Stores newer values, and calls each listener once with all changes. */
  update(updates: Iterable<Update<Value>>): void {
    const changed: Partial<Record<MarketKey, Value>> = {};
    let count = 0;
    for (const { key, value, stamp } of updates) {
      const held = this.#held.get(key);
      if (held !== undefined && !isNews(held, { value, stamp })) continue;
      this.#held.set(key, { value, stamp });
      changed[key] = value;
      count += 1;
    }
    if (count > 0) this.#listeners.emit(changed);
  }

  /** Registers a listener for changed markets; returns its unsubscribe function. */
  onUpdate(listener: (changed: Lookup<Value>) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Clears all values and listeners. */
  destroy(): void {
    this.#held.clear();
    this.#listeners.clear();
  }
}

interface Held<Value> {
  readonly value: Value;
  readonly stamp: Stamp;
}

/**
 * Within a slot the book may change, so a different value counts as newer unless its time is
 * earlier.
 */
function isNews<Value extends object>(held: Held<Value>, next: Held<Value>): boolean {
  const was = held.stamp;
  const is = next.stamp;
  if (was.epoch !== is.epoch) return true;
  if (is.slot !== was.slot) return is.slot > was.slot;
  const isEarlier = is.ts !== undefined && was.ts !== undefined && is.ts < was.ts;
  return !isEarlier && !isEqual(held.value, next.value);
}

function isEqual<Value extends object>(one: Value, other: Value): boolean {
  const names = Object.keys(one) as (keyof Value)[];
  return names.every((name) => one[name] === other[name]);
}
