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
  #bounds: (readonly [low: number, high: number])[] = [];

  /** The estimate; null before the first sample. */
  get offset(): ClockOffset | null {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    // From the newest: where one of the clocks was set or has drifted, older samples do not fit.
    for (const [from, to] of [...this.#bounds].reverse()) {
      if (Math.max(low, from) > Math.min(high, to)) break;
      [low, high] = [Math.max(low, from), Math.min(high, to)];
    }
    if (!Number.isFinite(low)) return null;
    return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 };
  }

  addSample({ sentMs, receivedMs, serviceMs }: ClockSample): void {
    this.#bounds.push([serviceMs - receivedMs, serviceMs + 1 - sentMs]);
    if (this.#bounds.length > CLOCK_SAMPLES_MAX) this.#bounds.shift();
  }
}
