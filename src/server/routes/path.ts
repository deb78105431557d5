/** A path of the service: its description, and its route. */

import type { BuildInfo } from '../../config/build-info.js';
import type { AsOfSource } from '../../contract/as-of-source.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { FeedMetrics, Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { JournalSource } from '../../contract/journal-source.js';
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

/** Handles one path; `pathTexts` are the values of its names in braces. */
export type Route = (request: HttpRequest, pathTexts: Texts) => Reply | Promise<Reply>;

/** Reads accounts as base64, in the order of their keys; null where there is none. */
export type ReadAccounts = (keys: readonly string[]) => Promise<readonly (string | null)[]>;

/**
 * Reads the fees that recent blocks took at least for writing all of these accounts (base58), in
 * micro-lamports a compute unit.
 */
export type ReadFees = (accounts: readonly string[]) => Promise<readonly number[]>;

/** The sources of the paths. */
export interface ServiceSources {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedMetrics;
  readonly build: BuildInfo;
  /** Trades, funding rates and candles; without it their paths are not there. */
  readonly history?: MarketDataSource;
  /** The state of venues outside of the chain; absent or empty where there is none. */
  readonly venues?: () => readonly VenueStats[];
  /** The journal; absent where none is kept. */
  readonly journal?: JournalSource;
  readonly timers: Timers;
  /** Books of past moments; absent where no journal is kept. */
  readonly asOf?: AsOfSource;
  /** Whether /l2 and the batches have the defaults of the dlob-server under /dlob; not by default. */
  readonly compatDefaults?: boolean;
  /** Durations, for /metrics. */
  readonly timings?: Timings;
}

/** A service as its paths use it. */
export interface PathService extends ServiceSources {
  readonly readAccounts: ReadAccounts;
  readonly readFees: ReadFees;
  /** The time in a turn of the event loop that all paths of the book budget. */
  readonly budget: LoopBudget;
  readonly ready: FirstReady;
  readonly page: PageFiles;
  readonly metrics: Metrics;
  /** The paths that are served, and the descriptions of the interface as JSON. */
  readonly described: {
    readonly paths: readonly string[];
    readonly api: string;
    readonly channels: string;
  };
}

/** A service that has a history. */
export type HistoryService = PathService & { readonly history: MarketDataSource };

/** A path of a service without which it is not there has the kind `history`. */
export type Path =
  | (PathSpec & {
      readonly kind: Exclude<PathSpec['kind'], 'history'>;
      readonly open: (service: PathService) => Route;
    })
  | (PathSpec & {
      readonly kind: 'history';
      readonly open: (service: HistoryService) => Route;
    });

/** What the paths of a service share: made once for each service. */
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
