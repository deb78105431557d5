/** Converts failures of a server into StoreErrors. */
import { StoreError, type StoreReason } from '../store/error.js';
import {
  EARLIER_VERSION,
  LATER_VERSION,
  NOT_MADE,
  OTHER_WRITER,
  type ServerFailure,
} from './thread-messages.js';

/**
 * Reasons by the prefix of the error code: codes of Postgres (five characters), of the system, and
 * of the thread.
 */
const reasons: readonly (readonly [prefix: string, reason: StoreReason, what: string])[] = [
  [OTHER_WRITER, 'locked', 'another service writes into the database'],
  [NOT_MADE, 'lost', 'the database cannot be read'],
  [LATER_VERSION, 'newer', 'the database cannot be used'],
  [EARLIER_VERSION, 'older', 'the database cannot be used'],
  ['53100', 'full', "the server's disk is full"],
  ['53', 'lost', 'the server has no room'],
  ['25006', 'readonly', 'the server may not be written: it is a replica'],
  ['42501', 'readonly', 'the user has not the right'],
  ['28', 'lost', 'the server does not let the user in'],
  ['3D', 'lost', 'the server has no such database'],
  ['55P03', 'locked', 'a lock was not to be had in time'],
  ['57014', 'io', 'the server took too long'],
  ['57', 'lost', 'the server is going down'],
  ['08', 'lost', 'the server was lost'],
  ['40', 'io', 'the server took a transaction back'],
  ['58', 'io', 'the disk of the server failed'],
  ['42P01', 'foreign', 'the database is not that of a history'],
  ['42703', 'foreign', 'the database is not that of a history'],
  ['42P07', 'foreign', 'the database has tables of another program'],
  ['42723', 'foreign', 'the database has functions of another program'],
  ['XX001', 'corrupt', 'the database is damaged'],
  ['XX002', 'corrupt', 'the database is damaged'],
  ['E', 'lost', 'the server cannot be reached'],
];

/** Messages with which the packages report a closed connection, which has no code. */
const endings = /terminat|connect|not queryable|closed|timeout|SSL|SASL|SCRAM/i;

/** Error codes of the thread itself, whose messages may be published. */
const ownCodes: ReadonlySet<string> = new Set([
  OTHER_WRITER,
  NOT_MADE,
  LATER_VERSION,
  EARLIER_VERSION,
]);

/**
 * Returns a StoreError for a failure of the thread. The server's message becomes the cause, which
 * is only logged.
 */
export function serverError(place: string, { code, message }: ServerFailure): StoreError {
  const serverText = new Error(message);
  const known = reasons.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) {
    const [, reason, what] = known;
    const shown = ownCodes.has(code) ? `${code}: ${message}` : code;
    return new StoreError(reason, `${what}: ${place} (${shown})`, serverText);
  }
  if (code === '' && endings.test(message)) {
    return new StoreError('lost', `the server was lost: ${place}`, serverText);
  }
  return new StoreError(
    'internal',
    `the store failed: ${place} (${code || 'no code'})`,
    serverText,
  );
}

/** Returns an address without user, password and parameters, which may be secret. */
export function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
