/**
 * What the main thread and the history's worker say to each other. All of it is plain data that a
 * port copies; the bytes of bodies change hands instead.
 */

import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats, MarketFrame, MarketStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import type { HistoryBook } from './records.js';

/** A node, as the worker reaches it. */
export interface HistoryNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** A Yellowstone gRPC server, as the worker reaches it. */
export interface HistoryStream {
  readonly url: string;
  readonly token: string | undefined;
}

/** A database in the place of files; the address has its user and password. */
export interface DatabaseSetup {
  readonly url: string;
  /** One service writes, and any number read what it writes. */
  readonly role: 'write' | 'read';
}

/** What the worker is started with. */
export interface WorkerSetup {
  /** At least one, but for a service that only reads. */
  readonly nodes: readonly HistoryNode[];
  /** Whose transactions are followed in place of the nodes' logs, the first that stands. */
  readonly grpc?: readonly HistoryStream[] | undefined;
  readonly database?: DatabaseSetup | undefined;
  readonly programId: string;
  /** Where the files are; made when it is not there. */
  readonly dataDir: string;
  /** Trades and funding rates older than this are deleted, in days; 0 keeps all. */
  readonly retentionDays: number;
  /** Candles shorter than a day older than this are deleted, in days; 0 keeps all. */
  readonly candleRetentionDays: number;
  /** An empty store is filled from this long ago, and with this many transactions at most. */
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  /** Requests for transactions a second, to stay below what the node allows. */
  readonly requestsPerSecond: number;
}

/** From the main thread. */
export type ToWorker =
  | { readonly kind: 'query'; readonly id: number; readonly query: HistoryQuery }
  | { readonly kind: 'book'; readonly book: HistoryBook }
  | { readonly kind: 'join'; readonly topic: string }
  | { readonly kind: 'leave'; readonly topic: string }
  | { readonly kind: 'stop' };

/** An error of the history as it travels. */
export interface RefusedQuery {
  readonly code: string;
  readonly message: string;
  /** The parameter that is to blame; null when none is. */
  readonly param: string | null;
}

/** From the worker. Versions are posted before any body that they stand for. */
export type FromWorker =
  | { readonly kind: 'reply'; readonly id: number; readonly reply: HistoryBody }
  | { readonly kind: 'refused'; readonly id: number; readonly error: RefusedQuery }
  | { readonly kind: 'versions'; readonly versions: readonly (readonly [MarketKey, string])[] }
  | { readonly kind: 'frames'; readonly frames: readonly MarketFrame[] }
  | { readonly kind: 'stats'; readonly stats: HistoryStats }
  /** The file of an earlier version is rewritten: nothing else is sent until that is done. */
  | { readonly kind: 'upgrading' }
  | { readonly kind: 'marketStats'; readonly markets: readonly MarketStats[] }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    };
