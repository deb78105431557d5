/** The settings of the aggregator, the venue outside of the chain; off unless its URL is given. */
import { missing, outOfRange } from './config-error.js';
import { LIMITS } from './limits.js';
import type { SettingReader } from './setting-reader.js';

/** What a setting is when it is not given and the URL is. */
export const AGGREGATOR_DEFAULTS = {
  /** In whole quote: a small taker, a usual one and a large one. */
  sizes: [100, 1_000, 10_000],
  intervalMs: 1_000,
  timeoutMs: 2_000,
  maxAgeMs: 5_000,
  /** Requests a second; a ladder of three sizes is six. */
  requestsPerSecond: 10,
} as const;

/** An aggregator of swaps that is asked for the levels of spot markets. */
export interface AggregatorConfig {
  /** Its base address: `/quote` comes behind it. */
  readonly url: string;
  /** Names of the markets that it is asked for; empty means all spot markets that are served. */
  readonly markets: readonly string[];
  /** Sizes in whole quote, ascending. */
  readonly sizes: readonly number[];
  /** How often each market is read. */
  readonly intervalMs: number;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Levels older than this are left out. */
  readonly maxAgeMs: number;
  readonly requestsPerSecond: number;
}

const OTHERS = ['Markets', 'Sizes', 'IntervalMs', 'TimeoutMs', 'MaxAgeMs', 'RequestsPerSecond'];

/** The settings of the aggregator; undefined when there is none. */
export function readAggregator(reader: SettingReader): AggregatorConfig | undefined {
  const url = reader.text('aggregatorUrl');
  if (url === undefined) {
    const given = OTHERS.some((name) => reader.text(`aggregator${name}`) !== undefined);
    if (given) throw missing('aggregatorUrl');
    return undefined;
  }
  const defaults = AGGREGATOR_DEFAULTS;
  const duration = { min: LIMITS.durationMsMin, max: LIMITS.durationMsMax };
  const rate = { min: 1, max: LIMITS.ratePerSecondMax };
  const { requestsPerSecond } = defaults;
  return {
    url: reader.url('aggregatorUrl', url, ['http:', 'https:']).href,
    markets: reader.names('aggregatorMarkets'),
    sizes: sizesOf(reader),
    ...timesOf(reader),
    timeoutMs: reader.integer('aggregatorTimeoutMs', defaults.timeoutMs, duration),
    requestsPerSecond: reader.integer('aggregatorRequestsPerSecond', requestsPerSecond, rate),
  };
}

function timesOf(reader: SettingReader): Pick<AggregatorConfig, 'intervalMs' | 'maxAgeMs'> {
  const defaults = AGGREGATOR_DEFAULTS;
  const duration = { min: LIMITS.durationMsMin, max: LIMITS.durationMsMax };
  const intervalMs = reader.integer('aggregatorIntervalMs', defaults.intervalMs, duration);
  const maxAgeMs = reader.integer('aggregatorMaxAgeMs', defaults.maxAgeMs, duration);
  if (maxAgeMs >= intervalMs) return { intervalMs, maxAgeMs };
  const range = `at least --aggregator-interval-ms, which is ${intervalMs}`;
  throw outOfRange('aggregatorMaxAgeMs', maxAgeMs, range);
}

function sizesOf(reader: SettingReader): readonly number[] {
  const key = 'aggregatorSizes';
  const { aggregatorSizesMax: countMax, aggregatorSizeMax: max } = LIMITS;
  const texts = reader.names(key);
  if (texts.length === 0) return AGGREGATOR_DEFAULTS.sizes;
  if (texts.length > countMax) throw outOfRange(key, texts.length, `at most ${countMax} sizes`);
  const sizes = texts.map((text) => {
    const size = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (size >= 1 && size <= max) return size;
    throw outOfRange(key, text, `whole numbers of 1 to ${max}`);
  });
  const isAscending = sizes.every((size, index) => index === 0 || size > (sizes[index - 1] ?? 0));
  if (isAscending) return sizes;
  throw outOfRange(key, sizes.join(','), 'in ascending order');
}
