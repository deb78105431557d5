/**
 * Estimates from pings how far the service's clock is ahead of the page's. The service reads its
 * clock between ping and pong, so each ping bounds the offset. The intersection of all bounds is
 * much narrower than a round trip; half its width is the maximum error.
 */
import { CLOCK_SAMPLES_MAX } from './limits.js';

/** A ping and its pong; milliseconds. */
export interface ClockSample {
  /** Times of the ping and the pong, by the page's clock. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The service's clock, truncated to a millisecond. */
  readonly serviceMs: number;
}

/** The estimated offset, service time minus page time, and its maximum error. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** The newest samples of both clocks. */
export class ClockComparison {
  readonly #bounds: (readonly [low: number, high: number])[] = [];
  #offset: ClockOffset | null = null;

  /** The current estimate; null before the first sample. */
  get offset(): ClockOffset | null {
    return this.#offset;
  }

  addSample({ sentMs, receivedMs, serviceMs }: ClockSample): void {
    this.#bounds.push([serviceMs - receivedMs, serviceMs + 1 - sentMs]);
    if (this.#bounds.length > CLOCK_SAMPLES_MAX) this.#bounds.shift();
    this.#offset = this.#estimate();
  }

  #estimate(): ClockOffset {
    let low = Number.NEGATIVE_INFINITY;
    let high = Number.POSITIVE_INFINITY;
    // Bounds are intersected from the newest on, because older ones may contradict them after a
    // clock was set or has drifted.
    for (const [from, to] of [...this.#bounds].reverse()) {
      if (Math.max(low, from) > Math.min(high, to)) break;
      [low, high] = [Math.max(low, from), Math.min(high, to)];
    }
    return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  }
}
