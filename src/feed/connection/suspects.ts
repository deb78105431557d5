import type { AccountSnapshot } from '../../contract/accounts.js';
import type { FeedEngine } from '../../contract/feed-engine.js';
import { PROBE_SLOTS_AFTER } from '../model/limits.js';

/** One read: what it asked for, the response, and what that holds. */
export interface ProbeReading {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  readonly snapshot: AccountSnapshot;
}

/** A range of slots that were announced, the first one left out. */
export interface SlotRange {
  readonly after: number;
  readonly until: number;
}

/**
 * Accounts that differed when they were read, each with the read that found it first: what that holds may only
 * have been on its way. Each is settled by itself: one that is notified late hides no other. They are part
 * of each next read, so that there are no more of them than accounts in one.
 */
export class Suspects {
  readonly #engine: FeedEngine;
  readonly #firstReadings = new Map<string, ProbeReading>();

  constructor(engine: FeedEngine) {
    this.#engine = engine;
  }

  keys(): readonly string[] {
    return [...this.#firstReadings.keys()];
  }

  clear(): void {
    this.#firstReadings.clear();
  }

  /** Whether one was found by a read of this slot or of an earlier one. */
  hasOneOf(slot: number): boolean {
    return this.#readings().some(({ snapshot }) => snapshot.slot <= slot);
  }

  /** Whether the socket has passed the first read of one of them within these slots. */
  hasOnePassed({ after, until }: SlotRange): boolean {
    return this.#readings().some((reading) => {
      const passed = passedSlot(reading);
      return after < passed && passed <= until;
    });
  }

  /** Forgets those that were notified since. The engine must have what was notified. */
  forgetNotified(): void {
    for (const reading of this.#readings()) {
      const lacking = new Set(this.#engine.lackingAccounts(reading.snapshot));
      for (const key of this.#keysOf(reading)) {
        if (!lacking.has(key)) this.#firstReadings.delete(key);
      }
    }
  }

  /**
   * Returns those that lack what the first and this read of them hold, when the socket has passed the
   * slot of the first: a notification is missing for sure. What the read finds new is suspected.
   */
  compareReading(reading: ProbeReading, newestSlot: number): readonly string[] {
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

  /** Takes these out, and returns the first read of each. */
  takeKeys(keys: readonly string[]): ReadonlyMap<string, ProbeReading> {
    const taken = new Map<string, ProbeReading>();
    for (const key of keys) {
      const first = this.#firstReadings.get(key);
      if (first !== undefined) taken.set(key, first);
      this.#firstReadings.delete(key);
    }
    return taken;
  }

  /** Suspects what still lacks what this read holds, and is not suspected yet. */
  suspectLacking(reading: ProbeReading): void {
    this.#addKeys(this.#engine.lackingAccounts(reading.snapshot), reading);
  }

  #addKeys(keys: readonly string[], reading: ProbeReading): void {
    for (const key of keys) {
      if (!this.#firstReadings.has(key)) this.#firstReadings.set(key, reading);
    }
  }

  #readings(): readonly ProbeReading[] {
    return [...new Set(this.#firstReadings.values())];
  }

  #keysOf(reading: ProbeReading): readonly string[] {
    return this.keys().filter((key) => this.#firstReadings.get(key) === reading);
  }
}

/** The slot by which the socket has notified what a read holds. */
function passedSlot({ snapshot }: ProbeReading): number {
  return snapshot.slot + PROBE_SLOTS_AFTER;
}
