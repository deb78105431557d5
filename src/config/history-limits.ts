/** The limits of the market data paths, part of `LIMITS`. */
export const HISTORY_LIMITS = {
  /** Maximum trades or candles in one response, the documented limit of Drift v2: below 600 KB. */
  tradesMax: 1_000,
  tradesDefault: 100,
  candlesMax: 1_000,
  /** Maximum rows of liquidity in a body: those of a day each two minutes have some 100 kB gzipped. */
  liquidityRowsMax: 1_000,
  candleRecordsDefault: 100,
  /** Maximum funding rates in one response: thirty days of hourly records are 720. */
  fundingRatesMax: 1_000,
  /** Maximum rows in responses of the Drift v2 data API's paths, the same limits as in that API. */
  fundingRateRecordsMax: 750,
  recordsDefault: 20,
  /**
   * Maximum rows that a page index may skip, because each skipped row is read. Cursors have a
   * constant cost.
   */
  pagedRowsMax: 100_000,
  /**
   * Maximum pages of 5,000 rows of an archive of one date: a million rows, ten times a busy
   * market's daily trades.
   */
  archivePagesMax: 200,
  /**
   * The range of years of an archive: Solana has no block before the first year, and timestamps end
   * in the last.
   */
  archiveYearMin: 2_020,
  archiveYearMax: 2_105,
  /**
   * Default and maximum number of markets in a body of /udf/search. The default is the size of the
   * chart library's list.
   */
  udfSearchDefault: 30,
  udfSearchMax: 1_000,
  /**
   * Maximum bars that a chart may request. The response has at most as many bars as a body of
   * candles.
   */
  udfCountbackMax: 100_000,
  /**
   * Maximum time in unix seconds, in the year 2106; the limit also rejects milliseconds passed as
   * seconds.
   */
  unixSecondsMax: 0xffff_ffff,
  /** Minimum time, unix seconds, of the Drift v2 data API's candles: 15 November 2022. */
  candleRecordsTsMin: 1_668_470_400,
  /**
   * Number of seconds that a client's clock may be fast: later times are rejected as future times.
   */
  clientAheadSecondsMax: 60,
  /** The time range of /fundingRates in seconds: 30 days, rounded to the hour. */
  fundingRatesSeconds: 30 * 86_400,
  /** Maximum characters of a cursor; valid cursors have 24. */
  cursorCharsMax: 64,
  /**
   * Maximum concurrent queries to the history, which processes one at a time: more queries would
   * wait there.
   */
  historyReadsMax: 4,
  /** Maximum concurrent archive pages: each takes 200 ms, during which other queries wait. */
  archiveReadsMax: 1,
  /** Queued queries: a second of large bodies. */
  historyReadsWaitingMax: 256,
  /**
   * Time limit of a history response in milliseconds. The slowest response waits for a batch of the
   * back-fill and takes some milliseconds.
   */
  historyReadMsMax: 10_000,
  /** Maximum bytes of cached history bodies, by version: about fifty of the largest bodies. */
  historyCacheBytesMax: 32 * 1024 * 1024,
  /** Cache lifetime in seconds of data that a new trade can change. */
  historyFreshSeconds: 1,
  /** Cache lifetime in seconds of past candles, which only a manual back-fill changes. */
  historyPastSeconds: 300,
  /** Age in seconds from which a time counts as past: much longer than any fork. */
  historySettledSeconds: 600,
  /** Cache lifetime of immutable data. */
  historyFinalSeconds: 86_400,
  /** Maximum hours of one volume request, as in the Drift v2 data API. */
  volumeHoursMax: 24,
  /** Lifetime of a cached statistics body, in milliseconds. */
  statisticsKeptMs: 500,
} as const;
