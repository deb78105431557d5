/**
 * Sends one GET to a service, retries when a retry can help, and validates the response.
 *
 * This file knows no path and no body.
 */
import { type Clock, type Environment, type Fetch, retry, systemClock } from '../environment.js';
import { ClientError } from '../error.js';
import { parseExact, type Read } from '../fields.js';
import * as limits from '../limits.js';
import type { TaggedResponses } from './tagged-responses.js';

/** How a service is reached. */
export interface ServiceOptions extends Environment {
  /** The service's address, including a prefix such as `/v1`. */
  readonly url: string;
  /** Maximum number of attempts after the first. */
  readonly retriesMax?: number;
  /** Milliseconds for one try. */
  readonly timeoutMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with ABORTED. */
  readonly signal?: AbortSignal | undefined;
}

/** Parameters; undefined values are omitted, and a list becomes one parameter for each item. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
type QueryValue = string | number | bigint | boolean | undefined;

/** A request, and the reader of its response. */
export interface Question<T> {
  readonly path: string;
  readonly query?: Query;
  readonly read: Read<T>;
}

/** A response, read. */
export interface Answer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** Statuses after which another try may help. */
const TRANSIENT: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Sends requests to one service. */
export class Requester {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #retriesMax: number;
  readonly #timeoutMs: number;
  readonly #tagged: TaggedResponses | undefined;

  /** `tagged` caches responses, so that an unchanged body is not sent again. */
  constructor(options: ServiceOptions, tagged?: TaggedResponses) {
    this.#tagged = tagged;
    this.#base = httpUrl(options.url);
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#clock = options.clock ?? systemClock;
    this.#retriesMax = options.retriesMax ?? limits.RETRIES_MAX;
    this.#timeoutMs = options.timeoutMs ?? limits.REQUEST_MS_MAX;
  }

  /**
   * Returns the response. Rejects with a ClientError: the service's error, or the reason why there
   * is no response.
   */
  async get<T>(question: Question<T>, { signal }: CallOptions = {}): Promise<Answer<T>> {
    const url = this.#base + question.path + queryText(question.query ?? {});
    const clock = this.#clock;
    const timeoutMs = this.#timeoutMs;
    const retriesMax = this.#retriesMax;
    const subject = question.path;
    return retry({ clock, timeoutMs, retriesMax, signal, subject, retryDelayOf }, (ending) =>
      this.#fetchAnswer(url, question, ending),
    );
  }

  async #fetchAnswer<T>(
    url: string,
    { path, read }: Question<T>,
    signal: AbortSignal,
  ): Promise<Answer<T>> {
    const known = this.#tagged?.findResponse(url, read);
    const headers = known?.headers ?? {};
    const response = await this.#fetch(url, { signal, headers, cache: 'no-store' });
    if (response.status === 304 && known !== undefined) {
      return { value: known.value, headers: response.headers };
    }
    const json = await response.text();
    if (!response.ok) throw refusalOf(response, json, this.#clock);
    const value = read(parseBody(json, path), path);
    this.#tagged?.keepResponse(url, { value, read, tag: response.headers.get('ETag') });
    return { value, headers: response.headers };
  }
}

/**
 * Returns the minimum wait before another attempt, milliseconds; undefined when a retry is useless.
 */
function retryDelayOf({ code, status, retryAfterMs = 0 }: ClientError): number | undefined {
  if (code === 'UNREACHABLE' || code === 'TIMEOUT') return 0;
  const mayPass = status !== undefined && TRANSIENT.includes(status);
  return mayPass && retryAfterMs <= limits.RETRY_AFTER_MS_MAX ? retryAfterMs : undefined;
}

function parseBody(json: string, path: string): unknown {
  try {
    return parseExact(json);
  } catch (cause) {
    throw new ClientError('MALFORMED_ANSWER', `the response to ${path} is not JSON`, {}, { cause });
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

/** Returns the address of a service without trailing slashes. Throws INVALID_OPTION. */
function httpUrl(url: string): string {
  if (/^https?:\/\/[^/]/.test(url)) return url.replace(/\/+$/, '');
  throw new ClientError('INVALID_OPTION', `url was ${url}, must begin with http:// or https://`);
}

/** Returns the error of a response with an error status: the service's own code, or HTTP_STATUS. */
function refusalOf(response: Response, body: string, clock: Clock): ClientError {
  const { status } = response;
  const sent = errorOf(body);
  const retryAfterMs = retryAfter(response.headers.get('Retry-After'), clock);
  const message =
    sent?.message ?? `the response was ${status}: ${body.slice(0, limits.TEXT_CHARS_MAX)}`;
  const options = { status, retryAfterMs, param: sent?.param };
  return new ClientError(sent?.code ?? 'HTTP_STATUS', message, {}, options);
}

/** Returns the error of a batch entry; undefined for a successful entry. */
export function errorOf(
  body: unknown,
):
  | { readonly code: string; readonly message: string; readonly param: string | undefined }
  | undefined {
  const { code, message, param } = membersOf(membersOf(body)['error']);
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, param: typeof param === 'string' ? param : undefined };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** Converts a Retry-After header, which is seconds or a date, to milliseconds. */
function retryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - clock.unixMs();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
