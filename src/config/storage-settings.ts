/** The settings of stored data: history, journal, the log of a core, and audits. */
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import { LIMITS } from './limits.js';
import { NATS, POSTGRES } from './protocols.js';
import {
  durationRow,
  inGroup,
  integerRow,
  listRow,
  offRow,
  onRow,
  rateRow,
  textRow,
  urlRow,
  urlsRow,
} from './setting-rows.js';

/** The settings are in the order of the help and of docs/configuration.md. */
export const STORAGE_SETTINGS = {
  ...inGroup('history', {
    noHistory: offRow('serve the book alone, without trades, funding rates and candles'),
    dataDir: textRow(
      'folder of the history, of the journal and of the signed log, below the working directory; a demo has a temporary one',
      { default: 'slotbook-data', value: 'folder' },
    ),
    /** By default only orders and unserved kinds are deleted: they are most of the records. */
    retain: listRow(
      'names',
      `older records of a kind are deleted, candles stay; comma-separated, each of ${Object.keys(RETAIN_DEFAULTS).join(', ')} with days: 0 for ever, else 2 or more`,
      {
        countMax: Object.keys(RETAIN_DEFAULTS).length,
        value: 'kind=days',
        absent: 'orders=2,others=2',
      },
    ),
    /**
     * By default candles are never deleted: one-minute candles of a busy market take 60 MB a year.
     */
    candleRetentionDays: integerRow(
      'older candles of less than a day are deleted, longer ones stay; 0 for never, else 2 or more',
      { default: 0, min: 0, max: LIMITS.historyDaysMax, unit: 'days' },
    ),
    /** The default is a day, which the 24-hour statistics need. */
    backfillHours: integerRow('how far back an empty history is filled at the start', {
      default: 24,
      min: 0,
      max: LIMITS.backfillHoursMax,
      unit: 'hours',
    }),
    /**
     * The default takes 15 minutes to read at the default rate. A busy program has this many
     * transactions in minutes: its statistics are then incomplete until the history is a day old, and
     * /status shows this.
     */
    backfillTransactions: integerRow('with how many transactions at most', {
      default: 50_000,
      min: 0,
      max: LIMITS.backfillTransactionsMax,
    }),
    /** The default suits a shared node that also serves the feed. */
    historyRequestsPerSecond: rateRow('transactions requested from the node at most', {
      default: 50,
      min: 1,
      max: LIMITS.historyRateMax,
    }),
  }),
  ...inGroup('database', {
    historyUrl: urlRow(
      'Postgres database that has the history in the place of files: one service writes, edges read; user info logs in',
      POSTGRES,
      'files',
    ),
    historyReadUrl: urlRow('a replica of it, from which edges read', POSTGRES, '--history-url'),
  }),
  ...inGroup('journal', {
    journal: onRow(
      'keep a journal below --data-dir, from which the book of any moment can be made; a demo has one',
    ),
    noJournal: offRow('keep no journal, in a demo as well'),
    /** Secret, because a user may give the key in place of its file. */
    signingKey: textRow(
      'file of a key of `slotbook keygen`: once a second the books are hashed into a log that it signs, by which readers prove them; `serve` needs the journal, `edge` the key for readers in a file',
      { default: null, value: 'file', absent: 'none', secret: 'all' },
    ),
    /** The default is a week, because questions about a past moment arise within days. */
    journalDays: integerRow('older files of the journal are deleted; 0 for never', {
      default: 7,
      min: 0,
      max: LIMITS.historyDaysMax,
      unit: 'days',
    }),
    /** The default is ten gibibytes, which leaves room for the history. */
    journalMegabytes: integerRow(
      'the oldest files of the journal are deleted beyond as many; 0 for no limit',
      { default: 10_240, min: 0, max: LIMITS.journalMegabytesMax, unit: 'MiB' },
    ),
  }),
  ...inGroup('log', {
    nats: urlsRow(
      'addresses of NATS servers with JetStream, comma-separated; user info logs in, a user alone is a token',
      { protocols: NATS, countMax: LIMITS.natsServersMax, absent: 'required' },
    ),
    natsStream: textRow(
      "name of the log's stream, of letters, digits, - and _; another one for each chain",
      { default: 'slotbook', value: 'name' },
    ),
    logKey: textRow(
      'a secret of cores and edges, by which they authenticate the messages of the log and pass those of others. Better set in the environment, where no other process reads it',
      { default: null, value: 'key', absent: 'none', secret: 'all' },
    ),
  }),
  ...inGroup('core', {
    /** One server: a cluster is optional. */
    natsReplicas: integerRow('servers that hold a copy of the log; 3 in a cluster', {
      default: 1,
      min: 1,
      max: LIMITS.natsServersMax,
    }),
    /** Checkpoints are at most ten minutes apart, and three checkpoints are kept. */
    natsHours: integerRow('older messages of the log are deleted', {
      default: 2,
      min: 1,
      max: LIMITS.natsHoursMax,
      unit: 'hours',
    }),
    /** Sixteen segments of 64 MiB. */
    natsMegabytes: integerRow('the oldest messages of the log are deleted beyond as many', {
      default: 1_024,
      min: 16,
      max: LIMITS.journalMegabytesMax,
      unit: 'MiB',
    }),
    /** The default limits the time without a core to a second, plus the failover itself. */
    leaseMs: durationRow('a standby takes over when the core was silent for so long', {
      default: 500,
    }),
  }),
  ...inGroup('edge', {
    /** The election time of a NATS cluster. */
    awayAfterMs: durationRow(
      'without the log for this long clients are sent to another edge, and none is let in',
      { default: 15_000 },
    ),
  }),
  ...inGroup('audit', {
    /** One scan of all users per audit. */
    auditIntervalMs: durationRow(
      'time between two audits of the book against the chain; 0 for none',
      { default: 300_000, min: 0, max: LIMITS.auditIntervalMsMax },
    ),
    /** Each probe is one getMultipleAccounts call for a hundred accounts. */
    probeIntervalMs: durationRow(
      'time between two reads that show whether subscriptions lose messages; 0 for none',
      { default: 1_000, min: 0, max: LIMITS.probeIntervalMsMax },
    ),
  }),
} as const;
