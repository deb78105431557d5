/**
 * The error codes of the service. They are public: docs/codes.md lists them, and a code is never
 * renamed.
 */

/** The files of docs/schemas, one for each dialect of the WebSockets: streams, market data, and quotes of makers. */
type MessageFile = 'stream' | 'market-stream' | 'quotes-stream';

/** Where a code is used. */
interface CodeUse {
  /** The HTTP status; absent for a code that HTTP does not use. */
  readonly status?: number;
  /** The WebSocket dialects that use the code; absent when none does. */
  readonly sockets?: readonly MessageFile[];
}

const books = ['stream'] as const;
const everyDialect = ['stream', 'market-stream', 'quotes-stream'] as const;
const channels = ['stream', 'market-stream'] as const;

/** Every code. */
export const ERROR_CODES = {
  MISSING_PARAM: { status: 400, sockets: everyDialect },
  INVALID_PARAM: { status: 400, sockets: everyDialect },
  INVALID_REQUEST: { status: 400 },
  OUT_OF_RANGE: { status: 400, sockets: ['stream', 'quotes-stream'] },
  UNKNOWN_MARKET: { status: 404, sockets: everyDialect },
  UNKNOWN_ACCOUNT: { status: 404, sockets: books },
  UNKNOWN_PATH: { status: 404 },
  NO_HISTORY: { status: 404, sockets: ['market-stream'] },
  NO_JOURNAL: { status: 404, sockets: books },
  NO_PROOF: { status: 404 },
  MOMENT_NOT_KEPT: { status: 404, sockets: books },
  METHOD_NOT_ALLOWED: { status: 405 },
  TOO_LARGE: { status: 413 },
  UPGRADE_REQUIRED: { status: 426 },
  RATE_LIMITED: { status: 429, sockets: everyDialect },
  INTERNAL: { status: 500, sockets: everyDialect },
  LIMIT_EXCEEDED: { status: 503, sockets: everyDialect },
  NOT_READY: { status: 503, sockets: everyDialect },
  MALFORMED_MESSAGE: { sockets: everyDialect },
  UNKNOWN_CHANNEL: { sockets: channels },
  NOT_SUBSCRIBED: { sockets: channels },
  UNAUTHORIZED: { sockets: ['quotes-stream'] },
} as const satisfies Readonly<Record<string, CodeUse>>;

type Codes = typeof ERROR_CODES;

/** A code of any interface. */
export type ServiceErrorCode = keyof Codes;

/** A code of HTTP. */
export type ErrorCode = {
  [Code in ServiceErrorCode]: Codes[Code] extends { readonly status: number } ? Code : never;
}[ServiceErrorCode];

/** A code of a WebSocket. */
export type SocketErrorCode = {
  [Code in ServiceErrorCode]: Codes[Code] extends { readonly sockets: object } ? Code : never;
}[ServiceErrorCode];

/** The status of an error over HTTP. */
export function statusOf(code: ErrorCode): number {
  return ERROR_CODES[code].status;
}

/** The codes of HTTP. */
export const HTTP_ERROR_CODES = Object.entries(ERROR_CODES).flatMap(([code, use]) =>
  'status' in use ? [code as ErrorCode] : [],
);

/** Returns the codes of a WebSocket dialect. */
export function socketCodesOf(dialect: MessageFile): readonly SocketErrorCode[] {
  const uses: readonly (readonly [string, CodeUse])[] = Object.entries(ERROR_CODES);
  const used = uses.filter(([, { sockets = [] }]) => sockets.includes(dialect));
  return used.map(([code]) => code as SocketErrorCode);
}

/** Returns whether a text is an error code of a WebSocket. */
export function isSocketCode(text: string): text is SocketErrorCode {
  return everyDialect.some((dialect) => socketCodesOf(dialect).includes(text as SocketErrorCode));
}
