import type { Timers } from '../contract/timers.js';
import { Backoff } from './backoff.js';
import { type Endpoint, parseEndpoint } from './endpoint.js';
import { loggedFailure, RpcError, shownFailure } from './error.js';
import {
  isRecord,
  type Refusal,
  readBody,
  readBodyStart,
  refusalOfBytes,
  refusalOfResponse,
  refusalOfStatus,
} from './http-response.js';
import { parseJson } from './json.js';
import {
  CALL_ATTEMPTS_MAX,
  CALL_BACKOFF_CAP_MS,
  CALL_BACKOFF_FIRST_MS,
  CALL_BODY_BYTES_MAX,
  CALL_TIMEOUT_MS,
  ERROR_BODY_BYTES_MAX,
  RAW_BODY_BYTES_MAX,
  RAW_CALL_TIMEOUT_MS,
  RETRY_AFTER_CAP_MS,
  SILENT_MS_MAX,
} from './limits.js';
import { SilenceTimer, sleep, withTimeLimit } from './timers.js';

/** The server's address, and dependencies that a test may replace. */
export interface RpcClientOptions {
  /** An http or https URL; user info becomes an Authorization header. */
  readonly url: string;
  readonly timers: Timers;
  readonly random?: () => number;
  readonly attemptsMax?: number;
  /** Time limit of one attempt of a small call, milliseconds. */
  readonly callTimeoutMs?: number;
  /** The longest requested wait, ms: a call fails when its server requests a longer one. */
  readonly retryAfterMaxMs?: number;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Time limit of one attempt, not of the whole call, milliseconds. */
  readonly timeoutMs?: number;
  /** Called with the size of each chunk of a result. */
  readonly onBytes?: (count: number) => void;
  /**
   * Whether the call is a background read that may fail: a Retry-After in its response applies only
   * to background reads. A Retry-After of any other call applies to all calls.
   */
  readonly isBackground?: boolean;
}

interface Request extends CallOptions {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly bytesMax: number;
  readonly timeoutMs: number;
}

/** Examines the bytes of a successful response; returns the value or a refusal. */
type Reader<T> = (body: Uint8Array) => { readonly value: T } | Refusal;

/**
 * Solana JSON-RPC over HTTP: keep-alive connections, a time limit for each attempt, and a few
 * attempts with jittered, capped delays. All calls are reads, so retries are safe.
 *
 * This class does not interpret results: the caller passes a parser, or takes the bytes.
 */
export class RpcClient {
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #random: () => number;
  readonly #attemptsMax: number;
  readonly #callTimeoutMs: number;
  readonly #retryAfterMaxMs: number;
  /** The earliest time of the next call after a Retry-After, by method, monotonic milliseconds. */
  readonly #retryFromMs = new Map<string, number>();
  readonly #backgroundFromMs = new Map<string, number>();
  #nextId = 1;

  constructor(options: RpcClientOptions) {
    this.#endpoint = parseEndpoint(options.url, ['http:', 'https:']);
    this.#timers = options.timers;
    this.#random = options.random ?? Math.random;
    this.#attemptsMax = options.attemptsMax ?? CALL_ATTEMPTS_MAX;
    this.#callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.#retryAfterMaxMs = options.retryAfterMaxMs ?? RETRY_AFTER_CAP_MS;
  }

  /** Host and port, the part of the URL that may be published. */
  get host(): string {
    return this.#endpoint.host;
  }

  /**
   * Calls a method; resolves with its `result`, passed through the parser.
   *
   * # Errors
   * Rejects with an RpcError, or with an error of the parser.
   */
  async call<T>(
    method: string,
    params: readonly unknown[],
    parse: (result: unknown) => T,
    options: CallOptions = {},
  ): Promise<T> {
    const bounds = { bytesMax: CALL_BODY_BYTES_MAX, timeoutMs: this.#callTimeoutMs };
    const request = { ...bounds, ...options, method, params };
    const result = await this.#callWithRetries(request, (body) => {
      const response = parseJson(body);
      const refusal = refusalOfResponse(response);
      if (refusal !== null) return refusal;
      if (isRecord(response) && 'result' in response) return { value: response['result'] };
      return malformedResponse(method);
    });
    return parse(result);
  }

  /**
   * Calls a method; resolves with the whole, unparsed body, for responses of many megabytes that
   * are decoded elsewhere. A JSON-RPC error is recognised and thrown; the decoder must detect a
   * truncated body.
   */
  callRaw(
    method: string,
    params: readonly unknown[],
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const bounds = { bytesMax: RAW_BODY_BYTES_MAX, timeoutMs: RAW_CALL_TIMEOUT_MS };
    const request = { ...bounds, ...options, method, params };
    return this.#callWithRetries(request, (body) => refusalOfBytes(body) ?? { value: body });
  }

  async #callWithRetries<T>(request: Request, read: Reader<T>): Promise<T> {
    const backoff = new Backoff({
      firstMs: CALL_BACKOFF_FIRST_MS,
      capMs: CALL_BACKOFF_CAP_MS,
      random: this.#random,
    });
    await this.#waitBeforeTry(request, 0);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#tryOnce(request, read);
      if ('value' in outcome) return outcome.value;
      this.#recordRetryAfter(request, outcome);
      if (!outcome.retry || attempt >= this.#attemptsMax) throw outcome.error;
      await this.#waitBeforeTry(request, backoff.next(), outcome.error);
    }
  }

  /** Records a Retry-After, which also applies to later calls of a caller that gave up. */
  #recordRetryAfter({ method, isBackground }: Request, { retryAfterMs }: Refusal): void {
    if (retryAfterMs === null) return;
    const fromMs = isBackground ? this.#backgroundFromMs : this.#retryFromMs;
    fromMs.set(method, this.#timers.nowMs() + retryAfterMs);
  }

  /** Returns the earliest time of the next call, monotonic milliseconds. */
  #askedFromMs({ method, isBackground }: Request): number {
    const fromMs = this.#retryFromMs.get(method) ?? 0;
    return isBackground ? Math.max(fromMs, this.#backgroundFromMs.get(method) ?? 0) : fromMs;
  }

  /** Waits as long as the server requested, and at least for the backoff delay. */
  async #waitBeforeTry(request: Request, ownMs: number, failure?: RpcError): Promise<void> {
    const { method } = request;
    const askedMs = Math.ceil(this.#askedFromMs(request) - this.#timers.nowMs());
    if (askedMs > this.#retryAfterMaxMs) throw failure ?? rateExceededError(method, askedMs);
    const waitMs = Math.max(askedMs, ownMs);
    if (waitMs > 0) await this.#sleepUnlessAborted(waitMs, request);
  }

  async #sleepUnlessAborted(delayMs: number, request: Request): Promise<void> {
    try {
      await sleep(this.#timers, delayMs, request.signal);
    } catch {
      throw abortedError(request.method);
    }
  }

  /** Makes one attempt. The time limit includes the body: a stalling server counts as dead. */
  async #tryOnce<T>(request: Request, read: Reader<T>): Promise<{ readonly value: T } | Refusal> {
    if (request.signal?.aborted === true) throw abortedError(request.method);
    const { signal, timeoutMs: limitMs } = request;
    return withTimeLimit({ timers: this.#timers, limitMs, signal }, async (limited) => {
      const silence = new AbortController();
      const abort = (): void => silence.abort();
      const timer =
        SILENT_MS_MAX < limitMs ? new SilenceTimer(this.#timers, SILENT_MS_MAX, abort) : null;
      const onBytes = (count: number): void => {
        timer?.recordSign();
        request.onBytes?.(count);
      };
      const stop = AbortSignal.any([limited, silence.signal]);
      try {
        return await this.#sendRequest({ ...request, onBytes, signal: stop }, read);
      } catch (error) {
        if (silence.signal.aborted) return silentResponse(request);
        return this.#refusalOfThrown(request, limited.aborted, error);
      } finally {
        timer?.cancel();
      }
    });
  }

  async #sendRequest<T>(
    request: Request & { readonly signal: AbortSignal },
    read: Reader<T>,
  ): Promise<{ readonly value: T } | Refusal> {
    const { method, params, signal, onBytes } = request;
    const id = this.#nextId;
    this.#nextId += 1;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (this.#endpoint.authorization !== null)
      headers['authorization'] = this.#endpoint.authorization;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    // Redirects are not followed, because a key in the URL is meant only for its host.
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await fetch(this.#endpoint.url, init);
    const timers = this.#timers;
    const { bytesMax } = request;
    if (response.ok) return read(await readBody(response, { timers, bytesMax, onBytes }));
    const text = Buffer.from(await readBodyStart(response, ERROR_BODY_BYTES_MAX)).toString();
    return refusalOfStatus(response, text, timers);
  }

  #refusalOfThrown(request: Request, stopped: boolean, error: unknown): Refusal {
    const { method, timeoutMs } = request;
    if (request.signal?.aborted === true) throw abortedError(method);
    if (error instanceof RpcError) return { error, retry: false, retryAfterMs: null };
    if (stopped) {
      const message = `${method} took longer than ${timeoutMs} ms`;
      const timeout = new RpcError('RPC_TIMEOUT', message, { method, timeoutMs });
      return { error: timeout, retry: true, retryAfterMs: null };
    }
    const message = `RPC server ${this.#endpoint.shown} was not reached: ${shownFailure(error)}`;
    const serverText = loggedFailure(error);
    const unreachable = new RpcError('RPC_UNREACHABLE', message, { method, serverText });
    return { error: unreachable, retry: true, retryAfterMs: null };
  }
}

function rateExceededError(method: string, waitMs: number): RpcError {
  const message = `the server refuses ${method} for another ${waitMs} ms`;
  return new RpcError('RPC_RATE_EXCEEDED', message, { method });
}

function abortedError(method: string): RpcError {
  return new RpcError('RPC_ABORTED', `${method} was aborted by its caller`, { method });
}

/** A truncated or garbled body usually means a broken connection, so the call is retried. */
function malformedResponse(method: string): Refusal {
  const message = `answer to ${method} was not JSON-RPC, must hold a result or an error`;
  const error = new RpcError('MALFORMED_RPC_ANSWER', message, { method });
  return { error, retry: true, retryAfterMs: null };
}

/** A timeout is not retried, because a second attempt would probably take as long. */
function silentResponse({ method }: Request): Refusal {
  const silentMsMax = SILENT_MS_MAX;
  const message = `${method} received no byte for ${silentMsMax} ms`;
  const error = new RpcError('RPC_TIMEOUT', message, { method, silentMsMax });
  return { error, retry: false, retryAfterMs: null };
}
