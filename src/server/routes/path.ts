/** A path of the service: its description and its route. */

import type { BuildInfo } from '../../config/build-info.js';
import type { ReadAccounts } from '../../contract/account-source.js';
import type { AsOfSource } from '../../contract/as-of-source.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { FeedMetrics, Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { JournalSource } from '../../contract/journal-source.js';
import type { ProofSource } from '../../contract/proof-source.js';
import type { Timers } from '../../contract/timers.js';
import type { VenueStats } from '../../contract/venue-stats.js';
import type { Texts } from '../api/param-check.js';
import type { PathSpec } from '../api/path-spec.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Timings } from '../metrics/timings.js';
import type { HttpRequest, Reply } from '../transport/reply.js';
import type { FirstReady } from './first-ready.js';
import type { LoopBudget } from './loop-budget.js';
import type { PageFiles } from './page-files.js';

/** Handles the requests of one path; `pathTexts` are the values of its names in braces. */
export type Route = (request: HttpRequest, pathTexts: Texts) => Reply | Promise<Reply>;

/**
 * Reads the minimum fee with which each recent block wrote to all of these accounts (base58), in
 * micro-lamports per compute unit.
 */
export type ReadFees = (accounts: readonly string[]) => Promise<readonly number[]>;

/** A time whose records and books were made up, Unix milliseconds. */
export interface SeededSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The sources of the paths. */
export interface ServiceSources {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedMetrics;
  readonly build: BuildInfo;
  /** Trades, funding rates and candles; without a history, its paths are not served. */
  readonly history?: MarketDataSource | undefined;
  /** The state of off-chain venues; absent or empty when there are none. */
  readonly venues?: () => readonly VenueStats[];
  /** The journal; absent where none is kept. */
  readonly journal?: JournalSource | undefined;
  readonly timers: Timers;
  /** Books of past moments; absent when no journal is kept. */
  readonly asOf?: AsOfSource | undefined;
  /** The signed log of the books; absent without a signing key. */
  readonly proofs?: ProofSource | undefined;
  /** Whether /l2 and the batches use the dlob-server's defaults below /dlob; false by default. */
  readonly compatDefaults?: boolean;
  /** The made-up part of the history and of the journal, of a demo. */
  readonly seeded?: SeededSpan | undefined;
  /** Durations, for /metrics. */
  readonly timings?: Timings;
}

/** A service as its paths use it. */
export interface PathService extends ServiceSources {
  readonly readAccounts: ReadAccounts;
  readonly readFees: ReadFees;
  /** The time in a turn of the event loop that all book paths share. */
  readonly budget: LoopBudget;
  readonly ready: FirstReady;
  readonly page: PageFiles;
  readonly metrics: Metrics;
  /** The served paths, and the API descriptions as JSON. */
  readonly described: {
    readonly paths: readonly string[];
    readonly api: string;
    readonly channels: string;
  };
}

/** A service that has a history. */
export type HistoryService = PathService & { readonly history: MarketDataSource };

/** A path that needs a history has the kind `history`. */
export type Path =
  | (PathSpec & {
      readonly kind: Exclude<PathSpec['kind'], 'history'>;
      readonly open: (service: PathService) => Route;
    })
  | (PathSpec & {
      readonly kind: 'history';
      readonly open: (service: HistoryService) => Route;
    });

/**
 * Returns a function that makes a value once for each service, so that the paths of a service share
 * the value.
 */
export function shared<Of extends object, Made>(
  make: (service: Of) => Made,
): (service: Of) => Made {
  const all = new WeakMap<Of, Made>();
  return (service) => {
    const known = all.get(service);
    if (known !== undefined) return known;
    const made = make(service);
    all.set(service, made);
    return made;
  };
}
