/** Every bound of the page, each with its reason. Times are milliseconds. */

/** Levels a side that are followed: more than a ladder on the largest screen shows. */
export const BOOK_DEPTH = 100;
/** Texts of prices, and of sizes, that a market keeps: some thirty frames of a ladder whose every total changes. */
export const TEXTS_KEPT_MAX = 1_000;
/** Orders a side that are followed while the queue of a level is shown. */
export const ORDERS_DEPTH = 500;
/** Orders that the queue of a level lists; the rest is counted. */
export const QUEUE_ROWS_MAX = 100;
/** Trades that are listed, which is more than fits on a large screen. */
export const TRADES_SHOWN_MAX = 60;
/** Candles that a chart holds: two weeks of minutes. */
export const CANDLES_SHOWN_MAX = 20_000;
/** Candles of the first page and of each page further back. */
export const CANDLES_PAGE = 500;
/** Candles that the table beside the chart lists: an hour of minutes. */
export const CANDLE_ROWS_MAX = 60;
/** Waits before candles that could not be read are tried again: the first, doubled up to the last. */
export const LOAD_RETRY_MS = { first: 1_000, max: 30_000 } as const;
/**
 * Intervals of a stream that is played, the first at the speed of one: at each speed as many frames come as at that, a hundred
 * a second at most.
 */
export const PLAY_INTERVALS = [10, 50, 100, 250, 500, 1_000] as const;
/** Levels a side of a book that is grouped here: the most that a stream has. */
export const GROUPED_DEPTH = 500;
/** Between two moments that are put into the address: a browser takes a hundred in half a minute. */
export const ADDRESS_MS = 500;
/** Frames of screens: of the slowest that counts as whole, and of the fastest; by which part of one they may jitter. */
export const FRAME_MS = { longest: 1_000 / 60, shortest: 4, jitterPart: 0.2 } as const;
/** Longest wait for an idle moment, in which it is asked what draws. */
export const RENDERER_WAIT_MS_MAX = 2_000;
/** Between two reads of what the journal keeps. */
export const JOURNAL_MS = 2_000;
/** Markets that a search lists. */
export const MARKETS_LISTED_MAX = 50;
/** Latencies of which the quantiles are: a minute of a fast stream is more than enough. */
export const LATENCIES_MAX = 2_048;
/** Older latencies say nothing about now. */
export const LATENCY_AGE_MS_MAX = 60_000;
/** Frames received and not drawn yet; a hidden tab draws none. */
export const UNDRAWN_MAX = 1_024;
/** Samples of the two clocks: at one in five seconds they cover three minutes, in which clocks drift little. */
export const CLOCK_SAMPLES_MAX = 36;
/** Between two pings that compare the clocks, once there are some. */
export const CLOCK_PING_MS = 5_000;
/** Pings at the start that come faster, so that there is an estimate soon. */
export const CLOCK_FIRST_PINGS = 8;
/** Between two of those. */
export const CLOCK_FIRST_PING_MS = 250;
/** A rate is the mean of so much time. */
export const RATE_MS = 5_000;
/** Between two readings of the truth strip: a number that changes faster cannot be read. */
export const STRIP_MS = 250;
/** Between two drawings of the depth, which is a picture of the whole and not of each change, with a table beside it. */
export const DEPTH_MS = 250;
/** Between two changes of the table beside a canvas, which screen readers read. */
export const TABLE_MS = 1_000;
/** Between two reads of /l2 for the oracle's price. */
export const ORACLE_MS = 1_000;
/** Between two reads of statistics and of /status. */
export const STATS_MS = 5_000;
/** Between two walks of the order that is tried. */
export const WALK_MS = 1_000;
/** Fills of a walk that are drawn one by one; beyond it neighbours of one source are one. */
export const SEGMENTS_MAX = 200;
/** Lines of /metrics that are read: a service with hundreds of markets has a quarter of them. */
export const METRIC_LINES_MAX = 20_000;
/** Between two readings of /metrics and of /status on the page of the service. */
export const STATUS_MS = 2_000;
/** Values of a plot: half an hour. */
export const PLOT_SAMPLES_MAX = 900;
/** The least time that a plot shows, in seconds: its line does not jump while there are few values. */
export const PLOT_SPAN_S = 120;
/** Readings further apart have nothing between them: the tab was hidden, or the service was gone. */
export const PLOT_GAP_MS = 10_000;
/** Frames that the console lists; older ones are dropped. */
export const CONSOLE_FRAMES_MAX = 50;
/** Characters of a frame that it shows: a book of depth 10 has fewer. */
export const CONSOLE_TEXT_MAX = 4_000;
