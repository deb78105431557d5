import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketMark, PublishMark } from '../../contract/publish-mark.js';

/** Delayed changes of the longer intervals are aligned to a grid of this many ms. */
const WAIT_GRID_MS = 10;

const NO_MARK: PublishMark = [];

/** The delayed classes of one market, and their due times. */
interface MarketClasses {
  readonly id: number;
  /** Bit set of the classes whose last mark preceded the last change. */
  waiting: number;
  /** By class: the earliest time of its next mark. */
  readonly readyAtMs: Float64Array;
  /** The earliest due time of the waiting classes; 0 after a change. */
  dueAtMs: number;
}

/**
 * Schedules publications: each market at most once per interval, the first change immediately, and
 * the last one never lost, because delayed changes join a later mark. Time is monotonic
 * milliseconds.
 */
export class PublishMarks {
  /** By class. */
  readonly #intervalsMs: readonly number[];
  readonly #markets = new Map<number, MarketClasses>();
  readonly #waiting = new Set<MarketClasses>();
  readonly #allClasses: number;
  #dueAtMs = Number.POSITIVE_INFINITY;

  /** `baseMs` is the service's interval: no class has a shorter one. */
  constructor(baseMs: number) {
    this.#intervalsMs = [0, ...LIMITS.streamIntervals].map((ms) => Math.max(ms, baseMs));
    this.#allClasses = 2 ** this.#intervalsMs.length - 1;
  }

  /** The next due time of a delayed publication; infinity for none. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  addChanges({ dirty, requoted, indicated, allChanged }: MarketChanges): void {
    if (allChanged) for (const id of this.#markets.keys()) this.#addMarket(id);
    for (const id of dirty) this.#addMarket(id);
    for (const id of requoted) this.#addMarket(id);
    for (const id of indicated) this.#addMarket(id);
  }

  /** Takes the due publications. */
  takeMark(nowMs: number): PublishMark {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    if (this.#waiting.size === 0) return NO_MARK;
    const mark: MarketMark[] = [];
    for (const market of this.#waiting) {
      const classes = nowMs < market.dueAtMs ? 0 : this.#takeReady(market, nowMs);
      if (classes !== 0) mark.push({ market: market.id, classes });
      if (market.waiting === 0) this.#waiting.delete(market);
      else this.#dueAtMs = Math.min(this.#dueAtMs, market.dueAtMs);
    }
    return mark;
  }

  #addMarket(id: number): void {
    let market = this.#markets.get(id);
    if (market === undefined) {
      const readyAtMs = new Float64Array(this.#intervalsMs.length);
      market = { id, waiting: 0, readyAtMs, dueAtMs: 0 };
      this.#markets.set(id, market);
    }
    if (market.waiting === this.#allClasses) return;
    market.waiting = this.#allClasses;
    market.dueAtMs = 0;
    this.#waiting.add(market);
  }

  /** Takes the due classes, and updates the due time of the rest. */
  #takeReady(market: MarketClasses, nowMs: number): number {
    const { waiting, readyAtMs } = market;
    let ready = 0;
    market.dueAtMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < readyAtMs.length; index += 1) {
      if ((waiting & (1 << index)) === 0) continue;
      const readyMs = readyAtMs[index] ?? 0;
      if (readyMs <= nowMs) {
        ready |= 1 << index;
        readyAtMs[index] = nowMs + (this.#intervalsMs[index] ?? 0);
      } else {
        const dueMs = index === 0 ? readyMs : Math.ceil(readyMs / WAIT_GRID_MS) * WAIT_GRID_MS;
        market.dueAtMs = Math.min(market.dueAtMs, dueMs);
      }
    }
    market.waiting = waiting & ~ready;
    return ready;
  }
}
