/**
 * /topMakers: whose orders stand best. Names come from the book alone; accounts are read for the
 * client, and are as new as the node's answer rather than as the book.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import { parseTopMakers, type TopMakersQuery } from '../api/book-params.js';
import { ServerError } from '../transport/errors.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import {
  type BookRoute,
  type BookRouteOptions,
  bookRoute,
  requireFirstBook,
} from './book-routes.js';
import { acceptsGzip, GzipCache, gzipReply, QueryMemo } from './versioned-reply.js';

/** What /topMakers needs. */
export interface TopMakersOptions extends BookRouteOptions {
  readonly readAccounts: ReadAccounts;
}

/** The user accounts whose orders stand best on a side, each once, best first. */
export function topMakersRoute({ readAccounts, ...options }: TopMakersOptions): BookRoute {
  const { book, readiness } = options;
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, book);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ ...options, parse, render, isLarge: () => false });
  const memo = new QueryMemo(book, parse);
  const withAccounts = accountsRoute(readAccounts);
  return (request) => {
    requireFirstBook(readiness());
    const query = memo.parseQuery(request.query);
    return query.includeAccounts ? withAccounts(request, makersOf(query, book)) : names(request);
  };
}

function makersOf({ market, side, limit }: TopMakersQuery, book: BookSource): readonly string[] {
  return book.topMakers({ market, side, limit });
}

const headers: readonly Header[] = [
  ...jsonHeaders,
  ['Cache-Control', 'no-cache'],
  ['Vary', 'Accept-Encoding'],
];

/** 100 accounts are 584 KB of text, so each reading is written down and compressed once. */
function accountsRoute(
  readAccounts: ReadAccounts,
): (request: HttpRequest, makers: readonly string[]) => Promise<Reply> {
  let readings = 0;
  const reads = new AccountFetcher(async (makers) => {
    const accounts = makers.length === 0 ? [] : await readAccounts(makers);
    readings += 1;
    return { body: Buffer.from(JSON.stringify(rowsOf(makers, accounts))), version: `${readings}` };
  });
  const gzips = new GzipCache();
  return async (request, makers) => {
    const wantsGzip = acceptsGzip(request.getHeader('accept-encoding'));
    const { body, version } = await reads.fetchShared(makers);
    const plain: Reply = { status: 200, headers, body, identity: body };
    if (!wantsGzip || body.length < LIMITS.gzipBodyBytesMin) return plain;
    const zipped = await gzips.compressBody({ key: makers.join(), version }, () => body);
    return zipped === undefined ? plain : gzipReply(headers, zipped);
  };
}

function rowsOf(makers: readonly string[], accounts: readonly (string | null)[]) {
  return makers.map((userAccountPubKey, index) => ({
    userAccountPubKey,
    accountBase64: accounts[index] ?? null,
  }));
}

/**
 * Accounts read from the RPC node for clients, so that no flood of requests becomes a flood of calls:
 * equal readings under way are one, an answer is kept for a moment, and few are under way at once.
 */

/** Reads accounts as base64, in the order of their keys; null where there is none. */
export type ReadAccounts = (keys: readonly string[]) => Promise<readonly (string | null)[]>;

interface SharedFetch<Answer> {
  readonly answer: Promise<Answer>;
  /** When it ended; undefined while it is under way. */
  endedAtMs: number | undefined;
}

/**
 * Bounded readings of accounts, each with the answer that is made of it once. Failures carry a code and
 * nothing of the node's address.
 */
export class AccountFetcher<Answer> {
  private readonly readings = new Map<string, SharedFetch<Answer>>();
  private underWay = 0;

  constructor(
    private readonly read: (keys: readonly string[]) => Promise<Answer>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Readings under way and kept. */
  get size(): number {
    return this.readings.size;
  }

  /** Throws RATE_LIMITED when too many are under way, and rejects with NOT_READY when it fails. */
  fetchShared(keys: readonly string[]): Promise<Answer> {
    this.evictExpired();
    const name = keys.join();
    const known = this.readings.get(name);
    if (known !== undefined) return known.answer;
    if (this.underWay >= LIMITS.accountReadsMax) {
      const message = `${LIMITS.accountReadsMax} readings of accounts are under way, must be fewer`;
      throw new ServerError('RATE_LIMITED', message);
    }
    return this.startFetch(name, keys);
  }

  private startFetch(name: string, keys: readonly string[]): Promise<Answer> {
    const begun = this.read(keys);
    this.underWay += 1;
    const answer = begun
      .catch((error: unknown): never => {
        throw toServerError(error);
      })
      .finally(() => {
        this.underWay -= 1;
        reading.endedAtMs = this.nowMs();
      });
    const reading: SharedFetch<Answer> = { answer, endedAtMs: undefined };
    this.readings.set(name, reading);
    return answer;
  }

  /** Readings end in another order than they begin, so all are looked at; they are few. */
  private evictExpired(): void {
    const { accountReadsKeptMs, accountReadsKeptMax } = LIMITS;
    const nowMs = this.nowMs();
    for (const [name, { endedAtMs }] of this.readings) {
      if (endedAtMs === undefined) continue;
      const old = nowMs - endedAtMs > accountReadsKeptMs;
      if (old || this.readings.size >= accountReadsKeptMax) this.readings.delete(name);
    }
  }
}

/** A code of ours is told; a text is not, because only its own room knows what it may name. */
function toServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  const code = (error as { readonly code?: unknown } | null)?.code;
  const reason = typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'the node failed';
  return new ServerError('NOT_READY', `the accounts could not be read: ${reason}`);
}
