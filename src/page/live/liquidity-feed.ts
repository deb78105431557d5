/** The liquidity of a market over time: a first read, then what is new. */
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

/** What is known so far. */
export interface LiquidityRead {
  /** Oldest first. */
  readonly columns: readonly HeatColumn[];
  /** Segments of the journal that were read, of all; undefined before the first answer. */
  readonly progress: { readonly read: number; readonly of: number } | undefined;
  /** The error of the last read. */
  readonly error: unknown;
}

/**
 * Reads the choice, and then its newest rows, until the returned function is called. While the
 * service still makes summaries of its journal, the whole time is read again.
 */
export function followLiquidity(
  http: HttpClient,
  { market, span, resolution, untilMs }: LiquidityChoice,
  onRead: (read: LiquidityRead) => void,
): () => void {
  const work = new AbortController();
  const { signal } = work;
  let columns: readonly HeatColumn[] = [];
  let progress: LiquidityRead['progress'];

  const readOnce = async (): Promise<number | undefined> => {
    const nowS = Math.floor((untilMs ?? Date.now()) / 1_000);
    const isWhole = progress !== undefined && progress.read === progress.of;
    const newest = isWhole ? columns.at(-1) : undefined;
    const from = newest === undefined ? nowS - span : newest.ts / 1_000;
    const until = untilMs === undefined ? {} : { to: nowS };
    const query = { marketName: market, resolution, from, ...until };
    const { rows, segmentsRead, segments } = await http.liquidityHistory(query, { signal });
    const read = rows.flatMap((row) => columnOf(row) ?? []);
    const first = Math.max(nowS - span, 0) * 1_000;
    const older = columns.filter(({ ts }) => ts >= first && ts < from * 1_000);
    columns = [...older, ...read];
    progress = { read: segmentsRead, of: segments };
    onRead({ columns, progress, error: undefined });
    if (segmentsRead < segments) return 0;
    return untilMs === undefined ? LIQUIDITY_MS : undefined;
  };
  const follow = async (retryMs: number): Promise<void> => {
    if (signal.aborted) return;
    try {
      const waitMs = await readOnce();
      if (waitMs !== undefined) setTimeout(() => void follow(LOAD_RETRY_MS.first), waitMs);
    } catch (error) {
      if (signal.aborted) return;
      onRead({ columns, progress, error });
      const nextMs = Math.min(LOAD_RETRY_MS.max, retryMs * 2);
      setTimeout(() => void follow(nextMs), retryMs);
    }
  };
  void follow(LOAD_RETRY_MS.first);
  return () => work.abort();
}
