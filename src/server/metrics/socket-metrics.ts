/** What the WebSockets did since the start, for metrics. */
import type { CloseCause } from '../transport/client-socket.js';

/** What was published since the start. */
export interface FanOutStats {
  /** Frames made. */
  readonly published: number;
  /** Frames that readers were given: each frame once a reader. */
  readonly delivered: number;
  readonly deliveredBytes: number;
  /** Frames that could not be made. */
  readonly failed: number;
}

/** Why a socket closed, with what the service itself closes for told apart. */
export type CloseReason =
  | Exclude<CloseCause, 'server'>
  | 'slowReader'
  | 'rateLimited'
  | 'shutdown'
  | 'internal';

/** One reading of the counters. */
export interface SocketStats {
  /** Sockets and topics open now. */
  readonly sockets: number;
  readonly topics: number;
  /**
   * Frames made for subscribers, the first ones after a subscription among them, and their bytes. A
   * subscriber that is behind is counted, although what was published meanwhile is made good by one
   * book anew: see {@link SocketStats.dropped} and {@link SocketStats.resets}.
   */
  readonly frames: number;
  readonly bytes: number;
  /** Messages left out of sockets that were full, each made good later or by a close. */
  readonly dropped: number;
  /** Times that a socket was full. */
  readonly slow: number;
  /** Books shown anew to sockets that had been full. */
  readonly resets: number;
  /** Memory of the deltas kept for readers that come back. */
  readonly ringBytes: number;
  /** Frames that the book could not give. */
  readonly failed: number;
  readonly closes: Readonly<Partial<Record<CloseReason, number>>>;
  /** Errors answered, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Upgrades refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** What there is now. */
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
  readonly #countRefusal = new Map<string, number>();

  /** A frame for one socket alone. */
  countFrame(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  countClose(reason: CloseReason): void {
    increment(this.#closes, reason);
  }

  countError(code: string): void {
    increment(this.#errors, code);
  }

  refused(code: string): void {
    increment(this.#countRefusal, code);
  }

  readStats(open: OpenSocketStats, fanOuts: readonly FanOutStats[]): SocketStats {
    const sum = (name: keyof FanOutStats): number =>
      fanOuts.reduce((total, figures) => total + figures[name], 0);
    return {
      ...open,
      frames: this.#frames + sum('delivered'),
      bytes: this.#bytes + sum('deliveredBytes'),
      dropped: this.dropped,
      slow: this.slow,
      resets: this.resets,
      failed: sum('failed'),
      closes: Object.fromEntries(this.#closes),
      errors: Object.fromEntries(this.#errors),
      refused: Object.fromEntries(this.#countRefusal),
    };
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
