/** Every bound of the clients of a service, each with its reason. Times are milliseconds. */

/** One try of a request: a slow link reads the largest response in this time. */
export const REQUEST_MS_MAX = 20_000;
/** Tries after the first. With the waits below, a restart of the service passes in this time. */
export const RETRIES_MAX = 4;
/** The client does not wait longer than this for a service that requests it: the error has the wait. */
export const RETRY_AFTER_MS_MAX = 30_000;
/** The wait before the second try and before the second connection; its bound doubles with each failure. */
export const BACKOFF_BOUNDS = {
  firstMs: 250,
  capMs: 5_000,
  /** A service that stops may ask for a longer wait than the cap; no client waits longer than this. */
  requestedMaxMs: RETRY_AFTER_MS_MAX,
};
/** Bodies that are cached with their tags: a page has a few, each of some kilobytes. */
export const TAGGED_RESPONSES_MAX = 64;
/** Characters of a foreign text that an error repeats. */
export const TEXT_CHARS_MAX = 200;

/** Time limit of a connect: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/** Time limit for loading the binary decoder, in parallel to connecting: without it the client uses JSON. */
export const BINARY_LOAD_MS_MAX = 5_000;
/** Messages sent per second; a service accepts 50. */
export const MESSAGES_PER_SECOND_MAX = 40;
/** Messages that wait to be sent: all subscriptions of a socket, ended and begun again. */
export const MESSAGES_WAITING_MAX = 1_024;
/** Subscriptions of one socket, the service's maximum. */
export const SUBSCRIPTIONS_MAX = 64;

/** Rows of each side in the checksum of a stream, from docs/streaming.md. */
export const CHECKSUM_ROWS = 10;
/** Time from a subscription to its response. */
export const RESPONSE_MS_MAX = 5_000;
/** A topic has a frame each second, late by a tenth at most: the rest is for the network. */
export const SILENCE_MS_MAX = 3_000;
/** Time between two checks for silence. */
export const WATCH_MS = 250;
/** Lateness of a check that shows that the clock was paused, rather than the service silent. */
export const WATCH_LATE_MS_MAX = 1_000;
/**
 * Delay before a subscription is retried after a temporary error. A book that breaks twice within
 * this time is not repaired by a snapshot: the connection is restarted.
 */
export const RESUBSCRIBE_MS = 1_000;

/** Silence of a replay before its connection counts as dead: the first book of a moment may take seconds. */
export const REPLAY_SILENCE_MS_MAX = 15_000;

/** Entries of one batch, the service's maximum. */
export const BATCH_ENTRIES_MAX = 50;

/** The most candles that a service gives in one page. */
export const CANDLES_PAGE_MAX = 1_000;
/** Cached candles of one market and resolution while it is subscribed. */
export const CANDLES_KEPT_MAX = 10_000;
/** Pages of one fetch: a million candles are two years of minutes. */
export const CANDLE_PAGES_MAX = 1_000;
/** The services of this kind hold no candle of before 15 November 2022, and refuse a range before it. */
export const CANDLE_TS_MIN = 1_668_470_400;
/** Tolerated clock difference between client and service: a service rejects future times. */
export const CLOCKS_APART_S_MAX = 300;
/** Trades of the first batch of a subscriber, as the service sends them. */
export const TRADES_FIRST = 20;
/** The trades of a page that repairs: one page is enough for most cuts. */
export const TRADES_PAGE = 500;
/** Pages of one repair: 10,000 trades are hours of the busiest market. Older trades count as left out. */
export const TRADE_PAGES_MAX = 20;
/** Numbers before the last known trade that a repair rereads: trades may arrive late, or be reverted. */
export const TRADES_REREAD = 200;
/**
 * Remembered trades, which prevent duplicates and reveal reverts: a page of a repair, plus the
 * number evicted together. Each is a kilobyte.
 */
export const TRADES_KNOWN_MAX = TRADES_PAGE + TRADES_REREAD;
/** Queued trades of a loop; a bot that lags this much should know. */
export const TRADES_WAITING_MAX = 10_000;

/** Silence of a socket of candles or trades before it is pinged. */
export const PING_MS = 10_000;
/** Silence after that ping before the connection counts as dead. */
export const PONG_MS_MAX = 5_000;

/** From one fetch of all prices to the next: a chain has two slots in this time. */
export const PRICE_POLL_MS = 1_000;

/** Silence of the feed of signed orders, which has at least two heartbeats in this time. */
export const SIGNED_ORDERS_SILENCE_MS_MAX = 60_000;
/** Between two subscriptions on that feed: its server limits their rate. */
export const SIGNED_ORDERS_SUBSCRIBE_MS = 100;

/** Accounts of one `getMultipleAccounts`, a node's maximum. */
export const RPC_ACCOUNTS_MAX = 100;
/** Interval of chain scans, which find changes without a notification. */
export const RESYNC_MS = 300_000;
/** From one making of a local book to the next. */
export const LOCAL_BOOK_MS = 1_000;
/** Rounds of rereading accounts that changed during a read; each round has fewer. */
export const REREAD_ROUNDS_MAX = 8;
/** Time limit of subscriptions at a node, after which the socket is closed. */
export const RPC_SUBSCRIBE_MS_MAX = 10_000;
/** Silence after which a node's socket counts as dead: slots arrive at least twice a second. */
export const RPC_SILENCE_MS_MAX = 10_000;
