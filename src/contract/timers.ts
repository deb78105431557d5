/** A scheduled call; cancelling it twice, or after it ran, has no effect. */
export interface Timer {
  cancel(): void;
}

/**
 * The time source of every part: the service passes Node.js's timers, a test passes its own. A
 * pending call keeps the process alive, so a part that stops must cancel its calls.
 */
export interface Timers {
  /** Monotonic milliseconds from an arbitrary origin. */
  nowMs(): number;
  /** Returns whole unix milliseconds by the wall clock, which may jump, also backwards. */
  unixMs(): number;
  /** Converts a `nowMs` time to unix nanoseconds, with a finer resolution than `unixMs`. */
  unixNs(atMs: number): bigint;
  /** Calls once after the delay. */
  after(delayMs: number, run: () => void): Timer;
  /** Calls once in this turn of the event loop, after the sockets have been read. */
  soon(run: () => void): Timer;
}
