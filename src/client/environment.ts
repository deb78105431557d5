/**
 * What the clients of this package use of the world around them: time, chance, `fetch` and
 * `WebSocket`. All of it can be handed in, and is taken from the globals where it is not.
 */
import { ClientError } from './error.js';

/** Time and chance. */
export interface Clock {
  /** Milliseconds that only grow, from anywhere. */
  monotonicMs(): number;
  /** Unix milliseconds. */
  unixMs(): number;
  /** Calls once, so many milliseconds later; answers what calls it off. */
  after(ms: number, call: () => void): () => void;
  /** From 0, which it may be, to 1, which it may not. */
  random(): number;
}

/** The part of a WebSocket that is used: browsers, Node.js 22 and the package `ws` have it. */
export interface SocketLike {
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  send(text: string): void;
  close(): void;
}

/** A class of sockets, as the global `WebSocket` is one. */
export type SocketClass = new (url: string) => SocketLike;

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** How something is fetched. */
export interface FetchInit {
  readonly signal: AbortSignal;
  readonly headers: Record<string, string>;
  /** What has not changed is known by its tag: no cache between may answer from before. */
  readonly cache: 'no-store';
  /** GET where it is missing. */
  readonly method?: 'POST';
  /** Of a POST. */
  readonly body?: string;
}

/** What may be handed in. */
export interface Environment {
  readonly clock?: Clock | undefined;
  readonly fetch?: Fetch | undefined;
  /** Needed where there is no global one: in Node.js 20, the class of the package `ws`. */
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

/** The class of sockets to use. Throws WEBSOCKET_NOT_FOUND where there is none. */
export function socketClass({ WebSocket: given }: Environment): SocketClass {
  const found = given ?? (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (found !== undefined) return found;
  const message = 'there is no global WebSocket: hand one in as the option WebSocket';
  throw new ClientError('WEBSOCKET_NOT_FOUND', message);
}

/** Waits for what others may wait for too; the signal's reason ends this wait, and nothing else. */
export function withAbort<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal?.reason);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop));
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits; ends with the signal's reason when that comes first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
