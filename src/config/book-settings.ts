/** The settings of a service that serves a book, and their limits. */
import { LIMITS } from './limits.js';
import type { Setting } from './setting-kinds.js';

const { durationMsMin, durationMsMax, publishIntervalMsMax, ratePerSecondMax } = LIMITS;

/** The settings are in the order of the help and of docs/operations.md. */
export const BOOK_SETTINGS = {
  /**
   * The default is the loopback address: without a proxy, a service should serve only this machine.
   */
  host: {
    group: 'book',
    kind: 'text',
    default: '127.0.0.1',
    value: 'host',
    text: 'address to listen on',
  },
  port: {
    group: 'book',
    kind: 'integer',
    default: 8080,
    value: 'port',
    min: 0,
    max: LIMITS.portMax,
    text: 'port to listen on; 0 for a free one',
  },
  markets: {
    group: 'book',
    kind: 'names',
    default: [],
    value: 'names',
    countMax: LIMITS.marketFilterMax,
    absent: 'all',
    text: 'names or keys (`perp_0`) of the markets that are served, comma-separated; a market that is renamed meanwhile stays',
  },
  logLevel: {
    group: 'book',
    kind: 'choice',
    default: 'info',
    value: 'level',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    text: 'how much is logged; silent is nothing',
  },
  logFormat: {
    group: 'book',
    kind: 'choice',
    default: 'auto',
    value: 'format',
    choices: ['auto', 'words', 'json'],
    text: 'how log lines look: words, or JSON; auto is words on a terminal and JSON elsewhere',
  },
  /** Six slots are missing. */
  laggingAfterMs: {
    group: 'book',
    kind: 'integer',
    default: 2_500,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'without a slot for this long the book is lagging',
  },
  staleAfterMs: {
    group: 'book',
    kind: 'integer',
    default: 5_000,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'without a slot for this long the book is stale and the next node is tried; not below --lagging-after-ms',
  },
  /** Validators estimate the chain's clock, with an error of some seconds. */
  clockSkewMaxMs: {
    group: 'book',
    kind: 'integer',
    default: 30_000,
    unit: 'ms',
    value: 'ms',
    min: 1_000,
    max: durationMsMax,
    text: "this machine's clock may differ so much from the chain's; beyond it there is a log line and a reason in /status",
  },
  metricsPort: {
    group: 'book',
    kind: 'integer',
    default: null,
    min: 0,
    max: LIMITS.portMax,
    value: 'port',
    absent: 'main port',
    text: 'a port of its own for /metrics, /health, /ready and /status',
  },
  /**
   * The default is the loopback address: metrics are for operators, and other machines need
   * explicit access.
   */
  metricsHost: {
    group: 'book',
    kind: 'text',
    default: '127.0.0.1',
    value: 'host',
    text: 'address of the metrics port',
  },
  publishIntervalMs: {
    group: 'book',
    kind: 'integer',
    default: 50,
    unit: 'ms',
    value: 'ms',
    min: 0,
    max: publishIntervalMsMax,
    text: 'least time between two frames of a compatible channel',
  },
  streamIntervalMs: {
    group: 'book',
    kind: 'integer',
    default: 10,
    unit: 'ms',
    value: 'ms',
    min: 0,
    max: publishIntervalMsMax,
    text: 'least time between two frames of a streaming channel',
  },
  /** Six channels of each of 148 markets. */
  topicsPerSocket: {
    group: 'book',
    kind: 'integer',
    default: 1_024,
    min: 1,
    max: LIMITS.topicsMax,
    value: 'count',
    text: 'subscriptions of one WebSocket',
  },
  topicsPerIp: {
    group: 'book',
    kind: 'integer',
    default: 2_000,
    min: 0,
    max: LIMITS.topicsMax,
    value: 'count',
    text: 'WebSocket topics of one address; 0 for no limit',
  },
  topicsMax: {
    group: 'book',
    kind: 'integer',
    default: 8_000,
    min: 1,
    max: LIMITS.topicsMax,
    value: 'count',
    text: 'WebSocket topics of all clients, beside the common ones of each market',
  },
  socketsPerIp: {
    group: 'book',
    kind: 'integer',
    default: 100,
    min: 0,
    max: LIMITS.socketsMax,
    value: 'count',
    text: 'WebSockets of one address; 0 for no limit',
  },
  messagesPerSecond: {
    group: 'book',
    kind: 'integer',
    default: 50,
    min: 1,
    max: ratePerSecondMax,
    unit: 'per second',
    value: 'count',
    text: 'messages of one WebSocket',
  },
  /** The subscriptions of one socket. */
  messageBurst: {
    group: 'book',
    kind: 'integer',
    default: 1_024,
    min: 1,
    max: LIMITS.topicsMax,
    value: 'count',
    text: 'messages of one WebSocket at once, after a quiet time',
  },
  socketBacklogMegabytes: {
    group: 'book',
    kind: 'integer',
    default: LIMITS.socketBacklogMegabytesDefault,
    min: 1,
    max: LIMITS.socketBacklogMegabytesMax,
    unit: 'MiB',
    value: 'MiB',
    text: 'bytes that may wait for all WebSockets; beyond it those are closed for which most waits',
  },
  requestsPerSecond: {
    group: 'book',
    kind: 'integer',
    default: 0,
    min: 0,
    max: ratePerSecondMax,
    unit: 'per second',
    value: 'count',
    text: 'HTTP requests of one address; 0 for no limit',
  },
  /**
   * The default is no proxy, because any client can send the headers in which a proxy names its
   * clients.
   */
  trustedProxies: {
    group: 'book',
    kind: 'networks',
    default: [],
    value: 'networks',
    countMax: LIMITS.trustedProxiesMax,
    absent: 'none',
    text: 'addresses and CIDR networks of the proxies in front, comma-separated: limits by address count their clients, and loopback is no longer exempt',
  },
  quoteMakers: {
    group: 'book',
    kind: 'keys',
    default: [],
    countMax: LIMITS.quoteMakersMax,
    value: 'keys',
    absent: 'none',
    text: 'base58 keys of the makers that may send indicative quotes, comma-separated',
  },
  /**
   * The default is the policy of the dlob-server, which shows makers' quotes at most at the best
   * price.
   */
  indicativePolicy: {
    group: 'book',
    kind: 'choice',
    default: 'join',
    value: 'word',
    choices: ['join', 'improve'],
    text: 'join: quotes show at the best price of orders and AMM at most; improve: as they are quoted',
  },
  compatDefaults: {
    group: 'book',
    kind: 'on',
    default: false,
    value: '',
    text: 'the defaults of the Drift v2 dlob-server under /dlob: 100 levels and the AMM in /l2 and in batches',
  },
} as const satisfies Readonly<Record<string, Setting>>;
