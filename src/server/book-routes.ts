/**
 * /l2 and /l3: from a raw query to the finished bytes of the book, or a 304.
 *
 * A repeated query costs one map look-up: its parsed form and the headers of the last version it was
 * answered with are kept. Bodies are not kept here; the core caches them.
 */
import { LIMITS } from '../limits.js';
import type { BookSource, L2Request, L3Request, MarketVersion, Readiness } from './book-source.js';
import { ServerError } from './errors.js';
import { acceptsGzip, GzipCache } from './gzip.js';
import { parseL2, parseL3 } from './params.js';
import { type Header, jsonHeaders, type Reply } from './reply.js';
import type { HttpRequest } from './uws.js';

/** What the book paths need. */
export interface BookRouteOptions {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
}

/** Answers one path of the book. */
export type BookRoute = (request: HttpRequest) => Reply | Promise<Reply>;

/** The book by level. */
export function l2Route({ book, readiness }: BookRouteOptions): BookRoute {
  return bookRoute<L2Request>({
    book,
    readiness,
    parse: (raw) => parseL2(raw, book),
    render: (query) => book.l2(query),
  });
}

/** The book by order. */
export function l3Route({ book, readiness }: BookRouteOptions): BookRoute {
  return bookRoute<L3Request>({
    book,
    readiness,
    parse: (raw) => parseL3(raw, book),
    render: (query) => book.l3(query),
  });
}

/** Throws NOT_READY until a first book has been live; later books carry their own state. */
export function requireFirstBook({ everLive, reason, state }: Readiness): void {
  if (!everLive) throw new ServerError('NOT_READY', reason ?? `the book is ${state}`);
}

interface Parsed<Query> {
  readonly query: Query;
  epoch: string;
  version: MarketVersion;
  etag: string;
  headers: readonly Header[];
}

function bookRoute<Query extends { readonly market: number }>(options: {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  readonly parse: (raw: string) => Query;
  readonly render: (query: Query) => Uint8Array;
}): BookRoute {
  const { book, readiness, parse, render } = options;
  const memo = new Map<string, Parsed<Query>>();
  const gzips = new GzipCache();
  let markets = book.markets();
  return (request) => {
    requireFirstBook(readiness());
    if (book.markets() !== markets) {
      // A market may have got the name under which another one is remembered.
      memo.clear();
      markets = book.markets();
    }
    const parsed = memo.get(request.query) ?? remember(memo, request.query, parse);
    freshen(parsed, book);
    if (matches(request.header('if-none-match'), parsed.etag)) {
      return { status: 304, headers: parsed.headers, body: null };
    }
    const { headers } = parsed;
    const body = render(parsed.query);
    if (body.length < LIMITS.gzipBodyBytesMin || !acceptsGzip(request.header('accept-encoding'))) {
      return { status: 200, headers, body };
    }
    const zipped = gzips.get({ key: JSON.stringify(parsed.query), version: parsed.etag, body });
    if (zipped instanceof Promise) return zipped.then((bytes) => gzipReply(headers, bytes));
    return zipped === undefined ? { status: 200, headers, body } : gzipReply(headers, zipped);
  };
}

function gzipReply(headers: readonly Header[], body: Uint8Array): Reply {
  return { status: 200, headers: [...headers, ['Content-Encoding', 'gzip']], body };
}

function remember<Query>(
  memo: Map<string, Parsed<Query>>,
  raw: string,
  parse: (raw: string) => Query,
): Parsed<Query> {
  const version = { seq: -1, slot: -1, state: '' };
  const parsed = { query: parse(raw), epoch: '', version, etag: '', headers: [] };
  if (raw.length > LIMITS.queryMemoBytesMax) return parsed;
  if (memo.size >= LIMITS.queryMemoEntriesMax) {
    const oldest = memo.keys().next();
    if (oldest.done === false) memo.delete(oldest.value);
  }
  memo.set(raw, parsed);
  return parsed;
}

/** Writes the headers anew when the market has another version than at the last answer. */
function freshen(parsed: Parsed<{ readonly market: number }>, book: BookSource): void {
  const { epoch } = book;
  const { seq, slot, state } = book.version(parsed.query.market);
  const last = parsed.version;
  const same = last.seq === seq && last.slot === slot && last.state === state;
  if (same && parsed.epoch === epoch) return;
  parsed.epoch = epoch;
  parsed.version = { seq, slot, state };
  parsed.etag = `"${epoch}.${seq}.${slot}.${state}"`;
  parsed.headers = [
    ...jsonHeaders,
    ['Cache-Control', 'no-cache'],
    ['Vary', 'Accept-Encoding'],
    ['ETag', parsed.etag],
    ['X-Slot', String(slot)],
    ['X-State', state],
  ];
}

/** Whether If-None-Match names this tag. A weak tag of ours compares equal, as RFC 9110 says. */
function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
