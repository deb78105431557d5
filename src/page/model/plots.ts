/** The plots of the service page: figures of /metrics since the page was opened. */
import { PLOT_GAP_MS, PLOT_SAMPLES_MAX } from './limits.js';
import { gaugeOf, meanMsOf, overOf, type PlotValue, type Reading, rateOf } from './metrics-text.js';

const BLOCKED = 'slotbook_event_loop_blocked_seconds';
const NOTIFICATIONS = 'slotbook_feed_events_total{event="notifications"}';

/** All plots, in their order. */
export const PLOTS: readonly (readonly [name: string, unit: string, readValue: PlotValue])[] = [
  ['Processor', '%', rateOf('process_cpu_seconds_total', 100)],
  ['Memory', 'MB', gaugeOf('process_resident_memory_bytes', 1e-6)],
  ['Event loop late by', 'ms', meanMsOf(BLOCKED)],
  ['Event loop blocks over 20 ms', '/s', overOf(BLOCKED, '0.02')],
  ['Requests', '/s', rateOf('slotbook_http_requests_total')],
  ['Updates of the chain', '/s', rateOf(NOTIFICATIONS)],
  ['Age of the slot', 'ms', gaugeOf('slotbook_slot_age_seconds', 1_000)],
  ['Received to applied', 'ms', meanMsOf('slotbook_receive_to_applied_seconds')],
  ['Applied to published', 'ms', meanMsOf('slotbook_applied_to_published_seconds')],
  ['Orders shown', '', gaugeOf('slotbook_orders_shown')],
  ['WebSockets', '', gaugeOf('slotbook_sockets')],
  ['Topics', '', gaugeOf('slotbook_topics')],
  ['Frames', '/s', rateOf('slotbook_socket_frames_total')],
  ['Sent to WebSockets', 'kB/s', rateOf('slotbook_socket_bytes_total', 1e-3)],
  ['Waiting for WebSockets', 'kB', gaugeOf('slotbook_socket_backlog_bytes', 1e-3)],
];

/** The values of all plots at one time. */
export interface PlotSample {
  /** Unix milliseconds of the page. */
  readonly atMs: number;
  /** One value for each of {@link PLOTS}, in their order; null for an unknown value. */
  readonly values: readonly (number | null)[];
}

/** Appends the newest reading's sample, within the maximum count. */
export function addSample(
  samples: readonly PlotSample[],
  now: Reading,
  before: Reading | undefined,
): readonly PlotSample[] {
  if (before === undefined) return samples;
  const isGap = now.atMs - before.atMs > PLOT_GAP_MS;
  const values = PLOTS.map(([, , readValue]) => (isGap ? null : readValue(now, before)));
  return [...samples, { atMs: now.atMs, values }].slice(-PLOT_SAMPLES_MAX);
}

/** The summary of a plot: last value, minimum, mean and maximum; null when none is known. */
interface PlotSummary {
  readonly last: number | null;
  readonly least: number | null;
  readonly mean: number | null;
  readonly most: number | null;
}

/** Summarises the values of one plot, ignoring unknown ones. */
export function summaryOf(values: readonly (number | null)[]): PlotSummary {
  const last = values.at(-1) ?? null;
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { last, least: null, mean: null, most: null };
  const mean = known.reduce((total, value) => total + value, 0) / known.length;
  return { last, least: Math.min(...known), mean, most: Math.max(...known) };
}
