/** A scheduled call; cancelling twice or after it ran does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * The time source of every part: the service passes Node.js's timers, a test its own. A pending
 * call keeps the process alive, so an owner that stops must cancel it.
 */
export interface Timers {
  /** Monotonic milliseconds from an arbitrary origin. */
  nowMs(): number;
  /** Whole unix milliseconds of the wall clock, which may jump, also back. */
  unixMs(): number;
  /** Unix nanoseconds of a `nowMs` time, with a finer resolution than `unixMs`. */
  unixNs(atMs: number): bigint;
  /** Calls once after the delay. */
  after(delayMs: number, run: () => void): Timer;
  /** Calls once in this turn of the event loop, after its sockets have been read. */
  soon(run: () => void): Timer;
}
