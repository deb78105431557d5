/** The rules of docs/api.md that single requests can judge. */
import { setTimeout as delay } from 'node:timers/promises';
import { list, object, objectOf, parseExact, text } from '../client/fields.js';
import { CONNECT_MS_MAX } from './limits.js';

/** The verdict on one rule. */
export interface RuleVerdict {
  readonly document: 'docs/streaming-rules.md' | 'docs/api.md';
  readonly rule: string;
  /** How often the rule could be judged. */
  readonly judged: number;
  readonly violations: number;
  /** The first violation. */
  readonly message: string | null;
}

/** Readings of a book, apart from each other by some turns. */
const READINGS = 5;
const READING_INTERVAL_MS = 200;
const DEPTH = 10;

/** A judgement: null when the rule held, or the breach; thrown when it could not be judged. */
type Judge = () => Promise<string | null>;

/** Judges the paths of a service for one market; a request that fails judges nothing. */
export async function judgePaths(url: string, market: string): Promise<readonly RuleVerdict[]> {
  const service = new Paths(url, market);
  const verdicts: RuleVerdict[] = [];
  for (const [rule, judge] of service.rules) {
    let judged = 0;
    const breaches: string[] = [];
    for (let reading = 0; reading < READINGS; reading += 1) {
      const breach = await judge().catch(() => undefined);
      if (breach !== undefined) judged += 1;
      if (typeof breach === 'string') breaches.push(breach);
      await delay(READING_INTERVAL_MS);
    }
    const counts = { judged, violations: breaches.length, message: breaches[0] ?? null };
    verdicts.push({ document: 'docs/api.md', rule, ...counts });
  }
  return verdicts;
}

const errorBody = object({ error: object({ code: text, message: text }) });
const levels = list(object({ price: text, size: text }));

class Paths {
  readonly #url: string;
  readonly #book: string;

  constructor(url: string, market: string) {
    this.#url = url.replace(/\/+$/, '');
    this.#book = `/l2?marketName=${encodeURIComponent(market)}&depth=${DEPTH}`;
  }

  get rules(): readonly (readonly [rule: string, judge: Judge])[] {
    return [
      [
        'unknown market',
        () => this.#refusal('/l2?marketName=NO-SUCH-MARKET', 404, 'UNKNOWN_MARKET'),
      ],
      ['missing parameter', () => this.#refusal('/l2', 400, 'MISSING_PARAM')],
      ['range of depth', () => this.#refusal(`${this.#book}000`, 400, 'OUT_OF_RANGE')],
      ['depth and order of levels', () => this.#orderOfLevels()],
      ['ETag and 304', () => this.#notModified()],
      ['X-Slot and X-State', () => this.#headers()],
    ];
  }

  async #refusal(path: string, status: number, code: string): Promise<string | null> {
    const response = await this.#get(path);
    const body = await response.text();
    if (response.status === 429 || response.status >= 500) throw new Error('not judged');
    if (response.status !== status) return `${path} is a ${response.status}, must be ${status}`;
    const { error } = errorBody(parseExact(body), path);
    return error.code === code ? null : `${path} has the code ${error.code}, must be ${code}`;
  }

  async #orderOfLevels(): Promise<string | null> {
    const body = parseExact(await this.#bookText());
    const { bids, asks } = object({ bids: levels, asks: levels })(body, '/l2');
    const sides = [bids, [...asks].reverse()];
    for (const side of sides) {
      if (side.length > DEPTH) return `${side.length} levels, must be ${DEPTH} at most`;
      const prices = side.map(({ price }) => BigInt(price));
      const isSorted = prices.every((price, at) => at === 0 || price < (prices[at - 1] ?? 0n));
      if (!isSorted) return 'a side is not sorted, or has a price twice';
      if (side.some(({ size }) => BigInt(size) <= 0n)) return 'a level is empty';
    }
    return null;
  }

  async #notModified(): Promise<string | null> {
    const first = await this.#get(this.#book);
    await first.text();
    const tag = first.headers.get('etag');
    if (first.status !== 200) throw new Error('not judged');
    if (tag === null) return 'a body without ETag';
    const again = await this.#get(this.#book, { 'if-none-match': tag });
    const body = await again.text();
    if (again.status === 304) return body === '' ? null : 'a 304 with a body';
    const isNewer = again.headers.get('etag') !== tag;
    if (isNewer) throw new Error('not judged: the book has moved');
    return `the same ETag is a ${again.status}, must be 304`;
  }

  async #headers(): Promise<string | null> {
    const response = await this.#get(this.#book);
    const body = objectOf(parseExact(await response.text()), '/l2');
    if (response.status !== 200) throw new Error('not judged');
    for (const [header, member] of [
      ['x-slot', 'slot'],
      ['x-state', 'state'],
    ] as const) {
      const value = response.headers.get(header);
      if (value !== String(body[member]))
        return `${header} is ${value}, the body has ${body[member]}`;
    }
    return null;
  }

  async #bookText(): Promise<string> {
    const response = await this.#get(this.#book);
    const body = await response.text();
    if (response.status !== 200) throw new Error('not judged');
    return body;
  }

  #get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.#url}${path}`, { headers, signal: AbortSignal.timeout(CONNECT_MS_MAX) });
  }
}
