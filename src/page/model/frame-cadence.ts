/** Detects dropped frames of the screen. */
import { FRAME_MS } from './limits.js';

/** Measures how regularly the screen draws frames. Times are milliseconds of the page's clock. */
export class FrameCadence {
  #intervalMs: number = FRAME_MS.longest;
  #lastMs = 0;

  /** Records a requested frame. Returns the number of screen frames missed before it. */
  noteFrame(requestedMs: number, frameMs: number): number {
    const sinceMs = frameMs - this.#lastMs;
    this.#lastMs = frameMs;
    if (sinceMs >= FRAME_MS.shortest) this.#intervalMs = Math.min(this.#intervalMs, sinceMs);
    const waited = (frameMs - requestedMs) / this.#intervalMs;
    return Math.max(0, Math.floor(waited - FRAME_MS.jitterPart));
  }
}
