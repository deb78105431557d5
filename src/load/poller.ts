/** A client that polls the books of all markets in turn, at an even rate. */
import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../client/http/client.js';
import type { StreamDepth } from '../client/stream/topic.js';
import { BookCheck } from './book-check.js';
import type { Figures } from './figures.js';
import { RESPONSE_MS_MAX } from './limits.js';

/** Options of a poller. */
interface PollerOptions {
  readonly url: string;
  readonly markets: readonly string[];
  readonly depth: StreamDepth;
  /** Requests a second. */
  readonly rate: number;
  /** Delay of the first request, milliseconds, so that the pollers do not request together. */
  readonly delayMs: number;
  readonly figures: Figures;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Polls until its signal aborts. */
export class BookPoller {
  readonly #options: PollerOptions;
  readonly #client: HttpClient;
  readonly #checks: readonly BookCheck[];

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#client = new HttpClient({ url: options.url, retriesMax: 0, timeoutMs: RESPONSE_MS_MAX });
    this.#checks = options.markets.map(() => new BookCheck());
  }

  /** Resolves when the signal has ended it. */
  async run(): Promise<void> {
    const { rate, delayMs, markets, signal } = this.#options;
    const periodMs = 1_000 / rate;
    let dueMs = performance.now() + delayMs;
    for (let at = 0; !signal.aborted; at = (at + 1) % markets.length) {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // After a slow response, latency counts from the time at which the request was due; a late
      // timer is not counted.
      await this.#poll(at, waitMs > 0 ? performance.now() : dueMs);
      dueMs += periodMs;
    }
  }

  async #poll(at: number, beganMs: number): Promise<void> {
    const { markets, depth, figures, signal } = this.#options;
    const marketName = markets[at] ?? '';
    try {
      const book = await this.#client.l2({ marketName, depth }, { signal });
      figures.polls += 1;
      figures.addPoll(performance.now() - beganMs);
      const fault = this.#checks[at]?.findFault(book);
      if (fault !== undefined) figures.findings.add(`a response: ${fault}`);
    } catch (error) {
      if (signal.aborted) return;
      figures.polls += 1;
      figures.failedPolls += 1;
      figures.findings.add(`a request: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
