import type { Timer, Timers } from '../contract/timers.js';

/** A larger difference means a step of the system's clock, which is adopted. */
const DRIFT_MS_MAX = 2;

/**
 * The timers of Node.js. Only composition roots name them; all other code is passed its timers.
 * They are defined in this room because the threads of history and journal are composition roots
 * too, and no room imports `app`.
 */
export const systemTimers: Timers = createSystemTimers();

function createSystemTimers(): Timers {
  let unixOffsetMs = performance.timeOrigin;
  return {
    nowMs: () => performance.now(),
    unixMs: () => Date.now(),
    unixNs: (atMs) => {
      const drift = Date.now() - (unixOffsetMs + performance.now());
      if (Math.abs(drift) > DRIFT_MS_MAX) unixOffsetMs += drift;
      return BigInt(Math.round((unixOffsetMs + atMs) * 1_000_000));
    },
    after: (delayMs, run) => {
      const handle = setTimeout(run, delayMs);
      return { cancel: () => clearTimeout(handle) };
    },
    soon: (run) => {
      const handle = setImmediate(run);
      return { cancel: () => clearImmediate(handle) };
    },
  };
}

/** Waits for `delayMs`; rejects with the signal's reason when the signal aborts. */
export function sleep(timers: Timers, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = timers.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Rejects with the signal's reason when the signal aborts, until `done` aborts. */
export function rejectOnAbort(signal: AbortSignal, done?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true, ...(done && { signal: done }) });
  });
}

/** Runs `work` with a signal that aborts with the caller's signal or at the time limit. */
export async function withTimeLimit<T>(
  options: {
    readonly timers: Timers;
    readonly limitMs: number;
    readonly signal?: AbortSignal | undefined;
  },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { timers, limitMs, signal } = options;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer = timers.after(limitMs, abort);
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** Calls once after a period without signs of life. */
export class SilenceTimer {
  readonly #timers: Timers;
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #signAtMs: number;
  #timer: Timer;

  constructor(timers: Timers, limitMs: number, onSilent: () => void) {
    this.#timers = timers;
    this.#limitMs = limitMs;
    this.#onSilent = onSilent;
    this.#signAtMs = timers.nowMs();
    this.#timer = timers.after(limitMs, () => this.#checkSilence());
  }

  recordSign(): void {
    this.#signAtMs = this.#timers.nowMs();
  }

  cancel(): void {
    this.#timer.cancel();
  }

  /** Signs of life are frequent, so the timer is not rescheduled for each of them. */
  #checkSilence(): void {
    const leftMs = this.#signAtMs + this.#limitMs - this.#timers.nowMs();
    if (leftMs <= 0) this.#onSilent();
    else this.#timer = this.#timers.after(leftMs, () => this.#checkSilence());
  }
}

/** Yields to the event loop for one turn. */
export function nextTurn(timers: Pick<Timers, 'soon'>): Promise<void> {
  return new Promise((resolve) => {
    timers.soon(resolve);
  });
}
