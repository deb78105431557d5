/** The settings of stored data: history, journal, the log of a core, and audits. */
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import { LIMITS } from './limits.js';
import { NATS, POSTGRES } from './protocols.js';
import type { Setting } from './setting-kinds.js';

const { durationMsMin, durationMsMax } = LIMITS;

/** The settings are in the order of the help and of docs/operations.md. */
export const STORAGE_SETTINGS = {
  noHistory: {
    group: 'history',
    kind: 'off',
    default: false,
    value: '',
    text: 'serve the book alone, without trades, funding rates and candles',
  },
  dataDir: {
    group: 'history',
    kind: 'text',
    default: 'slotbook-data',
    value: 'folder',
    text: 'folder of the history and of the journal, below the working directory; a demo has a temporary one',
  },
  /** By default only orders and unserved kinds are deleted: they are most of the records. */
  retain: {
    group: 'history',
    kind: 'names',
    default: [],
    countMax: Object.keys(RETAIN_DEFAULTS).length,
    value: 'kind=days',
    absent: 'orders=2,others=2',
    text: `older records of a kind are deleted, candles stay; comma-separated, each of ${Object.keys(RETAIN_DEFAULTS).join(', ')} with days: 0 for ever, else 2 or more`,
  },
  /**
   * By default candles are never deleted: one-minute candles of a busy market take 60 MB a year.
   */
  candleRetentionDays: {
    group: 'history',
    kind: 'integer',
    default: 0,
    min: 0,
    max: LIMITS.historyDaysMax,
    unit: 'days',
    value: 'days',
    text: 'older candles of less than a day are deleted, longer ones stay; 0 for never, else 2 or more',
  },
  /** The default is a day, which the 24-hour statistics need. */
  backfillHours: {
    group: 'history',
    kind: 'integer',
    default: 24,
    min: 0,
    max: LIMITS.backfillHoursMax,
    unit: 'hours',
    value: 'hours',
    text: 'how far back an empty history is filled at the start',
  },
  /**
   * The default takes 15 minutes to read at the default rate. A busy program has this many
   * transactions in minutes: its statistics are then incomplete until the history is a day old, and
   * /status shows this.
   */
  backfillTransactions: {
    group: 'history',
    kind: 'integer',
    default: 50_000,
    value: 'count',
    min: 0,
    max: LIMITS.backfillTransactionsMax,
    text: 'with how many transactions at most',
  },
  /** The default suits a shared node that also serves the feed. */
  historyRequestsPerSecond: {
    group: 'history',
    kind: 'integer',
    default: 50,
    min: 1,
    max: LIMITS.historyRateMax,
    unit: 'per second',
    value: 'count',
    text: 'transactions requested from the node at most',
  },
  historyUrl: {
    group: 'database',
    kind: 'url',
    protocols: POSTGRES,
    default: null,
    value: 'url',
    absent: 'files',
    text: 'Postgres database that has the history in the place of files: one service writes, edges read; user info logs in',
  },
  historyReadUrl: {
    group: 'database',
    kind: 'url',
    protocols: POSTGRES,
    default: null,
    value: 'url',
    absent: '--history-url',
    text: 'a replica of it, from which edges read',
  },
  journal: {
    group: 'journal',
    kind: 'on',
    default: false,
    value: '',
    text: 'keep a journal below --data-dir, from which the book of any moment can be made; a demo has one',
  },
  noJournal: {
    group: 'journal',
    kind: 'off',
    default: false,
    value: '',
    text: 'keep no journal, in a demo as well',
  },
  /** The default is a week, because questions about a past moment arise within days. */
  journalDays: {
    group: 'journal',
    kind: 'integer',
    default: 7,
    min: 0,
    max: LIMITS.historyDaysMax,
    unit: 'days',
    value: 'days',
    text: 'older files of the journal are deleted; 0 for never',
  },
  /** The default is ten gibibytes, which leaves room for the history. */
  journalMegabytes: {
    group: 'journal',
    kind: 'integer',
    default: 10_240,
    min: 0,
    max: LIMITS.journalMegabytesMax,
    unit: 'MiB',
    value: 'MiB',
    text: 'the oldest files of the journal are deleted beyond as many; 0 for no limit',
  },
  nats: {
    group: 'log',
    kind: 'urls',
    protocols: NATS,
    default: null,
    value: 'urls',
    countMax: LIMITS.natsServersMax,
    absent: 'required',
    text: 'addresses of NATS servers with JetStream, comma-separated; user info logs in, a user alone is a token',
  },
  natsStream: {
    group: 'log',
    kind: 'text',
    default: 'slotbook',
    value: 'name',
    text: "name of the log's stream, of letters, digits, - and _; another one for each chain",
  },
  logKey: {
    group: 'log',
    kind: 'text',
    default: null,
    value: 'key',
    absent: 'none',
    secret: 'all',
    text: 'a secret of cores and edges, by which they authenticate the messages of the log and pass those of others. Better set in the environment, where no other process reads it',
  },
  /** One server: a cluster is optional. */
  natsReplicas: {
    group: 'core',
    kind: 'integer',
    default: 1,
    min: 1,
    max: LIMITS.natsServersMax,
    value: 'count',
    text: 'servers that hold a copy of the log; 3 in a cluster',
  },
  /** Checkpoints are at most ten minutes apart, and three checkpoints are kept. */
  natsHours: {
    group: 'core',
    kind: 'integer',
    default: 2,
    min: 1,
    max: LIMITS.natsHoursMax,
    unit: 'hours',
    value: 'hours',
    text: 'older messages of the log are deleted',
  },
  /** Sixteen segments of 64 MiB. */
  natsMegabytes: {
    group: 'core',
    kind: 'integer',
    default: 1_024,
    min: 16,
    max: LIMITS.journalMegabytesMax,
    unit: 'MiB',
    value: 'MiB',
    text: 'the oldest messages of the log are deleted beyond as many',
  },
  /** The default limits the time without a core to a second, plus the failover itself. */
  leaseMs: {
    group: 'core',
    kind: 'integer',
    default: 500,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'a standby takes over when the core was silent for so long',
  },
  /** The election time of a NATS cluster. */
  awayAfterMs: {
    group: 'edge',
    kind: 'integer',
    default: 15_000,
    unit: 'ms',
    value: 'ms',
    min: durationMsMin,
    max: durationMsMax,
    text: 'without the log for this long clients are sent to another edge, and none is let in',
  },
  /** One scan of all users per audit. */
  auditIntervalMs: {
    group: 'audit',
    kind: 'integer',
    default: 300_000,
    unit: 'ms',
    value: 'ms',
    min: 0,
    max: LIMITS.auditIntervalMsMax,
    text: 'time between two audits of the book against the chain; 0 for none',
  },
  /** Each probe is one getMultipleAccounts call for a hundred accounts. */
  probeIntervalMs: {
    group: 'audit',
    kind: 'integer',
    default: 1_000,
    unit: 'ms',
    value: 'ms',
    min: 0,
    max: LIMITS.probeIntervalMsMax,
    text: 'time between two reads that show whether subscriptions lose messages; 0 for none',
  },
} as const satisfies Readonly<Record<string, Setting>>;
