/** Counters of WebSockets since the start, and their Prometheus series. */
import type { CloseCause } from '../transport/client-socket.js';
import { type MetricSeries, OutcomeCounts, type SocketOutcomes, seriesOf } from './series.js';

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
export interface SocketStats extends SocketOutcomes<CloseReason> {
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
}

type OpenSocketStats = Pick<SocketStats, 'sockets' | 'topics' | 'ringBytes'>;

/** The counters of one service. */
export class SocketCounts {
  dropped = 0;
  slow = 0;
  resets = 0;
  readonly outcomes = new OutcomeCounts<CloseReason>();
  #frames = 0;
  #bytes = 0;

  countFrame(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  readStats(open: OpenSocketStats, published: PublisherStats): SocketStats {
    return {
      ...open,
      ...this.outcomes.readOutcomes(),
      frames: this.#frames + published.delivered,
      bytes: this.#bytes + published.deliveredBytes,
      dropped: this.dropped,
      slow: this.slow,
      resets: this.resets,
      failed: published.failed,
    };
  }
}

/** The series of the WebSockets. */
export function socketSeries(stats: () => SocketStats): readonly MetricSeries[] {
  return seriesOf(stats, [
    ['sockets', 'WebSockets open now.', ({ sockets }) => sockets],
    ['topics', 'Topics with a subscriber now.', ({ topics }) => topics],
    [
      'socket_frames_total',
      'Frames made for subscribers of sockets, those behind included.',
      ({ frames }) => frames,
    ],
    ['socket_bytes_total', 'Bytes of these frames.', ({ bytes }) => bytes],
    [
      'socket_frames_dropped_total',
      'Frames left out of sockets that were full, each followed by a reset or a close.',
      ({ dropped }) => dropped,
    ],
    ['socket_slow_total', 'Times a socket was full.', ({ slow }) => slow],
    [
      'socket_resets_total',
      'Books sent again, whole, to sockets that had been full.',
      ({ resets }) => resets,
    ],
    [
      'ring_bytes',
      'Memory of the deltas stored for readers that reconnect.',
      ({ ringBytes }) => ringBytes,
    ],
    ['socket_frames_failed_total', 'Frames that the book could not make.', ({ failed }) => failed],
    ['socket_closes_total{reason}', 'WebSockets closed, by reason.', ({ closes }) => closes],
    ['socket_errors_total{code}', 'Errors sent over WebSockets, by code.', ({ errors }) => errors],
    ['socket_refusals_total{code}', 'Upgrades refused, by code.', ({ refused }) => refused],
  ]);
}
