/** The limits of the paths of market data, which are among `LIMITS`. */
export const HISTORY_LIMITS = {
  /** Trades or candles in one response, as in Drift v2's documents: below 600 KB. */
  tradesMax: 1_000,
  tradesDefault: 100,
  candlesMax: 1_000,
  candleRecordsDefault: 100,
  /** Thirty days of hourly records are 720, so that one response has them all. */
  fundingRatesMax: 1_000,
  /** Rows in the responses of the paths of the Drift v2 data API, as it has them. */
  fundingRateRecordsMax: 750,
  recordsDefault: 20,
  /** Rows that may be passed over by a page index: each is read. Cursors cost the same anywhere. */
  pagedRowsMax: 100_000,
  /** Pages of 5,000 rows of a dated archive: a million rows, ten times the trades of a busy market's day. */
  archivePagesMax: 200,
  /** The years of an archive: before the first Solana has no block, behind the last no time. */
  archiveYearMin: 2_020,
  archiveYearMax: 2_105,
  /** Markets in a body of /udf/search: as many as a list of the chart library shows, and all there are. */
  udfSearchDefault: 30,
  udfSearchMax: 1_000,
  /** Bars that a chart may ask for; it is sent as many as a body of candles has. */
  udfCountbackMax: 100_000,
  /** Beyond the year 2106 nothing has a time; milliseconds taken for seconds are found by it. */
  unixSecondsMax: 0xffff_ffff,
  /** The oldest time that the candles of the Drift v2 data API take: 15 November 2022. */
  candleRecordsTsMin: 1_668_470_400,
  /** How far ahead of ours a client's clock may be before its time is in the future. */
  clientAheadSecondsMax: 60,
  /** What /fundingRates goes back, in seconds: 30 days, to the whole hour. */
  fundingRatesSeconds: 30 * 86_400,
  /** Characters of a cursor: one has 24. */
  cursorCharsMax: 64,
  /** Bodies asked of the history at once: it makes one after the other, so more would only wait there. */
  historyReadsMax: 4,
  /** Pages of archives asked of it at once: one takes a fifth of a second, in which nothing else is made. */
  archiveReadsMax: 1,
  /** Requests that wait to be asked: a second's worth of large bodies. */
  historyReadsWaitingMax: 256,
  /** Time that a response of the history may take: the slowest is some milliseconds, after a back-fill's batch. */
  historyReadMsMax: 10_000,
  /** Bodies of the history cached for their version: some fifty of the largest. */
  historyCacheBytesMax: 32 * 1024 * 1024,
  /** How long caches may keep what trades may change at any time, in seconds. */
  historyFreshSeconds: 1,
  /** The same for candles of a time that is over: only a back-fill by hand changes them. */
  historyPastSeconds: 300,
  /** A time is over this long after its end, in seconds: far behind what a fork can take back. */
  historySettledSeconds: 600,
  /** The same for what nothing can change. */
  historyFinalSeconds: 86_400,
  /** Hours whose volume is requested at once, as in the Drift v2 data API. */
  volumeHoursMax: 24,
  /** A body of statistics serves all requests of this time, in milliseconds. */
  statisticsKeptMs: 500,
} as const;
