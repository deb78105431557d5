/**
 * Prometheus metrics. Requests are counted in a plain map and converted to samples at the scrape,
 * so a request costs one addition; the statistics of the book are also read at the scrape.
 */
import { readdir } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { LIMITS } from '../../config/limits.js';
import type { AsOfSource } from '../../contract/as-of-source.js';
import type { BookSource, BookStats, MarketDirectory } from '../../contract/book-source.js';
import {
  type FeedMetrics,
  READINESS_STATES,
  type Readiness,
  type SourceStatus,
} from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { JournalSource } from '../../contract/journal-source.js';
import type { Timers } from '../../contract/timers.js';
import type { VenueStats } from '../../contract/venue-stats.js';
import { historySeries } from './history-metrics.js';
import { asOfSeries, journalSeries } from './journal-metrics.js';
import { marketSeries } from './market-metrics.js';
import { type QuoteSocketStats, quoteSeries } from './quotes-metrics.js';
import { type MetricSeries, registerSeries, seriesOf, stateFlags } from './series.js';
import { type SocketStats, socketSeries } from './socket-metrics.js';
import type { Timings } from './timings.js';
import { venueSeries } from './venue-metrics.js';

/** Sources of the metrics; tests may omit the optional sources. */
export interface MetricsOptions {
  readonly book: BookSource;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedMetrics;
  readonly requests: RequestCounts;
  readonly timings?: Timings;
  readonly sockets?: () => SocketStats;
  readonly venues?: () => readonly VenueStats[];
  readonly quotes?: () => QuoteSocketStats;
  readonly history?: Pick<MarketDataSource, 'readStats'> | undefined;
  readonly journal?: Pick<JournalSource, 'readStats'> | undefined;
  readonly asOf?: Pick<AsOfSource, 'readStats'> | undefined;
  /** Queued bytes of responses. */
  readonly unsent?: { readonly bytes: number };
  readonly backlog?: { readonly bytes: number };
  readonly logLines?: { readonly lost: number };
  readonly timers: Timers;
}

/**
 * Renders /metrics for one service. Requests during and shortly after a rendering share its result.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  /**
   * The statistics are read once per scrape, because reading them walks all levels of all markets.
   */
  #stats: BookStats;
  /** The current or the last rendering; undefined after a failure. */
  #rendering: Promise<string> | undefined;
  /** The end of the last rendering; undefined during a rendering. */
  #renderedAtMs: number | undefined;

  constructor(options: MetricsOptions) {
    const { book, directory, readiness, feed, requests } = options;
    const { sockets, venues, quotes, history, journal, asOf } = options;
    this.#options = options;
    collectDefaultMetrics({ register: this.#registry });
    replaceDescriptorCount(this.#registry);
    this.#stats = book.stats();
    addRequests(this.#registry, requests);
    const series = [
      ...bookSeries(() => this.#stats),
      ...marketSeries(directory, (market) => book.version(market).seq),
      ...feedSeries(feed, readiness),
      ...sourceSeries(feed),
      ...(sockets === undefined ? [] : socketSeries(sockets)),
      ...seriesOf(
        () => options,
        [
          [
            'http_unsent_bytes',
            'Bytes of responses that wait for clients to read them, equal ones counted once.',
            ({ unsent }) => unsent?.bytes ?? 0,
          ],
          [
            'socket_backlog_bytes',
            'Bytes that wait for clients of WebSockets, as they were counted last.',
            ({ backlog }) => backlog?.bytes ?? 0,
          ],
          [
            'log_lines_lost_total',
            'Lines of the log that could not be written.',
            ({ logLines }) => logLines?.lost ?? 0,
          ],
        ],
      ),
      ...(venues === undefined ? [] : venueSeries(venues)),
      ...(quotes === undefined ? [] : quoteSeries(() => this.#stats, quotes)),
      ...(history === undefined ? [] : historySeries(() => history.readStats())),
      ...(journal === undefined ? [] : journalSeries(() => journal.readStats())),
      ...(asOf === undefined ? [] : asOfSeries(() => asOf.readStats())),
    ];
    for (const row of series) registerSeries(this.#registry, row);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  toText(): Promise<string> {
    const { timers } = this.#options;
    const endedAtMs = this.#renderedAtMs;
    const isOld = endedAtMs !== undefined && timers.nowMs() - endedAtMs >= LIMITS.metricsKeptMs;
    if (this.#rendering !== undefined && !isOld) return this.#rendering;
    const rendering = this.#render();
    this.#rendering = rendering;
    rendering.catch(() => {
      this.#rendering = undefined;
    });
    return rendering;
  }

  async #render(): Promise<string> {
    const { book, timers, timings } = this.#options;
    this.#renderedAtMs = undefined;
    this.#stats = book.stats();
    const texts: string[] = [];
    let sliceMs = timers.nowMs();
    for (const { name } of this.#registry.getMetricsAsArray()) {
      texts.push(await this.#registry.getSingleMetricAsString(name));
      if (timers.nowMs() - sliceMs < LIMITS.metricsSliceMs) continue;
      // Other work of the event loop comes between two metrics.
      await new Promise<void>((resolve) => timers.soon(resolve));
      sliceMs = timers.nowMs();
    }
    this.#renderedAtMs = timers.nowMs();
    return `${texts.join('\n\n')}\n\n${timings?.toText() ?? ''}`;
  }
}

function bookSeries(stats: () => BookStats): readonly MetricSeries[] {
  return seriesOf(stats, [
    ['users', 'User accounts held.', ({ users }) => users],
    ['orders', 'Open orders held.', ({ orders }) => orders],
    ['orders_shown', 'Orders that the book shows.', ({ shown }) => shown],
    [
      'accounts_quarantined',
      'Accounts that could not be decoded.',
      ({ quarantined }) => quarantined,
    ],
    [
      'orders_left_out{reason}',
      'Open orders that the book does not show, by reason.',
      ({ leftOut }) => leftOut,
    ],
  ]);
}

function addRequests(registry: Registry, requests: RequestCounts): void {
  new Counter({
    name: 'slotbook_http_requests_total',
    help: 'Responses by path and status.',
    labelNames: ['path', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { path, status, count } of requests.listCounts()) {
        this.inc({ path, status: String(status) }, count);
      }
    },
  });
}

/**
 * The library lists files synchronously, which is slow: 20,000 sockets are as many directory
 * entries.
 */
function replaceDescriptorCount(registry: Registry): void {
  const name = 'process_open_fds';
  if (registry.getSingleMetric(name) === undefined) return;
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      // One of the entries is the descriptor of the listed directory.
      const open = await readdir('/proc/self/fd').catch(() => undefined);
      if (open !== undefined) this.set(open.length - 1);
    },
  });
}

function feedSeries(feed: () => FeedMetrics, readiness: () => Readiness): readonly MetricSeries[] {
  return [
    ...seriesOf(readiness, [
      ['slot', 'The newest slot received.', ({ slot }) => slot],
      [
        'ready',
        'Whether the book is live; of no core that stands by.',
        ({ state, role }) => (role === 'standby' ? {} : Number(state === 'live')),
      ],
    ]),
    ...seriesOf(feed, [
      [
        'slot_age_seconds',
        'Time since the last notification of a slot.',
        ({ slotAgeMs }) => slotAgeMs / 1_000,
      ],
      [
        'slot_lag',
        'Slots that the book is behind the newest that a node reported.',
        ({ slotLag }) => slotLag ?? 0,
      ],
      [
        'clock_skew_seconds',
        "How far this machine's clock is ahead of the chain's.",
        ({ clockSkewMs }) => (clockSkewMs ?? 0) / 1_000,
      ],
      [
        'feed_state{state}',
        'The state of the feed: 1 for the one that holds.',
        () => stateFlags(READINESS_STATES, readiness().state),
      ],
      [
        'audit_differences_total',
        'Accounts that audits found to differ from the chain and repaired.',
        ({ events }) => events['auditDifferences'] ?? 0,
      ],
      [
        'feed_events_total{event}',
        'Events of the feed: rebuilds, failures, replayed updates, differences found by audits.',
        ({ events }) => events,
      ],
    ]),
  ];
}

/** The figures of each merged stream: name, help and value. */
const SOURCE_FIGURES: readonly [string, string, (source: SourceStatus) => number][] = [
  ['trusted', 'Whether it keeps the book.', ({ state }) => (state === 'trusted' ? 1 : 0)],
  ['slot_lag', 'Slots behind the newest source.', ({ slotLag }) => slotLag],
  ['won_share', 'Part of its states that it notified first.', ({ wonShare }) => wonShare ?? 0],
  ['lead_seconds', 'How far it is ahead of the others.', ({ leadMs }) => (leadMs ?? 0) / 1_000],
  ['states_total', 'States that it notified.', ({ states }) => states],
  ['misses_total', 'States that it did not notify.', ({ misses }) => misses],
  ['disagreements_total', 'States that it notified otherwise.', (source) => source.disagreements],
];

/** A series with one value for each merged stream, labelled by the stream's name. */
function sourceSeries(feed: () => FeedMetrics): readonly MetricSeries[] {
  return seriesOf(
    feed,
    SOURCE_FIGURES.map(([name, help, figureOf]) => [
      `source_${name}{source}`,
      help,
      ({ sources = [] }) => Object.fromEntries(sources.map((one) => [one.name, figureOf(one)])),
    ]),
  );
}

/** Responses by path and status. */
export class RequestCounts {
  readonly #counts = new Map<string, Map<number, number>>();

  /**
   * Counts a reply. `path` is a route's name, never a client's text, so the number of series is
   * bounded.
   */
  countReply(path: string, status: number): void {
    let byStatus = this.#counts.get(path);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#counts.set(path, byStatus);
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  *listCounts(): Generator<{ path: string; status: number; count: number }> {
    for (const [path, byStatus] of this.#counts) {
      for (const [status, count] of byStatus) yield { path, status, count };
    }
  }
}
