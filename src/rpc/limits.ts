/** The limits of the RPC room, each with its reason. All times are in milliseconds. */

/** Time limit of one attempt of a small call. */
export const CALL_TIMEOUT_MS = 15_000;
/** Time limit of a scan: reading all user accounts from a busy node takes tens of seconds. */
export const RAW_CALL_TIMEOUT_MS = 120_000;
/** Silence of a scan after which its connection or node counts as dead. */
export const SILENT_MS_MAX = 30_000;
/** Maximum attempts of a call: few are enough, because callers retry in their own loops. */
export const CALL_ATTEMPTS_MAX = 4;
/** First delay between tries of a call. */
export const CALL_BACKOFF_FIRST_MS = 200;
/** Maximum backoff delay between attempts; a Retry-After may be longer. */
export const CALL_BACKOFF_CAP_MS = 4_000;
/** Maximum Retry-After that is obeyed: a header must not stop the feed for hours. */
export const RETRY_AFTER_CAP_MS = 60_000;

/**
 * Limits of a call when another node is available, because waiting then costs more than switching.
 */
export const PATIENCE_WITH_FALLBACK = {
  attemptsMax: 2,
  callTimeoutMs: 4_000,
  retryAfterMaxMs: 1_000,
} as const;

/**
 * Maximum bytes of a small response: two thousand markets, the largest small response, are 4 MB.
 */
export const CALL_BODY_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Bytes of an account that clients ask for: users have less, and the bytes of others, up to 10 MiB
 * each, would make the response too large.
 */
export const ACCOUNT_TEXT_BYTES_MAX = 8 * 1024;
/**
 * Maximum lists and objects in one JSON text: two thousand accounts have 6,000; the limit takes 10
 * MB of memory.
 */
export const JSON_CONTAINERS_MAX = 100_000;
/**
 * Minimum bytes of a text whose lists and objects are counted: smaller texts are bounded by their
 * size.
 */
export const JSON_CHECKED_BYTES_MIN = 256 * 1024;
/**
 * Maximum bytes of a scan: 500,000 users at 1 KiB each; more would endanger the memory of the
 * process.
 */
export const RAW_BODY_BYTES_MAX = 512 * 1024 * 1024;
/** Maximum bytes of an error response; a larger raw body is never parsed as an error. */
export const ERROR_BODY_BYTES_MAX = 16 * 1024;
/**
 * Bytes of a large body that are read or joined between two turns of the event loop: four chunks.
 * Without a pause the loop reads 32 chunks in one turn, which takes several milliseconds.
 */
export const BODY_SLICE_BYTES = 256 * 1024;

/** Time limit of a TCP connection and WebSocket upgrade. */
export const SOCKET_CONNECT_TIMEOUT_MS = 10_000;
/** Interval of pings: an RPC server sends none, and a half-open connection shows no other sign. */
export const SOCKET_PING_INTERVAL_MS = 2_000;
/** Silence after a ping after which the connection counts as dead. */
export const SOCKET_PONG_TIMEOUT_MS = 4_000;
/** Time limit of a subscribe acknowledgement. */
export const SUBSCRIBE_ACK_TIMEOUT_MS = 3_000;
/** Time limit of a subscription after failed connections, because the server may only be slow. */
export const SUBSCRIBE_ACK_TIMEOUT_CAP_MS = 12_000;
/** First delay before a reconnect: a restarted server is back quickly. */
export const SOCKET_BACKOFF_FIRST_MS = 100;
/**
 * Maximum delay before a reconnect: a refused connection is cheap, and recovery within 2 s is the
 * goal.
 */
export const SOCKET_BACKOFF_CAP_MS = 1_000;
/** Maximum bytes of one message: an account of 10 KiB in base64, with ample room. */
export const SOCKET_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Maximum subscriptions of one socket: a few program filters, the Clock, and an oracle for each
 * market.
 */
export const SOCKET_SUBSCRIPTIONS_MAX = 2_048;
/** Notifications buffered until their subscription is acknowledged. */
export const EARLY_NOTIFICATIONS_MAX = 4_096;
