/**
 * The table of all settings: name, kind, default, range, unit and text. It generates the reader
 * (`setting-reader.ts`), the options of the command line with their help, and the tables of
 * docs/operations.md (`test/support/settings-document.ts`).
 *
 * A setting `auditIntervalMs` is the flag `--audit-interval-ms` and the environment variable
 * `SLOTBOOK_AUDIT_INTERVAL_MS`.
 */
import { LIMITS } from './limits.js';
import type { Setting, SettingGroup } from './setting-kinds.js';

const HTTP = ['http:', 'https:'] as const;
const WS = ['ws:', 'wss:'] as const;
const POSTGRES = ['postgres:', 'postgresql:'] as const;
const NATS = ['nats:', 'tls:'] as const;
const { durationMsMin, durationMsMax, publishIntervalMsMax, ratePerSecondMax } = LIMITS;

/** The table, in the order of the help and of docs/operations.md. */
export const SETTINGS = {
  rpcUrl: {
    ...{ group: 'cluster', kind: 'url', protocols: HTTP, default: null, value: 'url' },
    absent: 'required',
    text: 'HTTP address of a Solana RPC node; user info becomes an Authorization header',
  },
  wsUrl: {
    ...{ group: 'cluster', kind: 'url', protocols: WS, default: null, value: 'url' },
    absent: 'derived',
    text: 'its subscription address: the same host, the port plus one where a port is named',
  },
  fallbackRpcUrl: {
    ...{ group: 'cluster', kind: 'url', protocols: HTTP, default: null, value: 'url' },
    absent: 'none',
    text: 'a second node of the same chain, used while the first one fails',
  },
  fallbackWsUrl: {
    ...{ group: 'cluster', kind: 'url', protocols: WS, default: null, value: 'url' },
    absent: 'derived',
    text: 'its subscription address',
  },
  snapshotUrl: {
    ...{ group: 'cluster', kind: 'url', protocols: HTTP, default: null, value: 'url' },
    absent: 'node in use',
    text: 'a node for the heavy scan of all users, at the start and for each audit',
  },
  source: {
    ...{ group: 'cluster', kind: 'names', default: [], value: 'sources' },
    ...{ countMax: LIMITS.sourcesMax, absent: 'none', secret: 'addresses' },
    text: 'streams of the same chain that are merged, comma-separated in any mix, each rpc: or grpc: before an HTTP address; the subscriptions of --rpc-url only where it is named',
  },
  grpcUrl: {
    ...{ group: 'cluster', kind: 'urls', protocols: HTTP, default: null, value: 'urls' },
    ...{ countMax: LIMITS.sourcesMax, absent: 'none' },
    text: 'Yellowstone gRPC servers of the same chain, comma-separated, whose streams are followed in place of the subscription address; https is TLS. Short for --source grpc:',
  },
  grpcToken: {
    ...{ group: 'cluster', kind: 'text', default: null, value: 'token' },
    ...{ absent: 'none', secret: 'all' },
    text: 'the token of these servers, sent as x-token; a user in an address takes its place. Better set in the environment, where no other process reads it',
  },
  /** Drift v2's program on Solana's main network. */
  programId: {
    ...{ group: 'cluster', kind: 'key', value: 'key' },
    default: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH',
    text: "Drift v2's program",
  },
  /** Loopback: without a proxy a service should only serve this machine. */
  host: {
    ...{ group: 'book', kind: 'text', default: '127.0.0.1', value: 'host' },
    text: 'address to listen on',
  },
  port: {
    ...{ group: 'book', kind: 'integer', default: 8080, value: 'port' },
    ...{ min: 0, max: LIMITS.portMax },
    text: 'port to listen on; 0 for a free one',
  },
  markets: {
    ...{ group: 'book', kind: 'names', default: [], value: 'names' },
    countMax: LIMITS.marketFilterMax,
    absent: 'all',
    text: 'names of the markets that are served, comma-separated',
  },
  logLevel: {
    ...{ group: 'book', kind: 'choice', default: 'info', value: 'level' },
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    text: 'how much is logged; silent is nothing',
  },
  /** Six slots are missing. */
  laggingAfterMs: {
    ...{ group: 'book', kind: 'integer', default: 2_500, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'without a slot for this long the book is lagging',
  },
  staleAfterMs: {
    ...{ group: 'book', kind: 'integer', default: 5_000, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'without a slot for this long the book is stale and the next node is tried; not below --lagging-after-ms',
  },
  /** The chain's clock is an estimate of its validators, with an error of some seconds. */
  clockSkewMaxMs: {
    ...{ group: 'book', kind: 'integer', default: 30_000, unit: 'ms', value: 'ms' },
    ...{ min: 1_000, max: durationMsMax },
    text: "this machine's clock may differ so much from the chain's; beyond it there is a log line and a reason in /status",
  },
  metricsPort: {
    ...{ group: 'book', kind: 'integer', default: null, min: 0, max: LIMITS.portMax },
    ...{ value: 'port', absent: 'main port' },
    text: 'a port of its own for /metrics, /health, /ready and /status',
  },
  /** Metrics are for operators: other machines need explicit access. */
  metricsHost: {
    ...{ group: 'book', kind: 'text', default: '127.0.0.1', value: 'host' },
    text: 'address of the metrics port',
  },
  publishIntervalMs: {
    ...{ group: 'book', kind: 'integer', default: 50, unit: 'ms', value: 'ms' },
    ...{ min: 0, max: publishIntervalMsMax },
    text: 'least time between two frames of a compatible channel',
  },
  streamIntervalMs: {
    ...{ group: 'book', kind: 'integer', default: 10, unit: 'ms', value: 'ms' },
    ...{ min: 0, max: publishIntervalMsMax },
    text: 'least time between two frames of a streaming channel',
  },
  /** Six channels of each of 148 markets. */
  topicsPerSocket: {
    ...{ group: 'book', kind: 'integer', default: 1_024, min: 1, max: LIMITS.topicsMax },
    value: 'count',
    text: 'subscriptions of one WebSocket',
  },
  topicsPerIp: {
    ...{ group: 'book', kind: 'integer', default: 2_000, min: 0, max: LIMITS.topicsMax },
    value: 'count',
    text: 'WebSocket topics of one address; 0 for no limit',
  },
  topicsMax: {
    ...{ group: 'book', kind: 'integer', default: 8_000, min: 1, max: LIMITS.topicsMax },
    value: 'count',
    text: 'WebSocket topics of all clients, beside the common ones of each market',
  },
  socketsPerIp: {
    ...{ group: 'book', kind: 'integer', default: 100, min: 0, max: LIMITS.socketsMax },
    value: 'count',
    text: 'WebSockets of one address; 0 for no limit',
  },
  messagesPerSecond: {
    ...{ group: 'book', kind: 'integer', default: 50, min: 1, max: ratePerSecondMax },
    ...{ unit: 'per second', value: 'count' },
    text: 'messages of one WebSocket',
  },
  /** The subscriptions of one socket. */
  messageBurst: {
    ...{ group: 'book', kind: 'integer', default: 1_024, min: 1, max: LIMITS.topicsMax },
    value: 'count',
    text: 'messages of one WebSocket at once, after a quiet time',
  },
  socketBacklogMegabytes: {
    ...{ group: 'book', kind: 'integer', default: LIMITS.socketBacklogMegabytesDefault },
    ...{ min: 1, max: LIMITS.socketBacklogMegabytesMax, unit: 'MiB', value: 'MiB' },
    text: 'bytes that may wait for all WebSockets; beyond it those are closed for which most waits',
  },
  requestsPerSecond: {
    ...{ group: 'book', kind: 'integer', default: 0, min: 0, max: ratePerSecondMax },
    ...{ unit: 'per second', value: 'count' },
    text: 'HTTP requests of one address; 0 for no limit',
  },
  /** None: any client can write the headers in which a proxy names its clients. */
  trustedProxies: {
    ...{ group: 'book', kind: 'networks', default: [], value: 'networks' },
    ...{ countMax: LIMITS.trustedProxiesMax, absent: 'none' },
    text: 'addresses and CIDR networks of the proxies in front, comma-separated: limits by address count their clients, and loopback is no longer exempt',
  },
  quoteMakers: {
    ...{ group: 'book', kind: 'keys', default: [], countMax: LIMITS.quoteMakersMax },
    ...{ value: 'keys', absent: 'none' },
    text: 'base58 keys of the makers that may send indicative quotes, comma-separated',
  },
  /** The dlob-server shows makers' quotes at most at the best price. */
  indicativePolicy: {
    ...{ group: 'book', kind: 'choice', default: 'join', value: 'word' },
    choices: ['join', 'improve'],
    text: 'join: quotes show at the best price of orders and AMM at most; improve: as they are quoted',
  },
  compatDefaults: {
    ...{ group: 'book', kind: 'on', default: false, value: '' },
    text: 'the defaults of the Drift v2 dlob-server under /dlob: 100 levels and the AMM in /l2 and in batches',
  },
  noHistory: {
    ...{ group: 'history', kind: 'off', default: false, value: '' },
    text: 'serve the book alone, without trades, funding rates and candles',
  },
  dataDir: {
    ...{ group: 'history', kind: 'text', default: 'slotbook-data', value: 'folder' },
    text: 'folder of the history and of the journal, below the working directory; a demo has a temporary one',
  },
  /** A quarter of a year: trades fill the disk; candles have a separate setting. */
  retentionDays: {
    ...{ group: 'history', kind: 'integer', default: 90, min: 0, max: LIMITS.historyDaysMax },
    ...{ unit: 'days', value: 'days' },
    text: 'older trades and funding rates are deleted, candles stay; 0 for never, else 2 or more',
  },
  /** Never: minutes of a busy market take 60 MB a year. */
  candleRetentionDays: {
    ...{ group: 'history', kind: 'integer', default: 0, min: 0, max: LIMITS.historyDaysMax },
    ...{ unit: 'days', value: 'days' },
    text: 'older candles of less than a day are deleted, longer ones stay; 0 for never, else 2 or more',
  },
  /** The statistics of 24 hours need a day. */
  backfillHours: {
    ...{ group: 'history', kind: 'integer', default: 24, min: 0, max: LIMITS.backfillHoursMax },
    ...{ unit: 'hours', value: 'hours' },
    text: 'how far back an empty history is filled at the start',
  },
  /**
   * A quarter of an hour of reading at the rate below. A busy program has as many in minutes: its
   * statistics are incomplete until the history is a day old, and /status shows the completeness.
   */
  backfillTransactions: {
    ...{ group: 'history', kind: 'integer', default: 50_000, value: 'count' },
    ...{ min: 0, max: LIMITS.backfillTransactionsMax },
    text: 'with how many transactions at most',
  },
  /** The limit of a shared node, in addition to the feed. */
  historyRequestsPerSecond: {
    ...{ group: 'history', kind: 'integer', default: 50, min: 1, max: LIMITS.historyRateMax },
    ...{ unit: 'per second', value: 'count' },
    text: 'transactions requested from the node at most',
  },
  historyUrl: {
    ...{ group: 'database', kind: 'url', protocols: POSTGRES, default: null, value: 'url' },
    absent: 'files',
    text: 'Postgres database that has the history in the place of files: one service writes, edges read; user info logs in',
  },
  historyReadUrl: {
    ...{ group: 'database', kind: 'url', protocols: POSTGRES, default: null, value: 'url' },
    absent: '--history-url',
    text: 'a replica of it, from which edges read',
  },
  journal: {
    ...{ group: 'journal', kind: 'on', default: false, value: '' },
    text: 'keep a journal below --data-dir, from which the book of any moment can be made; a demo has one',
  },
  noJournal: {
    ...{ group: 'journal', kind: 'off', default: false, value: '' },
    text: 'keep no journal, in a demo as well',
  },
  /** A week, because questions about a past moment arise within days. */
  journalDays: {
    ...{ group: 'journal', kind: 'integer', default: 7, min: 0, max: LIMITS.historyDaysMax },
    ...{ unit: 'days', value: 'days' },
    text: 'older files of the journal are deleted; 0 for never',
  },
  /** Ten gibibytes: this leaves room for the history. */
  journalMegabytes: {
    ...{ group: 'journal', kind: 'integer', default: 10_240, min: 0 },
    ...{ max: LIMITS.journalMegabytesMax, unit: 'MiB', value: 'MiB' },
    text: 'the oldest files of the journal are deleted beyond as many; 0 for no limit',
  },
  nats: {
    ...{ group: 'log', kind: 'urls', protocols: NATS, default: null, value: 'urls' },
    ...{ countMax: LIMITS.natsServersMax, absent: 'required' },
    text: 'addresses of NATS servers with JetStream, comma-separated; user info logs in, a user alone is a token',
  },
  natsStream: {
    ...{ group: 'log', kind: 'text', default: 'slotbook', value: 'name' },
    text: "name of the log's stream, of letters, digits, - and _; another one for each chain",
  },
  /** One server: a cluster is optional. */
  natsReplicas: {
    ...{ group: 'core', kind: 'integer', default: 1, min: 1, max: LIMITS.natsServersMax },
    value: 'count',
    text: 'servers that hold a copy of the log; 3 in a cluster',
  },
  /** Checkpoints are at most ten minutes apart, and three are kept. */
  natsHours: {
    ...{ group: 'core', kind: 'integer', default: 2, min: 1, max: LIMITS.natsHoursMax },
    ...{ unit: 'hours', value: 'hours' },
    text: 'older messages of the log are deleted',
  },
  /** Sixteen segments of 64 MiB. */
  natsMegabytes: {
    ...{ group: 'core', kind: 'integer', default: 1_024, min: 16 },
    ...{ max: LIMITS.journalMegabytesMax, unit: 'MiB', value: 'MiB' },
    text: 'the oldest messages of the log are deleted beyond as many',
  },
  /** At most a second without a core, plus the failover itself. */
  leaseMs: {
    ...{ group: 'core', kind: 'integer', default: 500, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'a standby takes over when the core was silent for so long',
  },
  /** The election time of a NATS cluster. */
  awayAfterMs: {
    ...{ group: 'edge', kind: 'integer', default: 15_000, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'without the log for this long clients are sent to another edge, and none is let in',
  },
  /** One scan of all users per audit. */
  auditIntervalMs: {
    ...{ group: 'audit', kind: 'integer', default: 300_000, unit: 'ms', value: 'ms' },
    ...{ min: 0, max: LIMITS.auditIntervalMsMax },
    text: 'time between two audits of the book against the chain; 0 for none',
  },
  /** One getMultipleAccounts of a hundred accounts per probe. */
  probeIntervalMs: {
    ...{ group: 'audit', kind: 'integer', default: 1_000, unit: 'ms', value: 'ms' },
    ...{ min: 0, max: LIMITS.probeIntervalMsMax },
    text: 'time between two reads that show whether subscriptions lose messages; 0 for none',
  },
  aggregatorUrl: {
    ...{ group: 'aggregator', kind: 'url', protocols: HTTP, default: null, value: 'url' },
    absent: 'none',
    text: 'quote API of a swap aggregator, without its /quote; the other --aggregator settings need it',
  },
  aggregatorMarkets: {
    ...{ group: 'aggregator', kind: 'names', default: [], value: 'names' },
    countMax: LIMITS.marketFilterMax,
    absent: 'all served',
    text: 'names of the spot markets that are quoted there, comma-separated',
  },
  /** A small, a typical and a large taker. */
  aggregatorSizes: {
    ...{ group: 'aggregator', kind: 'sizes', default: [100, 1_000, 10_000], value: 'list' },
    countMax: LIMITS.aggregatorSizesMax,
    text: 'sizes in whole quote that are quoted, ascending',
  },
  aggregatorIntervalMs: {
    ...{ group: 'aggregator', kind: 'integer', default: 1_000, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'time between two polls of a market',
  },
  aggregatorTimeoutMs: {
    ...{ group: 'aggregator', kind: 'integer', default: 2_000, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'longest time of one request',
  },
  aggregatorMaxAgeMs: {
    ...{ group: 'aggregator', kind: 'integer', default: 5_000, unit: 'ms', value: 'ms' },
    ...{ min: durationMsMin, max: durationMsMax },
    text: 'levels older than this are left out; not below --aggregator-interval-ms',
  },
  /** A ladder of three sizes is six requests. */
  aggregatorRequestsPerSecond: {
    ...{ group: 'aggregator', kind: 'integer', default: 10, min: 1, max: ratePerSecondMax },
    ...{ unit: 'per second', value: 'count' },
    text: 'requests to it at most',
  },
  /** The embedded chain sustains 500. */
  rate: {
    ...{ group: 'demo', kind: 'integer', default: 100, min: 1, max: LIMITS.demoRateMax },
    ...{ unit: 'per second', value: 'writes' },
    text: 'account writes',
  },
  seed: {
    ...{ group: 'demo', kind: 'integer', default: 1, min: 0, max: LIMITS.demoSeedMax },
    value: 'number',
    text: 'seed of the simulated market',
  },
  marketsPreset: {
    ...{ group: 'demo', kind: 'choice', default: 'few', value: 'word' },
    choices: ['few', 'mainnet'],
    text: 'few: three perp markets, SOL and USDC; mainnet: the names of its 148 markets',
  },
  makers: {
    ...{ group: 'demo', kind: 'integer', default: 200, min: 1, max: LIMITS.demoMakersMax },
    value: 'count',
    text: 'market makers; of mainnet 400 if not set',
  },
  /** The embedded chain slows with its history. */
  fills: {
    ...{ group: 'demo', kind: 'integer', default: 1, min: 0, max: LIMITS.demoFillsMax },
    ...{ unit: 'per second', value: 'count' },
    text: 'transactions with fills at most',
  },
  /**
   * An hour on the real exchange. Each is a transaction per market, and the embedded chain slows
   * with its history.
   */
  fundingSeconds: {
    ...{ group: 'demo', kind: 'integer', default: 20, min: 1, max: LIMITS.demoFundingSecondsMax },
    ...{ unit: 's', value: 'seconds' },
    text: 'time between two funding rates of a market; of mainnet 600 if not set',
  },
  speed: {
    ...{ group: 'replay', kind: 'number', default: 1, min: 0, max: LIMITS.replaySpeedMax },
    ...{ unit: 'times', value: 'times' },
    text: 'how many times faster than recorded; 0 without any pause',
  },
  at: {
    ...{ group: 'replay', kind: 'text', default: null, value: 'moment' },
    absent: 'all is played',
    text: 'serve the book of a journal as it was then: a slot, unix milliseconds, or a time such as 2026-11-01T12:00Z',
  },
  url: {
    ...{ group: 'verify', kind: 'url', protocols: HTTP, default: 'http://127.0.0.1:8080' },
    value: 'url',
    text: 'address of the running service',
  },
  /** A constantly moving market needs several readings to be found equal. */
  seconds: {
    ...{ group: 'verify', kind: 'integer', default: 20, min: 1, max: LIMITS.verifySecondsMax },
    ...{ unit: 's', value: 'seconds' },
    text: 'longest time to compare',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting in the code: camelCase. */
export type SettingName = keyof typeof SETTINGS;

/** The names of the settings of some groups, in the order of the table. */
export function settingsOf(...groups: readonly SettingGroup[]): readonly SettingName[] {
  const names = Object.keys(SETTINGS) as SettingName[];
  return names.filter((name) => groups.includes(SETTINGS[name].group));
}

/** The flag of a setting, for example `--port`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of a setting, for example `SLOTBOOK_PORT`. */
export function environmentNameOf(name: string): string {
  return `SLOTBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A setting's default, as the help and the documents show it. */
export function defaultText(setting: Setting): string {
  if (setting.absent !== undefined) return setting.absent;
  if (setting.default === null) return 'none';
  return Array.isArray(setting.default) ? setting.default.join(',') : String(setting.default);
}

/** The range of a setting, as the documents show it; empty without bounds. */
export function rangeText(setting: Setting): string {
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return [`${setting.min} to ${setting.max}`, setting.unit].filter(Boolean).join(' ');
    case 'choice':
      return setting.choices.join(', ');
    case 'names':
    case 'keys':
    case 'networks':
    case 'sizes':
      return `at most ${setting.countMax}`;
    case 'url':
    case 'urls':
      return setting.protocols.map((protocol) => `${protocol}//`).join(', ');
    default:
      return '';
  }
}
