/** The text of /metrics, as far as the page of the service plots it. */
import { METRIC_LINES_MAX } from './limits.js';

/** A sum over all label sets of each metric, by its name. */
export type MetricSums = ReadonlyMap<string, number>;

/** Adds up the samples of each name in a text of Prometheus; a line that is not a sample is left out. */
export function readMetrics(text: string): MetricSums {
  const sums = new Map<string, number>();
  for (const line of text.split('\n', METRIC_LINES_MAX)) {
    const [, name = '', value = ''] = /^([a-z_]\w*)(?:\{.*\})? (\S+)$/i.exec(line) ?? [];
    const number = Number(value);
    if (name !== '' && Number.isFinite(number)) sums.set(name, (sums.get(name) ?? 0) + number);
  }
  return sums;
}

/** One reading of all metrics. */
export interface Reading {
  /** Unix milliseconds of the page. */
  readonly atMs: number;
  readonly sums: MetricSums;
}

/** What a plot shows of two readings that follow each other; null where it cannot be said. */
export type PlotValue = (now: Reading, before: Reading) => number | null;

/** The value of a gauge, times a factor. */
export function gaugeOf(name: string, factor = 1): PlotValue {
  return ({ sums }) => {
    const value = sums.get(name);
    return value === undefined ? null : value * factor;
  };
}

/** The growth of a counter in a second, times a factor; null where it began again. */
export function rateOf(name: string, factor = 1): PlotValue {
  return (now, before) => {
    const grown = growthOf(name, now, before);
    const seconds = (now.atMs - before.atMs) / 1_000;
    return grown === null || grown < 0 || seconds <= 0 ? null : (grown * factor) / seconds;
  };
}

/** The mean of what a histogram got between the readings, in milliseconds; null where it got nothing. */
export function meanMsOf(name: string): PlotValue {
  return (now, before) => {
    const sum = growthOf(`${name}_sum`, now, before);
    const count = growthOf(`${name}_count`, now, before);
    return sum === null || count === null || count <= 0 ? null : (sum / count) * 1_000;
  };
}

function growthOf(name: string, now: Reading, before: Reading): number | null {
  const [newer, older] = [now.sums.get(name), before.sums.get(name)];
  return newer === undefined || older === undefined ? null : newer - older;
}

/** Values that have room in a plot at first; it grows with the time. */
const PLOT_WIDTH_MIN = 60;

/** The points of a line through values, in a box of 1 to 1 with 0 at the top; gaps begin a new line. */
export function lineOf(values: readonly (number | null)[], max: number): string {
  let isDrawing = false;
  const steps = Math.max(PLOT_WIDTH_MIN, values.length) - 1;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const x = 1 - (values.length - 1 - index) / steps;
      const command = isDrawing ? 'L' : 'M';
      isDrawing = true;
      return `${command}${x.toFixed(4)} ${(1 - value / Math.max(max, Number.MIN_VALUE)).toFixed(4)}`;
    })
    .join('');
}
