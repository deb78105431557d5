import { FrameCadence } from '../model/frame-cadence.js';

/** One animation frame for everything that has changed: what is drawn together is of one book. */

/** Calls with each animation frame that was requested. A hidden tab has none. */
export class FrameLoop {
  readonly #draw: () => void;
  readonly #onDropped: ((count: number) => void) | undefined;
  readonly #cadence = new FrameCadence();
  #request: number | undefined;

  /** `onDropped` is called with the number of frames that the screen showed without what was to be drawn. */
  constructor(draw: () => void, onDropped?: (count: number) => void) {
    this.#draw = draw;
    this.#onDropped = onDropped;
  }

  /** Draws in the next animation frame, once however often it is requested. */
  requestFrame(): void {
    if (this.#request !== undefined) return;
    // A hidden tab drops nothing: it has no frames.
    const isCounted = this.#onDropped !== undefined && document.visibilityState !== 'hidden';
    const requestedMs = isCounted ? performance.now() : Number.POSITIVE_INFINITY;
    this.#request = requestAnimationFrame((frameMs) => {
      this.#request = undefined;
      const dropped = this.#cadence.noteFrame(requestedMs, frameMs);
      if (dropped > 0) this.#onDropped?.(dropped);
      this.#draw();
    });
  }

  stop(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#request = undefined;
  }
}
