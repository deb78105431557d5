/** A call to come; cancelling twice or after it ran does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as every part of the service sees it, so that a test can hold it in its hand. */
export interface Timers {
  /** Monotonic milliseconds from an arbitrary origin. */
  nowMs(): number;
  /** Calls once after the delay. */
  after(delayMs: number, run: () => void): Timer;
}
