import type { MarkPublisher } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';

interface LeafMakerOptions {
  /** Renders the frames of marks, whose order it keeps; absent without readers. */
  readonly publisher: MarkPublisher | undefined;
  readonly timers: Pick<Timers, 'soon'>;
  /** Makes the leaf of a turn that ended at this time, unix milliseconds. */
  readonly make: (tsMs: number) => void;
}

/** Makes leaves after their turns, in a turn of the event loop of their own, before the book changes. */
export class LeafMaker implements MarkPublisher {
  readonly #options: LeafMakerOptions;
  #dueMs: number | null = null;

  constructor(options: LeafMakerOptions) {
    this.#options = options;
  }

  /** Wants the leaf of the turn that has just ended. */
  addTurn(tsMs: number): void {
    this.#dueMs = tsMs;
    this.#options.timers.soon(() => this.#makeLeaf());
  }

  get isPublishing(): boolean {
    return this.#dueMs !== null || this.#options.publisher?.isPublishing === true;
  }

  finishMark(): void {
    this.#options.publisher?.finishMark();
    this.#makeLeaf();
  }

  onceFinished(resume: () => void): void {
    const make = (): void => {
      this.#makeLeaf();
      resume();
    };
    if (this.#options.publisher === undefined) make();
    else this.#options.publisher.onceFinished(make);
  }

  #makeLeaf(): void {
    const tsMs = this.#dueMs;
    this.#dueMs = null;
    if (tsMs !== null) this.#options.make(tsMs);
  }
}
