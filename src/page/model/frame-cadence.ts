/** Frames of the screen that were dropped. */
import { FRAME_MS } from './limits.js';

/** How regular the frames of a screen are. Times are milliseconds of the page's clock. */
export class FrameCadence {
  #intervalMs: number = FRAME_MS.longest;
  #lastMs = 0;

  /** Notes a frame that was requested. Returns how many frames of the screen went by before it. */
  noteFrame(requestedMs: number, frameMs: number): number {
    const sinceMs = frameMs - this.#lastMs;
    this.#lastMs = frameMs;
    // Two frames that follow each other are as far apart as those of the screen, and none are nearer.
    if (sinceMs >= FRAME_MS.shortest) this.#intervalMs = Math.min(this.#intervalMs, sinceMs);
    const waited = (frameMs - requestedMs) / this.#intervalMs;
    return Math.max(0, Math.floor(waited - FRAME_MS.jitterPart));
  }
}
