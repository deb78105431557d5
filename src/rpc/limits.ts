/** The limits of the RPC room, each with its reason. All times are milliseconds. */

/** Time limit of a try of a small call. */
export const CALL_TIMEOUT_MS = 15_000;
/** Time limit of a scan: all user accounts on a busy node take tens of seconds. */
export const RAW_CALL_TIMEOUT_MS = 120_000;
/** Maximum silence of a scan: then the connection or the node is dead. */
export const SILENT_MS_MAX = 30_000;
/** Tries per call: few are enough, because callers retry in their own loops. */
export const CALL_ATTEMPTS_MAX = 4;
/** First delay between tries of a call. */
export const CALL_BACKOFF_FIRST_MS = 200;
/** Maximum backoff delay between tries; a Retry-After may be longer. */
export const CALL_BACKOFF_CAP_MS = 4_000;
/** Maximum Retry-After: a header must not stop the feed for hours. */
export const RETRY_AFTER_CAP_MS = 60_000;

/** With another node available, waiting for this one costs more than switching. */
export const PATIENCE_WITH_FALLBACK = {
  attemptsMax: 2,
  callTimeoutMs: 4_000,
  retryAfterMaxMs: 1_000,
} as const;

/** Two thousand markets are 4 MB, the largest small call; more is a bug or an attack. */
export const CALL_BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Lists and objects of one text: two thousand accounts have 6,000, and the limit takes 10 MB. */
export const JSON_CONTAINERS_MAX = 100_000;
/** Minimum size of a text whose containers are counted: smaller texts are bounded by their size. */
export const JSON_CHECKED_BYTES_MIN = 256 * 1024;
/** A scan of 500,000 users at 1 KiB each; more would endanger the process's memory. */
export const RAW_BODY_BYTES_MAX = 512 * 1024 * 1024;
/** Maximum size of an error response; a larger raw body is never parsed as one. */
export const ERROR_BODY_BYTES_MAX = 16 * 1024;
/**
 * Bytes of a large body read or joined between two turns of the loop: four chunks. Without a pause
 * the loop takes 32 of them in one turn, several milliseconds.
 */
export const BODY_SLICE_BYTES = 256 * 1024;

/** Time limit of a TCP connect and WebSocket upgrade. */
export const SOCKET_CONNECT_TIMEOUT_MS = 10_000;
/** Ping interval: an RPC server sends none, and a half-open connection gives no other sign. */
export const SOCKET_PING_INTERVAL_MS = 2_000;
/** Silence after a ping after which the connection counts as dead. */
export const SOCKET_PONG_TIMEOUT_MS = 4_000;
/** Time limit of a subscribe acknowledgement. */
export const SUBSCRIBE_ACK_TIMEOUT_MS = 3_000;
/** The same after failed connections: the server may only be slow. */
export const SUBSCRIBE_ACK_TIMEOUT_CAP_MS = 12_000;
/** First delay before a reconnect: a restarted server is back quickly. */
export const SOCKET_BACKOFF_FIRST_MS = 100;
/** Maximum delay before a reconnect: a refused connect is cheap, and recovery within 2 s is the goal. */
export const SOCKET_BACKOFF_CAP_MS = 1_000;
/** One message: an account of 10 KiB in base64, with ample room. */
export const SOCKET_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Subscriptions of one socket: a few program filters, the Clock and an oracle per market. */
export const SOCKET_SUBSCRIPTIONS_MAX = 2_048;
/** Notifications buffered until their subscription is acknowledged. */
export const EARLY_NOTIFICATIONS_MAX = 4_096;
