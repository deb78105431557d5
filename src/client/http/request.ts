/**
 * One GET of a service: tries again where that may help, and reads the answer without trust.
 *
 * It knows no path and no body.
 */
import { Backoff } from '../backoff.js';
import { type Clock, type Environment, type Fetch, sleep, systemClock } from '../environment.js';
import { ClientError } from '../error.js';
import type { Read } from '../fields.js';
import * as limits from '../limits.js';
import { parseExact } from './json.js';
import { refusal } from './refusal.js';
import { TaggedAnswers } from './tagged-answers.js';

/** How a service is reached. */
export interface ServiceOptions extends Environment {
  /** Where the service answers, with a prefix such as `/v1` if it has one. */
  readonly url: string;
  /** Tries after the first, where another may help. */
  readonly retriesMax?: number;
  /** Milliseconds for one try. */
  readonly timeoutMs?: number;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call with ABORTED. */
  readonly signal?: AbortSignal | undefined;
}

/** Parameters; what is undefined is left out, and a list is given once for each. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
type QueryValue = string | number | bigint | boolean | undefined;

/** What is asked for, and how the answer is read. */
export interface Question<T> {
  readonly path: string;
  readonly query?: Query;
  readonly read: Read<T>;
}

/** An answer, read. */
export interface Answer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** Answers after which another try may help. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Asks one service. */
export class Requester {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #retriesMax: number;
  readonly #timeoutMs: number;
  readonly #tagged = new TaggedAnswers();

  constructor(options: ServiceOptions) {
    this.#base = httpUrl(options.url);
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#clock = options.clock ?? systemClock;
    this.#retriesMax = options.retriesMax ?? limits.RETRIES_MAX;
    this.#timeoutMs = options.timeoutMs ?? limits.REQUEST_MS_MAX;
  }

  /** Throws a ClientError: the service's own refusal, or why there is no answer. */
  async get<T>(question: Question<T>, { signal }: CallOptions = {}): Promise<Answer<T>> {
    const bounds = { firstMs: limits.RETRY_MS_FIRST, capMs: limits.RETRY_MS_CAP };
    const backoff = new Backoff(bounds, () => this.#clock.random());
    for (let tried = 0; ; tried += 1) {
      try {
        if (signal?.aborted === true) throw aborted(signal);
        return await this.#try(question, signal);
      } catch (error) {
        const askedMs = waitOf(error);
        if (askedMs === undefined || tried >= this.#retriesMax) throw error;
        // What the service asks for is the least: together with chance, so that not all come at once.
        await this.#sleep(askedMs + backoff.nextMs(), signal);
      }
    }
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await sleep(this.#clock, ms, signal).catch(() => {
      throw aborted(signal);
    });
  }

  async #try<T>(question: Question<T>, signal: AbortSignal | undefined): Promise<Answer<T>> {
    const url = this.#base + question.path + queryText(question.query ?? {});
    const ending = new AbortController();
    const abort = (): void => ending.abort();
    let isLate = false;
    const cancel = this.#clock.after(this.#timeoutMs, () => {
      isLate = true;
      abort();
    });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#ask(url, question, ending.signal);
    } catch (cause) {
      if (cause instanceof ClientError) throw cause;
      if (signal?.aborted === true) throw aborted(signal);
      const { path } = question;
      if (isLate) throw new ClientError('TIMEOUT', `no answer to ${path} in ${this.#timeoutMs} ms`);
      throw new ClientError('UNREACHABLE', `no answer to ${path}`, {}, { cause });
    } finally {
      cancel();
      signal?.removeEventListener('abort', abort);
    }
  }

  async #ask<T>(url: string, { path, read }: Question<T>, signal: AbortSignal): Promise<Answer<T>> {
    const known = this.#tagged.get<T>(url, read);
    const headers: Record<string, string> =
      known === undefined ? {} : { 'If-None-Match': known.tag };
    const response = await this.#fetch(url, { signal, headers, cache: 'no-store' });
    if (response.status === 304 && known !== undefined) {
      return { value: known.value, headers: response.headers };
    }
    const json = await response.text();
    if (!response.ok) throw refusal(response, json, this.#clock);
    const value = read(parsed(json, path), path);
    const tag = response.headers.get('ETag');
    if (tag !== null) this.#tagged.set(url, { tag, value, read });
    return { value, headers: response.headers };
  }
}

/** How long the service asks to wait before another try; undefined when another will not help. */
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const { code, status, retryAfterMs = 0 } = error;
  if (code === 'UNREACHABLE' || code === 'TIMEOUT') return 0;
  const mayPass = status !== undefined && PASSING.includes(status);
  return mayPass && retryAfterMs <= limits.RETRY_AFTER_MS_MAX ? retryAfterMs : undefined;
}

function aborted(signal: AbortSignal | undefined): ClientError {
  return new ClientError('ABORTED', 'the call was aborted', {}, { cause: signal?.reason });
}

function parsed(json: string, path: string): unknown {
  try {
    return parseExact(json);
  } catch (cause) {
    throw new ClientError('MALFORMED_ANSWER', `the answer to ${path} is no JSON`, {}, { cause });
  }
}

function queryText(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

/** The address of a service without a slash at its end. Throws INVALID_OPTION. */
function httpUrl(url: string): string {
  if (/^https?:\/\/[^/]/.test(url)) return url.replace(/\/+$/, '');
  throw new ClientError('INVALID_OPTION', `url was ${url}, must begin with http:// or https://`);
}
