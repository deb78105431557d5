/** Prometheus series as table rows whose values are read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** A number, or a number for each value of a label; without any the series is missing. */
type SeriesValue = number | Readonly<Record<string, number | undefined>>;

/** A gauge, or a counter. */
export interface MetricSeries {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  /** The name of the label whose values are the keys of `read`; undefined for a single number. */
  readonly label: string | undefined;
  readonly read: () => SeriesValue;
}

/** The name after `slotbook_`, with a label in braces, the help, and how the value is read. */
export type SeriesRow<Stats> = readonly [string, string, (stats: Stats) => SeriesValue];

/** Returns the series of some statistics; names of counters end with `_total`. */
export function seriesOf<Stats>(
  stats: () => Stats,
  rows: readonly SeriesRow<Stats>[],
): readonly MetricSeries[] {
  return rows.map(([named, help, read]) => {
    const [name = '', label] = named.split(/[{}]/);
    const kind = name.endsWith('_total') ? 'counter' : 'gauge';
    return { kind, name: `slotbook_${name}`, help, label, read: () => read(stats()) };
  });
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
        if (label === undefined) this.remove();
        else this.reset();
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

/** What sockets count by word, since the start. */
export interface SocketOutcomes<CloseReason extends string> {
  readonly closes: Readonly<Partial<Record<CloseReason, number>>>;
  /** Errors sent, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Rejected upgrades, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Counts closes, errors and rejected upgrades of sockets. */
export class OutcomeCounts<CloseReason extends string> {
  readonly #counts = { closes: new Map(), errors: new Map(), refused: new Map() };

  countError(code: string): void {
    incrementCount(this.#counts.errors, code);
  }

  countClose(reason: CloseReason): void {
    incrementCount(this.#counts.closes, reason);
  }

  countRefusal(code: string): void {
    incrementCount(this.#counts.refused, code);
  }

  readOutcomes(): SocketOutcomes<CloseReason> {
    const { closes, errors, refused } = this.#counts;
    return {
      closes: Object.fromEntries(closes) as SocketOutcomes<CloseReason>['closes'],
      errors: Object.fromEntries(errors),
      refused: Object.fromEntries(refused),
    };
  }
}

function incrementCount(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function samplesOf(
  value: SeriesValue,
  label: string | undefined,
): readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[] {
  if (typeof value === 'number') return [[{}, value]];
  return Object.entries(value).map(([name, count]) => [{ [label ?? '']: name }, count ?? 0]);
}
