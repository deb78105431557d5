import type { Timers } from '../../contract/timers.js';
import {
  FETCH_TRIES_MAX,
  FETCH_TRIES_MS_MIN,
  FETCHES_MAX,
  LATER_CAP_MS,
  LATER_FIRST_MS,
  LATER_TRIES_MAX,
  UNGIVEN_MAX,
  UNGIVEN_STORED_MAX,
  UNPROVEN_MAX,
} from '../model/limits.js';
import type { PlacedSignature } from './rpc-results.js';

/**
 * The verdict on a failed item: `again` when its node returns other items, `doubtful` when no node
 * is known to return any, `givenUp` after its last attempt, and `blocked` when too many items were
 * given up without any success.
 */
export type Verdict = 'again' | 'doubtful' | 'givenUp' | 'blocked';

/** The name of the mark in the store. */
const UNAVAILABLE_MARK = 'unavailable';

interface Tried {
  readonly firstMs: number;
  tries: number;
  /**
   * Whether the node has returned another item since, so that the item was refused and the node
   * works.
   */
  isProven: boolean;
}

interface GivenUp {
  /** The listed transaction; null for an item that cannot be requested on its own. */
  row: PlacedSignature | null;
  tries: number;
  dueMs: number;
}

/**
 * Items that nodes list but do not return, or return unreadable: transactions by signature, rows of
 * a list by text. Retries are bounded, so that an item never blocks the others; given-up
 * transactions are retried later, also a bounded number of times. The retries outlive sessions,
 * because a refusal may end a session.
 */
export class UngivenItems {
  readonly #timers: Pick<Timers, 'nowMs'>;
  readonly #tried = new Map<string, Tried>();
  readonly #givenUp = new Map<string, GivenUp>();
  /** Number of items given up since a node last returned any item. */
  #unproven = 0;
  /** Whether the given-up transactions differ from those in the store. */
  #isChanged = false;

  constructor(timers: Pick<Timers, 'nowMs'>) {
    this.#timers = timers;
  }

  /** Number of items that were given up and not returned since. */
  get count(): number {
    return this.#givenUp.size;
  }

  get keys(): readonly string[] {
    return [...this.#givenUp.keys()];
  }

  wasTried(key: string): boolean {
    return this.#tried.has(key);
  }

  isGivenUp(key: string): boolean {
    return this.#givenUp.has(key);
  }

  /** Counts a failed attempt; `isProven` means that the node returns other items. */
  judge(key: string, { isProven }: { readonly isProven: boolean }): Verdict {
    if (isProven) this.#unproven = 0;
    const nowMs = this.#timers.nowMs();
    const tried = this.#tried.get(key) ?? { firstMs: nowMs, tries: 0, isProven };
    tried.tries += 1;
    tried.isProven ||= isProven;
    keepNewest(this.#tried, key, tried);
    const isOver = tried.tries >= FETCH_TRIES_MAX && nowMs - tried.firstMs >= FETCH_TRIES_MS_MIN;
    if (!isOver) return tried.isProven ? 'again' : 'doubtful';
    if (!tried.isProven && this.#unproven >= UNPROVEN_MAX) return 'blocked';
    if (!tried.isProven) this.#unproven += 1;
    this.#tried.delete(key);
    this.#isChanged = true;
    keepNewest(this.#givenUp, key, { row: null, tries: 0, dueMs: nowMs + LATER_FIRST_MS });
    return 'givenUp';
  }

  /** Updates the place of a given-up transaction from the newest list. */
  place(row: PlacedSignature): void {
    const givenUp = this.#givenUp.get(row.signature);
    if (givenUp === undefined) return;
    this.#isChanged ||= givenUp.row?.slot !== row.slot || givenUp.row.place !== row.place;
    givenUp.row = row;
  }

  /** Records that the item arrived; returns true when it had been given up. */
  recordGiven(key: string): boolean {
    this.#unproven = 0;
    this.#tried.delete(key);
    const wasGivenUp = this.#givenUp.delete(key);
    this.#isChanged ||= wasGivenUp;
    return wasGivenUp;
  }

  /** Takes a few transactions that are due for a retry. */
  takeDue(): readonly PlacedSignature[] {
    const nowMs = this.#timers.nowMs();
    const due: PlacedSignature[] = [];
    for (const item of this.#givenUp.values()) {
      if (item.row === null || item.tries >= LATER_TRIES_MAX || item.dueMs > nowMs) continue;
      item.tries += 1;
      item.dueMs = nowMs + Math.min(LATER_CAP_MS, LATER_FIRST_MS * 2 ** item.tries);
      due.push(item.row);
      if (due.length === FETCHES_MAX) break;
    }
    return due;
  }

  /**
   * The mark that lists the newest given-up transactions; empty when the store's mark is up to
   * date.
   */
  get mark(): Readonly<Record<string, string>> {
    if (!this.#isChanged) return {};
    const rows = [...this.#givenUp.values()].map(({ row }) => row).filter((row) => row !== null);
    return { [UNAVAILABLE_MARK]: JSON.stringify(rows.slice(-UNGIVEN_STORED_MAX)) };
  }

  recordStored(): void {
    this.#isChanged = false;
  }

  /** Restores the transactions that an earlier run gave up; they are due immediately. */
  restore(marks: ReadonlyMap<string, string>): void {
    const rows: unknown = JSON.parse(marks.get(UNAVAILABLE_MARK) ?? '[]');
    if (!Array.isArray(rows)) return;
    for (const row of rows.filter(isPlaced)) {
      if (this.#givenUp.has(row.signature)) continue;
      keepNewest(this.#givenUp, row.signature, { row, tries: 0, dueMs: this.#timers.nowMs() });
    }
  }

  /** Clears the items, which belong to one chain. */
  clear(): void {
    this.#tried.clear();
    this.#givenUp.clear();
    this.#unproven = 0;
    this.#isChanged = false;
  }
}

function isPlaced(row: unknown): row is PlacedSignature {
  if (typeof row !== 'object' || row === null) return false;
  const { signature, slot, place } = row as Partial<Record<keyof PlacedSignature, unknown>>;
  return typeof signature === 'string' && typeof slot === 'number' && typeof place === 'number';
}

function keepNewest<T>(items: Map<string, T>, key: string, item: T): void {
  items.set(key, item);
  if (items.size <= UNGIVEN_MAX) return;
  const [oldest] = items.keys();
  if (oldest !== undefined) items.delete(oldest);
}
