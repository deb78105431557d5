/** Maximum buffered bytes of one direction of a connection; beyond it the connection is cut. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

interface Held {
  readonly item: Buffer;
  readonly releaseMs: number;
}

/** One direction of a WebSocket connection: holds messages back, and keeps their order. */
export class Pipe {
  readonly #deliver: (message: Buffer) => void;
  readonly #overflow: () => void;
  readonly #held: Held[] = [];
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deliver: (message: Buffer) => void, overflow: () => void) {
    this.#deliver = deliver;
    this.#overflow = overflow;
  }

  /** Delivers a message when `holdMs` have passed and those before it are delivered. */
  push(item: Buffer, holdMs: number): void {
    if (this.#held.length === 0 && holdMs === 0) {
      this.#deliver(item);
      return;
    }
    this.#held.push({ item, releaseMs: performance.now() + holdMs });
    this.#heldBytes += item.length;
    if (this.#heldBytes > HELD_BYTES_MAX) this.#overflow();
    else this.#schedule();
  }

  /** Drops held messages. */
  close(): void {
    clearTimeout(this.#timer);
    this.#held.length = 0;
  }

  #schedule(): void {
    const [first] = this.#held;
    if (first === undefined || this.#timer !== undefined) return;
    const waitMs = Math.max(0, first.releaseMs - performance.now());
    this.#timer = setTimeout(() => this.#release(), waitMs);
  }

  #release(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    const later = this.#held.findIndex(({ releaseMs }) => releaseMs > nowMs);
    for (const { item } of this.#held.splice(0, later < 0 ? this.#held.length : later)) {
      this.#heldBytes -= item.length;
      this.#deliver(item);
    }
    this.#schedule();
  }
}
