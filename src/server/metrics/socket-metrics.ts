/** Counters of WebSockets since the start, and their Prometheus series. */
import type { CloseCause } from '../transport/client-socket.js';
import { counterSeries, gaugeSeries, incrementCount, type MetricSeries } from './series.js';

/** Counters of published frames since the start. */
export interface PublisherStats {
  /** Sent frames; a frame counts once for each reader. */
  readonly delivered: number;
  readonly deliveredBytes: number;
  /** Frames that failed to render. */
  readonly failed: number;
}

/** The reason for which a socket closed; the service's own reasons are distinguished. */
export type CloseReason =
  | Exclude<CloseCause, 'server'>
  | 'slowReader'
  | 'rateLimited'
  | 'shutdown'
  | 'internal';

/** A snapshot of the counters. */
export interface SocketStats {
  /** Open sockets and topics. */
  readonly sockets: number;
  readonly topics: number;
  /**
   * Frames for subscribers, including first frames, and their bytes. A slow subscriber's frames
   * count too, although one new book may replace several of them: see {@link SocketStats.dropped}
   * and {@link SocketStats.resets}.
   */
  readonly frames: number;
  readonly bytes: number;
  /** Messages dropped for sockets with a full buffer; a reset or a close follows each drop. */
  readonly dropped: number;
  /** How often a socket became full. */
  readonly slow: number;
  /** Whole books resent to sockets whose buffer had been full. */
  readonly resets: number;
  /** Memory of the deltas that are stored for clients that resume, bytes. */
  readonly ringBytes: number;
  /** Frames that the book failed to render. */
  readonly failed: number;
  readonly closes: Readonly<Partial<Record<CloseReason, number>>>;
  /** Errors sent, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Rejected upgrades, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

type OpenSocketStats = Pick<SocketStats, 'sockets' | 'topics' | 'ringBytes'>;

/** The counters of one service. */
export class SocketCounts {
  dropped = 0;
  slow = 0;
  resets = 0;
  #frames = 0;
  #bytes = 0;
  readonly #closes = new Map<CloseReason, number>();
  readonly #errors = new Map<string, number>();
  readonly #refusals = new Map<string, number>();

  countFrame(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  countClose(reason: CloseReason): void {
    incrementCount(this.#closes, reason);
  }

  countError(code: string): void {
    incrementCount(this.#errors, code);
  }

  countRefusal(code: string): void {
    incrementCount(this.#refusals, code);
  }

  readStats(open: OpenSocketStats, published: PublisherStats): SocketStats {
    return {
      ...open,
      frames: this.#frames + published.delivered,
      bytes: this.#bytes + published.deliveredBytes,
      dropped: this.dropped,
      slow: this.slow,
      resets: this.resets,
      failed: published.failed,
      closes: Object.fromEntries(this.#closes),
      errors: Object.fromEntries(this.#errors),
      refused: Object.fromEntries(this.#refusals),
    };
  }
}

/** The series of the WebSockets. */
export function socketSeries(stats: () => SocketStats): readonly MetricSeries[] {
  return [
    gaugeSeries('slotbook_sockets', 'WebSockets open now.', () => stats().sockets),
    gaugeSeries('slotbook_topics', 'Topics with a subscriber now.', () => stats().topics),
    counterSeries(
      'slotbook_socket_frames_total',
      'Frames made for subscribers of sockets, those behind included.',
      () => stats().frames,
    ),
    counterSeries('slotbook_socket_bytes_total', 'Bytes of these frames.', () => stats().bytes),
    counterSeries(
      'slotbook_socket_frames_dropped_total',
      'Frames left out of sockets that were full, each followed by a reset or a close.',
      () => stats().dropped,
    ),
    counterSeries('slotbook_socket_slow_total', 'Times a socket was full.', () => stats().slow),
    counterSeries(
      'slotbook_socket_resets_total',
      'Books sent again, whole, to sockets that had been full.',
      () => stats().resets,
    ),
    gaugeSeries(
      'slotbook_ring_bytes',
      'Memory of the deltas stored for readers that reconnect.',
      () => stats().ringBytes,
    ),
    counterSeries(
      'slotbook_socket_frames_failed_total',
      'Frames that the book could not make.',
      () => stats().failed,
    ),
    {
      kind: 'counter',
      name: 'slotbook_socket_closes_total',
      help: 'WebSockets closed, by reason.',
      label: 'reason',
      read: () => stats().closes,
    },
    {
      kind: 'counter',
      name: 'slotbook_socket_errors_total',
      help: 'Errors sent over WebSockets, by code.',
      label: 'code',
      read: () => stats().errors,
    },
    {
      kind: 'counter',
      name: 'slotbook_socket_refusals_total',
      help: 'Upgrades refused, by code.',
      label: 'code',
      read: () => stats().refused,
    },
  ];
}
