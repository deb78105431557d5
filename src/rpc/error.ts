import { CodedError } from '../contract/coded-error.js';

/** What can go wrong between us and a Solana RPC server; codes are never renamed. */
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
 * Details of an error: small scalars only. `serverText` is the server's message, for the log only,
 * which masks secrets.
 */
type RpcErrorContext = Readonly<Record<string, string | number | boolean>>;

/** The one error class of this room. Its message has no word of a server and no key: public paths show it. */
export class RpcError extends CodedError<RpcErrorCode, RpcErrorContext> {
  override readonly name = 'RpcError';
}

/** Error classes whose messages contain no foreign text. */
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
/** Maximum causes, which also bounds a cyclic chain. */
const CAUSES_MAX = 4;

/** Whether this program wrote the message. */
export function isOwnError(error: unknown): error is Error {
  return error instanceof Error && OWN_ERRORS.has(error.name);
}

/**
 * A failure for public paths: this program's message, or else a code or a name, and no text of
 * another server.
 */
export function shownFailure(error: unknown): string {
  if (isOwnError(error)) return error.message;
  const causes = causesOf(error);
  const codes = causes.map((cause) => ('code' in cause ? cause.code : undefined));
  const code = codes.find((each) => typeof each === 'string' && SYSTEM_CODE.test(each));
  return code === undefined ? (causes[0]?.name ?? 'an unknown failure') : String(code);
}

/** All details of a failure, including server texts: for the log only, which masks secrets. */
export function loggedFailure(error: unknown): string {
  const causes = causesOf(error);
  if (causes.length === 0) return String(error);
  const texts = causes.flatMap((cause) => [cause.message, serverTextOf(cause)]);
  return [...new Set(texts)].filter((text) => text !== '').join(': ');
}

/** The error and its chain of causes; empty for a value that is not an error. */
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
