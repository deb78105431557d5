import type { Timers } from '../contract/timers.js';
import { Backoff } from '../rpc/backoff.js';
import { type Endpoint, parseEndpoint } from '../rpc/endpoint.js';
import { RpcError, shownFailure } from '../rpc/error.js';
import { isRecord, parseRetryAfter, readBody } from '../rpc/http-response.js';
import { parseJson } from '../rpc/json.js';
import { RateLimiter } from '../rpc/rate-limiter.js';
import { withTimeLimit } from '../rpc/timers.js';
import { VenueError } from './error.js';
import {
  TOKEN_AMOUNT_DIGITS_MAX,
  TOKEN_AMOUNT_MAX,
  VENUE_BACKOFF_CAP_MS,
  VENUE_BACKOFF_FIRST_MS,
  VENUE_BODY_BYTES_MAX,
  VENUE_REQUESTS_MAX,
} from './limits.js';

/** The quote server, and its rate limit. */
export interface QuoteClientOptions {
  /**
   * An http or https URL, to whose path `/quote` is appended; user info becomes an Authorization
   * header.
   */
  readonly url: string;
  /** Time limit of one request, up to the last byte of its response. */
  readonly timeoutMs: number;
  readonly requestsPerSecond: number;
  readonly timers: Timers;
  /** In [0, 1); jitter of the delays. */
  readonly random: () => number;
}

/** An amount of one token to swap for another. */
interface QuoteQuery {
  readonly inputMint: string;
  readonly outputMint: string;
  /** In the input token's decimals. */
  readonly amount: bigint;
}

/** The result of a swap of an exact input amount. */
export interface Quote {
  /** The output amount in the output token's decimals, 1 to 2^64 - 1. */
  readonly outAmount: bigint;
  /** Time of the request. */
  readonly askedMs: number;
}

/**
 * The slippage tolerance of the request, the interface's default. It affects only a field that is
 * not read.
 */
const SLIPPAGE_BPS = 50;

/**
 * A client of an aggregator's quote path: `GET /quote?inputMint&outputMint&amount&slippageBps`,
 * whose response has the decimal texts `inAmount` and `outAmount`. A call is not retried, because
 * the caller polls. Errors contain no text from the server, which may repeat keys of the URL.
 */
export class QuoteClient {
  readonly #endpoint: Endpoint;
  readonly #quoteUrl: URL;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  readonly #limiter: RateLimiter;
  readonly #backoff: Backoff;
  #requestCount = 0;

  constructor({ url, timeoutMs, requestsPerSecond, timers, random }: QuoteClientOptions) {
    this.#endpoint = parseEndpoint(url, ['http:', 'https:']);
    this.#quoteUrl = new URL(this.#endpoint.url);
    this.#quoteUrl.pathname = `${this.#quoteUrl.pathname.replace(/\/+$/, '')}/quote`;
    this.#timeoutMs = timeoutMs;
    this.#timers = timers;
    this.#limiter = new RateLimiter({
      timers,
      requestsPerSecond,
      concurrentMax: VENUE_REQUESTS_MAX,
    });
    const firstMs = VENUE_BACKOFF_FIRST_MS;
    const capMs = VENUE_BACKOFF_CAP_MS;
    this.#backoff = new Backoff({ firstMs, capMs, random });
  }

  /** Host and port, the part of the URL that may be published. */
  get host(): string {
    return this.#endpoint.host;
  }

  /** Requests sent so far. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /**
   * Requests a quote within the rate limit.
   *
   * # Errors
   * Rejects with a VenueError.
   */
  async fetchQuote(query: QuoteQuery, signal: AbortSignal): Promise<Quote> {
    try {
      return await this.#limiter.runRequest(signal, () => this.#fetchWithTimeout(query, signal));
    } catch (error) {
      if (error instanceof VenueError) throw error;
      throw abortedError();
    }
  }

  /** The time limit includes the body, so a server that stalls counts as dead. */
  async #fetchWithTimeout(query: QuoteQuery, signal: AbortSignal): Promise<Quote> {
    const askedMs = this.#timers.nowMs();
    const limit = { timers: this.#timers, limitMs: this.#timeoutMs, signal };
    return withTimeLimit(limit, async (limited) => {
      try {
        const body = await this.#sendRequest(query, limited);
        const outAmount = outAmountOf(parseJson(body), query);
        this.#backoff.reset();
        return { outAmount, askedMs };
      } catch (error) {
        throw this.#failureOf(error, { caller: signal.aborted, own: limited.aborted });
      }
    });
  }

  async #sendRequest(query: QuoteQuery, signal: AbortSignal): Promise<Uint8Array> {
    const { authorization } = this.#endpoint;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (authorization !== null) headers['authorization'] = authorization;
    this.#requestCount += 1;
    // Redirects are not followed, because they would send the keys of the URL elsewhere.
    const init = { headers, signal, redirect: 'manual' } as const;
    const response = await fetch(urlOf(this.#quoteUrl, query), init);
    const reading = { timers: this.#timers, bytesMax: VENUE_BODY_BYTES_MAX };
    if (response.ok) return readBody(response, reading);
    this.#pauseRequests(response);
    await response.body?.cancel();
    throw statusError(response.status);
  }

  /** Pauses requests for as long as the server asks; a status of 429 always causes a pause. */
  #pauseRequests(response: Response): void {
    const header = response.headers.get('retry-after');
    const askedMs = parseRetryAfter(header, this.#timers.unixMs()) ?? 0;
    const ownMs = response.status === 429 ? this.#backoff.next() : 0;
    this.#limiter.pauseFor(Math.max(askedMs, ownMs));
  }

  #failureOf(
    error: unknown,
    isAborted: { readonly caller: boolean; readonly own: boolean },
  ): VenueError {
    if (isAborted.caller) return abortedError();
    if (error instanceof VenueError) return error;
    if (error instanceof RpcError && error.code === 'RPC_BODY_EXCEEDED') {
      const message = `answer was larger than ${VENUE_BODY_BYTES_MAX} bytes`;
      return new VenueError('VENUE_BODY_EXCEEDED', message);
    }
    const { host, shown } = this.#endpoint;
    if (isAborted.own) {
      const message = `${host} took longer than ${this.#timeoutMs} ms`;
      return new VenueError('VENUE_TIMEOUT', message);
    }
    const message = `${shown} was not reached: ${shownFailure(error)}`;
    return new VenueError('VENUE_UNREACHABLE', message);
  }
}

function urlOf(base: URL, { inputMint, outputMint, amount }: QuoteQuery): URL {
  const url = new URL(base);
  url.searchParams.set('inputMint', inputMint);
  url.searchParams.set('outputMint', outputMint);
  url.searchParams.set('amount', amount.toString());
  url.searchParams.set('slippageBps', String(SLIPPAGE_BPS));
  return url;
}

function outAmountOf(answer: unknown, query: QuoteQuery): bigint {
  if (!isRecord(answer)) throw malformedError('response was not a JSON object');
  const { inputMint, outputMint, swapMode = 'ExactIn' } = answer;
  const inAmount = amountOf(answer, 'inAmount');
  const outAmount = amountOf(answer, 'outAmount');
  const isAsked =
    inputMint === query.inputMint &&
    outputMint === query.outputMint &&
    inAmount === query.amount &&
    swapMode === 'ExactIn';
  if (isAsked) return outAmount;
  throw new VenueError('VENUE_QUOTE_MISMATCH', 'response was for another request');
}

function amountOf(answer: Readonly<Record<string, unknown>>, name: string): bigint {
  const text = answer[name];
  const isDecimal =
    typeof text === 'string' && text.length <= TOKEN_AMOUNT_DIGITS_MAX && /^\d+$/.test(text);
  if (!isDecimal) throw malformedError(`${name} was not an amount: it must be a decimal text`);
  const amount = BigInt(text);
  if (amount > 0n && amount <= TOKEN_AMOUNT_MAX) return amount;
  const message = `${name} was ${amount}, must be 1 to ${TOKEN_AMOUNT_MAX}`;
  throw new VenueError('VENUE_PRICE_OUT_OF_RANGE', message);
}

function statusError(status: number): VenueError {
  const message = `venue answered with HTTP status ${status}`;
  const code = status === 429 ? 'VENUE_RATE_EXCEEDED' : 'VENUE_HTTP_STATUS';
  return new VenueError(code, message, { status });
}

function malformedError(message: string): VenueError {
  return new VenueError('MALFORMED_VENUE_ANSWER', message);
}

function abortedError(): VenueError {
  return new VenueError('VENUE_ABORTED', 'request was aborted by its caller');
}
