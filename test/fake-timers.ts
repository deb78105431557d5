import type { Timer, Timers } from '../src/rpc/timers.js';

interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that stands still until a test moves it. */
export class FakeTimers implements Timers {
  #nowMs = 0;
  #planned: Planned[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const planned = { atMs: this.#nowMs + delayMs, run };
    this.#planned.push(planned);
    return {
      cancel: () => {
        this.#planned = this.#planned.filter((other) => other !== planned);
      },
    };
  }

  get pending(): number {
    return this.#planned.length;
  }

  /** Moves time on and runs what falls due, in its order. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#planned.filter(({ atMs }) => atMs <= endMs);
      const next = due.sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#planned = this.#planned.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = endMs;
  }
}
