import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketMark, PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';

/**
 * Delayed changes of the longer intervals are published on a time grid of this many milliseconds.
 */
const WAIT_GRID_MS = 10;

const NO_MARK: PublishMark = [];

/** The delayed classes of one market, and their due times. */
interface MarketClasses {
  readonly id: number;
  /** Bit set of the classes whose last mark preceded the last change. */
  waiting: number;
  /** For each class, the earliest time of its next mark. */
  readonly readyAtMs: Float64Array;
  /** The earliest due time of the waiting classes; 0 after a change. */
  dueAtMs: number;
}

/** The setting and the parts of the marks. */
interface PublishMarksOptions {
  /**
   * The service's own interval between two frames of a topic, milliseconds; no class has a shorter
   * one.
   */
  readonly streamIntervalMs: number;
  readonly timers: Pick<Timers, 'nowMs' | 'after'>;
  /**
   * Whether the last turn has a leaf, which proves the book that readers of the service's own
   * interval have: all its delayed changes are then published.
   */
  readonly isLeafDue?: (() => boolean) | undefined;
  /** Called when a delayed change may be published, so that a turn must end. */
  readonly onDue: () => void;
}

/**
 * Schedules publications: each market at most once per interval, the first change immediately. The
 * last change is never lost, because delayed changes join a later mark. Times are monotonic
 * milliseconds.
 */
export class PublishMarks {
  /** By class. */
  readonly #intervalsMs: readonly number[];
  readonly #markets = new Map<number, MarketClasses>();
  readonly #waiting = new Set<MarketClasses>();
  readonly #allClasses: number;
  readonly #options: PublishMarksOptions;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #timer: Timer | null = null;
  /** When the timer fires. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: PublishMarksOptions) {
    const { streamIntervalMs } = options;
    this.#options = options;
    this.#intervalsMs = [0, ...LIMITS.streamIntervals].map((ms) => Math.max(ms, streamIntervalMs));
    this.#allClasses = 2 ** this.#intervalsMs.length - 1;
  }

  /** The next due time of a delayed publication; infinity when there is none. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /** Adds the changes of a turn, and takes the mark of those that may be published at its end. */
  takeMark(changes: MarketChanges): PublishMark {
    this.#addChanges(changes);
    const nowMs = this.#options.timers.nowMs();
    const mark = this.#takeReady(nowMs);
    this.#scheduleWake(nowMs);
    return mark;
  }

  /** Asks for no turn any more. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #addChanges({ dirty, requoted, indicated, allChanged }: MarketChanges): void {
    if (allChanged) for (const id of this.#markets.keys()) this.#addMarket(id);
    for (const id of dirty) this.#addMarket(id);
    for (const id of requoted) this.#addMarket(id);
    for (const id of indicated) this.#addMarket(id);
  }

  #takeReady(nowMs: number): PublishMark {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    if (this.#waiting.size === 0) return NO_MARK;
    const isLeafDue = this.#options.isLeafDue?.() === true;
    const mark: MarketMark[] = [];
    for (const market of this.#waiting) {
      if (isLeafDue) {
        market.readyAtMs[0] = nowMs;
        market.dueAtMs = nowMs;
      }
      const classes = nowMs < market.dueAtMs ? 0 : this.#takeClasses(market, nowMs);
      if (classes !== 0) mark.push({ market: market.id, classes });
      if (market.waiting === 0) this.#waiting.delete(market);
      else this.#dueAtMs = Math.min(this.#dueAtMs, market.dueAtMs);
    }
    return mark;
  }

  /** Sets the timer for delayed changes, unless it is already set for an earlier time. */
  #scheduleWake(nowMs: number): void {
    const { timers, onDue } = this.#options;
    const dueAtMs = this.#dueAtMs;
    if (dueAtMs >= this.#wakeAtMs || this.#stopped) return;
    this.#timer?.cancel();
    this.#wakeAtMs = dueAtMs;
    this.#timer = timers.after(Math.ceil(dueAtMs - nowMs), () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      onDue();
    });
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

  /**
   * Takes the waiting classes whose time has come, and records when the first of the other classes
   * is due.
   */
  #takeClasses(market: MarketClasses, nowMs: number): number {
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
