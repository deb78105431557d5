/** The settings of the history: where it is kept, how long, and how hard it asks the node. */
import { invalid } from './config-error.js';
import { LIMITS } from './limits.js';
import type { SettingReader } from './setting-reader.js';

/** What they are when nobody gives them. */
export const HISTORY_DEFAULTS = {
  /** Below the folder in which the service is started. */
  dataDir: 'slotbook-data',
  /** A quarter of a year: trades are what fills the disk, candles stay. */
  retentionDays: 90,
  /** Never: a market that always trades has 60 MB of minutes a year. */
  candleRetentionDays: 0,
  /** An empty store begins a day ago, which the figures of 24 hours are made of. */
  backfillHours: 24,
  /**
   * Or with as many transactions, a quarter of an hour of reading at the rate below. A busy program
   * has them in minutes: the figures are short until the history is a day old, and /status tells
   * since when it is complete.
   */
  backfillTransactions: 50_000,
  /** What a shared node allows beside the feed. */
  historyRequestsPerSecond: 50,
} as const;

/** The settings of the history. */
export interface HistoryConfig {
  /** The folder of its files, one a chain; undefined for a fresh one that goes with the service. */
  readonly dataDir: string | undefined;
  /** Of trades and funding rates; 0 keeps all. */
  readonly retentionDays: number;
  /** Of candles shorter than a day; 0 keeps all. */
  readonly candleRetentionDays: number;
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  readonly requestsPerSecond: number;
}

/** Reads and checks them; undefined when there shall be no history. */
export function readHistoryConfig(
  reader: SettingReader,
  defaults: { readonly dataDir: string | undefined },
): HistoryConfig | undefined {
  const { backfillHours, backfillTransactions, historyRequestsPerSecond } = HISTORY_DEFAULTS;
  const { backfillHoursMax, backfillTransactionsMax, historyRateMax } = LIMITS;
  const count = (key: string, fallback: number, min: number, max: number): number =>
    reader.integer(key, fallback, { min, max });
  const settings = {
    dataDir: reader.text('dataDir') ?? defaults.dataDir,
    retentionDays: readDays(reader, 'retentionDays'),
    candleRetentionDays: readDays(reader, 'candleRetentionDays'),
    backfillHours: count('backfillHours', backfillHours, 0, backfillHoursMax),
    backfillTransactionsMax: count(
      'backfillTransactions',
      backfillTransactions,
      0,
      backfillTransactionsMax,
    ),
    requestsPerSecond: count(
      'historyRequestsPerSecond',
      historyRequestsPerSecond,
      1,
      historyRateMax,
    ),
  };
  return isOn(reader) ? settings : undefined;
}

/** Fewer than two days would cut into what the figures of 24 hours are made of. */
function readDays(reader: SettingReader, key: 'retentionDays' | 'candleRetentionDays'): number {
  const days = reader.integer(key, HISTORY_DEFAULTS[key], { min: 0, max: LIMITS.historyDaysMax });
  if (days === 1) throw invalid(key, '1', 'must be 0, or 2 or more');
  return days;
}

/** `--no-history` arrives as a `history` that is false; the environment has a variable of its name. */
function isOn(reader: SettingReader): boolean {
  if (reader.text('history') === 'false') return false;
  const text = reader.text('noHistory') ?? 'false';
  if (text === 'true' || text === 'false') return text === 'false';
  throw invalid('noHistory', text, 'must be true or false');
}
