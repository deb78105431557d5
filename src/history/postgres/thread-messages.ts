/** The messages between a connection and its server thread, as plain data. */
import type { Bound, Row } from '../store/connection.js';

/** The requests to the thread, one at a time. */
export type ServerRequest =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly role: StoreRole;
    }
  | {
      readonly kind: 'query';
      readonly text: string;
      readonly values: readonly Bound[];
      /**
       * The name under which the server prepares the statement; null for a rarely used statement.
       */
      readonly name: string | null;
    }
  /** Rows in the text format of COPY. */
  | { readonly kind: 'copy'; readonly text: string; readonly rows: string }
  | { readonly kind: 'close' };

/** The reply to a request. */
export type ServerReply =
  | { readonly rows: readonly Row[]; readonly changes: number }
  | { readonly failure: ServerFailure };

/** A failure: a code of Postgres, of the system or of the thread, and a message. */
export interface ServerFailure {
  readonly code: string;
  readonly message: string;
}

/** The role of a connection: one writing service, or any number of reading services. */
export type StoreRole = 'write' | 'read';

/** The configuration of a thread. */
export interface ThreadSetup {
  readonly port: import('node:worker_threads').MessagePort;
  /** Shared memory with one integer, which is set to 1 when a reply is in the port. */
  readonly replied: SharedArrayBuffer;
}

/** The thread's code for a database that another service writes. */
export const OTHER_WRITER = 'OTHER_WRITER';
/** The code for a database without tables, which a reader does not create. */
export const NOT_MADE = 'NOT_MADE';
/** The codes for a database with tables of a later, and of an earlier version. */
export const LATER_VERSION = 'LATER_VERSION';
/** See LATER_VERSION. */
export const EARLIER_VERSION = 'EARLIER_VERSION';
