/** Reads something periodically while the page is visible, one read at a time. */

/** A periodic read; a failed read is simply repeated, because the stream reports problems. */
export class Poller {
  readonly #read: (signal: AbortSignal) => Promise<void>;
  readonly #intervalMs: number;
  #current: AbortController | undefined;

  constructor(intervalMs: number, read: (signal: AbortSignal) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#read = read;
  }

  /** Reads immediately, and then periodically; restarts a running poller. */
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
