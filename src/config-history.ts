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
  /** An empty store begins a day ago: with it the figures of 24 hours are right. */
  backfillHours: 24,
  /** Or with as many transactions: a quarter of an hour at the rate below. */
  backfillTransactions: 50_000,
  /** What a shared node allows beside the feed. */
  historyRequestsPerSecond: 50,
} as const;

/** The settings of the history. */
export interface HistoryConfig {
  /** The folder of its files, one a chain; undefined for a fresh one that goes with the service. */
  readonly dataDir: string | undefined;
  /** 0 keeps all. */
  readonly retentionDays: number;
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  readonly requestsPerSecond: number;
}

/** Reads and checks them; undefined when there shall be no history. */
export function readHistoryConfig(
  reader: SettingReader,
  defaults: { readonly dataDir: string | undefined },
): HistoryConfig | undefined {
  const { retentionDays, backfillHours, backfillTransactions, historyRequestsPerSecond } =
    HISTORY_DEFAULTS;
  const { historyDaysMax, backfillHoursMax, backfillTransactionsMax, historyRateMax } = LIMITS;
  const count = (key: string, fallback: number, min: number, max: number): number =>
    reader.integer(key, fallback, { min, max });
  const settings = {
    dataDir: reader.text('dataDir') ?? defaults.dataDir,
    // Fewer than two days would cut into what the figures of 24 hours are made of.
    retentionDays: count('retentionDays', retentionDays, 0, historyDaysMax),
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
  if (settings.retentionDays === 1) throw invalid('retentionDays', '1', 'must be 0, or 2 or more');
  return isOn(reader) ? settings : undefined;
}

/** `--no-history` arrives as a `history` that is false; the environment has a variable of its name. */
function isOn(reader: SettingReader): boolean {
  if (reader.text('history') === 'false') return false;
  const text = reader.text('noHistory') ?? 'false';
  if (text === 'true' || text === 'false') return text === 'false';
  throw invalid('noHistory', text, 'must be true or false');
}
