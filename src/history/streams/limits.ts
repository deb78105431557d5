/** Every bound of the streams, each with its reason. */

/** Between two flushes of a market, milliseconds: the cadence that clients in use are built for. */
export const FLUSH_MS = 300;
/** Between two tries to open a topic that could not be read, milliseconds: a failing disk is not pressed. */
export const AGAIN_MS = 1_000;
/**
 * Trades of one flush: 200 of about 1 KB are half of what may wait for a socket. Beyond it the newest
 * are told, with the number of the others: 600 a second in one market are more than the chain settles.
 */
export const WINDOW_TRADES_MAX = 200;
/** Candles that one flush tells: beyond it the readers are told to read the older ones again. */
export const FLUSH_CANDLES_MAX = 16;
/** Trades that a subscription begins with: what a client shows before the first one moves. */
export const INIT_TRADES = 20;
/** Topics of the worker: as many as the server allows, and those that are just being left. */
export const STREAM_TOPICS_MAX = 4_096;
/** Buckets that a candle topic keeps, before all but those that one flush tells are forgotten. */
export const RECENT_BUCKETS_MAX = 64;
