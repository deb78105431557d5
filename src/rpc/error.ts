import { CodedError } from '../contract/coded-error.js';

/** The failures of calls to a Solana RPC server; a code is never renamed. */
export type RpcErrorCode =
  | 'INVALID_RPC_URL'
  | 'RPC_UNREACHABLE'
  | 'RPC_TIMEOUT'
  | 'RPC_ABORTED'
  | 'RPC_HTTP_STATUS'
  | 'RPC_RATE_EXCEEDED'
  | 'RPC_NODE_BEHIND'
  | 'RPC_REJECTED'
  | 'RPC_SOCKET_CLOSED'
  | 'RPC_BODY_EXCEEDED'
  | 'SUBSCRIPTIONS_EXCEEDED'
  | 'MALFORMED_RPC_ANSWER'
  | 'MALFORMED_STREAM_MESSAGE';

/**
 * Details of an error: numbers, flags and short texts. `serverText` is the server's message, which
 * is only logged, because the log masks secrets.
 */
type RpcErrorContext = Readonly<Record<string, string | number | boolean>>;

/**
 * The one error class of this room. Its message contains no text from a server and no key, because
 * public paths show it.
 */
export class RpcError extends CodedError<RpcErrorCode, RpcErrorContext> {
  override readonly name = 'RpcError';
}

/** Error classes whose messages contain only text of this program. */
const OWN_ERRORS: ReadonlySet<string> = new Set([
  'RpcError',
  'FeedError',
  'EngineError',
  'JournalError',
  'HistoryError',
  'StoreError',
  'VenueError',
]);
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]+$/;
/** Maximum number of causes to follow, which also bounds a cyclic chain. */
const CAUSES_MAX = 4;

/** Whether this program wrote the message. */
export function isOwnError(error: unknown): error is Error {
  return error instanceof Error && OWN_ERRORS.has(error.name);
}

/**
 * Returns the text of a failure for public paths: this program's message, or else a code or a name,
 * and no text from another server.
 */
export function shownFailure(error: unknown): string {
  if (isOwnError(error)) return error.message;
  const causes = causesOf(error);
  const codes = causes.map((cause) => ('code' in cause ? cause.code : undefined));
  const code = codes.find((each) => typeof each === 'string' && SYSTEM_CODE.test(each));
  return code === undefined ? (causes[0]?.name ?? 'an unknown failure') : String(code);
}

/**
 * Returns all details of a failure, including texts from servers, for the log, which masks secrets.
 */
export function loggedFailure(error: unknown): string {
  const causes = causesOf(error);
  if (causes.length === 0) return String(error);
  const texts = causes.flatMap((cause) => [cause.message, serverTextOf(cause)]);
  return [...new Set(texts)].filter((text) => text !== '').join(': ');
}

/** Returns the error and its chain of causes; empty for a value that is not an error. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < CAUSES_MAX; cause = cause.cause)
    causes.push(cause);
  return causes;
}

function serverTextOf(error: Error): string {
  const serverText = error instanceof RpcError ? error.context['serverText'] : undefined;
  return typeof serverText === 'string' ? serverText : '';
}

/** JSON-RPC: method not found. HTTP: no access, to anything or to old transactions. */
const MISSING_ACCESS: readonly unknown[] = [-32601, 401, 403];

/**
 * Returns the subject of a failed request: the requested `item`, the `node` itself, or `either`, as
 * after a status of 403 or 500, or a timeout.
 */
export function subjectOf(error: Error): 'item' | 'node' | 'either' {
  if (!(error instanceof RpcError)) return 'item';
  const { rpcCode, status } = error.context;
  if (error.code === 'RPC_RATE_EXCEEDED' || rpcCode === 429) return 'node';
  if ([rpcCode, status].some((code) => MISSING_ACCESS.includes(code))) return 'either';
  if (error.code === 'RPC_REJECTED' || error.code === 'RPC_BODY_EXCEEDED') return 'item';
  return typeof status === 'number' && status < 500 ? 'item' : 'either';
}

/** Returns whether a server responded, and refused what may be one item of many in the request. */
export function isRefusalOfItem(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (subjectOf(error) !== 'either') return subjectOf(error) === 'item';
  const isReply = error instanceof RpcError && error.code === 'MALFORMED_RPC_ANSWER';
  return isReply || (error instanceof RpcError && 'status' in error.context);
}
