/** The limits of market data paths, part of `LIMITS`. */
export const HISTORY_LIMITS = {
  /** Trades or candles in one response, as documented by Drift v2: below 600 KB. */
  tradesMax: 1_000,
  tradesDefault: 100,
  candlesMax: 1_000,
  candleRecordsDefault: 100,
  /** Thirty days of hourly records are 720, so that one response has them all. */
  fundingRatesMax: 1_000,
  /** Rows in responses of the Drift v2 data API's paths, its own limits. */
  fundingRateRecordsMax: 750,
  recordsDefault: 20,
  /** Rows skipped by a page index: each is read. Cursors have a constant cost. */
  pagedRowsMax: 100_000,
  /** Pages of 5,000 rows of a dated archive: a million rows, ten times the trades of a busy market's day. */
  archivePagesMax: 200,
  /** The years of an archive: Solana has no earlier block, and timestamps end at the last. */
  archiveYearMin: 2_020,
  archiveYearMax: 2_105,
  /** Markets in a body of /udf/search: the size of the chart library's list, and the maximum. */
  udfSearchDefault: 30,
  udfSearchMax: 1_000,
  /** Bars that a chart may request; the response has as many as a body of candles. */
  udfCountbackMax: 100_000,
  /** Timestamps end in 2106; the bound also rejects milliseconds passed as seconds. */
  unixSecondsMax: 0xffff_ffff,
  /** The oldest accepted time of the Drift v2 data API's candles: 15 November 2022. */
  candleRecordsTsMin: 1_668_470_400,
  /** Tolerance for fast client clocks before a time counts as future. */
  clientAheadSecondsMax: 60,
  /** The range of /fundingRates, in seconds: 30 days, to the whole hour. */
  fundingRatesSeconds: 30 * 86_400,
  /** Maximum characters of a cursor; valid ones have 24. */
  cursorCharsMax: 64,
  /** Concurrent queries to the history: it processes one at a time, so more would only wait there. */
  historyReadsMax: 4,
  /** Concurrent archive pages: one takes a fifth of a second, which blocks other queries. */
  archiveReadsMax: 1,
  /** Queued queries: a second of large bodies. */
  historyReadsWaitingMax: 256,
  /** Time limit of a history response: the slowest takes milliseconds, after a back-fill's batch. */
  historyReadMsMax: 10_000,
  /** Cache of history bodies by version: about fifty of the largest. */
  historyCacheBytesMax: 32 * 1024 * 1024,
  /** Cache lifetime of data that trades may change at any time, in seconds. */
  historyFreshSeconds: 1,
  /** Cache lifetime of past candles: only a manual back-fill changes them. */
  historyPastSeconds: 300,
  /** Age at which a time counts as past, in seconds: far beyond the reach of a fork. */
  historySettledSeconds: 600,
  /** Cache lifetime of immutable data. */
  historyFinalSeconds: 86_400,
  /** Hours of one volume request, as in the Drift v2 data API. */
  volumeHoursMax: 24,
  /** Lifetime of a cached statistics body, in milliseconds. */
  statisticsKeptMs: 500,
} as const;
