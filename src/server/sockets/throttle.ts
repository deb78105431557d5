/**
 * When what has changed is published: the first change at once, then at most one frame in each
 * interval. The last change is never lost, because what had to wait goes out when its time has come.
 *
 * This file does not know what is published, nor to whom. Time is that of its timers.
 */

import type { Timer, Timers } from '../../contract/timers.js';

/** Something that is published when it has changed. */
export interface Throttled {
  /** The next frame is not published before this time, which the publisher sets. */
  readyAtMs: number;
  /** When the oldest unpublished change occurred. */
  changedAtMs: number;
}

/** How a throttle publishes. */
export interface ThrottleOptions<Item extends Throttled> {
  readonly publish: (item: Item, nowMs: number) => void;
  readonly timers: Timers;
  /** Time in one turn of the event loop; the rest is published in the next. */
  readonly sliceMs: number;
}

/** What has changed since it was published last. */
export class Throttle<Item extends Throttled> {
  readonly #options: ThrottleOptions<Item>;
  /** In the order of changing. */
  readonly #due = new Set<Item>();
  #timer: Timer | undefined;
  /** When the timer fires. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  /** When the first of them is ready. */
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(options: ThrottleOptions<Item>) {
    this.#options = options;
  }

  /**
   * Marks an item as changed; {@link Throttle.flush} publishes it when it is ready. Returns false when
   * it was marked already.
   */
  markDirty(item: Item, nowMs: number): boolean {
    if (this.#due.has(item)) return false;
    item.changedAtMs = nowMs;
    this.#due.add(item);
    this.#nextMs = Math.min(this.#nextMs, item.readyAtMs);
    return true;
  }

  removeItem(item: Item): void {
    this.#due.delete(item);
  }

  /**
   * Publishes what is ready, those first that changed first, and plans to publish the rest. A timer is
   * set only for what has to wait: most changes go out in their turn.
   */
  flush(startMs: number): void {
    this.#scheduleTimer(startMs >= this.#nextMs ? this.#publishReady(startMs) : startMs);
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#timer?.cancel();
    this.#due.clear();
    this.#nextMs = Number.POSITIVE_INFINITY;
  }

  /** Sets the timer for what has to wait, unless it comes sooner. */
  #scheduleTimer(nowMs: number): void {
    if (this.#nextMs >= this.#wakeAtMs) return;
    this.#wakeAtMs = this.#nextMs;
    this.#timer?.cancel();
    const waitMs = Math.ceil(this.#nextMs - nowMs);
    this.#timer = this.#options.timers.after(waitMs, () => this.#onTimer());
  }

  /** A timer may come some microseconds early: what is ready is seen item by item. */
  #onTimer(): void {
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    this.#scheduleTimer(this.#publishReady(this.#options.timers.nowMs()));
  }

  /** Returns the time at its end. */
  #publishReady(startMs: number): number {
    const { publish, timers, sliceMs } = this.#options;
    let nowMs = startMs;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const item of this.#due) {
      if (item.readyAtMs > nowMs) {
        nextMs = Math.min(nextMs, item.readyAtMs);
        continue;
      }
      if (nowMs - startMs > sliceMs) {
        nextMs = nowMs + 1;
        break;
      }
      this.#due.delete(item);
      publish(item, nowMs);
      nowMs = timers.nowMs();
    }
    this.#nextMs = nextMs;
    return nowMs;
  }
}
