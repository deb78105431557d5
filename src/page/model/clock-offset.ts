/**
 * How far the clock of the service is ahead of the page's, from pings. Each ping bounds it: the service read
 * its clock after the ping had left and before the pong came. What all bounds have in common is far
 * narrower than one round trip, and half of its width is how wrong the estimate can be.
 */
import { CLOCK_SAMPLES_MAX } from './limits.js';

/** A ping and its pong; milliseconds. */
export interface ClockSample {
  /** When the ping was sent and the pong came, by the page's clock. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The clock of the service, cut to a whole millisecond. */
  readonly serviceMs: number;
}

/** An estimate: service less page, and how wrong it can be. */
export interface ClockOffset {
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** The newest samples of two clocks. */
export class ClockComparison {
  readonly #bounds: (readonly [low: number, high: number])[] = [];
  #offset: ClockOffset | null = null;

  /** The estimate, which each frame reads; null before the first sample. */
  get offset(): ClockOffset | null {
    return this.#offset;
  }

  addSample({ sentMs, receivedMs, serviceMs }: ClockSample): void {
    this.#bounds.push([serviceMs - receivedMs, serviceMs + 1 - sentMs]);
    if (this.#bounds.length > CLOCK_SAMPLES_MAX) this.#bounds.shift();
    this.#offset = this.#estimate();
  }

  #estimate(): ClockOffset {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    // From the newest: where one of the clocks was set or has drifted, older samples do not fit.
    for (const [from, to] of [...this.#bounds].reverse()) {
      if (Math.max(low, from) > Math.min(high, to)) break;
      [low, high] = [Math.max(low, from), Math.min(high, to)];
    }
    return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  }
}
