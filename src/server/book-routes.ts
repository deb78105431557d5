/**
 * The paths that answer for one market: from a raw query to the finished bytes of the book, or a 304.
 *
 * A repeated query costs one map look-up: its parsed form and the headers of the last version it was
 * answered with are kept. Bodies are not kept here; the core caches them.
 */
import type { BookSource, L2Request, L3Request, MarketVersion, Readiness } from './book-source.js';
import { ServerError } from './errors.js';
import { GzipCache } from './gzip.js';
import { parseL2, parseL3 } from './params.js';
import type { Reply } from './reply.js';
import type { HttpRequest } from './uws.js';
import { deliver, notModified, QueryMemo, type Tagged, tagged } from './versioned.js';

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

/** Answers one market's body of the version that the book has now. */
export function bookRoute<Query extends { readonly market: number }>(options: {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  readonly parse: (raw: string) => Query;
  readonly render: (query: Query) => Uint8Array;
}): BookRoute {
  const { book, readiness, parse, render } = options;
  const memo = new QueryMemo(book, (raw) => newParsed(parse(raw)));
  const gzips = new GzipCache();
  return (request) => {
    requireFirstBook(readiness());
    const parsed = memo.get(request.query);
    freshen(parsed, book);
    const { query, tag } = parsed;
    const key = (): string => JSON.stringify(query);
    const unchanged = notModified(request, tag);
    if (unchanged !== undefined) return unchanged;
    return deliver(request, tag, { body: render(query), gzips, key, identity: tag });
  };
}

interface Parsed<Query> {
  readonly query: Query;
  epoch: string;
  version: MarketVersion;
  tag: Tagged;
}

function newParsed<Query>(query: Query): Parsed<Query> {
  const version = { seq: -1, slot: -1, state: '' };
  return { query, epoch: '', version, tag: { etag: '', headers: [] } };
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
  parsed.tag = tagged(`"${epoch}.${seq}.${slot}.${state}"`, parsed.version);
}
