import type { FeedEngine } from '../../contract/feed-engine.js';
import { PROBE_SLOTS_AFTER } from '../model/limits.js';
import type { AccountReading } from './account-reading.js';

/** A range of announced slots, exclusive at the start. */
interface SlotRange {
  readonly after: number;
  readonly until: number;
}

/**
 * Accounts that differed from the book when they were read, each with the read that first found the
 * difference; its state may have been in flight. Each account is decided separately: a late
 * notification of one does not hide another. All suspects are part of each next read, so their
 * number is bounded by the accounts of a read.
 */
export class Suspects {
  readonly #engine: FeedEngine;
  readonly #firstReadings = new Map<string, AccountReading>();

  constructor(engine: FeedEngine) {
    this.#engine = engine;
  }

  keys(): readonly string[] {
    return [...this.#firstReadings.keys()];
  }

  clear(): void {
    this.#firstReadings.clear();
  }

  /** Returns the suspects that were found by a read of this slot or earlier, until this time. */
  keysUntil(slot: number, readAtMsMax = Number.POSITIVE_INFINITY): readonly string[] {
    return [...this.#firstReadings].flatMap(([key, { snapshot, atMs }]) => {
      return snapshot.slot <= slot && atMs <= readAtMsMax ? [key] : [];
    });
  }

  /** Returns whether the socket has passed the first read of a suspect within these slots. */
  hasOnePassed({ after, until }: SlotRange): boolean {
    return this.#readings().some((reading) => {
      const passed = passedSlot(reading);
      return after < passed && passed <= until;
    });
  }

  /** Removes suspects with a later notification. The engine must have all notifications. */
  forgetNotified(): void {
    for (const reading of this.#readings()) {
      const lacking = new Set(this.#engine.lackingAccounts(reading.snapshot));
      for (const key of this.#keysOf(reading)) {
        if (!lacking.has(key)) this.#firstReadings.delete(key);
      }
    }
  }

  /**
   * Returns the suspects for which the book lacks the state of both the first read and this read,
   * although the socket has passed the slot of the first read: a notification was certainly lost.
   * New differences become suspects.
   */
  compareReading(reading: AccountReading, newestSlot: number): readonly string[] {
    this.forgetNotified();
    const lacking = this.#engine.lackingAccounts(reading.snapshot);
    for (const key of this.keys()) {
      if (!lacking.includes(key)) this.#firstReadings.delete(key);
    }
    this.#addKeys(lacking, reading);
    return lacking.filter((key) => {
      const first = this.#firstReadings.get(key) ?? reading;
      return reading.snapshot.slot > first.snapshot.slot && newestSlot >= passedSlot(first);
    });
  }

  /** Removes these suspects, and returns the first read of each. */
  takeKeys(keys: readonly string[]): ReadonlyMap<string, AccountReading> {
    const taken = new Map<string, AccountReading>();
    for (const key of keys) {
      const first = this.#firstReadings.get(key);
      if (first !== undefined) taken.set(key, first);
      this.#firstReadings.delete(key);
    }
    return taken;
  }

  /**
   * Adds the accounts for which the book lacks this read's state, unless they are suspects already.
   */
  suspectLacking(reading: AccountReading): void {
    this.#addKeys(this.#engine.lackingAccounts(reading.snapshot), reading);
  }

  #addKeys(keys: readonly string[], reading: AccountReading): void {
    for (const key of keys) {
      if (!this.#firstReadings.has(key)) this.#firstReadings.set(key, reading);
    }
  }

  #readings(): readonly AccountReading[] {
    return [...new Set(this.#firstReadings.values())];
  }

  #keysOf(reading: AccountReading): readonly string[] {
    return this.keys().filter((key) => this.#firstReadings.get(key) === reading);
  }
}

/** Returns the slot by which the socket has notified the state of a read. */
function passedSlot({ snapshot }: AccountReading): number {
  return snapshot.slot + PROBE_SLOTS_AFTER;
}
