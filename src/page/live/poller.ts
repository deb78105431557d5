/** Reads something again and again while the page is visible, one read at a time. */

/** A repeated read; a failed one is repeated like any other, because the stream says what is wrong. */
export class Poller {
  readonly #read: (signal: AbortSignal) => Promise<void>;
  readonly #intervalMs: number;
  #current: AbortController | undefined;

  constructor(intervalMs: number, read: (signal: AbortSignal) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#read = read;
  }

  /** Reads at once, and then in the interval; begins again where it runs already. */
  start(): void {
    this.stop();
    const current = new AbortController();
    this.#current = current;
    const turn = async (): Promise<void> => {
      if (current.signal.aborted) return;
      await this.#read(current.signal).catch(() => {});
      if (!current.signal.aborted) setTimeout(turn, this.#intervalMs);
    };
    void turn();
  }

  stop(): void {
    this.#current?.abort();
  }
}
