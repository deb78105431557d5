/** What the WebSockets did since the start, for metrics. */
import type { FanOutFigures } from './fan-out.js';
import type { CloseCause } from './ws-socket.js';

/** Why a socket closed, with what the service itself closes for told apart. */
export type CloseReason = Exclude<CloseCause, 'server'> | 'rateLimited' | 'shutdown' | 'internal';

/** One reading of the counters. */
export interface SocketFigures {
  /** Sockets and topics open now. */
  readonly sockets: number;
  readonly topics: number;
  /** Frames given to sockets, the first ones after a subscription among them, and their bytes. */
  readonly frames: number;
  readonly bytes: number;
  /** Messages that the transport left out of sockets which it then closed for not reading. */
  readonly dropped: number;
  /** Frames that the book could not give. */
  readonly failed: number;
  readonly closes: Readonly<Partial<Record<CloseReason, number>>>;
  /** Errors answered, by code. */
  readonly errors: Readonly<Record<string, number>>;
  /** Upgrades refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The counters of one service. */
export class SocketCounts {
  dropped = 0;
  #frames = 0;
  #bytes = 0;
  readonly #closes = new Map<CloseReason, number>();
  readonly #errors = new Map<string, number>();
  readonly #refused = new Map<string, number>();

  /** A frame for one socket alone. */
  frame(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  closed(reason: CloseReason): void {
    increment(this.#closes, reason);
  }

  error(code: string): void {
    increment(this.#errors, code);
  }

  refused(code: string): void {
    increment(this.#refused, code);
  }

  figures(sockets: number, fanOut: FanOutFigures): SocketFigures {
    return {
      sockets,
      topics: fanOut.topics,
      frames: this.#frames + fanOut.delivered,
      bytes: this.#bytes + fanOut.deliveredBytes,
      dropped: this.dropped,
      failed: fanOut.failed,
      closes: Object.fromEntries(this.#closes),
      errors: Object.fromEntries(this.#errors),
      refused: Object.fromEntries(this.#refused),
    };
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
