/** What a connection and the thread that speaks to its server say to each other: plain data. */
import type { Bound, Row } from '../store/connection.js';

/** What the thread is asked, one thing at a time. */
export type ServerRequest =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly role: StoreRole;
      /** Up to which version, in tests; null for all. */
      readonly upTo: string | null;
    }
  | {
      readonly kind: 'query';
      readonly text: string;
      readonly values: readonly Bound[];
      /** Under which name the server keeps the statement; null for a text that is seldom used. */
      readonly name: string | null;
    }
  /** Rows in the text form of COPY. */
  | { readonly kind: 'copy'; readonly text: string; readonly rows: string }
  | { readonly kind: 'close' };

/** What came of it. */
export type ServerReply =
  | { readonly rows: readonly Row[]; readonly changes: number }
  | { readonly failure: ServerFailure };

/** Why it failed: a code of Postgres, of the system or of ours, and a text. */
export interface ServerFailure {
  readonly code: string;
  readonly message: string;
}

/** The one that writes has the database for itself; any number read beside it. */
export type StoreRole = 'write' | 'read';

/** What a thread is started with. */
export interface ThreadSetup {
  readonly port: import('node:worker_threads').MessagePort;
  /** One number, which is 1 when a reply is in the port. */
  readonly replied: SharedArrayBuffer;
}

/** The code of the thread for a database that another service writes. */
export const OTHER_WRITER = 'OTHER_WRITER';
/** For one without tables, which a reader does not make. */
export const NOT_MADE = 'NOT_MADE';
/** For one whose tables are of a later version. */
export const LATER_VERSION = 'LATER_VERSION';
