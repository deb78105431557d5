/** The coded errors of the WebSocket. The codes are public: listed in docs/api.md, never renamed. */

/** Every code that the WebSocket answers with. */
export const SOCKET_ERROR_CODES = [
  'MALFORMED_MESSAGE',
  'MISSING_PARAM',
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_CHANNEL',
  'UNKNOWN_MARKET',
  'NOT_SUBSCRIBED',
  'LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'NOT_READY',
  'UNAUTHORIZED',
  'INTERNAL',
] as const;

/** A code of SOCKET_ERROR_CODES. */
export type SocketErrorCode = (typeof SOCKET_ERROR_CODES)[number];

/** A message of a client that cannot be answered with what it asked for. */
export class SocketError extends Error {
  override readonly name = 'SocketError';

  constructor(
    readonly code: SocketErrorCode,
    message: string,
  ) {
    super(message);
  }
}
