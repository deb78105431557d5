/** A call to come; cancelling twice or after it ran does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as every part of the service sees it: the service passes the timers of Node.js, a test passes
 * timers of its own. A pending call keeps the process alive, so an owner that stops cancels it.
 */
export interface Timers {
  /** Monotonic milliseconds from an arbitrary origin. */
  nowMs(): number;
  /** Whole unix milliseconds of the wall clock, which may be set, also back. */
  unixMs(): number;
  /** Unix nanoseconds of a time of `nowMs`, finer than `unixMs`. */
  unixNs(atMs: number): bigint;
  /** Calls once after the delay. */
  after(delayMs: number, run: () => void): Timer;
  /** Calls once in this turn of the event loop, after its sockets have been read. */
  soon(run: () => void): Timer;
}
