/** The liquidity of a market over time: a first read, then the newest rows. */
import type { HttpClient, LiquidityQuery } from '@slotbook/client';
import { columnOf, type HeatColumn } from '../model/heat.js';
import { LIQUIDITY_MS, LOAD_RETRY_MS } from '../model/limits.js';

/** The drawn time. */
export interface LiquidityChoice {
  readonly market: string;
  /** Seconds. */
  readonly span: number;
  readonly resolution: NonNullable<LiquidityQuery['resolution']>;
  /** The end, Unix milliseconds; undefined for now. */
  readonly untilMs: number | undefined;
}

/** The rows that have arrived. */
export interface LiquidityRead {
  /** Oldest first. */
  readonly columns: readonly HeatColumn[];
  /** Segments of the journal that were read, of all; undefined before the first answer. */
  readonly progress: { readonly read: number; readonly of: number } | undefined;
  /** The error of the last read. */
  readonly error: unknown;
}

/**
 * Reads one choice, and then its newest rows, until it is stopped. While the service still makes
 * summaries of its journal, the whole time is read again.
 */
export class LiquidityFeed {
  readonly #http: HttpClient;
  readonly #choice: LiquidityChoice;
  readonly #onRead: (read: LiquidityRead) => void;
  readonly #work = new AbortController();
  #read: LiquidityRead = { columns: [], progress: undefined, error: undefined };

  constructor(http: HttpClient, choice: LiquidityChoice, onRead: (read: LiquidityRead) => void) {
    this.#http = http;
    this.#choice = choice;
    this.#onRead = onRead;
    void this.#follow(LOAD_RETRY_MS.first);
  }

  stop(): void {
    this.#work.abort();
  }

  async #follow(retryMs: number): Promise<void> {
    const { signal } = this.#work;
    if (signal.aborted) return;
    const followAfter = (waitMs: number, nextMs: number) =>
      setTimeout(() => void this.#follow(nextMs), waitMs);
    try {
      await this.#readRows(signal);
      const { progress } = this.#read;
      if (progress === undefined || progress.read < progress.of)
        followAfter(0, LOAD_RETRY_MS.first);
      else if (this.#choice.untilMs === undefined) followAfter(LIQUIDITY_MS, LOAD_RETRY_MS.first);
    } catch (error) {
      if (signal.aborted) return;
      this.#setRead({ ...this.#read, error });
      followAfter(retryMs, Math.min(LOAD_RETRY_MS.max, retryMs * 2));
    }
  }

  async #readRows(signal: AbortSignal): Promise<void> {
    const { market: marketName, span, resolution, untilMs } = this.#choice;
    const { columns, progress } = this.#read;
    const nowS = Math.floor((untilMs ?? Date.now()) / 1_000);
    const first = Math.max(0, nowS - span);
    const newest = progress?.read === progress?.of ? columns.at(-1) : undefined;
    const from = newest === undefined ? first : newest.ts / 1_000;
    const until = untilMs === undefined ? {} : { to: nowS };
    const query = { marketName, resolution, from, ...until };
    const { rows, segmentsRead, segments } = await this.#http.liquidityHistory(query, { signal });
    const older = columns.filter(({ ts }) => ts >= first * 1_000 && ts < from * 1_000);
    this.#setRead({
      columns: [...older, ...rows.flatMap((row) => columnOf(row) ?? [])],
      progress: { read: segmentsRead, of: segments },
      error: undefined,
    });
  }

  #setRead(read: LiquidityRead): void {
    this.#read = read;
    this.#onRead(read);
  }
}
