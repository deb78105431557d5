import { decodePart } from '../../config/secrets.js';
import { loggedFailure, shownFailure } from '../error.js';

/** The gRPC status of a message beyond the size limit; a replay would contain it again. */
export const RESOURCE_EXHAUSTED = 8;
/** The gRPC status of an unreachable server. */
export const UNAVAILABLE = 14;
const INTERNAL = 13;
/** The names of the gRPC statuses, by number. */
const STATUS_NAMES =
  `OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS
PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL
UNAVAILABLE DATA_LOSS UNAUTHENTICATED`.split(/\s/);
type Statuses = Readonly<Record<number, number>>;
/** The gRPC status of a reply without one. Source: gRPC, "HTTP to gRPC Status Code Mapping". */
const HTTP_STATUSES: Statuses = { 401: 16, 403: 7, 404: 12, 429: 14, 502: 14, 503: 14, 504: 14 };
/** The gRPC status of a stream that the server reset. Source: gRPC over HTTP/2, "Errors". */
const RESET_STATUSES: Statuses = { 7: UNAVAILABLE, 8: 1, 11: RESOURCE_EXHAUSTED, 12: 7 };

/** The end of a call. */
export interface CallEnd {
  /** In this program's words. */
  readonly reason: string;
  /** The status code of gRPC. */
  readonly code: number;
  /** The message of the server or of the system, which is only logged. */
  readonly serverText?: string;
}

/** Returns the end of a call by its gRPC status. */
export function endOfStatus(code: number, serverText: string): CallEnd {
  if (code === 0) return { reason: 'the server ended the stream', code: UNAVAILABLE };
  const status = STATUS_NAMES[code] ?? `status ${code}`;
  return { reason: `the stream failed: ${status}`, code, serverText };
}

/** Returns the end of a call by the last headers of its reply, which was cut or came to its end. */
export function endOfReply(headers: Readonly<Record<string, unknown>>, isCut: boolean): CallEnd {
  const { ':status': http, 'grpc-status': status, 'grpc-message': message = '' } = headers;
  if (status !== undefined) return endOfStatus(Number(status), decodePart(String(message)));
  const code = HTTP_STATUSES[Number(http)] ?? INTERNAL;
  return endOfStatus(
    isCut ? UNAVAILABLE : code,
    `the connection ended without a gRPC status, HTTP ${http}`,
  );
}

/** Returns the end of a call by its error; `resetCode` is the HTTP/2 code of a reset stream. */
export function endOfFailure(error: Error, resetCode: number | undefined): CallEnd {
  const isReset = 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
  const code = isReset ? (RESET_STATUSES[resetCode ?? 0] ?? INTERNAL) : UNAVAILABLE;
  return endOfStatus(code, loggedFailure(error) || shownFailure(error));
}
