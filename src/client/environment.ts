/**
 * The environment of the client: time, randomness, `fetch` and `WebSocket`. All can be passed as
 * options; the globals are the default.
 */
import { Backoff } from './backoff.js';
import { ClientError } from './error.js';
import { BACKOFF_BOUNDS } from './limits.js';

/** Time and chance. */
export interface Clock {
  /** Milliseconds that only grow, from anywhere. */
  monotonicMs(): number;
  /** Unix milliseconds. */
  unixMs(): number;
  /** Calls once after `ms` milliseconds; returns the cancel function. */
  after(ms: number, call: () => void): () => void;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/**
 * The part of a WebSocket that the client uses; browsers, Node.js 22 and the package `ws` provide
 * it.
 */
export interface SocketLike {
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  send(text: string): void;
  close(): void;
  /** It is set to `arraybuffer`. */
  binaryType?: string;
}

/** A class of WebSockets, such as the global `WebSocket`. */
export type SocketClass = new (url: string) => SocketLike;

/** The used part of `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** How something is fetched. */
export interface FetchInit {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
  /** HTTP caches must not be used, because the client compares ETags itself. */
  readonly cache: 'no-store';
  /** GET where it is missing. */
  readonly method?: 'POST';
  /** Of a POST. */
  readonly body?: string;
}

/** Replaceable dependencies. */
export interface Environment {
  readonly clock?: Clock | undefined;
  readonly fetch?: Fetch | undefined;
  /**
   * The WebSocket class; required where there is no global one: in Node.js 20, pass the class of
   * the package `ws`.
   */
  readonly WebSocket?: SocketClass | undefined;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  unixMs: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Returns the WebSocket class. Throws WEBSOCKET_NOT_FOUND when there is none. */
export function socketClass({ WebSocket: given }: Environment): SocketClass {
  const found = given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (found !== undefined) return found;
  const message = 'there is no global WebSocket: pass one as the option WebSocket';
  throw new ClientError('WEBSOCKET_NOT_FOUND', message);
}

/** Waits for shared work; an abort rejects this wait with ABORTED and does not affect the work. */
export function withAbort<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortedBy(signal));
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** How tries are bounded and repeated. */
interface RetryOptions {
  readonly clock: Clock;
  /** Of one try. */
  readonly timeoutMs: number;
  /** Tries after the first. */
  readonly retriesMax: number;
  readonly signal?: AbortSignal | undefined;
  /** The name of the request in error messages. */
  readonly subject: string;
  /**
   * Returns the minimum delay before another attempt, milliseconds; undefined when another attempt
   * cannot help.
   */
  readonly retryDelayOf: (error: ClientError) => number | undefined;
}

/**
 * Retries until success, a final error, or the last attempt. Each attempt gets a signal that aborts
 * at its time limit or together with the caller's signal. Throws the ClientError of the last
 * attempt, or ABORTED, TIMEOUT or UNREACHABLE.
 */
export async function retry<Value>(
  options: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { clock, signal } = options;
  const backoff = new Backoff(BACKOFF_BOUNDS, () => clock.random());
  for (let tried = 0; ; tried += 1) {
    try {
      return await tryOnce(options, attempt);
    } catch (error) {
      const delayMs = error instanceof ClientError ? options.retryDelayOf(error) : undefined;
      if (delayMs === undefined || tried >= options.retriesMax) throw error;
      // The delay is at least the wait that the service requests, plus jitter.
      await sleep(clock, delayMs + backoff.nextMs(), signal);
    }
  }
}

async function tryOnce<Value>(
  { clock, timeoutMs, signal, subject }: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  let isLate = false;
  const cancel = clock.after(timeoutMs, () => {
    isLate = true;
    abort();
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted === true) throw abortedBy(signal);
    return await attempt(ending.signal);
  } catch (cause) {
    if (cause instanceof ClientError) throw cause;
    if (signal?.aborted === true) throw abortedBy(signal);
    if (isLate)
      throw new ClientError('TIMEOUT', `no response to ${subject} within ${timeoutMs} ms`);
    throw new ClientError('UNREACHABLE', `no response to ${subject}`, {}, { cause });
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** Waits for a delay; an abort rejects with ABORTED. */
function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(abortedBy(signal));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the error of a call that its caller has aborted. */
export function abortedBy(signal: AbortSignal | undefined): ClientError {
  return new ClientError('ABORTED', 'the call was aborted', {}, { cause: signal?.reason });
}
