/**
 * Replies with bodies that cover several markets, so no market's version identifies them: each body
 * is rendered at most once a second, and its tag is a hash of its content.
 */
import { createHash } from 'node:crypto';
import { LIMITS } from '../../config/limits.js';
import type {
  AccountRecordsQuery,
  FundingMeansQuery,
  HistoryBody,
  OrderQuery,
  VolumesQuery,
} from '../../contract/history-queries.js';
import { queuedClient } from '../transport/client-address.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import { BodyCache } from './body-cache.js';
import { requireFirstBook } from './book-routes.js';
import { HistoryQueue, type QueueLimits } from './history-queue.js';
import { chainSeconds, type HistoryRouteOptions, requireHistory } from './history-responder.js';
import { TaggedReplies, type VersionTag } from './versioned-reply.js';

/** The queries of these bodies. */
export type ContentQuery = VolumesQuery | FundingMeansQuery | AccountRecordsQuery | OrderQuery;

/** Renders bodies and replies with them; each instance has its own limits. */
export class ContentResponder {
  readonly #queue: HistoryQueue;
  readonly #cache = new BodyCache<HistoryBody>(LIMITS.historyCacheBytesMax);
  readonly #replies = new TaggedReplies();
  readonly #options: HistoryRouteOptions;

  constructor(options: HistoryRouteOptions, limits?: QueueLimits) {
    this.#options = options;
    this.#queue = new HistoryQueue(options, limits);
  }

  /** Replies to a request; `parse` gets the chain's time, unix seconds. */
  replyTo(request: HttpRequest, parse: (chainTs: number) => ContentQuery): Reply | Promise<Reply> {
    const { book, history, readiness, timers } = this.#options;
    requireFirstBook(readiness());
    requireHistory(history);
    const query = parse(chainSeconds(history));
    const key = `${book.epoch} ${JSON.stringify(query)}`;
    const version = String(Math.floor(timers.unixMs() / 1_000));
    const reply = this.#replies.readHeaders(request);
    const replyWith = ({ body }: HistoryBody): Reply | Promise<Reply> =>
      reply(contentTag(book.epoch, { body, state: history.readStats().state }), body, key);
    const cached = this.#cache.findBody(key, version);
    if (cached !== undefined) return replyWith(cached);
    const queued = { name: `${version} ${key}`, query, ...queuedClient(request) };
    return this.#queue.runQuery(queued).then((found) => {
      this.#cache.cacheBody(key, { version, body: found, bytes: found.body.length });
      return replyWith(found);
    });
  }
}

/** Returns the tag and the headers of a body; the tag is a hash of the body. */
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
