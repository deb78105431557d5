/** Prometheus series as table rows whose values are read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** A number, or a number for each value of a label. */
type SeriesValue = number | Readonly<Record<string, number | undefined>>;

/** A gauge, or a counter. */
export interface MetricSeries {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  /** The name of the label whose values are the keys of `read`; absent for a single number. */
  readonly label?: string;
  readonly read: () => SeriesValue;
}

/** A gauge without labels. */
export function gaugeSeries(name: string, help: string, read: () => number): MetricSeries {
  return { kind: 'gauge', name, help, read };
}

/** A counter without labels. */
export function counterSeries(name: string, help: string, read: () => number): MetricSeries {
  return { kind: 'counter', name, help, read };
}

/** Adds a series to a registry. */
export function registerSeries(registry: Registry, series: MetricSeries): void {
  const { kind, name, help, label, read } = series;
  const labelNames = label === undefined ? [] : [label];
  const options = { name, help, labelNames, registers: [registry] };
  if (kind === 'gauge') {
    new Gauge({
      ...options,
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read(), label)) this.set(labels, value);
      },
    });
  } else {
    new Counter({
      ...options,
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read(), label)) this.inc(labels, value);
      },
    });
  }
}

/** Returns 1 for the current state and 0 for every other state. */
export function stateFlags(
  states: readonly string[],
  current: string,
): Readonly<Record<string, number>> {
  return Object.fromEntries(states.map((state) => [state, state === current ? 1 : 0]));
}

/** Adds one to the count of a key. */
export function incrementCount<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function samplesOf(
  value: SeriesValue,
  label: string | undefined,
): readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[] {
  if (typeof value === 'number') return [[{}, value]];
  return Object.entries(value).map(([name, count]) => [{ [label ?? '']: name }, count ?? 0]);
}
