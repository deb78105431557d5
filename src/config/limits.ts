import { HISTORY_LIMITS } from './history-limits.js';
import { REPLAY_LIMITS } from './replay-limits.js';

/**
 * Masked texts of a log: a process's settings have a few hundred, and a test may start many
 * services in one process.
 */
export const SECRET_FORMS_MAX = 8_192;

/** Every externally visible limit, each with its reason. */
export const LIMITS = {
  /** A TCP port is 16 bits; 0 lets the system choose one, which tests use. */
  portMax: 65_535,
  /** Steady account writes a second that the embedded chain sustains. */
  demoRateMax: 500,
  /** A seed is one unsigned 32-bit word. */
  demoSeedMax: 0xffff_ffff,
  /** Accounts of 4,376 bytes each: 44 MB of chain state, written in about 10 s at the start. */
  demoMakersMax: 10_000,
  /** Transactions a second: the chain sustains ten for some minutes before it slows. */
  demoFillsMax: 10,
  /** The program's own period is an hour. */
  demoFundingSecondsMax: 3_600,
  /** Markets of a filter; the program has fewer. */
  marketFilterMax: 256,
  /** Levels or orders a side in one body: 1,000 rows are below 256 KiB of JSON. */
  depthMin: 1,
  depthMax: 1_000,
  /** Default levels a side of /l2. */
  l2DepthDefault: 10,
  /** Default levels a side of /l2 under /dlob with `--compat-defaults`, the dlob-server's. */
  l2CompatibleDepthDefault: 100,
  /** Ticks per price group; clients of Drift v2 use 1 to 10,000. */
  groupingMin: 1,
  groupingMax: 1_000_000,
  /** Market indexes are u16 on chain. */
  marketIndexMax: 65_535,
  /** The name field of a market account has 32 bytes. */
  marketNameBytesMax: 32,
  /** Base58 characters of 32 bytes: 32 when all are zero, 44 when all are 255. */
  keyCharsMin: 32,
  keyCharsMax: 44,
  /** Path and query: a batch of 256 entries with all parameters; 148 markets take 9,015 bytes. */
  requestLineBytesMax: 32_768,
  /** All header names and values of a request: the default limit of usual proxies. */
  headerBytesMax: 16_384,
  /**
   * A request's head in the transport: room for both limits with separators, so that an oversized
   * part is rejected by name. Each slow connection may hold this much.
   */
  requestHeadBytesMax: 65_536,
  /**
   * Bytes of a reply that the transport holds until it has parsed the whole input of its read. The
   * reply to a request with a body is made longer, so that it is sent before the connection closes.
   */
  transportHeldBytesMax: 16_384,
  /** Requested header names in a preflight, which the reply repeats: about forty. */
  corsHeadersCharsMax: 1_024,
  /** Cached parsed queries per path. */
  queryMemoEntriesMax: 1_024,
  /** Maximum length of a cached query: 512 KiB of queries a path, plus batch errors. */
  queryMemoBytesMax: 512,
  /**
   * Minimum size of a compressed body: smaller ones fit in a few packets. They are cached for a
   * turn of the book instead: 16 MiB a path at most, with as many queries as are cached.
   */
  gzipBodyBytesMin: 16_384,
  /** Cached compressed bodies of one path: several of the largest. */
  gzipCacheBytesMax: 16 * 1024 * 1024,
  /** Cached larger bodies of /match of the current turn: copies, because the core reuses its buffer. */
  matchCacheBytesMax: 16 * 1024 * 1024,
  /** Concurrent compressions; further bodies are sent uncompressed, so no queue grows. */
  gzipPendingMax: 32,
  /** Bytes of bodies being compressed, below which one more may start: a few of the largest. */
  gzipPendingBytesMax: 64 * 1024 * 1024,
  /**
   * Bytes of unsent responses, equal ones counted once: ten of the largest. Beyond it large
   * responses are rejected; one response may exceed it.
   */
  unsentBytesMax: 256 * 1024 * 1024,
  /** Smaller bodies are never rejected: they fit a connection's send buffer. */
  unsentBodyBytesMin: 16_384,
  /** Time limit for reading a response: the largest in a minute is 3.4 Mbit/s. */
  unsentMsMax: 60_000,
  /** Queued large responses: the last of as many batches waits about two seconds. */
  largeBodiesWaitingMax: 256,
  /**
   * Share of a turn of the event loop for making large responses: together with the WebSockets a
   * turn stays below 5 ms. The last step, and the sending, are extra.
   */
  largeBodySliceMs: 1,
  /** Maximum rows a side of a small book: rendered in tens of microseconds, about 16 KiB. */
  smallBookLevels: 100,
  smallBookOrders: 35,
  /**
   * Entries of a batch. Clients of Drift v2 request all 148 markets together. All levels of a side
   * are 8 MB.
   */
  batchEntriesMax: 256,
  batchLevelsMax: 50_000,
  /** Makers of one response; getMultipleAccounts reads as many accounts per call. */
  topMakersMin: 1,
  topMakersMax: 100,
  topMakersDefault: 4,
  /** Prices and quote have 64 bits on chain; auction prices are signed. */
  matchAmountMax: 2n ** 64n - 1n,
  matchSignedMax: 2n ** 63n - 1n,
  /** Sizes at 1e9 of tokens with fewer decimals exceed 64 bits; no token has as many units as this. */
  matchSizeMax: 10n ** 30n,
  /** Competing makers of an auction: several kilobytes of a query, and more than real auctions have. */
  matchJitOffersMax: 256,
  /** Slots of an auction: a u8 on chain. */
  auctionDurationMax: 255,
  /** The program's fee tiers, from 0. */
  feeTierMax: 5,
  /** Concurrent maker account requests: their calls are spaced, so many may wait for one. */
  accountReadsMax: 64,
  /** Cached results, of at most 584 KB each. */
  accountReadsKeptMax: 64,
  /** Lifetime of a cached account and list: a slot each. */
  accountReadsKeptMs: 400,
  /** Minimum interval of maker account calls, over all clients: ten a second in addition to the feed's. */
  accountCallSpacingMs: 100,
  /** Concurrent calls, of at most 100 accounts each: a slow node is not overloaded. */
  accountCallsMax: 8,
  /** Queued accounts: half a second of calls. */
  accountsWaitingMax: 500,
  /** Minimum interval of priority fee calls: all 148 markets of the main network within 4 s. */
  feeCallSpacingMs: 25,
  /** Concurrent fee calls, each for one market. */
  feeCallsMax: 8,
  /** Queued markets: two of the largest batches. */
  feesWaitingMax: 512,
  /** Lifetime of a market's cached fees, which are those of the last minute's blocks. */
  feesKeptMs: 10_000,
  /** Time limit of a fee call, retries included. */
  feeReadMsMax: 5_000,
  /** Time limit of a maker account fetch, retries included. */
  accountReadMsMax: 5_000,
  /** Rate-limited addresses: 2 MB. Beyond it the longest idle one is evicted. */
  rateLimitedAddressesMax: 10_000,
  /** Networks of trusted proxies: a large provider names several dozen. */
  trustedProxiesMax: 256,
  /** Proxies in a row: usually two or three. */
  forwardedHopsMax: 16,
  /** A day: a longer interval should be 0, which disables audits. */
  auditIntervalMsMax: 86_400_000,
  probeIntervalMsMax: 60_000,
  /** Shorter durations cannot be detected in time; a day is as good as never. */
  durationMsMin: 100,
  durationMsMax: 86_400_000,
  /** A book with fewer updates than each ten seconds is useless. */
  publishIntervalMsMax: 10_000,
  /** WebSockets of all addresses together: some kilobytes and a file descriptor each. */
  socketsMax: 20_000,
  /** A message of a client names one subscription: a few hundred bytes. */
  socketMessageBytesMax: 4_096,
  /**
   * Backlog of a client before frames are skipped: some seconds of books of 20 levels, or three of
   * 1,000. A client that never reads costs the process this much plus one message.
   */
  socketBufferBytesMax: 524_288,
  /**
   * Default megabytes of backlog of all WebSockets: 500 clients that read nothing. Beyond it the
   * clients with the largest backlogs are cut.
   */
  socketBacklogMegabytesDefault: 256,
  socketBacklogMegabytesMax: 65_536,
  /** Interval of backlog checks: 20,000 sockets take about 2 ms. */
  socketBacklogCheckMs: 100,
  /** Backlog above which first books and resets wait: one of 1,000 levels still fits. */
  socketBacklogBytesMax: 131_072,
  /** Queued replies of a client with a full buffer: the requests of one burst. */
  socketRepliesMax: 1_024,
  /** Time limit for a client to read most of its backlog: 400 KB at 40 KB/s. */
  slowMsMax: 10_000,
  /** Additional time for the rest and the close frame. */
  slowCloseGraceMsMax: 5_000,
  /** Time limit of a pong; proxies cut silent connections after 60 s. */
  socketIdleSecondsMax: 32,
  /** Levels a side in a frame of the compatible channels, the dlob-server's. */
  channelDepthDefault: 20,
  /**
   * Maximum of `--topics-max`: the core has room for as many topics, plus those of unknown makers
   * and the common ones of 170 markets. Each costs a frame of the core whenever its market changes.
   */
  topicsMax: 12_000,
  /** Topics of makers without an account, in total: only new makers need them. */
  unknownMakerTopicsMax: 256,
  /**
   * Common topics of a market, which always have room: 65 of its book, 2 of trades, 9 of candles.
   */
  commonTopicsPerMarket: 76,
  /** Interval of frames of the market data channel `orderbook`, the Drift v2 data API's. */
  dataBookIntervalMs: 400,
  /** Interval of messages of the channel `pricing`, of 19 KB for 148 markets, the data API's. */
  pricingIntervalMs: 3_000,
  /** Interval of messages of the channel `markets`, of 130 KB, likewise. */
  marketSummariesIntervalMs: 60_000,
  /** Characters of subscriptions queued for the first live book, over all sockets: ten of each. */
  earlyBytesMax: 32 * 1024 * 1024,
  /** An id is repeated in the reply; a UUID with a prefix fits. */
  socketIdCharsMax: 64,
  /** Excess messages get an error until they exceed the rate by this many seconds; then the socket closes. */
  messageDebtSecondsMax: 2,
  /** Existing clients reconnect after two missed heartbeats. */
  heartbeatIntervalMs: 5_000,
  /** Groups of sockets that get their heartbeat in turn: about 400 of 20,000 at a time. */
  heartbeatShards: 50,
  /** Rows a side of the streaming channels, and intervals in ms: few enough that readers share topics. */
  streamIntervals: [10, 50, 100, 250, 500, 1_000, 5_000],
  streamDepths: [10, 20, 50, 100, 500],
  streamDepthDefault: 50,
  /** Depths whose topics always have room: those of the page, and of common clients. */
  streamDepthsCommon: [10, 20, 50, 100] as readonly number[],
  /** Silence after which a streaming topic sends a heartbeat. */
  streamHeartbeatMs: 1_000,
  /** Interval of silence checks: a heartbeat is late by at most this. */
  streamWatchMs: 100,
  /** Time that a resuming client waits for a book that lags behind its position: edges lag by milliseconds. */
  resumeWaitMsMax: 1_000,
  /** Age of stored deltas for resuming clients: it covers a client's restart. */
  ringMsMax: 60_000,
  /** Bytes of stored deltas of one topic: a minute at 100 a second, some 170 bytes each. */
  ringBytesPerTopicMax: 1_048_576,
  /** Stored deltas of all topics, with their headers: one chunk for each of 4,000 busy topics. */
  ringBytesMax: 64 * 1024 * 1024,
  /** Growth of a ring: some seconds of a busy topic. */
  ringChunkBytes: 16_384,
  /** Time limit of an open history for the first snapshot of a topic of candles or trades. */
  marketShowMsMax: 5_000,
  /** Queued texts of candles and trades, several flushes: beyond it every subscriber gets a new snapshot. */
  marketFramesMax: 20_000,
  /** The share of one turn of the loop that goes to messages that waited. */
  earlySliceMs: 3,
  /** Share for messages handled on arrival: both together are 5 ms; a burst takes 20 of them. */
  messageSliceMs: 2,
  /** The share of one turn of the loop that goes to frames of topics: some 300 topics of a turn go out in that turn. */
  publishSliceMs: 4,
  /** Clients of a service that stops come again after a time in between: 20,000 over five seconds. */
  reconnectAfterMsMin: 500,
  reconnectAfterMsMax: 5_500,
  /** Time for clients to read their backlog when the service stops. */
  socketDrainMsMax: 1_000,
  /** Polling interval of that, and time to answer the close. */
  socketDrainPollMs: 25,
  /** Sizes requested of an aggregator: two requests each, per market. */
  aggregatorSizesMax: 8,
  /** Maximum size in whole quote: larger than any such trade, and a u64 in the token's decimals. */
  aggregatorSizeMax: 1_000_000_000,
  /** Keys that may quote: the book has room for 64 makers a market. */
  quoteMakersMax: 256,
  /** Quotes of one maker in one market: makers send fewer than the 32 prices a side that this allows. */
  quotesMax: 32,
  /** A message of 32 quotes has about 5 KB. */
  quoteMessageBytesMax: 16_384,
  /**
   * Messages of a maker: existing makers repeat each market's quotes every 500 ms, for 150 markets
   * and some more.
   */
  quoteMessagesPerSecond: 400,
  /** Unsigned sockets: two for each key. Beyond it a new one replaces the oldest. */
  quoteUnsignedMax: 512,
  /** Unsigned sockets of one address: a restart of a firm's makers. */
  quoteUnsignedPerAddressMax: 32,
  /** Unsigned sockets of one key from one address: a reconnecting maker, and its old sockets. */
  quoteUnsignedPerKeyMax: 4,
  /** Time limit for signing the challenge: a round trip with margin. */
  quoteSignMsMax: 5_000,
  /** A maker reconnects after 60 s of silence; proxies cut silent sockets then as well. */
  quoteHeartbeatMs: 5_000,
  ...HISTORY_LIMITS,
  /** Lifetime of a cached /metrics text: scrapes are at least a second apart. */
  metricsKeptMs: 250,
  /** Share of a turn of the event loop for rendering /metrics; it takes 1 to 2 ms in total. */
  metricsSliceMs: 1,
  ratePerSecondMax: 1_000_000,
  errorValueCharsMax: 64,
  /** Seconds that a client should wait before it requests a first book again. */
  retryAfterSeconds: 1,
  /** A day of a recording in a minute and a half; 0 plays without any pause. */
  replaySpeedMax: 1_000,
  /** An hour: persistent differences are found in the first minute. */
  verifySecondsMax: 3_600,
  /** Ten years: 0 keeps all. */
  historyDaysMax: 3_650,
  ...REPLAY_LIMITS,
  /** A month of back-fill at the first start; `slotbook backfill` goes further. */
  backfillHoursMax: 720,
  backfillTransactionsMax: 10_000_000,
  /** Transactions a second that a private node serves. */
  historyRateMax: 10_000,
  /** Files of the page: its HTML, scripts and styles, one for every view and lazily loaded part. */
  pageFilesMax: 64,
  /** Bytes of a file; the largest has a fifth of this. */
  pageFileBytesMax: 1_048_576,
  /** Cache lifetime of past books, which are immutable: a day. */
  asOfSecondsMax: 86_400,
  /** Characters of an epoch: usually 8, more beyond the year 9999. */
  epochCharsMax: 44,
  /** A thousand terabytes, more than a machine has. */
  journalMegabytesMax: 1_000_000_000,
  /** NATS servers, and replicas of the log: JetStream supports at most five. */
  natsServersMax: 5,
  /** Merged streams: two or three provide failover, and each costs CPU. */
  sourcesMax: 8,
  /** A week: edges join from the log; it is not an archive. */
  natsHoursMax: 168,
  /** Newest ranges, gaps and damaged files in /journal: as many restarts of a service. */
  journalListedMax: 1_000,
  /** Time that a stopping service waits for its parts. */
  stopMsMax: 5_000,
} as const;
