/** The limits of the page, each with its reason. Times are milliseconds. */

/** Levels a side of the stream: more than a ladder on the largest screen displays. */
export const BOOK_DEPTH = 100;
/**
 * Maximum cached texts of prices, and of sizes, per market: about thirty frames of a ladder whose
 * totals all change.
 */
export const TEXTS_KEPT_MAX = 1_000;
/** Orders a side of the stream while the queue of a level is displayed. */
export const ORDERS_DEPTH = 500;
/** Maximum listed orders of a queue; further orders are only counted. */
export const QUEUE_ROWS_MAX = 100;
/** Listed trades, more than fit on a large screen. */
export const TRADES_SHOWN_MAX = 60;
/** Trades that are read for a past moment, newest first. */
export const PAST_TRADES_MAX = 20_000;
/** Kept trades, of which a filter lists some. */
export const TRADES_KEPT_MAX = 1_000;
/** Maximum candles of a chart: two weeks of minutes. */
export const CANDLES_SHOWN_MAX = 20_000;
/** Candles of a page. */
export const CANDLES_PAGE = 500;
/** Candles in the table next to the chart: an hour of minutes. */
export const CANDLE_ROWS_MAX = 60;
/** Delays before loading candles is retried: the first delay, doubled up to the maximum. */
export const LOAD_RETRY_MS = { first: 1_000, max: 30_000 } as const;
/**
 * Stream intervals of playback in order of speed, so that the frame rate is the same at each speed:
 * at most a hundred a second.
 */
export const PLAY_INTERVALS = [10, 50, 100, 250, 500, 1_000] as const;
/** Levels a side of a book that the page itself groups: the stream's maximum. */
export const GROUPED_DEPTH = 500;
/** Interval of URL updates: a browser allows a hundred in half a minute. */
export const ADDRESS_MS = 500;
/**
 * Intervals of screen frames: the longest and the shortest, milliseconds, and the tolerated jitter
 * as a fraction.
 */
export const FRAME_MS = { longest: 1_000 / 60, shortest: 4, jitterPart: 0.2 } as const;
/** Maximum wait for an idle moment in which to detect the renderer. */
export const RENDERER_WAIT_MS_MAX = 2_000;
/** Interval of reads of the journal's listing. */
export const JOURNAL_MS = 2_000;
/** Number of latencies in the quantiles: more than a minute of a fast stream. */
export const LATENCIES_MAX = 2_048;
/** Older latencies are irrelevant. */
export const LATENCY_AGE_MS_MAX = 60_000;
/** Maximum changes that are received but not drawn; a hidden tab draws none. */
export const UNDRAWN_MAX = 1_024;
/** Number of clock samples: at one in five seconds they cover three minutes, with little drift. */
export const CLOCK_SAMPLES_MAX = 36;
/** Interval of clock pings after the first ones. */
export const CLOCK_PING_MS = 5_000;
/** Number of faster pings at the start, for a quick estimate. */
export const CLOCK_FIRST_PINGS = 8;
/** Interval of those. */
export const CLOCK_FIRST_PING_MS = 250;
/** Averaging time of a rate. */
export const RATE_MS = 5_000;
/** Interval of updates of the truth strip: faster changes cannot be read. */
export const STRIP_MS = 250;
/** Interval of redrawing the depth chart, which displays the whole book rather than each change. */
export const DEPTH_MS = 250;
/** Interval of reads of the newest liquidity, whose rows are as far apart. */
export const LIQUIDITY_MS = 10_000;
/** Price around the mid prices of a heatmap, as a part of them: as far as most orders rest. */
export const HEAT_PADDING = 0.003;
/** Pages of trades that a heatmap shows as dots: three thousand trades. */
export const DOT_PAGES = { count: 3, size: 1_000 } as const;
/** Interval of updates of the table next to a canvas, for screen readers. */
export const TABLE_MS = 1_000;
/** Interval of reading /l2 for the oracle price. */
export const ORACLE_MS = 1_000;
/** Interval of reading statistics and /status. */
export const STATS_MS = 5_000;
/** Interval of reading the prices of 24 hours of all markets. */
export const SPARKLINES_MS = 300_000;
/** Interval of walks of the entered order. */
export const WALK_MS = 1_000;
/** Maximum drawn fills of a simulated order; beyond it, adjacent fills of one source merge. */
export const SEGMENTS_MAX = 200;
/** Parsed lines of /metrics: a service with hundreds of markets has a quarter of them. */
export const METRIC_LINES_MAX = 20_000;
/** Interval of reading /metrics and /status on the service page. */
export const STATUS_MS = 2_000;
/** Values of a plot: half an hour. */
export const PLOT_SAMPLES_MAX = 900;
/** Minimum time span of a plot, in seconds: its line does not jump while there are few values. */
export const PLOT_SPAN_S = 120;
/**
 * Plotted values further apart are not connected, because the tab was hidden or the service was
 * down.
 */
export const PLOT_GAP_MS = 10_000;
/** Listed frames of the console; older ones are dropped. */
export const CONSOLE_FRAMES_MAX = 50;
/** Maximum displayed characters of a frame: a book of depth 10 has fewer. */
export const CONSOLE_TEXT_MAX = 4_000;
