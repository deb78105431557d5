import { FrameCadence } from '../model/frame-cadence.js';

/** Coalesces changes into one animation frame, so that everything drawn together belongs to one book. */

/** Calls once per requested animation frame. A hidden tab has none. */
export class FrameLoop {
  readonly #draw: () => void;
  readonly #onDropped: ((count: number) => void) | undefined;
  readonly #cadence = new FrameCadence();
  #request: number | undefined;

  /** `onDropped` is called with the number of missed screen frames. */
  constructor(draw: () => void, onDropped?: (count: number) => void) {
    this.#draw = draw;
    this.#onDropped = onDropped;
  }

  /** Requests the next animation frame; repeated requests draw once. */
  requestFrame(): void {
    if (this.#request !== undefined) return;
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
