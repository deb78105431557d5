/**
 * The client's environment: time, randomness, `fetch` and `WebSocket`. All can be passed as
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
  /** Calls once after some milliseconds; returns the cancel function. */
  after(ms: number, call: () => void): () => void;
  /** From 0, which it may be, to 1, which it may not. */
  random(): number;
}

/** The used part of a WebSocket, which browsers, Node.js 22 and the package `ws` provide. */
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

/** A class of sockets, as the global `WebSocket` is one. */
export type SocketClass = new (url: string) => SocketLike;

/** The used part of `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** How something is fetched. */
export interface FetchInit {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
  /** Tags identify unchanged responses, so an intermediate cache must not be used. */
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
  /** Required without a global one: in Node.js 20, the class of the package `ws`. */
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

/** The WebSocket class. Throws WEBSOCKET_NOT_FOUND when there is none. */
export function socketClass({ WebSocket: given }: Environment): SocketClass {
  const found = given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (found !== undefined) return found;
  const message = 'there is no global WebSocket: pass one as the option WebSocket';
  throw new ClientError('WEBSOCKET_NOT_FOUND', message);
}

/** Waits for work that others may share; an abort ends this wait with ABORTED, and nothing else. */
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
  /** The name of the request, for error messages. */
  readonly subject: string;
  /** Milliseconds to wait at least before another try; undefined when another will not help. */
  readonly retryDelayOf: (error: ClientError) => number | undefined;
}

/**
 * Retries until success, a final error, or the last try. Each try gets a signal that aborts at its
 * time limit or with the caller. Throws the last try's own ClientError; else ABORTED, TIMEOUT or
 * UNREACHABLE.
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
      // At least the wait that the service requests, plus jitter.
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

/** Waits; an abort ends the wait with ABORTED. */
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

/** The error of a call that its caller has aborted. */
export function abortedBy(signal: AbortSignal | undefined): ClientError {
  return new ClientError('ABORTED', 'the call was aborted', {}, { cause: signal?.reason });
}
