import { missing, outOfRange } from './config-error.js';
import type { AggregatorConfig } from './part-configs.js';
import type { SettingReader } from './setting-reader.js';
import { SETTINGS, settingsOf } from './settings.js';

/**
 * Reads the settings of an aggregator; undefined when no aggregator is configured. Throws a
 * ConfigError.
 */
export function readAggregator(settings: SettingReader): AggregatorConfig | undefined {
  const url = settings.read('aggregatorUrl');
  if (url === undefined) {
    if (settingsOf('aggregator').some((name) => settings.isGiven(name))) {
      throw missing('aggregatorUrl');
    }
    return undefined;
  }
  const intervalMs = settings.read('aggregatorIntervalMs');
  const maxAgeMs = settings.read('aggregatorMaxAgeMs');
  if (maxAgeMs < intervalMs) {
    const range = `at least --aggregator-interval-ms, which is ${intervalMs}`;
    throw outOfRange('aggregatorMaxAgeMs', maxAgeMs, range);
  }
  const sizes = settings.read('aggregatorSizes');
  return {
    url,
    markets: settings.read('aggregatorMarkets'),
    sizes: sizes.length === 0 ? SETTINGS.aggregatorSizes.default : sizes,
    intervalMs,
    maxAgeMs,
    timeoutMs: settings.read('aggregatorTimeoutMs'),
    requestsPerSecond: settings.read('aggregatorRequestsPerSecond'),
  };
}
