/** The book paths at a past moment: another thread renders their bodies from the journal. */

import { LIMITS } from '../../config/limits.js';
import type {
  AsOfBodies,
  AsOfBody,
  AsOfMoment,
  AsOfRefusal,
  AsOfSource,
  MarketIdentity,
} from '../../contract/as-of-source.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { parseMoment } from '../api/moment-params.js';
import { queuedClient } from '../transport/client-address.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import type { Header, HttpRequest, Reply } from '../transport/reply.js';
import { prefersBytes } from './accept.js';
import { type BookRoute, encodingOf, requireFirstBook } from './book-routes.js';
import { orderRefusal } from './order-refusal.js';
import type { PathService } from './path.js';
import {
  type BodyEncoding,
  furthestBehind,
  TaggedReplies,
  versionHeaders,
} from './versioned-reply.js';

/** The sources of these paths. */
type AsOfRouteOptions = Pick<PathService, 'readiness' | 'asOf' | 'timings' | 'timers'>;

/** A path of the book that also serves past moments if a journal is kept. */
interface DatedRoute {
  readonly encodings: 'json' | 'jsonOrBinary';
  /**
   * Returns the bodies that a request at a past moment needs. Throws a ServerError that names a
   * wrong parameter.
   */
  readonly bodiesOf: (request: HttpRequest, of: PastOf) => AsOfBodies;
  /** The reply of now. */
  readonly live: BookRoute;
}

interface PastOf {
  readonly moment: AsOfMoment;
  readonly encoding: BodyEncoding;
}

/**
 * Returns the route of a path. A query that names a past moment gets the body of that moment, any
 * other query the reply of `live`.
 */
export function withMoment(options: AsOfRouteOptions, dated: DatedRoute): BookRoute {
  const { readiness, asOf, timings, timers } = options;
  const { encodings, bodiesOf, live } = dated;
  const replies = new TaggedReplies();
  return (request) => {
    const moment = parseMoment(request.query);
    if (moment === undefined) return live(request);
    if (asOf === undefined) throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    requireFirstBook(readiness());
    const encoding = encodings === 'json' ? undefined : encodingFor(request);
    const bodies = bodiesOf(request, { moment, encoding: encoding ?? 'json' });
    return replyAtMoment(asOf, { request, moment, bodies, encoding, replies, timings, timers });
  };
}

function encodingFor(request: HttpRequest): BodyEncoding {
  return prefersBytes(request) ? 'binary' : 'json';
}

interface PastRead extends Pick<AsOfRouteOptions, 'timers'> {
  readonly timings: PathService['timings'] | undefined;
  readonly request: HttpRequest;
  readonly moment: AsOfMoment;
  readonly bodies: AsOfBodies;
  readonly encoding: BodyEncoding | undefined;
  readonly replies: TaggedReplies;
}

/** Replies with the bodies of a moment. */
export async function replyAtMoment(asOf: AsOfSource, read: PastRead): Promise<Reply> {
  const { request, moment, bodies, encoding, replies, timings, timers } = read;
  const reply = replies.readHeaders(request);
  const beganMs = timers.nowMs();
  const made = await asOf.readMoment({ moment, bodies }, queuedClient(request));
  timings?.asOf.observe((timers.nowMs() - beganMs) / 1_000);
  if (made.kind !== 'body') throw refusalOf(made, moment);
  return reply(tagOf(made, moment, encoding), made.body, made.hash);
}

/** Only an address that names the run never means another turn: a clock may be set back. */
function tagOf(
  { hash, asOf, versions, isFinal }: AsOfBody,
  { epoch }: AsOfMoment,
  encoding: BodyEncoding | undefined,
) {
  const { asOfSecondsMax } = LIMITS;
  const isForever = isFinal && epoch !== undefined;
  const cached = isForever ? `public, max-age=${asOfSecondsMax}, immutable` : 'no-cache';
  const etag = `"${hash}"`;
  const headers: readonly Header[] = [
    ...versionHeaders(etag, { cached, version: furthestBehind(versions), encoding }),
    ['X-As-Of', JSON.stringify(asOf)],
  ];
  return { etag, headers };
}

function refusalOf(refusal: AsOfRefusal, { by }: AsOfMoment): ServerError {
  switch (refusal.kind) {
    case 'notKept':
      return new ServerError('MOMENT_NOT_KEPT', refusal.message, by);
    case 'noMarket':
      return new ServerError('UNKNOWN_MARKET', ABSENT_TEXT, 'marketName');
    case 'busy':
      return new ServerError('LIMIT_EXCEEDED', refusal.message);
    case 'refused':
      return orderRefusal(refusal.error);
  }
}

/** The error message for a market that did not exist at the moment. */
export const ABSENT_TEXT = 'there was no such market at this moment';

/** Adds the name of its market and an encoding to a request. */
export function keyedRequest<Request extends { readonly market: number }>(
  request: Request,
  { directory }: { readonly directory: MarketDirectory },
  encoding: BodyEncoding,
): { readonly key: MarketIdentity; readonly request: Request & { readonly binary?: true } } {
  const key = marketKeyOf(request, directory);
  return { key, request: { ...request, ...encodingOf(encoding) } };
}

/** Returns the request's market as type and index, which mean the same market in every process. */
export function marketKeyOf(
  { market }: { readonly market: number },
  directory: MarketDirectory,
): MarketIdentity {
  const row = directory.markets().find(({ id }) => id === market);
  if (row === undefined) throw new Error('Invariant: a parsed request has a market');
  const { marketType, marketIndex } = row;
  return { marketType, marketIndex };
}
