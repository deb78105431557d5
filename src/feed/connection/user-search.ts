import {
  ABSENCE_MS_MAX,
  ABSENCE_REREAD_MS,
  ACCOUNTS_PER_READ,
  SEARCH_READS_MAX,
} from '../model/limits.js';
import type { AccountReading } from './account-reading.js';
import type { FeedParts } from './parts.js';

/** The parameters of a search, and the receiver of its readings. */
interface UserSearchOptions {
  read(keys: readonly string[], signal: AbortSignal): Promise<AccountReading>;
  onRead(reading: AccountReading): void;
}

interface OpenSearch {
  /** The slot in which State was written; an earlier reading does not count. */
  readonly slot: number;
  readonly endMs: number;
  /** The next user of the walk; null at its end. */
  nextUser: number | null;
  /** Users whose reading failed or preceded the slot, to be read again. */
  readonly again: (readonly string[])[];
}

/**
 * Reads all users with orders when one of them may have been deleted, for which nodes send no
 * notification: when State was written and its user count did not increase. A deletion together
 * with a creation leaves the count unchanged.
 *
 * Source: programs/drift/src/instructions/user.rs `handle_delete_user`, `handle_initialize_user`.
 */
export class UserSearch {
  readonly #parts: FeedParts;
  readonly #options: UserSearchOptions;
  #search: OpenSearch | null = null;
  #reads = 0;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #counted = 0;
  #stateSlot: number | null = null;

  constructor(parts: FeedParts, options: UserSearchOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** All users were just read. */
  start(): void {
    this.#counted = this.#parts.engine.readCensus().subAccounts;
  }

  stop(): void {
    this.#search = null;
    this.#stateSlot = null;
    this.#reads = 0;
  }

  recordState(slot: number): void {
    this.#stateSlot = slot;
  }

  /**
   * Continues a search with some concurrent reads. Never rejects; the signal ends with the book.
   */
  async readIfDue(signal: AbortSignal): Promise<void> {
    await this.#judgeState(signal);
    if (signal.aborted || this.#parts.timers.nowMs() < this.#dueAtMs) return;
    const reads: Promise<void>[] = [];
    while (this.#search !== null && this.#reads < SEARCH_READS_MAX) {
      const keys = this.#takeKeys(this.#search);
      if (keys.length === 0) break;
      this.#reads += 1;
      reads.push(this.#readUsers(this.#search, keys, signal));
    }
    await Promise.all(reads);
  }

  async #judgeState(signal: AbortSignal): Promise<void> {
    const slot = this.#stateSlot;
    if (slot === null) return;
    this.#stateSlot = null;
    const { engine, turns, timers } = this.#parts;
    await turns.finishRequested();
    if (signal.aborted) return;
    const { subAccounts } = engine.readCensus();
    if (subAccounts <= this.#counted)
      this.#search = { slot, endMs: timers.nowMs() + ABSENCE_MS_MAX, nextUser: 0, again: [] };
    this.#counted = subAccounts;
  }

  /** Takes the next users to read; none when all were read, or after the time limit. */
  #takeKeys(search: OpenSearch): readonly string[] {
    if (this.#parts.timers.nowMs() > search.endMs) {
      this.#search = null;
      return [];
    }
    const again = search.again.shift();
    if (again !== undefined) return again;
    while (search.nextUser !== null) {
      const { keys, next } = this.#parts.engine.usersWithOrders(search.nextUser, ACCOUNTS_PER_READ);
      search.nextUser = next === 0 ? null : next;
      if (keys.length > 0) return keys;
    }
    if (this.#reads === 0) this.#search = null;
    return [];
  }

  async #readUsers(
    search: OpenSearch,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const reading = await this.#options.read(keys, signal).catch(() => null);
    if (signal.aborted) return;
    this.#reads -= 1;
    if (reading !== null && reading.snapshot.slot >= search.slot) this.#options.onRead(reading);
    else {
      search.again.push(keys);
      this.#dueAtMs = this.#parts.timers.nowMs() + ABSENCE_REREAD_MS;
    }
  }
}
