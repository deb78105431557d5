import { HISTORY_LIMITS } from './history-limits.js';
import { REPLAY_LIMITS } from './replay-limits.js';

/**
 * Maximum texts that a log masks: the settings of a process have a few hundred, and a test may
 * start many services in one process.
 */
export const SECRET_FORMS_MAX = 8_192;

/** Every externally visible limit, each with its reason. */
export const LIMITS = {
  /** Maximum TCP port, which has 16 bits. Port 0 lets the system choose a port, which tests use. */
  portMax: 65_535,
  /** Maximum account writes a second of a demo, which the embedded chain sustains. */
  demoRateMax: 500,
  /** A seed is one unsigned 32-bit word. */
  demoSeedMax: 0xffff_ffff,
  /**
   * Maximum makers of a demo. Each has an account of 4,376 bytes: 44 MB of chain state, written in
   * about 10 s at the start.
   */
  demoMakersMax: 10_000,
  /**
   * Maximum fill transactions a second of a demo: the chain sustains ten for some minutes before it
   * slows down.
   */
  demoFillsMax: 10,
  /** The program's own period is an hour. */
  demoFundingSecondsMax: 3_600,
  /** Maximum markets of a filter; the program has fewer. */
  marketFilterMax: 256,
  /** Range of levels or orders a side in one body: 1,000 rows are below 256 KiB of JSON. */
  depthMin: 1,
  depthMax: 1_000,
  /** Default levels a side of /l2. */
  l2DepthDefault: 10,
  /**
   * Default levels a side of /l2 under /dlob with `--compat-defaults`, the same as in the
   * dlob-server.
   */
  l2CompatibleDepthDefault: 100,
  /** Range of ticks per price group; clients of Drift v2 use 1 to 10,000. */
  groupingMin: 1,
  groupingMax: 1_000_000,
  /** Market indexes are u16 on chain. */
  marketIndexMax: 65_535,
  /**
   * Maximum bytes of a market's name, which is the length of the name field of a market account.
   */
  marketNameBytesMax: 32,
  /**
   * Range of the length of 32 bytes in base58: 32 characters when all bytes are 0, 44 when all are
   * 255.
   */
  keyCharsMin: 32,
  keyCharsMax: 44,
  /**
   * Maximum bytes of path and query: a batch of 256 entries with all parameters. A batch of 148
   * markets takes 9,015 bytes.
   */
  requestLineBytesMax: 32_768,
  /**
   * Maximum bytes of all header names and values of a request: the default limit of common proxies.
   */
  headerBytesMax: 16_384,
  /**
   * Maximum bytes of a request's head in the transport: both limits above fit, with separators, so
   * that an error can name the oversized part. Each slow connection may occupy this memory.
   */
  requestHeadBytesMax: 65_536,
  /**
   * Bytes of a reply that the transport holds back until it has parsed the whole input of its read.
   * The reply to a request with a body is padded beyond this, so that it is sent before the
   * connection closes.
   */
  transportHeldBytesMax: 16_384,
  /**
   * Maximum characters of the header names that a preflight requests and the reply repeats: about
   * forty names.
   */
  corsHeadersCharsMax: 1_024,
  /** Cached parsed queries per path. */
  queryMemoEntriesMax: 1_024,
  /** Maximum length of a cached query: 512 KiB of queries a path, and batch errors in addition. */
  queryMemoBytesMax: 512,
  /**
   * Minimum size in bytes of a compressed body: smaller bodies fit in a few packets. Smaller bodies
   * are cached for one turn of the book instead: at most 16 MiB a path, for as many queries as are
   * cached.
   */
  gzipBodyBytesMin: 16_384,
  /** Maximum bytes of cached compressed bodies of one path: several of the largest. */
  gzipCacheBytesMax: 16 * 1024 * 1024,
  /**
   * Maximum bytes of cached larger bodies of /match in the current turn. They are copies, because
   * the core reuses its buffer.
   */
  matchCacheBytesMax: 16 * 1024 * 1024,
  /**
   * Maximum concurrent compressions. Further bodies are sent uncompressed, so that no queue grows.
   */
  gzipPendingMax: 32,
  /**
   * Bytes of bodies in compression, up to which another compression may start: a few of the largest
   * bodies.
   */
  gzipPendingBytesMax: 64 * 1024 * 1024,
  /**
   * Maximum bytes of unsent responses, with equal responses counted once: ten of the largest. Above
   * it, the oldest responses of the client with the most are cut.
   */
  unsentBytesMax: 256 * 1024 * 1024,
  /**
   * Time limit in milliseconds for a client to read a response: the largest response in a minute is
   * 3.4 Mbit/s.
   */
  unsentMsMax: 60_000,
  /**
   * Maximum queued large responses: for a queue of batches, the last response waits about two
   * seconds.
   */
  largeBodiesWaitingMax: 256,
  /**
   * Milliseconds of one turn of the event loop for rendering large responses: together with the
   * WebSockets, a turn stays below 5 ms. The last step and the sending take additional time.
   */
  largeBodySliceMs: 1,
  /**
   * Maximum rows a side of a small book, which takes tens of microseconds to render and has about
   * 16 KiB.
   */
  smallBookLevels: 100,
  smallBookOrders: 35,
  /**
   * Maximum entries of a batch. Clients of Drift v2 request all 148 markets together. All levels of
   * a side are 8 MB.
   */
  batchEntriesMax: 256,
  batchLevelsMax: 50_000,
  /**
   * Range of makers in one response; getMultipleAccounts reads the same maximum of accounts in one
   * call.
   */
  topMakersMin: 1,
  topMakersMax: 100,
  topMakersDefault: 4,
  /** Maximum price or quote amount, which have 64 bits on chain; auction prices are signed. */
  matchAmountMax: 2n ** 64n - 1n,
  matchSignedMax: 2n ** 63n - 1n,
  /**
   * Maximum size at 1e9. Sizes of tokens with fewer decimals exceed 64 bits; this exceeds the
   * supply of any token.
   */
  matchSizeMax: 10n ** 30n,
  /**
   * Maximum competing makers of an auction in a query: several kilobytes, and more makers than real
   * auctions have.
   */
  matchJitOffersMax: 256,
  /** Maximum slots of an auction: a u8 on chain. */
  auctionDurationMax: 255,
  /** The program's fee tiers, from 0. */
  feeTierMax: 5,
  /** Lifetime in milliseconds of a cached account: about one slot. */
  accountReadsKeptMs: 400,
  /**
   * Minimum milliseconds between maker account calls of all clients: ten a second, in addition to
   * the feed's calls.
   */
  accountCallSpacingMs: 100,
  /**
   * Maximum concurrent account calls, of at most 100 accounts each, so that a slow node is not
   * overloaded.
   */
  accountCallsMax: 8,
  /** Queued accounts: half a second of calls. */
  accountsWaitingMax: 500,
  /**
   * Minimum milliseconds between priority fee calls: all 148 markets of mainnet are read within 4
   * s.
   */
  feeCallSpacingMs: 25,
  /** Concurrent fee calls, each for one market. */
  feeCallsMax: 8,
  /** Queued markets: two of the largest batches. */
  feesWaitingMax: 512,
  /**
   * Lifetime in milliseconds of a market's cached fees, which describe the blocks of the last
   * minute.
   */
  feesKeptMs: 10_000,
  /** Time limit of a fee call in milliseconds, including retries. */
  feeReadMsMax: 5_000,
  /** The interval of the channel `user` for what moves with the book, milliseconds. */
  userIntervalMs: 1_000,
  /** Accounts of a wallet that are looked for outside the book: its first ones, at most 256. */
  walletAccountsMax: 8,
  /** Wallets whose accounts outside the book are remembered, and that may wait for a reading. */
  walletsMax: 10_000,
  /** Maximum accounts of one request: what getMultipleAccounts reads in one call. */
  accountsMax: 100,
  /** Time limit of a maker account request in milliseconds, including retries. */
  accountReadMsMax: 5_000,
  /**
   * Maximum addresses with a rate limit: 2 MB. Above it, the address that was idle longest is
   * evicted.
   */
  rateLimitedAddressesMax: 10_000,
  /** Maximum networks of trusted proxies: a large provider has several dozen. */
  trustedProxiesMax: 256,
  /** Maximum proxies between client and service: usually two or three. */
  forwardedHopsMax: 16,
  /**
   * Maximum milliseconds between audits, a day: for a longer interval, use 0, which disables
   * audits.
   */
  auditIntervalMsMax: 86_400_000,
  probeIntervalMsMax: 60_000,
  /**
   * Range of durations in milliseconds: shorter durations cannot be detected in time, and longer
   * ones than a day have no use.
   */
  durationMsMin: 100,
  durationMsMax: 86_400_000,
  /** Maximum milliseconds between book updates: a slower book is useless. */
  publishIntervalMsMax: 10_000,
  /** Maximum WebSockets of all addresses: each takes some kilobytes and a file descriptor. */
  socketsMax: 20_000,
  /** Maximum bytes of a client's message, which names one subscription in a few hundred bytes. */
  socketMessageBytesMax: 4_096,
  /**
   * Backlog of a client in bytes, above which frames are skipped: some seconds of books of 20
   * levels, or three books of 1,000 levels. A client that never reads costs the process this much
   * memory and one message in addition.
   */
  socketBufferBytesMax: 524_288,
  /**
   * Default megabytes of the backlog of all WebSockets: 500 clients that never read. Above it, the
   * clients with the largest backlogs are disconnected.
   */
  socketBacklogMegabytesDefault: 256,
  socketBacklogMegabytesMax: 65_536,
  /** Milliseconds between backlog checks: a check of 20,000 sockets takes about 2 ms. */
  socketBacklogCheckMs: 100,
  /**
   * Backlog in bytes above which first books and resets wait: one book of 1,000 levels still fits.
   */
  socketBacklogBytesMax: 131_072,
  /** Maximum queued replies of a client with a full buffer: the requests of one burst. */
  socketRepliesMax: 1_024,
  /** Time limit in milliseconds for a client to read most of its backlog: 400 KB at 40 KB/s. */
  slowMsMax: 10_000,
  /** Additional milliseconds for the remaining backlog and the close frame. */
  slowCloseGraceMsMax: 5_000,
  /** Time limit of a pong in seconds; proxies disconnect silent connections after 60 s. */
  socketIdleSecondsMax: 32,
  /** Levels a side in a frame of the compatible channels, the same as in the dlob-server. */
  channelDepthDefault: 20,
  /**
   * Maximum of `--topics-max`. The core has room for this many topics, for the topics of unknown
   * makers, and for the common topics of 170 markets. Each topic costs a frame of the core whenever
   * its market changes.
   */
  topicsMax: 12_000,
  /** Maximum topics of makers without an account, in total: only new makers need them. */
  unknownMakerTopicsMax: 256,
  /**
   * Number of common topics of a market, which always have room: 65 of its book, 2 of trades, 9 of
   * candles.
   */
  commonTopicsPerMarket: 76,
  /**
   * Milliseconds between frames of the market data channel `orderbook`, the same as in the Drift v2
   * data API.
   */
  dataBookIntervalMs: 400,
  /**
   * Milliseconds between messages of the channel `pricing`, which have 19 KB for 148 markets, the
   * same as in the data API.
   */
  pricingIntervalMs: 3_000,
  /**
   * Milliseconds between messages of the channel `markets`, which have 130 KB, the same as in the
   * data API.
   */
  marketSummariesIntervalMs: 60_000,
  /**
   * Maximum characters of subscriptions that wait for the first live book, over all sockets: ten
   * subscriptions of each socket.
   */
  earlyBytesMax: 32 * 1024 * 1024,
  /** Maximum characters of an id, which the reply repeats: a UUID with a prefix fits. */
  socketIdCharsMax: 64,
  /**
   * Seconds of excess messages after which a socket is closed. Until then, each excess message gets
   * an error.
   */
  messageDebtSecondsMax: 2,
  /** Existing clients reconnect after two missed heartbeats. */
  heartbeatIntervalMs: 5_000,
  /**
   * Number of groups of sockets that get their heartbeats in turn: about 400 of 20,000 sockets at a
   * time.
   */
  heartbeatShards: 50,
  /**
   * Rows a side of the streaming channels, and intervals in milliseconds: few values, so that
   * readers share topics.
   */
  streamIntervals: [10, 50, 100, 250, 500, 1_000, 5_000],
  streamDepths: [10, 20, 50, 100, 500],
  streamDepthDefault: 50,
  /** Depths whose topics always have room: those of the page and of common clients. */
  streamDepthsCommon: [10, 20, 50, 100] as readonly number[],
  /** Milliseconds without a message after which a streaming topic sends a heartbeat. */
  streamHeartbeatMs: 1_000,
  /** Milliseconds between checks for silent topics, which is the maximum delay of a heartbeat. */
  streamWatchMs: 100,
  /**
   * Maximum milliseconds that a resuming client waits while the book is behind the client's
   * position: edges lag by milliseconds.
   */
  resumeWaitMsMax: 1_000,
  /**
   * Maximum age in milliseconds of stored deltas for resuming clients: enough for a client's
   * restart.
   */
  ringMsMax: 60_000,
  /**
   * Maximum bytes of the stored deltas of one topic: a minute at 100 deltas a second of about 170
   * bytes.
   */
  ringBytesPerTopicMax: 1_048_576,
  /**
   * Maximum bytes of the stored deltas of all topics, including headers: one chunk for each of
   * 4,000 busy topics.
   */
  ringBytesMax: 64 * 1024 * 1024,
  /** Bytes by which a ring grows: some seconds of a busy topic. */
  ringChunkBytes: 16_384,
  /**
   * Time limit in milliseconds of an open history for the first snapshot of a topic of candles or
   * trades.
   */
  marketShowMsMax: 5_000,
  /**
   * Maximum queued texts of candles and trades: several flushes. Above it, every subscriber gets a
   * new snapshot.
   */
  marketFramesMax: 20_000,
  /** Milliseconds of one turn of the event loop for messages that waited. */
  earlySliceMs: 3,
  /**
   * Milliseconds of one turn of the event loop for messages on arrival: together with waiting
   * messages 5 ms. A burst takes 20 turns.
   */
  messageSliceMs: 2,
  /** Milliseconds of one turn of the event loop for frames of topics: some 300 topics. */
  publishSliceMs: 4,
  /**
   * Range of milliseconds after which clients reconnect when a service stops: 20,000 clients over
   * five seconds.
   */
  reconnectAfterMsMin: 500,
  reconnectAfterMsMax: 5_500,
  /** Milliseconds for clients to read their backlog when the service stops. */
  socketDrainMsMax: 1_000,
  /** Milliseconds between checks of that backlog, and for clients to answer the close. */
  socketDrainPollMs: 25,
  /** Maximum sizes that are requested from an aggregator: two requests each, per market. */
  aggregatorSizesMax: 8,
  /**
   * Maximum size in whole quote units: larger than any trade of this kind, and a u64 in the token's
   * decimals.
   */
  aggregatorSizeMax: 1_000_000_000,
  /** Maximum keys that may quote: the book has room for 64 makers a market. */
  quoteMakersMax: 256,
  /** Maximum quotes of one maker in one market: makers send fewer than 32 prices a side. */
  quotesMax: 32,
  /** Maximum bytes of a quote message; a message of 32 quotes has about 5 KB. */
  quoteMessageBytesMax: 16_384,
  /**
   * Maximum messages a second of a maker: existing makers repeat the quotes of each market every
   * 500 ms, for 150 markets, with some room.
   */
  quoteMessagesPerSecond: 400,
  /** Maximum unsigned sockets: two for each key. Above it, a new socket replaces the oldest. */
  quoteUnsignedMax: 512,
  /** Maximum unsigned sockets of one address: enough for a restart of a firm's makers. */
  quoteUnsignedPerAddressMax: 32,
  /**
   * Maximum unsigned sockets of one key from one address: a reconnecting maker and its old sockets.
   */
  quoteUnsignedPerKeyMax: 4,
  /** Time limit in milliseconds for signing the challenge: a round trip, with some room. */
  quoteSignMsMax: 5_000,
  /**
   * Milliseconds between heartbeats. A maker reconnects after 60 s without a message, and proxies
   * disconnect silent sockets then as well.
   */
  quoteHeartbeatMs: 5_000,
  ...HISTORY_LIMITS,
  /** Lifetime in milliseconds of a cached /metrics text: scrapes are at least a second apart. */
  metricsKeptMs: 250,
  /**
   * Milliseconds of one turn of the event loop for rendering /metrics, which takes 1 to 2 ms in
   * total.
   */
  metricsSliceMs: 1,
  ratePerSecondMax: 1_000_000,
  errorValueCharsMax: 64,
  /** Seconds that a client should wait before it requests a first book again. */
  retryAfterSeconds: 1,
  /**
   * Maximum speed of a replay, which plays a recorded day in 90 seconds; 0 plays without any pause.
   */
  replaySpeedMax: 1_000,
  /**
   * Maximum seconds of a verification, an hour: persistent differences are found in the first
   * minute.
   */
  verifySecondsMax: 3_600,
  /** Ten years: 0 keeps all. */
  historyDaysMax: 3_650,
  ...REPLAY_LIMITS,
  /**
   * Maximum hours of back-fill at the first start, a month; `slotbook backfill` can read earlier
   * trades.
   */
  backfillHoursMax: 720,
  backfillTransactionsMax: 10_000_000,
  /** Maximum transactions a second that the history requests, which a private node can serve. */
  historyRateMax: 10_000,
  /**
   * Maximum files of the page: its HTML, scripts and styles: one script for each view and each part
   * that loads on demand, and the pages of the guide.
   */
  pageFilesMax: 256,
  /** Maximum bytes of a file of the page; the largest file has a fifth of this. */
  pageFileBytesMax: 1_048_576,
  /** Cache lifetime in seconds of past books, which are immutable: a day. */
  asOfSecondsMax: 86_400,
  /** Maximum characters of an epoch: usually 8, and more after the year 9999. */
  epochCharsMax: 44,
  /** Maximum megabytes of the journal, 1,000 terabytes: more than a machine has. */
  journalMegabytesMax: 1_000_000_000,
  /** Maximum NATS servers, and replicas of the log: JetStream supports at most five. */
  natsServersMax: 5,
  /** Maximum merged streams: two or three suffice for failover, and each costs CPU. */
  sourcesMax: 8,
  /** Maximum hours of a core's log, a week: edges start from the log, which is not an archive. */
  natsHoursMax: 168,
  /**
   * Maximum ranges, gaps and damaged files in /journal, newest first: one range for each restart of
   * a service.
   */
  journalListedMax: 1_000,
  /** Milliseconds that a stopping service waits for its parts. */
  stopMsMax: 5_000,
} as const;
