/**
 * The paths of one market: from a raw query to the finished bytes of the book, or a 304.
 *
 * A repeated query costs one map look-up: its parsed form, the headers of its last version and,
 * within one turn of the book, a small reply are cached. The core caches large bodies, except those
 * of /match, which are cached here.
 */

import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory, MarketVersion } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import { queuedClient } from '../transport/client-address.js';
import { ServerError } from '../transport/errors.js';
import type { HttpRequest, Reply } from '../transport/reply.js';
import { prefersBytes } from './accept.js';
import { BodyCache } from './body-cache.js';
import { bookReason } from './first-ready.js';
import { type LoopBudget, oneStep } from './loop-budget.js';
import {
  type BodyEncoding,
  bodyReply,
  GzipCache,
  gzipBodyReply,
  newVersionTag,
  notModifiedReply,
  QueryMemo,
  requestAcceptsGzip,
  type VersionTag,
} from './versioned-reply.js';

/** The sources of the book paths. */
export interface BookRouteOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly readiness: () => Readiness;
  /**
   * The share of an event loop turn that large replies may use; all book paths share this budget.
   */
  readonly budget: LoopBudget;
}

/** Handles one path of the book. */
export type BookRoute = (request: HttpRequest) => Reply | Promise<Reply>;

/**
 * Returns a route that serves both encodings: binary for clients that prefer it, otherwise JSON.
 */
export function inEncodings(makeRoute: (encoding: BodyEncoding) => BookRoute): BookRoute {
  const json = makeRoute('json');
  const binary = makeRoute('binary');
  return (request) => (prefersBytes(request) ? binary(request) : json(request));
}

/** Returns the encoding member of a request to the book. */
export function encodingOf(encoding: BodyEncoding): { readonly binary?: true } {
  return encoding === 'binary' ? { binary: true } : {};
}

/** Throws NOT_READY until the first book is live; later books carry their own state. */
export function requireFirstBook(readiness: Readiness): void {
  if (!readiness.everLive) throw new ServerError('NOT_READY', bookReason(readiness));
}

/** How the body of a path is rendered. */
interface RouteBody<Query> {
  readonly parse: (raw: string) => Query;
  readonly render: (query: Query) => Uint8Array;
  /** Returns a part of the tag in addition to the version of the book. */
  readonly beside?: (version: MarketVersion) => number;
  /** Whether the body may be so large that its rendering must wait for the event loop's budget. */
  readonly isLarge: (query: Query) => boolean;
  /** Where there are several. */
  readonly encoding?: BodyEncoding;
  /** Maximum bytes of cached large bodies; absent where the core caches them. */
  readonly cachedBytesMax?: number;
}

/** Returns a route that replies with the body of one market in its present version. */
export function bookRoute<Query extends { readonly market: number }>(
  options: BookRouteOptions & RouteBody<Query>,
): BookRoute {
  const {
    book,
    directory,
    readiness,
    budget,
    parse,
    render,
    isLarge,
    cachedBytesMax = 0,
  } = options;
  const bodies = new BodyCache<Uint8Array>(cachedBytesMax);
  const memo = new QueryMemo(directory, (raw) => newParsed(parse(raw)));
  const gzips = new GzipCache();
  /** Within one turn of the book, the last reply to a query stays current. */
  const currentQuery = (raw: string): Parsed<Query> => {
    const known = memo.findParsed(raw);
    if (known?.turn === book.turn) return known;
    requireFirstBook(readiness());
    const parsed = memo.parseQuery(raw);
    refreshTag(parsed, book, options);
    return parsed;
  };
  /** Returns a large body that another request has rendered for this version. */
  const findLargeReply = (
    { tag, key }: Parsed<Query>,
    isZipped: boolean,
  ): Reply | Promise<Reply> | undefined => {
    const zipped = isZipped ? gzips.findBody({ key, version: tag.etag }) : undefined;
    if (zipped !== undefined) return gzipBodyReply(tag.headers, zipped);
    const body = bodies.findBody(key, tag.etag);
    return body && bodyReply(tag, { body, identity: body, isZipped, gzips, key });
  };
  const makeReply = (parsed: Parsed<Query>, isZipped: boolean): Reply | Promise<Reply> => {
    const { query, tag, key } = parsed;
    const body = render(query);
    if (body.length < LIMITS.gzipBodyBytesMin) return cacheSmallReply(parsed, body);
    if (body.length > cachedBytesMax)
      return bodyReply(tag, { body, identity: tag, isZipped, gzips, key });
    // The body is copied, because the book will overwrite its buffer.
    const copy = Uint8Array.from(body);
    bodies.cacheBody(key, { version: tag.etag, body: copy, bytes: copy.length });
    return bodyReply(tag, { body: copy, identity: copy, isZipped, gzips, key });
  };
  const makeReplyLater = async (request: HttpRequest, isZipped: boolean): Promise<Reply> => {
    const { query: raw } = request;
    const makeNow = (): Reply | Promise<Reply> => {
      const parsed = currentQuery(raw);
      // Another request may have rendered the body while this request waited.
      return parsed.small ?? findLargeReply(parsed, isZipped) ?? makeReply(parsed, isZipped);
    };
    return budget.runSteps(oneStep(makeNow), queuedClient(request));
  };
  return (request) => {
    const { query: raw } = request;
    const parsed = currentQuery(raw);
    const unchanged = notModifiedReply(request, parsed.tag);
    if (unchanged !== undefined) return unchanged;
    if (parsed.small !== null) return parsed.small;
    const isZipped = requestAcceptsGzip(request);
    const made = findLargeReply(parsed, isZipped);
    if (made !== undefined) return made;
    // A small body never waits for large bodies, whichever jobs use the budget.
    if (budget.isOpen || !isLarge(parsed.query))
      return budget.runNow(() => makeReply(parsed, isZipped));
    return makeReplyLater(request, isZipped);
  };
}

interface Parsed<Query> {
  readonly query: Query;
  /** Names the query, whatever the version. */
  readonly key: string;
  /** The turn of the book in which the other fields were set. */
  turn: number;
  epoch: string;
  version: MarketVersion;
  beside: number | undefined;
  tag: VersionTag;
  /** The reply in this turn when its body is too small for gzip; null until it is made. */
  small: Reply | null;
}

function newParsed<Query>(query: Query): Parsed<Query> {
  const none = { turn: -1, epoch: '', beside: undefined, small: null };
  const version = { seq: -1, slot: -1, state: 'stale', auctions: -1 } as const;
  return { query, key: keyOf(query), ...none, version, tag: { etag: '', headers: [] } };
}

function keyOf(query: unknown): string {
  return JSON.stringify(query, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

/** Rewrites the headers when the version differs from the version of the last reply. */
function refreshTag(
  parsed: Parsed<{ readonly market: number }>,
  book: BookSource,
  { beside, encoding }: Pick<RouteBody<never>, 'beside' | 'encoding'>,
): void {
  const { epoch, turn } = book;
  const version = book.version(parsed.query.market);
  const { seq, slot, state } = version;
  parsed.turn = turn;
  parsed.small = null;
  const last = parsed.version;
  const same = last.seq === seq && last.slot === slot && last.state === state;
  const more = beside?.(version);
  if (same && parsed.epoch === epoch && parsed.beside === more) return;
  parsed.epoch = epoch;
  parsed.version = version;
  parsed.beside = more;
  const rest = `${more === undefined ? '' : `.${more}`}${encoding === 'binary' ? '.binary' : ''}`;
  parsed.tag = newVersionTag(`"${epoch}.${seq}.${slot}.${state}${rest}"`, version, encoding);
}

/**
 * Caches a reply for the rest of the turn; copies its body, because the book will overwrite the
 * buffer.
 */
function cacheSmallReply(parsed: Parsed<unknown>, body: Uint8Array): Reply {
  const copy = Uint8Array.from(body);
  parsed.small = { status: 200, headers: parsed.tag.headers, body: copy, identity: copy };
  return parsed.small;
}
