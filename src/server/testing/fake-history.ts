/**
 * A history that echoes its query, for tests of parameters and headers. It has no trades: the
 * content of bodies is tested in the history.
 */

import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats, MarketDataSource, MarketStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';

/** The history of these tests. */
export class FakeHistory implements MarketDataSource {
  /** Every query so far, in order. */
  readonly requested: HistoryQuery[] = [];
  state: HistoryStats = liveFigures;
  /** The chain's time, unix seconds. */
  chainTs: number | null = null;
  current = 'v1';
  nextCursor: string | null = null;
  isFinal = false;
  /** Padding of every body. */
  filler = '';
  /** The error that every query throws. */
  refusal: Error | undefined;
  gate: Promise<void> = Promise.resolve();

  /** Holds all queries until the returned function is called. */
  hold(): () => void {
    let open = (): void => {};
    this.gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  }

  async query(query: HistoryQuery): Promise<HistoryBody> {
    this.requested.push(query);
    await this.gate;
    if (this.refusal !== undefined) throw this.refusal;
    const { filler, nextCursor, isFinal } = this;
    const body = Buffer.from(JSON.stringify(filler === '' ? { query } : { query, filler }));
    return { body, nextCursor, isFinal };
  }

  version(): string {
    return this.current;
  }

  readonly markets = new Map<MarketKey, MarketStats>();

  readMarketStats(): ReadonlyMap<MarketKey, MarketStats> {
    return this.markets;
  }

  readStats(): HistoryStats {
    return { ...this.state, chainTs: this.chainTs };
  }
}

/** The stats of a live, empty history. */
export const liveFigures: HistoryStats = {
  state: 'live',
  reason: null,
  counts: {},
  queued: 0,
  spansOpen: 0,
  missingFills: {},
  stored: { trades: 0, fundingRates: 0, truncated: 0 },
  finalisedSlot: 0,
  completeSinceTs: null,
  chainTs: null,
  newestSlot: 0,
  lagMs: null,
};

/** An error of the history, which is not a ServerError. */
export function refusalWith(code: string, message: string, param?: string): Error {
  return Object.assign(new Error(message), { code, context: { param } });
}
