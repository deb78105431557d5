/** Suspects as they were: those of one read at a time, and what later reads found besides waited until they were settled. */
import type { FeedEngine } from '../../../src/contract/feed-engine.js';
import type { AccountReading } from '../../../src/feed/connection/account-reading.js';
import { PROBE_SLOTS_AFTER } from '../../../src/feed/model/limits.js';

/** The accounts that one read found to differ. */
export class Suspects {
  readonly #engine: FeedEngine;
  #first: AccountReading | null = null;
  #keys: readonly string[] = [];

  constructor(engine: FeedEngine) {
    this.#engine = engine;
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  clear(): void {
    this.#suspect(null, []);
  }

  keysUntil(): readonly string[] {
    return [];
  }

  hasOnePassed(): boolean {
    return false;
  }

  forgetNotified(): void {}

  compareReading(reading: AccountReading, newestSlot: number): readonly string[] {
    const lacking = this.#engine.lackingAccounts(reading.snapshot);
    const first = this.#first;
    const stillLacking = first === null ? [] : this.#engine.lackingAccounts(first.snapshot);
    const twice = lacking.filter((key) => this.#keys.includes(key) && stillLacking.includes(key));
    if (first === null || twice.length === 0) {
      this.#suspect(reading, lacking);
      return [];
    }
    this.#suspect(first, twice);
    const isSettled = newestSlot >= first.snapshot.slot + PROBE_SLOTS_AFTER;
    return isSettled && reading.snapshot.slot > first.snapshot.slot ? twice : [];
  }

  takeKeys(keys: readonly string[]): ReadonlyMap<string, AccountReading> {
    const first = this.#first;
    this.clear();
    return new Map(first === null ? [] : keys.map((key) => [key, first]));
  }

  suspectLacking(reading: AccountReading): void {
    this.#suspect(reading, this.#engine.lackingAccounts(reading.snapshot));
  }

  #suspect(reading: AccountReading | null, keys: readonly string[]): void {
    this.#first = keys.length === 0 ? null : reading;
    this.#keys = keys;
  }
}
