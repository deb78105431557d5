import { loggedFailure, shownFailure } from '../error.js';

/** The gRPC status of an unreachable server. */
export const UNAVAILABLE = 14;
/** The gRPC status of a message beyond the size limit; a replay would contain it again. */
export const RESOURCE_EXHAUSTED = 8;
const UNKNOWN = 2;
const INTERNAL = 13;

/** The names of the gRPC status codes, indexed by code. */
const STATUS_NAMES: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** The gRPC status of a reply without one. Source: gRPC, "HTTP to gRPC Status Code Mapping". */
const HTTP_STATUSES: Readonly<Record<number, number>> = {
  400: INTERNAL,
  401: 16,
  403: 7,
  404: 12,
  429: UNAVAILABLE,
  502: UNAVAILABLE,
  503: UNAVAILABLE,
  504: UNAVAILABLE,
};

/** The gRPC status of a stream that the server reset. Source: gRPC over HTTP/2, "Errors". */
const RESET_STATUSES: Readonly<Record<number, number>> = {
  7: UNAVAILABLE,
  8: 1,
  11: RESOURCE_EXHAUSTED,
  12: 7,
};

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

/** Returns the end of a call by the last headers or trailers of its reply. */
export function endOfReply(headers: Readonly<Record<string, unknown>>): CallEnd {
  const { ':status': http, 'grpc-status': status, 'grpc-message': message = '' } = headers;
  if (status !== undefined) return endOfStatus(Number(status), plainText(String(message)));
  return endOfStatus(HTTP_STATUSES[Number(http)] ?? UNKNOWN, `no gRPC status, HTTP ${http}`);
}

/** Returns the end of a call by its error; `resetCode` is the HTTP/2 code of a reset stream. */
export function endOfFailure(error: Error, resetCode: number): CallEnd {
  const isReset = 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
  const code = isReset ? (RESET_STATUSES[resetCode] ?? INTERNAL) : UNAVAILABLE;
  return endOfStatus(code, loggedFailure(error) || shownFailure(error));
}

/** Decodes a message of gRPC, which is percent-encoded; a badly encoded message stays as it is. */
function plainText(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
