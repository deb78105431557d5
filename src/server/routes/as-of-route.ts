/** The paths of the book at a past moment: bodies are rendered from the journal on another thread. */

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
import { clientKey } from '../admission/client-address.js';
import { parseMoment } from '../api/moment-params.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import type { Header, HttpRequest, Reply } from '../transport/reply.js';
import { prefersBytes } from './accept.js';
import { type BookRoute, encodingOf, requireFirstBook } from './book-routes.js';
import { orderRefusal } from './order-refusal.js';
import type { PathService } from './path.js';
import {
  type BodyEncoding,
  bodyReply,
  furthestBehind,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  versionHeaders,
} from './versioned-reply.js';

/** The sources of these paths. */
type AsOfRouteOptions = Pick<PathService, 'readiness' | 'asOf' | 'timings' | 'timers'>;

/** A path of the book, which has a past where a journal is kept. */
interface DatedRoute {
  readonly encodings: 'json' | 'jsonOrBinary';
  /** The bodies that a request asks for at a past moment. Throws a ServerError that names a wrong parameter. */
  readonly bodiesOf: (request: HttpRequest, of: PastOf) => AsOfBodies;
  /** The reply of now. */
  readonly live: BookRoute;
}

interface PastOf {
  readonly moment: AsOfMoment;
  readonly encoding: BodyEncoding;
}

/** The route of a path, which replies with a past moment where the query names one, and else as `live` does. */
export function withMoment(options: AsOfRouteOptions, dated: DatedRoute): BookRoute {
  const { readiness, asOf, timings, timers } = options;
  const { encodings, bodiesOf, live } = dated;
  const gzips = new GzipCache();
  return (request) => {
    const moment = parseMoment(request.query);
    if (moment === undefined) return live(request);
    if (asOf === undefined) throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    requireFirstBook(readiness());
    const encoding = encodings === 'json' ? undefined : encodingFor(request);
    const bodies = bodiesOf(request, { moment, encoding: encoding ?? 'json' });
    return replyLater(asOf, { request, moment, bodies, encoding, gzips, timings, timers });
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
  readonly gzips: GzipCache;
}

async function replyLater(asOf: AsOfSource, read: PastRead): Promise<Reply> {
  const { request, moment, bodies, encoding, gzips, timings, timers } = read;
  // Headers can be read only now.
  const ifNoneMatch = request.getHeader('if-none-match');
  const isZipped = requestAcceptsGzip(request);
  const beganMs = timers.nowMs();
  const made = await asOf.readMoment(
    { moment, bodies },
    { client: clientKey(request.ip), isGone: () => request.isGone },
  );
  timings?.asOf.observe((timers.nowMs() - beganMs) / 1_000);
  if (made.kind !== 'body') throw refusalOf(made, moment);
  const tag = tagOf(made, encoding);
  const unchanged = notModifiedReply({ getHeader: () => ifNoneMatch }, tag);
  if (unchanged !== undefined) return unchanged;
  const { body, hash } = made;
  return bodyReply(tag, { body, identity: body, isZipped, gzips, key: hash });
}

function tagOf({ hash, asOf, versions, isFinal }: AsOfBody, encoding: BodyEncoding | undefined) {
  const { asOfSecondsMax } = LIMITS;
  const cached = isFinal ? `public, max-age=${asOfSecondsMax}, immutable` : 'no-cache';
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

/** What the service says of a market that was not there then. */
export const ABSENT_TEXT = 'there was no such market at this moment';

/** A request with the name of its market, in an encoding. */
export function keyedRequest<Request extends { readonly market: number }>(
  request: Request,
  { directory }: { readonly directory: MarketDirectory },
  encoding: BodyEncoding,
): { readonly key: MarketIdentity; readonly request: Request & { readonly binary?: true } } {
  const key = marketKeyOf(request, directory);
  return { key, request: { ...request, ...encodingOf(encoding) } };
}

/** The market of a request by its name in every process. */
export function marketKeyOf(
  { market }: { readonly market: number },
  directory: MarketDirectory,
): MarketIdentity {
  const row = directory.markets().find(({ id }) => id === market);
  if (row === undefined) throw new Error('Invariant: a parsed request has a market');
  const { marketType, marketIndex } = row;
  return { marketType, marketIndex };
}
