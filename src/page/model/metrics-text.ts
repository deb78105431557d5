/** Parses the part of /metrics that the service page plots. */
import { METRIC_LINES_MAX } from './limits.js';

/** Values by metric name and labels as written, and sums over all label sets by metric name. */
type MetricSums = ReadonlyMap<string, number>;

/** Parses the samples of a Prometheus text; other lines are ignored. */
export function readMetrics(text: string): MetricSums {
  const sums = new Map<string, number>();
  for (const line of text.split('\n', METRIC_LINES_MAX)) {
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    const number = Number(value);
    if (name === '' || !Number.isFinite(number)) continue;
    sums.set(name, (sums.get(name) ?? 0) + number);
    if (labels !== '') sums.set(name + labels, number);
  }
  return sums;
}

const SAMPLE = /^([a-z_]\w*)(\{.*\})? (\S+)$/i;

/** Returns the non-zero counts of a metric with a single label, by that label, largest first. */
export function countsOf(
  sums: MetricSums,
  name: string,
  label: string,
): readonly (readonly [value: string, count: number])[] {
  const head = `${name}{${label}="`;
  return [...sums]
    .filter(([key, count]) => key.startsWith(head) && count > 0)
    .map(([key, count]) => [key.slice(head.length, -'"}'.length), count] as const)
    .sort(([, one], [, other]) => other - one);
}

/** One reading of all metrics. */
export interface Reading {
  /** Unix milliseconds of the page. */
  readonly atMs: number;
  readonly sums: MetricSums;
}

/** Computes a plotted value from two successive readings; null when it is unknown. */
export type PlotValue = (now: Reading, before: Reading) => number | null;

/** Plots the value of a gauge, times a factor. */
export function gaugeOf(name: string, factor = 1): PlotValue {
  return ({ sums }) => {
    const value = sums.get(name);
    return value === undefined ? null : value * factor;
  };
}

/** Plots the growth of a counter per second, times a factor; null after a reset of the counter. */
export function rateOf(name: string, factor = 1): PlotValue {
  return (now, before) => {
    const grown = growthOf(name, now, before);
    const seconds = (now.atMs - before.atMs) / 1_000;
    return grown === null || grown < 0 || seconds <= 0 ? null : (grown * factor) / seconds;
  };
}

/**
 * Plots the mean of the values that a histogram has added between two readings, milliseconds; null
 * when there are none.
 */
export function meanMsOf(name: string): PlotValue {
  return (now, before) => {
    const sum = growthOf(`${name}_sum`, now, before);
    const count = growthOf(`${name}_count`, now, before);
    return sum === null || count === null || count <= 0 ? null : (sum / count) * 1_000;
  };
}

/**
 * Plots how many values above a bound a histogram has added per second; the bound is written as in
 * /metrics.
 */
export function overOf(name: string, bound: string): PlotValue {
  return (now, before) => {
    const all = growthOf(`${name}_count`, now, before);
    const within = growthOf(`${name}_bucket{le="${bound}"}`, now, before);
    const seconds = (now.atMs - before.atMs) / 1_000;
    if (all === null || within === null || all < 0 || seconds <= 0) return null;
    return (all - within) / seconds;
  };
}

function growthOf(name: string, now: Reading, before: Reading): number | null {
  const newer = now.sums.get(name);
  const older = before.sums.get(name);
  return newer === undefined || older === undefined ? null : newer - older;
}
