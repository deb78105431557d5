import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one direction of one connection may hold back; beyond it the connection counts as lost. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** The longest that anything sleeps at once, so that what a lifted stall lets go goes soon. */
const SLEEP_MS_MAX = 10;

/** The weather on every connection of a relay: how late traffic is, and until when none passes. */
export class Network {
  #delayMs = 0;
  #stalledUntilMs = 0;

  /** Makes everything that enters from now on `ms` late in each direction; 0 ends it. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /**
   * Holds all traffic for `ms`; connections stay open. A later stall may end an earlier one: 0
   * lifts it.
   */
  stallFor(ms: number): void {
    this.#stalledUntilMs = performance.now() + ms;
  }

  /** When something that enters now is due, on the clock of performance.now(), `holdMs` at the soonest. */
  releaseMs(holdMs = 0): number {
    return performance.now() + Math.max(this.#delayMs, holdMs);
  }

  /** How long something due at `releaseMs` still has to wait; 0 or less when it may pass. */
  waitMs(releaseMs: number): number {
    return Math.max(releaseMs, this.#stalledUntilMs) - performance.now();
  }

  /** Waits until something that enters now may leave. */
  async waitTurn(): Promise<void> {
    const releaseMs = this.releaseMs();
    for (let ms = this.waitMs(releaseMs); ms > 0; ms = this.waitMs(releaseMs)) {
      await sleep(Math.min(ms, SLEEP_MS_MAX));
    }
  }

  /** A stream through which bytes pass under this weather. */
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
 * One direction of a WebSocket connection: keeps the order, and holds messages back as the network
 * says.
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
   * Takes a message; it is delivered at once when the network is clear and nothing is before it, but
   * not before `holdMs` have passed.
   */
  push(item: Buffer, holdMs = 0): void {
    if (this.#closed) return;
    const releaseMs = this.#network.releaseMs(holdMs);
    if (this.#held.length === 0 && this.#network.waitMs(releaseMs) <= 0) {
      this.#deliver(item);
      return;
    }
    this.#held.push({ item, releaseMs });
    this.#heldBytes += item.length;
    if (this.#heldBytes > HELD_BYTES_MAX) this.#overflow();
    else this.#schedule();
  }

  /** Drops what is held and takes nothing any more. */
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
