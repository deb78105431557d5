import type { Timer, Timers } from '../../src/contract/timers.js';
import { systemTimers } from '../../src/rpc/timers.js';

interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** The wall clock of a test at its start, unix milliseconds. */
const START_UNIX_MS = 1_795_000_000_000;

/** Time that moves only when a test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  readonly #planned = new Set<Planned>();

  /** The wall clock; a test may set another one. */
  unixMs = (): number => START_UNIX_MS + Math.floor(this.#nowMs);

  unixNs(atMs: number): bigint {
    return BigInt(Math.round((START_UNIX_MS + atMs) * 1_000_000));
  }

  /** Turns of the event loop are real. */
  readonly soon = systemTimers.soon;

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
