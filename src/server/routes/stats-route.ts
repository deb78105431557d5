/** GET /stats/markets: made at most twice a second, whoever asks, and tagged by what it says. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, Readiness } from '../ports/book-source.js';
import type { MarketDataSource } from '../ports/market-data-source.js';
import type { HttpRequest } from '../transport/reply.js';
import { type Header, jsonHeaders, type Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import { GzipCache } from './gzip.js';
import { sortedMarkets } from './service-routes.js';
import { statsText } from './stats-body.js';
import { bodyReply, notModifiedReply, requestAcceptsGzip, type VersionTag } from './versioned.js';

/** What statistics are made from. */
export interface StatsOptions {
  readonly book: Pick<BookSource, 'markets' | 'chainFigures' | 'epoch'>;
  readonly readiness: () => Readiness;
  /** Without it there is no volume, and no price of a trade. */
  readonly history?: MarketDataSource;
  /** Unix milliseconds. */
  readonly nowMs?: () => number;
}

interface CachedStats {
  readonly epoch: string;
  readonly atMs: number;
  readonly body: Uint8Array;
  readonly tag: VersionTag;
}

/** The route of the path. */
export function statsRoute(
  options: StatsOptions,
): (request: HttpRequest) => Reply | Promise<Reply> {
  const gzips = new GzipCache();
  let made: CachedStats | undefined;
  return (request) => {
    requireFirstBook(options.readiness());
    if (made === undefined || isOld(made, options)) made = makeStats(options);
    const { tag, body } = made;
    const isZipped = requestAcceptsGzip(request);
    return (
      notModifiedReply(request, tag) ??
      bodyReply(tag, { body, identity: body, isZipped, gzips, key: 'stats' })
    );
  };
}

/** A clock that was set back makes it old as well. */
function isOld({ epoch, atMs }: CachedStats, { book, nowMs = Date.now }: StatsOptions): boolean {
  const age = nowMs() - atMs;
  return epoch !== book.epoch || age < 0 || age >= LIMITS.statisticsKeptMs;
}

function makeStats({ book, history, nowMs = Date.now }: StatsOptions): CachedStats {
  const chain = book.chainFigures();
  const figures = history?.marketFigures();
  const markets = sortedMarkets(book).flatMap((row) => {
    const ofChain = chain[row.id];
    if (ofChain === undefined) return [];
    const key = `${row.marketType}_${row.marketIndex}` as const;
    return [{ row, chain: ofChain, history: figures?.get(key) }];
  });
  const body = Buffer.from(statsText(markets));
  const state = history?.figures().state ?? 'off';
  return { epoch: book.epoch, atMs: nowMs(), body, tag: contentTag(book.epoch, { body, state }) };
}

/** The tag and the headers of a body that is known by what it says. */
export function contentTag(
  epoch: string,
  { body, state }: { readonly body: Uint8Array; readonly state: string },
): VersionTag {
  const etag = `"${epoch}.${createHash('sha1').update(body).digest('base64url')}"`;
  const headers: Header[] = [
    ...jsonHeaders,
    ['Cache-Control', `public, max-age=${LIMITS.historyFreshSeconds}`],
    ['Vary', 'Accept-Encoding'],
    ['ETag', etag],
    ['X-State', state],
  ];
  return { etag, headers };
}
