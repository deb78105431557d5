/** What has changed in each market since the last mark of each interval class. */
import { LIMITS } from '../../config/limits.js';
import type { LiquiditySources } from '../../contract/book-requests.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { TopicSpec } from '../../contract/topics.js';

/** Interval classes, the service's own among them; a mark names them as bits. */
const CLASSES = LIMITS.streamIntervals.length + 1;

/** How much of a market has changed. Each kind includes those before it; a topic without quotes ignores changes of quotes alone. */
export const CHANGE = {
  nothing: 0,
  /** Only indicative quotes. */
  indicative: 1,
  /** Only quotes, those of the AMM among them. */
  quotes: 2,
  book: 3,
} as const;

/** One of them. */
export type ChangeKind = (typeof CHANGE)[keyof typeof CHANGE];

/** The changes of one market that one class has not published. */
export interface UnmarkedChange {
  kind: ChangeKind;
  /** When the first of them occurred. */
  changedAtMs: number;
  /** When its first notification was received. */
  receivedAtMs: number;
}

/** The changes of one market. */
interface MarketChange {
  /** Every class has at least this to publish. */
  least: ChangeKind;
  readonly classes: readonly UnmarkedChange[];
}

/** When a turn occurred, and when the first notification of it was received. */
export interface TurnTimes {
  readonly nowMs: number;
  readonly receivedAtMs: number;
}

/** The class of a topic, as the bit that marks have for it. */
export function classOf({ intervalMs }: TopicSpec): number {
  const index = LIMITS.streamIntervals.findIndex((allowed) => allowed === intervalMs);
  return index + 1;
}

/** The least change of its market that may change a topic. */
export function leastChangeOf({ vamm, indicative }: LiquiditySources): ChangeKind {
  if (indicative === true) return CHANGE.indicative;
  return vamm === true ? CHANGE.quotes : CHANGE.book;
}

/** The changes of all markets. */
export class UnmarkedChanges {
  /** As many as the core allows markets. */
  readonly #markets = new Map<number, MarketChange>();
  /** When all markets changed last: also those that are not known, as a book that was restored tells of none. */
  #allChanged: TurnTimes | null = null;

  /** Adds what a turn has changed. */
  addTurn({ dirty, requoted, indicated, allChanged }: MarketChanges, times: TurnTimes): void {
    if (allChanged) this.#allChanged = times;
    if (allChanged) for (const id of this.#markets.keys()) this.#add(id, CHANGE.book, times);
    for (const id of dirty) this.#add(id, CHANGE.book, times);
    for (const id of requoted) this.#add(id, CHANGE.quotes, times);
    for (const id of indicated) this.#add(id, CHANGE.indicative, times);
  }

  /** What a class has not published of a market; undefined before anything has changed. */
  find(market: number, index: number): UnmarkedChange | undefined {
    return this.#findMarket(market)?.classes[index];
  }

  /** These classes of a market are published. */
  clear(market: number, classes: number): void {
    const changed = this.#findMarket(market);
    if (changed === undefined) return;
    changed.least = CHANGE.nothing;
    for (let index = 0; index < CLASSES; index += 1) {
      const change = changed.classes[index];
      if (change !== undefined && (classes & (1 << index)) !== 0) change.kind = CHANGE.nothing;
    }
  }

  #findMarket(market: number): MarketChange | undefined {
    if (this.#allChanged !== null && !this.#markets.has(market)) {
      this.#add(market, CHANGE.book, this.#allChanged);
    }
    return this.#markets.get(market);
  }

  #add(id: number, kind: ChangeKind, { nowMs, receivedAtMs }: TurnTimes): void {
    const changed = this.#changesOf(id);
    if (kind <= changed.least) return;
    changed.least = kind;
    for (const change of changed.classes) {
      if (change.kind === CHANGE.nothing) {
        change.changedAtMs = nowMs;
        change.receivedAtMs = receivedAtMs;
      }
      if (kind > change.kind) change.kind = kind;
    }
  }

  #changesOf(id: number): MarketChange {
    const known = this.#markets.get(id);
    if (known !== undefined) return known;
    const classes = Array.from({ length: CLASSES }, (): UnmarkedChange => {
      return { kind: CHANGE.nothing, changedAtMs: 0, receivedAtMs: 0 };
    });
    const changed: MarketChange = { least: CHANGE.nothing, classes };
    this.#markets.set(id, changed);
    return changed;
  }
}
