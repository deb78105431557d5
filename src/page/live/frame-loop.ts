/** One animation frame for everything that has changed: what is drawn together is of one book. */

/** Calls with each animation frame that was requested. A hidden tab has none. */
export class FrameLoop {
  readonly #draw: () => void;
  #request: number | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Draws in the next animation frame, once however often it is requested. */
  requestFrame(): void {
    this.#request ??= requestAnimationFrame(() => {
      this.#request = undefined;
      this.#draw();
    });
  }

  stop(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#request = undefined;
  }
}
