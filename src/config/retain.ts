/** Reads the setting `retain`: kinds of records with their days. */
import { RETAIN_DEFAULTS, type Retain } from '../contract/retain.js';
import { invalid } from './config-error.js';
import { LIMITS } from './limits.js';

/**
 * Returns the days of each kind. Throws a ConfigError for an unknown kind, one that is named twice,
 * and for days that are not whole, 1, or out of range.
 */
export function readRetain(texts: readonly string[]): Retain {
  const days: Partial<Record<string, number>> = {};
  for (const text of texts) {
    const [, kind = '', digits = ''] = /^(\w+)=(\d{1,4})$/.exec(text) ?? [];
    const number = Number(digits);
    const isKnown = Object.hasOwn(RETAIN_DEFAULTS, kind) && !Object.hasOwn(days, kind);
    if (!isKnown || number === 1 || number > LIMITS.historyDaysMax) {
      const kinds = Object.keys(RETAIN_DEFAULTS).join(', ');
      const what = `must be KIND=DAYS, each kind once, of ${kinds}; days 0, or 2 to ${LIMITS.historyDaysMax}`;
      throw invalid('retain', text, what);
    }
    days[kind] = number;
  }
  return { ...RETAIN_DEFAULTS, ...days };
}

/** Throws a ConfigError below two days, which would remove trades of the 24-hour statistics. */
export function requireCandleRetention(days: number): void {
  if (days === 1) throw invalid('candleRetentionDays', '1', 'must be 0, or 2 or more');
}
