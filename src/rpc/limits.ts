/** Every bound of the RPC room, each with its reason. All times are milliseconds. */

/** A small call that takes longer than this is better retried. */
export const CALL_TIMEOUT_MS = 15_000;
/** A scan of all user accounts on a busy node takes tens of seconds; two minutes is a dead node. */
export const RAW_CALL_TIMEOUT_MS = 120_000;
/** A scan of which no byte comes for this long has failed: the connection or the node is dead. */
export const SILENT_MS_MAX = 30_000;
/** Tries per call, the first included: the callers have their own loops, so few are enough. */
export const CALL_ATTEMPTS_MAX = 4;
/** First wait between tries of a call. */
export const CALL_BACKOFF_FIRST_MS = 200;
/** Longest own wait between tries of a call; a Retry-After may ask for more. */
export const CALL_BACKOFF_CAP_MS = 4_000;
/** A Retry-After above this is cut to it, so that no header can park the feed for hours. */
export const RETRY_AFTER_CAP_MS = 60_000;

/** With another node at hand, waiting for this one costs more than moving on. */
export const PATIENCE_WITH_FALLBACK = {
  attemptsMax: 2,
  callTimeoutMs: 4_000,
  retryAfterMaxMs: 1_000,
} as const;

/** Two thousand markets are 4 MB, and nothing else is as large; more is a mistake or an attack. */
export const CALL_BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Lists and objects of one text: two thousand accounts have 6,000, and these take 10 MB. */
export const JSON_CONTAINERS_MAX = 100_000;
/** Texts below this are not searched for them: what they hold is bounded by their size. */
export const JSON_CHECKED_BYTES_MIN = 256 * 1024;
/** A scan of 500,000 users at 1 KiB each; above it the process would risk its memory. */
export const RAW_BODY_BYTES_MAX = 512 * 1024 * 1024;
/** An error response fits in this; a raw body above it is never parsed as one. */
export const ERROR_BODY_BYTES_MAX = 16 * 1024;
/**
 * Bytes of a big body that are read, and later joined, between two turns of the loop: four chunks. Without a pause the
 * loop takes 32 of them at once, which is a few milliseconds.
 */
export const BODY_SLICE_BYTES = 256 * 1024;

/** A TCP connect and WebSocket upgrade that takes longer will not get better. */
export const SOCKET_CONNECT_TIMEOUT_MS = 10_000;
/** Own pings: an RPC server sends none, and a half-open connection shows no other sign. */
export const SOCKET_PING_INTERVAL_MS = 2_000;
/** Silence after a ping before the connection counts as dead. */
export const SOCKET_PONG_TIMEOUT_MS = 4_000;
/** A subscribe that is not acknowledged in this time hardly ever will be. */
export const SUBSCRIBE_ACK_TIMEOUT_MS = 3_000;
/** The same after connections that came to nothing: the server may only be slow. */
export const SUBSCRIBE_ACK_TIMEOUT_CAP_MS = 12_000;
/** First wait before a reconnect: a restarted server is back quickly. */
export const SOCKET_BACKOFF_FIRST_MS = 100;
/** Longest wait before a reconnect: a refused connect is cheap, and 2 s after its return all is well. */
export const SOCKET_BACKOFF_CAP_MS = 1_000;
/** One message: an account of 10 KiB in base64 with room for far larger ones. */
export const SOCKET_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Subscriptions of one socket: some program filters, the Clock and an oracle per market. */
export const SOCKET_SUBSCRIPTIONS_MAX = 2_048;
/** Notifications buffered for subscribes still without their acknowledgement. */
export const EARLY_NOTIFICATIONS_MAX = 4_096;
