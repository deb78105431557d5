/**
 * Estimates how far the service's clock is ahead of the page's, from pings. Each ping bounds the
 * offset: the service read its clock between the ping and the pong. The intersection of all bounds
 * is much narrower than a round trip, and half its width is the maximum error.
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

/** An estimate of service minus page, and its maximum error. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** The newest samples of both clocks. */
export class ClockComparison {
  readonly #bounds: (readonly [low: number, high: number])[] = [];
  #offset: ClockOffset | null = null;

  /** The estimate for each frame; null before the first sample. */
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
    // From the newest on: older samples do not fit after a clock was set or has drifted.
    for (const [from, to] of [...this.#bounds].reverse()) {
      if (Math.max(low, from) > Math.min(high, to)) break;
      [low, high] = [Math.max(low, from), Math.min(high, to)];
    }
    return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  }
}
