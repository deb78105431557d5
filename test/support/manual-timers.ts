import type { Timer, Timers } from '../../src/contract/timers.js';

interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that moves only when a test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  readonly #planned = new Set<Planned>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const planned = { atMs: this.#nowMs + delayMs, run };
    this.#planned.add(planned);
    return { cancel: () => void this.#planned.delete(planned) };
  }

  /** The times from now until each call that is planned, the earliest first. */
  get waitsMs(): readonly number[] {
    return [...this.#planned].map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Lets time pass, with everything that falls due in it, in order. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (
      let next = this.#earliest();
      next !== null && next.atMs <= endMs;
      next = this.#earliest()
    ) {
      this.#planned.delete(next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = endMs;
  }

  #earliest(): Planned | null {
    let earliest: Planned | null = null;
    for (const planned of this.#planned) {
      if (earliest === null || planned.atMs < earliest.atMs) earliest = planned;
    }
    return earliest;
  }
}
