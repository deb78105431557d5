/** The changes of each market since the last mark of each interval class. */
import { LIMITS } from '../../config/limits.js';
import type { LiquiditySources } from '../../contract/book-requests.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { TopicSpec } from '../../contract/topics.js';

/**
 * The number of interval classes, including the service's own; a mark has one bit for each class.
 */
const CLASSES = LIMITS.streamIntervals.length + 1;

/**
 * The kinds of changes of a market. Each kind includes the previous kinds; a topic without quotes
 * ignores changes of quotes.
 */
export const CHANGE = {
  nothing: 0,
  /** Only indicative quotes. */
  indicative: 1,
  /** Only quotes, including AMM quotes. */
  quotes: 2,
  book: 3,
} as const;

/** A kind of change. */
export type ChangeKind = (typeof CHANGE)[keyof typeof CHANGE];

/** The changes of a market that an interval class has not published yet. */
interface UnmarkedChange {
  kind: ChangeKind;
  /** The time of the first change. */
  changedAtMs: number;
  /** The receipt time of the first change. */
  receivedAtMs: number;
}

/** The changes of one market. */
interface MarketChange {
  /** The least unpublished change of every class. */
  least: ChangeKind;
  readonly classes: readonly UnmarkedChange[];
}

/** The time of a turn, and the receipt time of the first update in it. */
interface TurnTimes {
  readonly nowMs: number;
  readonly receivedAtMs: number;
}

/** Returns the index of a topic's interval class, which is the number of its bit in marks. */
export function classOf({ intervalMs }: TopicSpec): number {
  const index = LIMITS.streamIntervals.findIndex((allowed) => allowed === intervalMs);
  return index + 1;
}

/** Returns the lowest kind of change that affects a topic. */
export function leastChangeOf({ vamm, indicative }: LiquiditySources): ChangeKind {
  if (indicative === true) return CHANGE.indicative;
  return vamm === true ? CHANGE.quotes : CHANGE.book;
}

/** The changes of all markets. */
export class UnmarkedChanges {
  /** The size is bounded by the core's maximum number of markets. */
  readonly #markets = new Map<number, MarketChange>();
  /**
   * The last change that affected all markets, including unknown markets, because a restored book
   * does not list its changes.
   */
  #allChanged: TurnTimes | null = null;

  /** Adds the changes of a turn. */
  addTurn({ dirty, requoted, indicated, allChanged }: MarketChanges, times: TurnTimes): void {
    if (allChanged) this.#allChanged = times;
    if (allChanged) for (const id of this.#markets.keys()) this.#add(id, CHANGE.book, times);
    for (const id of dirty) this.#add(id, CHANGE.book, times);
    for (const id of requoted) this.#add(id, CHANGE.quotes, times);
    for (const id of indicated) this.#add(id, CHANGE.indicative, times);
  }

  /**
   * Returns the changes of a market that a class has not published yet; undefined when there are
   * none.
   */
  find(market: number, index: number): UnmarkedChange | undefined {
    return this.#findMarket(market)?.classes[index];
  }

  /** Removes the changes that these classes published. */
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
