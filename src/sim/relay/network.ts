import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum buffered bytes of one direction of a connection; beyond it the connection is cut. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** Maximum sleep, milliseconds, so that traffic resumes soon after a stall is lifted. */
const SLEEP_MS_MAX = 10;

/** The network conditions on all connections of a relay: stalls. */
export class Network {
  #stalledUntilMs = 0;

  /** Holds all traffic for `ms`; connections stay open. A later call replaces an earlier stall: 0 lifts it. */
  stallFor(ms: number): void {
    this.#stalledUntilMs = performance.now() + ms;
  }

  /**
   * Returns the remaining wait of traffic that is due at `releaseMs`, on the clock of
   * performance.now(); 0 or less when it is due.
   */
  waitMs(releaseMs: number): number {
    return Math.max(releaseMs, this.#stalledUntilMs) - performance.now();
  }

  /** Waits until traffic that arrives now is due. */
  async waitTurn(): Promise<void> {
    const releaseMs = performance.now();
    for (let ms = this.waitMs(releaseMs); ms > 0; ms = this.waitMs(releaseMs)) {
      await sleep(Math.min(ms, SLEEP_MS_MAX));
    }
  }

  createStream(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.waitTurn().then(() => done(null, chunk), done);
      },
    });
  }
}

interface Held {
  readonly item: Buffer;
  readonly releaseMs: number;
}

/**
 * One direction of a WebSocket connection: keeps messages in order, and holds them while the network
 * is stalled.
 */
export class Pipe {
  readonly #network: Network;
  readonly #deliver: (message: Buffer) => void;
  readonly #overflow: () => void;
  readonly #held: Held[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(network: Network, deliver: (message: Buffer) => void, overflow: () => void) {
    this.#network = network;
    this.#deliver = deliver;
    this.#overflow = overflow;
  }

  /**
   * Queues a message. It is delivered immediately when the network is clear and the queue is empty,
   * but not before `holdMs` have passed.
   */
  push(item: Buffer, holdMs = 0): void {
    if (this.#closed) return;
    const releaseMs = performance.now() + holdMs;
    if (this.#held.length === 0 && this.#network.waitMs(releaseMs) <= 0) {
      this.#deliver(item);
      return;
    }
    this.#held.push({ item, releaseMs });
    this.#heldBytes += item.length;
    if (this.#heldBytes > HELD_BYTES_MAX) this.#overflow();
    else this.#schedule();
  }

  /** Drops queued messages and accepts no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#held.length = 0;
  }

  #schedule(): void {
    const first = this.#held[0];
    if (first === undefined || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#network.waitMs(first.releaseMs));
    this.#timer = setTimeout(() => this.#release(), Math.min(waitMs, SLEEP_MS_MAX));
  }

  #release(): void {
    this.#timer = undefined;
    let count = 0;
    for (const { item, releaseMs } of this.#held) {
      if (this.#network.waitMs(releaseMs) > 0) break;
      count += 1;
      this.#heldBytes -= item.length;
      this.#deliver(item);
      if (this.#closed) return;
    }
    this.#held.splice(0, count);
    this.#schedule();
  }
}
