/** The settings of a service that serves a book, and their limits. */
import { LIMITS } from './limits.js';
import {
  choiceRow,
  durationRow,
  inGroup,
  integerRow,
  listRow,
  onRow,
  rateRow,
  textRow,
} from './setting-rows.js';

const { publishIntervalMsMax, ratePerSecondMax } = LIMITS;

/** The settings are in the order of the help and of docs/configuration.md. */
export const BOOK_SETTINGS = {
  ...inGroup('book', {
    /**
     * The default is the loopback address: without a proxy, a service should serve only this machine.
     */
    host: textRow('address to listen on', { default: '127.0.0.1', value: 'host' }),
    port: integerRow('port to listen on; 0 for a free one', {
      default: 8080,
      value: 'port',
      min: 0,
      max: LIMITS.portMax,
    }),
    markets: listRow(
      'names',
      'names or keys (`perp_0`) of the markets that are served, comma-separated; a market that is renamed meanwhile stays',
      { value: 'names', countMax: LIMITS.marketFilterMax, absent: 'all' },
    ),
    logLevel: choiceRow('how much is logged; silent is nothing', {
      default: 'info',
      value: 'level',
      choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    }),
    logFormat: choiceRow(
      'how log lines look: words, or JSON; auto is words on a terminal and JSON elsewhere',
      { default: 'auto', value: 'format', choices: ['auto', 'words', 'json'] },
    ),
    /** Six slots are missing. */
    laggingAfterMs: durationRow('without a slot for this long the book is lagging', {
      default: 2_500,
    }),
    staleAfterMs: durationRow(
      'without a slot for this long the book is stale and the next node is tried; not below --lagging-after-ms',
      { default: 5_000 },
    ),
    /** Validators estimate the chain's clock, with an error of some seconds. */
    clockSkewMaxMs: durationRow(
      "this machine's clock may differ so much from the chain's; beyond it there is a log line and a reason in /status",
      { default: 30_000, min: 1_000 },
    ),
    metricsPort: integerRow('a port of its own for /metrics, /health, /ready and /status', {
      default: null,
      min: 0,
      max: LIMITS.portMax,
      value: 'port',
      absent: 'main port',
    }),
    /**
     * The default is the loopback address: metrics are for operators, and other machines need
     * explicit access.
     */
    metricsHost: textRow('address of the metrics port', { default: '127.0.0.1', value: 'host' }),
    publishIntervalMs: durationRow('least time between two frames of a compatible channel', {
      default: 50,
      min: 0,
      max: publishIntervalMsMax,
    }),
    streamIntervalMs: durationRow('least time between two frames of a streaming channel', {
      default: 10,
      min: 0,
      max: publishIntervalMsMax,
    }),
    /** Six channels of each of 148 markets. */
    topicsPerSocket: integerRow('subscriptions of one WebSocket', {
      default: 1_024,
      min: 1,
      max: LIMITS.topicsMax,
    }),
    topicsPerIp: integerRow('WebSocket topics of one address; 0 for no limit', {
      default: 2_000,
      min: 0,
      max: LIMITS.topicsMax,
    }),
    topicsMax: integerRow(
      'WebSocket topics of all clients, beside the common ones of each market',
      {
        default: 8_000,
        min: 1,
        max: LIMITS.topicsMax,
      },
    ),
    socketsPerIp: integerRow('WebSockets of one address; 0 for no limit', {
      default: 100,
      min: 0,
      max: LIMITS.socketsMax,
    }),
    messagesPerSecond: rateRow('messages of one WebSocket', {
      default: 50,
      min: 1,
      max: ratePerSecondMax,
    }),
    /** The subscriptions of one socket. */
    messageBurst: integerRow('messages of one WebSocket at once, after a quiet time', {
      default: 1_024,
      min: 1,
      max: LIMITS.topicsMax,
    }),
    socketBacklogMegabytes: integerRow(
      'bytes that may wait for all WebSockets; beyond it those are closed for which most waits',
      {
        default: LIMITS.socketBacklogMegabytesDefault,
        min: 1,
        max: LIMITS.socketBacklogMegabytesMax,
        unit: 'MiB',
      },
    ),
    requestsPerSecond: rateRow('HTTP requests of one address; 0 for no limit', {
      default: 0,
      min: 0,
      max: ratePerSecondMax,
    }),
    /**
     * The default is no proxy, because any client can send the headers in which a proxy names its
     * clients.
     */
    trustedProxies: listRow(
      'networks',
      'addresses and CIDR networks of the proxies in front, comma-separated: limits by address count their clients, and loopback is no longer exempt',
      { value: 'networks', countMax: LIMITS.trustedProxiesMax, absent: 'none' },
    ),
    quoteMakers: listRow(
      'keys',
      'base58 keys of the makers that may send indicative quotes, comma-separated',
      { countMax: LIMITS.quoteMakersMax, value: 'keys', absent: 'none' },
    ),
    /**
     * The default is the policy of the dlob-server, which shows makers' quotes at most at the best
     * price.
     */
    indicativePolicy: choiceRow(
      'join: quotes show at the best price of orders and AMM at most; improve: as they are quoted',
      { default: 'join', value: 'word', choices: ['join', 'improve'] },
    ),
    compatDefaults: onRow(
      'the defaults of the Drift v2 dlob-server under /dlob: 100 levels and the AMM in /l2 and in batches',
    ),
  }),
} as const;
