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
 * What becomes of an item that was not given: `again` where its node gives others, `doubtful` where no node is known to,
 * `givenUp` at the end of its tries, and `blocked` where too many were given up while nothing was given.
 */
export type Verdict = 'again' | 'doubtful' | 'givenUp' | 'blocked';

/** The name of the mark in the store. */
const UNAVAILABLE_MARK = 'unavailable';

interface Tried {
  readonly firstMs: number;
  tries: number;
  /** Its node gave another item meanwhile, so the item is refused and the node does not fail. */
  isProven: boolean;
}

interface GivenUp {
  /** Null for an item that cannot be requested by itself. */
  row: PlacedSignature | null;
  tries: number;
  dueMs: number;
}

/**
 * Items that nodes list and do not give, or give unreadable: transactions by their signature, rows of a list by their
 * text. Each is tried again with an end, so that it never holds the others up; transactions that were given up are tried
 * again later, with an end as well. The tries outlive sessions, because a refusal may end one.
 */
export class UngivenItems {
  readonly #timers: Pick<Timers, 'nowMs'>;
  readonly #tried = new Map<string, Tried>();
  readonly #givenUp = new Map<string, GivenUp>();
  /** Given up since the last sign that a node gives anything. */
  #unproven = 0;
  /** Whether the transactions that were given up are others than those of the store. */
  #isChanged = false;

  constructor(timers: Pick<Timers, 'nowMs'>) {
    this.#timers = timers;
  }

  /** Items that were given up, and not given since. */
  get count(): number {
    return this.#givenUp.size;
  }

  /** Their keys. */
  get keys(): readonly string[] {
    return [...this.#givenUp.keys()];
  }

  wasTried(key: string): boolean {
    return this.#tried.has(key);
  }

  isGivenUp(key: string): boolean {
    return this.#givenUp.has(key);
  }

  /** Counts one try in vain; `isProven` says that the node gives others. */
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

  /** Where a transaction that was given up has its place by the newest list. */
  place(row: PlacedSignature): void {
    const givenUp = this.#givenUp.get(row.signature);
    if (givenUp === undefined) return;
    this.#isChanged ||= givenUp.row?.slot !== row.slot || givenUp.row.place !== row.place;
    givenUp.row = row;
  }

  /** The item was given; true when it had been given up. */
  recordGiven(key: string): boolean {
    this.#unproven = 0;
    this.#tried.delete(key);
    const wasGivenUp = this.#givenUp.delete(key);
    this.#isChanged ||= wasGivenUp;
    return wasGivenUp;
  }

  /** The transactions that are to be tried again now, a few at once. */
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

  /** The mark of the store that names the newest transactions that were given up; none where it has them. */
  get mark(): Readonly<Record<string, string>> {
    if (!this.#isChanged) return {};
    const rows = [...this.#givenUp.values()].map(({ row }) => row).filter((row) => row !== null);
    return { [UNAVAILABLE_MARK]: JSON.stringify(rows.slice(-UNGIVEN_STORED_MAX)) };
  }

  /** The store has the mark. */
  recordStored(): void {
    this.#isChanged = false;
  }

  /** Takes over what an earlier run gave up: it is due at once. */
  restore(marks: ReadonlyMap<string, string>): void {
    const rows: unknown = JSON.parse(marks.get(UNAVAILABLE_MARK) ?? '[]');
    if (!Array.isArray(rows)) return;
    for (const row of rows.filter(isPlaced)) {
      if (this.#givenUp.has(row.signature)) continue;
      keepNewest(this.#givenUp, row.signature, { row, tries: 0, dueMs: this.#timers.nowMs() });
    }
  }

  /** Another chain has other items. */
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
