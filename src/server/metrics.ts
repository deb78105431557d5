/**
 * Prometheus metrics. Requests are counted in a plain map and turned into samples at the scrape, so
 * that a request pays one addition; figures of the book are read at the scrape as well.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { BookSource, FeedFigures, Readiness } from './book-source.js';

/** Answers by path and status. */
export class RequestCounts {
  private readonly counts = new Map<string, Map<number, number>>();

  /** `path` is a route's name, never what a client sent: the number of series stays bounded. */
  add(path: string, status: number): void {
    let byStatus = this.counts.get(path);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.counts.set(path, byStatus);
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  /** One entry for each path and status seen. */
  *entries(): Generator<{ path: string; status: number; count: number }> {
    for (const [path, byStatus] of this.counts) {
      for (const [status, count] of byStatus) yield { path, status, count };
    }
  }
}

/** The text of /metrics for one service. */
export class Metrics {
  private readonly registry = new Registry();

  constructor(options: {
    readonly book: BookSource;
    readonly readiness: () => Readiness;
    readonly feed: () => FeedFigures;
    readonly requests: RequestCounts;
  }) {
    collectDefaultMetrics({ register: this.registry });
    this.registerRequests(options.requests);
    this.registerBook(options.book);
    this.registerReadiness(options.readiness);
    this.registerFeed(options.feed);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  private registerRequests(requests: RequestCounts): void {
    const registers = [this.registry];
    new Counter({
      name: 'slotbook_http_requests_total',
      help: 'Answers by path and status.',
      labelNames: ['path', 'status'],
      registers,
      collect() {
        this.reset();
        for (const { path, status, count } of requests.entries()) {
          this.inc({ path, status: String(status) }, count);
        }
      },
    });
  }

  private registerReadiness(readiness: () => Readiness): void {
    this.gauge('slotbook_slot', 'The newest slot seen.', () => readiness().slot);
    this.gauge('slotbook_ready', 'Whether the book is live.', () =>
      readiness().state === 'live' ? 1 : 0,
    );
  }

  private registerFeed(feed: () => FeedFigures): void {
    this.gauge(
      'slotbook_slot_age_seconds',
      'Time since a slot was heard of.',
      () => feed().slotAgeMs / 1_000,
    );
    new Counter({
      name: 'slotbook_feed_events_total',
      help: 'What the feed met: rebuilds, failures, replayed updates, differences found by readings.',
      labelNames: ['event'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [event, count] of Object.entries(feed().events)) this.inc({ event }, count);
      },
    });
  }

  private registerBook(book: BookSource): void {
    const registers = [this.registry];
    this.gauge('slotbook_users', 'User accounts held.', () => book.stats().users);
    this.gauge('slotbook_orders', 'Open orders held.', () => book.stats().orders);
    this.gauge('slotbook_orders_shown', 'Orders that the book shows.', () => book.stats().shown);
    this.gauge(
      'slotbook_accounts_quarantined',
      'Accounts that could not be read.',
      () => book.stats().quarantined,
    );
    new Gauge({
      name: 'slotbook_orders_left_out',
      help: 'Open orders that the book does not show, by reason.',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(book.stats().leftOut)) {
          this.set({ reason }, count);
        }
      },
    });
    new Gauge({
      name: 'slotbook_seq',
      help: 'The sequence of changes, by market.',
      labelNames: ['market'],
      registers,
      collect() {
        this.reset();
        for (const { id, symbol } of book.markets()) {
          this.set({ market: symbol }, book.version(id).seq);
        }
      },
    });
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
