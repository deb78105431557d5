/**
 * Prometheus metrics. Requests are counted in a plain map and turned into samples at the scrape, so
 * that a request pays one addition; figures of the book are read at the scrape as well.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { BookSource, BookStats } from '../../contract/book-source.js';
import type { FeedMetrics, Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../ports/market-data-source.js';
import { historySeries } from './history-metrics.js';
import { type QuoteSocketStats, quoteSeries } from './quotes-metrics.js';
import type { SocketStats } from './socket-metrics.js';
import type { Timings } from './timings.js';
import { sumCounts, type VenueStats } from './venue-metrics.js';

/** What the metrics are read from; what is optional may be missing in a test. */
export interface MetricsOptions {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedMetrics;
  readonly requests: RequestCounts;
  readonly timings?: Timings;
  readonly sockets?: () => SocketStats;
  readonly venues?: () => readonly VenueStats[];
  readonly quotes?: () => QuoteSocketStats;
  readonly history?: Pick<MarketDataSource, 'figures'>;
  /** Bytes of answers that wait for their clients. */
  readonly unsent?: { readonly bytes: number };
}

/** States of the feed, of which one holds. */
const FEED_STATES = ['starting', 'rebuilding', 'live', 'lagging', 'stale'] as const;

/** One figure of a kind, or one for each value of a label. */
type SeriesValue = number | Readonly<Record<string, number | undefined>>;

/** A figure that goes up and down, or a count that only grows. */
interface CountedSeries extends Series {
  readonly kind: 'gauge' | 'counter';
}

interface Series {
  readonly name: string;
  readonly help: string;
  /** The label whose values the reading names; absent for a figure alone. */
  readonly label?: string;
  readonly read: () => SeriesValue;
}

/** The text of /metrics for one service. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #timings: Timings | undefined;
  readonly #book: BookSource;
  /** As of the present scrape: reading them walks all levels of all markets. */
  #stats: BookStats;

  constructor(options: MetricsOptions) {
    const { book, readiness, feed, requests, timings, unsent } = options;
    const { sockets, venues, quotes, history } = options;
    collectDefaultMetrics({ register: this.#registry });
    this.#book = book;
    this.#stats = book.stats();
    this.#timings = timings;
    this.#addRequests(requests, () => unsent?.bytes ?? 0);
    this.#addBook(book);
    this.#addFeed(feed, readiness);
    if (sockets !== undefined) this.#addSockets(sockets);
    if (venues !== undefined) this.#addVenues(venues);
    if (quotes !== undefined) this.#addAll(quoteSeries(() => this.#stats, quotes));
    if (history !== undefined) this.#addAll(historySeries(() => history.figures()));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async toText(): Promise<string> {
    this.#stats = this.#book.stats();
    return `${await this.#registry.metrics()}\n${this.#timings?.toText() ?? ''}`;
  }

  #addRequests(requests: RequestCounts, unsentBytes: () => number): void {
    this.#gauge({
      name: 'slotbook_http_unsent_bytes',
      help: 'Bytes of answers that wait for clients to read them, equal ones counted once.',
      read: unsentBytes,
    });
    new Counter({
      name: 'slotbook_http_requests_total',
      help: 'Answers by path and status.',
      labelNames: ['path', 'status'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { path, status, count } of requests.listCounts()) {
          this.inc({ path, status: String(status) }, count);
        }
      },
    });
  }

  #addBook(book: BookSource): void {
    const figure = (name: string, help: string, read: () => number): void =>
      this.#gauge({ name, help, read });
    figure('slotbook_users', 'User accounts held.', () => this.#stats.users);
    figure('slotbook_orders', 'Open orders held.', () => this.#stats.orders);
    figure('slotbook_orders_shown', 'Orders that the book shows.', () => this.#stats.shown);
    figure(
      'slotbook_accounts_quarantined',
      'Accounts that could not be read.',
      () => this.#stats.quarantined,
    );
    this.#gauge({
      name: 'slotbook_orders_left_out',
      help: 'Open orders that the book does not show, by reason.',
      label: 'reason',
      read: () => this.#stats.leftOut,
    });
    this.#gauge({
      name: 'slotbook_seq',
      help: 'The sequence of changes, by market.',
      label: 'market',
      read: () => {
        const rows = book.markets();
        return Object.fromEntries(rows.map(({ id, symbol }) => [symbol, book.version(id).seq]));
      },
    });
  }

  #addFeed(feed: () => FeedMetrics, readiness: () => Readiness): void {
    const figure = (name: string, help: string, read: () => number): void =>
      this.#gauge({ name, help, read });
    figure('slotbook_slot', 'The newest slot seen.', () => readiness().slot);
    figure('slotbook_ready', 'Whether the book is live.', () =>
      readiness().state === 'live' ? 1 : 0,
    );
    figure(
      'slotbook_slot_age_seconds',
      'Time since a slot was heard of.',
      () => feed().slotAgeMs / 1_000,
    );
    figure(
      'slotbook_slot_lag',
      'Slots that the book is behind the newest that a node told of.',
      () => feed().slotLag ?? 0,
    );
    this.#gauge({
      name: 'slotbook_feed_state',
      help: 'The state of the feed: 1 for the one that holds.',
      label: 'state',
      read: () => {
        const { state } = readiness();
        return Object.fromEntries(FEED_STATES.map((known) => [known, known === state ? 1 : 0]));
      },
    });
    this.#counter({
      name: 'slotbook_audit_differences_total',
      help: 'Accounts that audits found to differ from the chain and repaired.',
      read: () => feed().events['auditDifferences'] ?? 0,
    });
    this.#counter({
      name: 'slotbook_feed_events_total',
      help: 'What the feed met: rebuilds, failures, replayed updates, differences found by readings.',
      label: 'event',
      read: () => feed().events,
    });
  }

  #addSockets(sockets: () => SocketStats): void {
    const total = (name: string, help: string, read: () => number): void =>
      this.#counter({ name, help, read });
    this.#gauge({
      name: 'slotbook_sockets',
      help: 'WebSockets open now.',
      read: () => sockets().sockets,
    });
    this.#gauge({
      name: 'slotbook_topics',
      help: 'Topics with a subscriber now.',
      read: () => sockets().topics,
    });
    total(
      'slotbook_socket_frames_total',
      'Frames made for subscribers of sockets, those behind included.',
      () => sockets().frames,
    );
    total('slotbook_socket_bytes_total', 'Bytes of these frames.', () => sockets().bytes);
    total(
      'slotbook_socket_frames_dropped_total',
      'Frames left out of sockets that were full, made good by a reset or a close.',
      () => sockets().dropped,
    );
    total('slotbook_socket_slow_total', 'Times a socket was full.', () => sockets().slow);
    total(
      'slotbook_socket_resets_total',
      'Books shown anew to sockets that had been full.',
      () => sockets().resets,
    );
    this.#gauge({
      name: 'slotbook_ring_bytes',
      help: 'Memory of the deltas kept for readers that come back.',
      read: () => sockets().ringBytes,
    });
    total(
      'slotbook_socket_frames_failed_total',
      'Frames that the book could not give.',
      () => sockets().failed,
    );
    this.#counter({
      name: 'slotbook_socket_closes_total',
      help: 'WebSockets closed, by reason.',
      label: 'reason',
      read: () => sockets().closes,
    });
    this.#counter({
      name: 'slotbook_socket_errors_total',
      help: 'Errors answered over WebSockets, by code.',
      label: 'code',
      read: () => sockets().errors,
    });
    this.#counter({
      name: 'slotbook_socket_refusals_total',
      help: 'Upgrades refused, by code.',
      label: 'code',
      read: () => sockets().refused,
    });
  }

  #addVenues(venues: () => readonly VenueStats[]): void {
    this.#gauge({
      name: 'slotbook_venue_markets',
      help: 'Spot markets of external venues: those whose levels are used, and those left out.',
      label: 'state',
      read: () => {
        const markets = venues().flatMap((venue) => venue.markets);
        const used = markets.filter((market) => market.used).length;
        return { used, leftOut: markets.length - used };
      },
    });
    this.#counter({
      name: 'slotbook_venue_events_total',
      help: 'Requests to external venues, readings of their markets, and markets left out.',
      label: 'event',
      read: () => sumCounts(venues(), ({ events }) => events),
    });
    this.#counter({
      name: 'slotbook_venue_failures_total',
      help: 'Markets of external venues left out, by code.',
      label: 'code',
      read: () => sumCounts(venues(), ({ failures }) => failures),
    });
  }

  #addAll(all: readonly CountedSeries[]): void {
    for (const { kind, ...series } of all) {
      if (kind === 'gauge') this.#gauge(series);
      else this.#counter(series);
    }
  }

  #gauge({ name, help, label, read }: Series): void {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read(), label)) this.set(labels, value);
      },
    });
  }

  #counter({ name, help, label, read }: Series): void {
    new Counter({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [labels, value] of samplesOf(read(), label)) this.inc(labels, value);
      },
    });
  }
}

function samplesOf(
  reading: SeriesValue,
  label: string | undefined,
): readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[] {
  if (typeof reading === 'number') return [[{}, reading]];
  return Object.entries(reading).map(([name, value]) => [{ [label ?? '']: name }, value ?? 0]);
}

/** Answers by path and status. */
export class RequestCounts {
  private readonly counts = new Map<string, Map<number, number>>();

  /** `path` is a route's name, never what a client sent: the number of series stays bounded. */
  countReply(path: string, status: number): void {
    let byStatus = this.counts.get(path);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.counts.set(path, byStatus);
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  /** One entry for each path and status seen. */
  *listCounts(): Generator<{ path: string; status: number; count: number }> {
    for (const [path, byStatus] of this.counts) {
      for (const [status, count] of byStatus) yield { path, status, count };
    }
  }
}
