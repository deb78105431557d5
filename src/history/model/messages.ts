/**
 * The messages between the main thread and the history's worker. They are plain data that a port
 * copies; the bytes of bodies are transferred.
 */

import type { RefusedQuery } from '../../contract/as-of-source.js';
import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats, MarketFrame, MarketStats } from '../../contract/history-source.js';
import type { LoggedWrites } from '../../contract/logged-writes.js';
import type { MarketKey } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import type { Retain } from '../../contract/retain.js';
import type { HistoryBook } from './records.js';

/** The configuration of a node. */
export interface HistoryNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** The configuration of a Yellowstone gRPC server. */
interface HistoryStream {
  readonly url: string;
  readonly token: string | undefined;
}

/** A database that replaces the files; the URL contains user and password. */
export interface DatabaseSetup {
  readonly url: string;
  /** One service writes; any number of services read. */
  readonly role: 'write' | 'read';
}

/** The configuration of the worker. */
export interface WorkerSetup {
  /** The nodes; at least one, except for a reading service. */
  readonly nodes: readonly HistoryNode[];
  /** Preferred sources of transactions; the first available source is used. */
  readonly grpc?: readonly HistoryStream[] | undefined;
  readonly database?: DatabaseSetup | undefined;
  readonly programId: string;
  /** The program whose records it logs; by default that of its address. */
  readonly program?: ProgramName | undefined;
  /** The folder of the files, created if missing. */
  readonly dataDir: string;
  /** Retention of records by kind, in days; 0 keeps all. */
  readonly retain: Retain;
  /** Retention of candles shorter than a day, in days; 0 keeps all. */
  readonly candleRetentionDays: number;
  /**
   * Initial back-fill of an empty store: hours; the next member is the maximum number of
   * transactions.
   */
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  /** Transaction requests per second, to stay below the node's limit. */
  readonly requestsPerSecond: number;
}

/** From the main thread. */
export type ToWorker =
  | { readonly kind: 'query'; readonly id: number; readonly query: HistoryQuery }
  | { readonly kind: 'book'; readonly book: HistoryBook }
  | { readonly kind: 'join'; readonly topic: string }
  | { readonly kind: 'leave'; readonly topic: string }
  | { readonly kind: 'stop' };

/** A message from the worker. A version is posted before any body that it covers. */
export type FromWorker =
  | { readonly kind: 'reply'; readonly id: number; readonly reply: HistoryBody }
  | { readonly kind: 'refused'; readonly id: number; readonly error: RefusedQuery }
  | { readonly kind: 'versions'; readonly versions: readonly (readonly [MarketKey, string])[] }
  | { readonly kind: 'frames'; readonly frames: readonly MarketFrame[] }
  | { readonly kind: 'stats'; readonly stats: HistoryStats }
  | { readonly kind: 'logged'; readonly writes: readonly LoggedWrites[] }
  | { readonly kind: 'marketStats'; readonly markets: readonly MarketStats[] }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    };
