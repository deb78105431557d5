/** The real timings, without the watch of the event loop: it is of real time, which stands still here. */
import { Timings as RealTimings } from '../../../src/server/metrics/timings.js';

/** Histograms of the service. */
export class Timings extends RealTimings {
  override watchLoop(): void {}
}
