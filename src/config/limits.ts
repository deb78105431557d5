import { HISTORY_LIMITS } from './history-limits.js';
import { REPLAY_LIMITS } from './replay-limits.js';

/** Texts that are masked in a log: the settings of a process have a few hundred, and a test may start many services in one. */
export const SECRET_FORMS_MAX = 8_192;

/** Every limit that is met from outside, each with its reason: the largest (and smallest) values. */
export const LIMITS = {
  /** A TCP port is 16 bits; 0 lets the system choose one, which tests use. */
  portMax: 65_535,
  /** Steady account writes a second that the embedded chain keeps up with. */
  demoRateMax: 500,
  /** A seed is one unsigned 32-bit word. */
  demoSeedMax: 0xffff_ffff,
  /** One account of 4,376 bytes each: 44 MB of chain state, written in about 10 s at the start. */
  demoMakersMax: 10_000,
  /** Transactions a second: the chain takes ten for some minutes before it slows. */
  demoFillsMax: 10,
  /** The program's own period is an hour. */
  demoFundingSecondsMax: 3_600,
  /** A filter names markets one by one; the program has fewer than this. */
  marketFilterMax: 256,
  /** Levels or orders a side in one body: 1,000 rows are below 256 KiB of JSON. */
  depthMin: 1,
  depthMax: 1_000,
  /** Levels a side of /l2 where the request names none. */
  l2DepthDefault: 10,
  /** Levels a side of the dlob-server, for /l2 under /dlob with `--compat-defaults`. */
  l2CompatibleDepthDefault: 100,
  /** Ticks a group; clients of Drift v2 use 1 to 10,000. */
  groupingMin: 1,
  groupingMax: 1_000_000,
  /** Market indexes are u16 on chain. */
  marketIndexMax: 65_535,
  /** The name field of a market account has 32 bytes. */
  marketNameBytesMax: 32,
  /** Base58 characters of 32 bytes: 32 when all are zero, 44 when all are 255. */
  keyCharsMin: 32,
  keyCharsMax: 44,
  /** Path and query: a batch of 256 entries with all parameters; 148 markets are 9,015 bytes of it. */
  requestLineBytesMax: 32_768,
  /** All header names and values of a request: what proxies in front allow by default. */
  headerBytesMax: 16_384,
  /**
   * A request's head as the transport gathers it: room for both with their separators, so that what
   * is refused for its size is refused here, by name. Each slow connection may hold this much.
   */
  requestHeadBytesMax: 65_536,
  /**
   * What the transport holds of a reply until it has parsed all that came with the request. The reply to a
   * request with a body is made longer than this, so that it is sent before the connection is closed.
   */
  transportHeldBytesMax: 16_384,
  /** Names of headers that a preflight may ask for, which are repeated: some forty of them. */
  corsHeadersCharsMax: 1_024,
  /** Parsed queries cached per path, so that a repeated request is not parsed again. */
  queryMemoEntriesMax: 1_024,
  /** Longer queries are parsed each time: 512 KiB of them a path, and the errors in batches beside. */
  queryMemoBytesMax: 512,
  /**
   * Smaller bodies fit in a few packets: compressing them costs more than it saves. They are cached for
   * a turn of the book instead: 16 MiB a path at most, with as many queries as are cached.
   */
  gzipBodyBytesMin: 16_384,
  /** Compressed bodies of one path cached for their version: some of the largest. */
  gzipCacheBytesMax: 16 * 1024 * 1024,
  /** Larger bodies of /match cached for their turn of the book, until others need the room: copies, as the core writes over them. */
  matchCacheBytesMax: 16 * 1024 * 1024,
  /** Compressions under way at once; beyond it bodies go out plain, so no queue can grow. */
  gzipPendingMax: 32,
  /** Bytes of the bodies that are being compressed, of which one more may be begun: a few of the largest. */
  gzipPendingBytesMax: 64 * 1024 * 1024,
  /**
   * Bytes of responses that wait for clients to read them, equal ones counted once: ten of the largest.
   * Beyond it large responses are refused, so that one more may wait than this.
   */
  unsentBytesMax: 256 * 1024 * 1024,
  /** Smaller bodies are never refused: the first send buffer of a connection takes them. */
  unsentBodyBytesMin: 16_384,
  /** Time that a client has to read a response: the largest in a minute is 3.4 Mbit/s. */
  unsentMsMax: 60_000,
  /** Large responses that wait to be made: the last of as many batches waits about two seconds. */
  largeBodiesWaitingMax: 256,
  /**
   * The share of one turn of the loop that goes to making large responses: with what the WebSockets take
   * a turn stays below 5 ms. The last step, and the sending, come on top.
   */
  largeBodySliceMs: 1,
  /** Rows a side up to which a book is small: made in some ten microseconds, about 16 KiB. */
  smallBookLevels: 100,
  smallBookOrders: 35,
  /** Clients of Drift v2 ask for all markets at once: 148. All levels of a side are 8 MB. */
  batchEntriesMax: 256,
  batchLevelsMax: 50_000,
  /** Makers of one response; getMultipleAccounts reads as many accounts at once. */
  topMakersMin: 1,
  topMakersMax: 100,
  topMakersDefault: 4,
  /** Prices and quote have 64 bits on chain, and those of an auction a sign. */
  matchAmountMax: 2n ** 64n - 1n,
  matchSignedMax: 2n ** 63n - 1n,
  /** Sizes at 1e9 of tokens with fewer decimals pass 64 bits; no token has as many units as this. */
  matchSizeMax: 10n ** 30n,
  /** Competing makers of an auction: some thousands of bytes of a query, and more than any auction has. */
  matchJitOffersMax: 256,
  /** Slots of an auction: a u8 on chain. */
  auctionDurationMax: 255,
  /** The program's fee tiers, from 0. */
  feeTierMax: 5,
  /** Lists of makers' accounts in flight: their calls are spaced, so that many may wait for one. */
  accountReadsMax: 64,
  /** Fetched results that are cached, of at most 584 KB each. */
  accountReadsKeptMax: 64,
  /** How long an account serves all lists that name it, and a list equal requests: a slot each. */
  accountReadsKeptMs: 400,
  /** Time between two calls for makers' accounts, over all clients: ten a second beside the feed's. */
  accountCallSpacingMs: 100,
  /** Such calls in flight, of at most 100 accounts each: a slow node is not called faster than it returns. */
  accountCallsMax: 8,
  /** Accounts that wait for such a call: half a second's worth. */
  accountsWaitingMax: 500,
  /** Time between two calls for priority fees: all 148 markets of the main network within 4 s. */
  feeCallSpacingMs: 25,
  /** Such calls in flight, each for one market. */
  feeCallsMax: 8,
  /** Markets that wait for such a call: two of the largest batches. */
  feesWaitingMax: 512,
  /** How long the fees of a market serve all requests; they are of blocks of the last minute. */
  feesKeptMs: 10_000,
  /** Time that a call for fees may take, its retries included. */
  feeReadMsMax: 5_000,
  /** Time that a fetch of makers' accounts may take, its retries included. */
  accountReadMsMax: 5_000,
  /** Addresses whose requests are counted: 2 MB. Beyond it the one that was quiet longest goes. */
  rateLimitedAddressesMax: 10_000,
  /** Networks of trusted proxies: a large provider names some dozens. */
  trustedProxiesMax: 256,
  /** Proxies that a request passes one after the other: two or three, and room for odd set-ups. */
  forwardedHopsMax: 16,
  /** A day: rarer than that is as good as 0, which turns audits off. */
  auditIntervalMsMax: 86_400_000,
  probeIntervalMsMax: 60_000,
  /** Shorter than this is not noticed in time; a day is as good as never. */
  durationMsMin: 100,
  durationMsMax: 86_400_000,
  /** A book that comes less often than each ten seconds is not one. */
  publishIntervalMsMax: 10_000,
  /** WebSockets of all addresses together: some kilobytes each, and as many file descriptors. */
  socketsMax: 20_000,
  /** A message of a client names one subscription: a few hundred bytes. */
  socketMessageBytesMax: 4_096,
  /**
   * Bytes that may wait for a client before frames are left out: some seconds of books of 20 levels,
   * or three of 1,000. A client that never reads costs the process this much and one message.
   */
  socketBufferBytesMax: 524_288,
  /**
   * Megabytes that may wait for all WebSockets together, by default: 500 clients that read nothing. Beyond it
   * those for which most waits are cut.
   */
  socketBacklogMegabytesDefault: 256,
  socketBacklogMegabytesMax: 65_536,
  /** How often the sockets are asked what waits: 20,000 take about 2 ms. */
  socketBacklogCheckMs: 100,
  /** First books and resets wait while more than this does: one of 1,000 levels still has room. */
  socketBacklogBytesMax: 131_072,
  /** Replies that wait for a client whose buffer is full: what it may request in one burst. */
  socketRepliesMax: 1_024,
  /** Time that a client has to read most of what waits: 400 KB at 40 KB/s. */
  slowMsMax: 10_000,
  /** Time that a client then has to read the rest and the close frame behind it. */
  slowCloseGraceMsMax: 5_000,
  /** A client that has not answered a ping for this long is gone; proxies cut silent ones after 60 s. */
  socketIdleSecondsMax: 32,
  /** Levels a side in a frame of the compatible channels, as the dlob-server's have. */
  channelDepthDefault: 20,
  /**
   * What `--topics-max` may allow: the core has room for as many topics, those of makers without an account,
   * and the common ones of 170 markets. Each costs a frame of the core whenever its market changes.
   */
  topicsMax: 12_000,
  /** Topics of makers without an account, in all: a maker may wait for its first one, few do. */
  unknownMakerTopicsMax: 256,
  /** Common topics of a market, which always have room: 33 of its book, 3 of trades, 18 of candles; those of the streams in both encodings. */
  commonTopicsPerMarket: 54,
  /** Between two frames of the channel `orderbook` of market data, as the Drift v2 data API has it. */
  dataBookIntervalMs: 400,
  /** Between two messages of the channel `pricing`, of 19 KB for 148 markets, as the data API has it. */
  pricingIntervalMs: 3_000,
  /** Of the channel `markets`, of 130 KB, likewise. */
  marketSummariesIntervalMs: 60_000,
  /** Characters of subscriptions that wait for the first live book, over all sockets: ten of each. */
  earlyBytesMax: 32 * 1024 * 1024,
  /** An id is repeated in the reply; a UUID with a prefix fits. */
  socketIdCharsMax: 64,
  /** Messages beyond the rate get an error until they exceed it by this many seconds; then it closes. */
  messageDebtSecondsMax: 2,
  /** The clients in use reconnect when two of these have not come. */
  heartbeatIntervalMs: 5_000,
  /** Parts of the sockets that get their heartbeat one after the other: some 300 of 20,000 at once. */
  heartbeatShards: 50,
  /** Rows a side of the streaming channels, and intervals in ms: few enough that readers share topics. */
  streamIntervals: [10, 50, 100, 250, 500, 1_000, 5_000],
  streamDepths: [10, 20, 50, 100, 500],
  streamDepthDefault: 50,
  /** Silence after which a streaming topic sends a heartbeat. */
  streamHeartbeatMs: 1_000,
  /** How often topics are checked for silence: a heartbeat is late by at most this. */
  streamWatchMs: 100,
  /** How long a client that resumes waits for a book that is behind where it was: edges are so by milliseconds. */
  resumeWaitMsMax: 1_000,
  /** How long deltas are stored for clients that resume: a restart of a client. */
  ringMsMax: 60_000,
  /** Deltas of one topic: 100 a second for a minute are 200 bytes each. */
  ringBytesPerTopicMax: 1_048_576,
  /** Deltas of all topics, with their headers: one chunk of each when 4,000 of them are busy. */
  ringBytesMax: 64 * 1024 * 1024,
  /** What a ring grows by: some seconds of a busy topic. */
  ringChunkBytes: 16_384,
  /** Time that an open history has for the first snapshot of a topic of candles or trades. */
  marketShowMsMax: 5_000,
  /** Texts of candles and trades that wait to be published, as of some flushes: beyond it every subscriber gets a new snapshot. */
  marketFramesMax: 20_000,
  /** The share of one turn of the loop that goes to making frames, or to messages that waited. */
  fanOutSliceMs: 3,
  /** The same for messages that are handled as they come: both together are 5 ms, of which a burst takes 20. */
  messageSliceMs: 2,
  /** The share of one turn of the loop that goes to frames of topics: some 300 topics of a turn go out in that turn. */
  publishSliceMs: 4,
  /** Clients of a service that stops come again after a time in between: 20,000 over five seconds. */
  reconnectAfterMsMin: 500,
  reconnectAfterMsMax: 5_500,
  /** Time that clients have to read what waits for them when the service stops. */
  socketDrainMsMax: 1_000,
  /** How often it is checked whether they have, and how long they have to answer the close. */
  socketDrainPollMs: 25,
  /** Sizes that are requested of an aggregator: two requests each, for each market. */
  aggregatorSizesMax: 8,
  /** The largest of them in whole quote: more than any such trade, and a u64 in the token's decimals. */
  aggregatorSizeMax: 1_000_000_000,
  /** Keys that may quote: the book holds the quotes of 64 makers a market. */
  quoteMakersMax: 256,
  /** Quotes of one maker in one market: a ladder of 32 prices a side is more than makers send. */
  quotesMax: 32,
  /** A message of 32 quotes has about 5 KB. */
  quoteMessageBytesMax: 16_384,
  /** The sender in use repeats the quotes of each market every 500 ms: 150 markets and some more. */
  quoteMessagesPerSecond: 400,
  /** Sockets that are still to sign: two for each key. Beyond it the oldest gives way to a new one. */
  quoteUnsignedMax: 512,
  /** Those of one address: a restart of a firm's makers. */
  quoteUnsignedPerAddressMax: 32,
  /** Those of one key from one address: a maker that reconnects, and its old sockets. */
  quoteUnsignedPerKeyMax: 4,
  /** Time that a maker has to sign the challenge: a round trip and some slowness. */
  quoteSignMsMax: 5_000,
  /** A sender reconnects after 60 s of silence; proxies cut silent sockets then as well. */
  quoteHeartbeatMs: 5_000,
  ...HISTORY_LIMITS,
  /** How long a text of /metrics serves further requests: nobody scrapes more often than each second. */
  metricsKeptMs: 250,
  /** The share of one turn of the loop that goes to rendering /metrics; it is 1 to 2 ms in all. */
  metricsSliceMs: 1,
  /** Rates above this are no limit on such machines. */
  ratePerSecondMax: 1_000_000,
  /** A quoted value in an error message is cut here. */
  errorValueCharsMax: 64,
  /** Seconds that a client should wait before it asks again for a first book. */
  retryAfterSeconds: 1,
  /** A day of a recording in a minute and a half; faster than that is 0, without any pause. */
  replaySpeedMax: 1_000,
  /** An hour: what differs for so long is found in the first minute. */
  verifySecondsMax: 3_600,
  /** Ten years: longer is 0, which keeps all. */
  historyDaysMax: 3_650,
  ...REPLAY_LIMITS,
  /** A month of back-fill at the first start; `slotbook backfill` goes further. */
  backfillHoursMax: 720,
  backfillTransactionsMax: 10_000_000,
  /** Transactions a second that a node of one's own gives. */
  historyRateMax: 10_000,
  /** The page's HTML, scripts and styles, one of each for every view and part that is loaded later. */
  pageFilesMax: 64,
  /** The largest part of the page has a fifth of this. */
  pageFileBytesMax: 1_048_576,
  /** A book of the past does not change; a client that caches it for a day asks no more than once a day. */
  asOfSecondsMax: 86_400,
  /** An epoch has 8 characters, and one a day beyond the year 9999. */
  epochCharsMax: 44,
  /** A thousand terabytes: more than a machine has. */
  journalMegabytesMax: 1_000_000_000,
  /** Servers of NATS that are named, and copies of the log: JetStream holds no more than five. */
  natsServersMax: 5,
  /** Streams that are merged: two or three are a fail-over, and each costs its CPU. */
  sourcesMax: 8,
  /** A week: the log is what edges join by, not an archive. */
  natsHoursMax: 168,
  /** Ranges, gaps and damaged files that /journal lists, the newest: a service that was started as often. */
  journalListedMax: 1_000,
  /** Time that a stopping service waits for its parts before it leaves anyway. */
  stopMsMax: 5_000,
} as const;
