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

/** Time to connect: a TLS handshake across the world takes a second. */
export const CONNECT_MS_MAX = 10_000;
/** Time to load the module that reads bytes, beside the connection: without it JSON is read. */
export const BINARY_LOAD_MS_MAX = 5_000;
/** Messages that are sent in one second; a service takes 50. */
export const MESSAGES_PER_SECOND_MAX = 40;
/** Messages that wait to be sent: all subscriptions of a socket, ended and begun again. */
export const MESSAGES_WAITING_MAX = 1_024;
/** Subscriptions of one socket, which is what a service takes. */
export const SUBSCRIPTIONS_MAX = 64;

/** Rows of each side that the checksum of a stream covers, as docs/streaming.md says. */
export const CHECKSUM_ROWS = 10;
/** Time from a subscription to its response. */
export const RESPONSE_MS_MAX = 5_000;
/** A topic has a frame each second, late by a tenth at most: the rest is for the network. */
export const SILENCE_MS_MAX = 3_000;
/** Time between two checks for silence. */
export const WATCH_MS = 250;
/** A check that comes so late shows that the clock stood still, and not the service. */
export const WATCH_LATE_MS_MAX = 1_000;
/**
 * Before a subscription is retried after a transient error. A book that breaks twice within this time is
 * not repaired by another snapshot: the connection is given up.
 */
export const RESUBSCRIBE_MS = 1_000;

/** Silence of a replay before its connection counts as dead: the first book of a moment may take seconds. */
export const REPLAY_SILENCE_MS_MAX = 15_000;

/** The most that a service takes in one batch. */
export const BATCH_ENTRIES_MAX = 50;

/** The most candles that a service gives in one page. */
export const CANDLES_PAGE_MAX = 1_000;
/** Candles that are held of one market and resolution while it is subscribed to. */
export const CANDLES_KEPT_MAX = 10_000;
/** Pages of one fetch: a million candles are two years of minutes. */
export const CANDLE_PAGES_MAX = 1_000;
/** The services of this kind hold no candle of before 15 November 2022, and refuse a range before it. */
export const CANDLE_TS_MIN = 1_668_470_400;
/** How far the clocks of client and service may be apart: a service refuses times of its future. */
export const CLOCKS_APART_S_MAX = 300;
/** Trades of the first batch of a subscriber, as the service sends them. */
export const TRADES_FIRST = 20;
/** The trades of a page that repairs: one page is enough for most cuts. */
export const TRADES_PAGE = 500;
/** Pages of one repair: 10,000 trades are hours of the busiest market. What is before counts as left out. */
export const TRADE_PAGES_MAX = 20;
/** Numbers before the last known trade that a repair rereads: trades may come late, or go. */
export const TRADES_REREAD = 200;
/**
 * Trades that are remembered, so that none is emitted twice and one that is reverted is found: a page of a repair, and
 * as many as are forgotten at once. Each is a kilobyte.
 */
export const TRADES_KNOWN_MAX = TRADES_PAGE + TRADES_REREAD;
/** Trades that wait for a loop; a bot that is as far behind should know that it is. */
export const TRADES_WAITING_MAX = 10_000;

/** Compatible channels have a heartbeat every 5 s: after three missing ones the connection counts as dead. */
export const CHANNEL_SILENCE_MS_MAX = 15_000;

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

/** Accounts of one `getMultipleAccounts`: what a node takes. */
export const RPC_ACCOUNTS_MAX = 100;
/** From one scan of the chain's accounts to the next, which finds what no notification had. */
export const RESYNC_MS = 300_000;
/** From one making of a local book to the next. */
export const LOCAL_BOOK_MS = 1_000;
/** Rounds of rereading what changed while it was read; each has fewer accounts than the last. */
export const REREAD_ROUNDS_MAX = 8;
/** Subscriptions that a node does not answer in this time are given up with their socket. */
export const RPC_SUBSCRIBE_MS_MAX = 10_000;
/** Slots come at least twice a second: a socket without one for so long counts as dead. */
export const RPC_SILENCE_MS_MAX = 10_000;
