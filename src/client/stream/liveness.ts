/** Finds out that a connection is dead on which the service only speaks when something happens. */
import * as limits from '../limits.js';
import type { Connection } from './connection.js';

/** Pings a socket on which nothing is said, and gives it up when that is not answered. */
export class Liveness {
  #heardAtMs = 0;
  #isWatching = false;

  /** A connection that is not needed any more is closed. */
  constructor(
    private readonly connection: Connection,
    private readonly isNeeded: () => boolean,
  ) {}

  /** Something was said, or the connection has been opened. */
  noteReceived(): void {
    this.#heardAtMs = this.connection.clock.monotonicMs();
  }

  /** Looks at it from now on, while it is needed. */
  startWatch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock } = this.connection;
    const beganMs = clock.monotonicMs();
    clock.after(limits.PONG_MS_MAX, () => {
      this.#isWatching = false;
      if (!this.isNeeded()) {
        this.connection.close();
        return;
      }
      const nowMs = clock.monotonicMs();
      const isLate = nowMs - beganMs > limits.PONG_MS_MAX + limits.WATCH_LATE_MS_MAX;
      if (this.connection.state === 'open' && !isLate) this.#check(nowMs - this.#heardAtMs);
      this.startWatch();
    });
  }

  #check(silenceMs: number): void {
    if (silenceMs >= limits.PING_MS + limits.PONG_MS_MAX) this.connection.restart();
    else if (silenceMs >= limits.PING_MS)
      this.connection.sendMessage({ type: 'ping', id: 'alive' });
  }
}
