/** All limits of the clients of a service, each with its reason. Times are in milliseconds. */

/**
 * Time limit of one attempt of a request: a slow link can read the largest response in this time.
 */
export const REQUEST_MS_MAX = 20_000;
/** Attempts after the first. With the waits below, they outlast a restart of the service. */
export const RETRIES_MAX = 4;
/**
 * Longest wait that the client accepts when the service requests one; a longer wait is only
 * reported in the error.
 */
export const RETRY_AFTER_MS_MAX = 30_000;
/** The wait before the second attempt or connection; its bound doubles with each failure. */
export const BACKOFF_BOUNDS = {
  firstMs: 250,
  capMs: 5_000,
  /**
   * A service that stops may request a longer wait than the cap, but no client waits longer than
   * this.
   */
  requestedMaxMs: RETRY_AFTER_MS_MAX,
};
/**
 * Maximum number of responses cached with their tags: a page needs a few, of some kilobytes each.
 */
export const TAGGED_RESPONSES_MAX = 64;
/** Maximum characters of an untrusted text in an error. */
export const TEXT_CHARS_MAX = 200;

/** Time limit of a connection attempt: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/**
 * Time limit for loading the binary decoder, in parallel with connecting; after it the client uses
 * JSON.
 */
export const BINARY_LOAD_MS_MAX = 5_000;
/** Messages sent in one burst; a service accepts 1,024. */
export const MESSAGE_BURST = 1_000;
/** Messages sent per second after a burst; a service accepts 50. */
export const MESSAGES_PER_SECOND_MAX = 40;
/** Messages that wait to be sent: enough to end and restart all subscriptions of a socket. */
export const MESSAGES_WAITING_MAX = 1_024;
/** Subscriptions of one socket, the service's maximum. */
export const SUBSCRIPTIONS_MAX = 1_024;

/** Rows of each side that the checksum of a stream covers, from docs/streaming-client.md. */
export const CHECKSUM_ROWS = 10;
/** Time from a subscription to its response. */
export const RESPONSE_MS_MAX = 5_000;
/**
 * A topic sends a frame each second, at most a tenth late; the rest of this time is for the
 * network.
 */
export const SILENCE_MS_MAX = 3_000;
/** Time between two checks for silence. */
export const WATCH_MS = 250;
/**
 * A check that is later than this means that the clock was paused, not that the service was silent.
 */
export const WATCH_LATE_MS_MAX = 1_000;
/**
 * Delay before a subscription is retried after a temporary error. When a book breaks twice within
 * this time, a snapshot has not repaired it: the connection is restarted.
 */
export const RESUBSCRIBE_MS = 1_000;

/**
 * Silence after which a replay's connection counts as dead: the first book of a moment may take
 * seconds.
 */
export const REPLAY_SILENCE_MS_MAX = 15_000;

/** Entries of one batch, the service's maximum. */
export const BATCH_ENTRIES_MAX = 50;

/** The maximum number of candles in a page of the service. */
export const CANDLES_PAGE_MAX = 1_000;
/** Maximum cached candles of one market and resolution while it is subscribed. */
export const CANDLES_KEPT_MAX = 10_000;
/** Candles that are read again after a loss: more than the service changes in one message. */
export const CANDLES_REREAD = 32;
/** Maximum pages of one fetch: a million candles are two years of minutes. */
export const CANDLE_PAGES_MAX = 1_000;
/**
 * The earliest start of a range: services have no candle before 15 November 2022, and refuse
 * earlier ranges.
 */
export const CANDLE_TS_MIN = 1_668_470_400;
/** Tolerated difference between the clocks of client and service, which rejects future times. */
export const CLOCKS_APART_S_MAX = 300;
/** Number of trades in the first batch of a subscriber; the service sends as many. */
export const TRADES_FIRST = 20;
/** Number of trades in a page of a repair: one page is enough for most disconnections. */
export const TRADES_PAGE = 500;
/**
 * Maximum pages of one repair: 10,000 trades are hours of the busiest market. Older trades count as
 * omitted.
 */
export const TRADE_PAGES_MAX = 20;
/**
 * Number of trades before the last known trade that a repair reads again, because trades may arrive
 * late or be reverted.
 */
export const TRADES_REREAD = 200;
/**
 * Number of remembered trades, which prevent duplicates and reveal reverts: a page of a repair,
 * plus the number that is evicted together. Each is about a kilobyte.
 */
export const TRADES_KNOWN_MAX = TRADES_PAGE + TRADES_REREAD;
/**
 * Maximum number of trades queued for a loop, as a bot that lags this much should be told, and kept
 * during a repair, whose pages have as many.
 */
export const TRADES_WAITING_MAX = 10_000;

/** Silence after which a socket for candles or trades is pinged. */
export const PING_MS = 10_000;
/** Silence after that ping after which the connection counts as dead. */
export const PONG_MS_MAX = 5_000;

/** Interval of fetching all prices: a chain has two slots in this time. */
export const PRICE_POLL_MS = 1_000;

/**
 * Silence after which the feed of signed orders counts as dead; it has at least two heartbeats in
 * this time.
 */
export const SIGNED_ORDERS_SILENCE_MS_MAX = 60_000;
/** Pause between two subscriptions on the feed of signed orders, whose server limits their rate. */
export const SIGNED_ORDERS_SUBSCRIBE_MS = 100;

/** Accounts of one `getMultipleAccounts`, a node's maximum. */
export const RPC_ACCOUNTS_MAX = 100;
/** Interval of chain scans, which find changes that the node has not notified. */
export const RESYNC_MS = 300_000;
/** Interval between two rebuilds of a local book. */
export const LOCAL_BOOK_MS = 1_000;
/**
 * Maximum rounds of rereading accounts that changed during a read; each round has fewer accounts.
 */
export const REREAD_ROUNDS_MAX = 8;
/** Time limit for subscribing at a node, after which the socket is closed. */
export const RPC_SUBSCRIBE_MS_MAX = 10_000;
/** Silence after which a node's socket counts as dead: slots arrive at least twice a second. */
export const RPC_SILENCE_MS_MAX = 10_000;
