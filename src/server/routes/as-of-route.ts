/**
 * The paths of the book with a past moment: what the journal keeps, made on another thread, instead of what the
 * core has now.
 */

import { LIMITS } from '../../config/limits.js';
import type {
  AsOfBodies,
  AsOfBody,
  AsOfMoment,
  AsOfPart,
  AsOfRead,
  AsOfRefusal,
  AsOfSource,
  MarketKey,
} from '../../contract/as-of-source.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import {
  parseAuctions,
  parseBatchL2,
  parseL2,
  parseL3,
  parseMatch,
  parseTopMakers,
} from '../api/book-params.js';
import { parseMoment } from '../api/moment-params.js';
import { l2CompatibleParams, l2Params } from '../api/param-schemas.js';
import type { Timings } from '../metrics/timings.js';
import { NO_JOURNAL_TEXT, ServerError } from '../transport/errors.js';
import type { Header, HttpRequest, Reply } from '../transport/reply.js';
import { prefersBytes } from './accept.js';
import { furthestBehind } from './batch-route.js';
import {
  type BookRoute,
  type BookRouteOptions,
  encodingOf,
  requireFirstBook,
} from './book-routes.js';
import { orderRefusal } from './match-route.js';
import {
  type BodyEncoding,
  bodyReply,
  GzipCache,
  notModifiedReply,
  requestAcceptsGzip,
  versionHeaders,
} from './versioned-reply.js';

/** The sources of these paths. */
export interface AsOfRouteOptions extends BookRouteOptions {
  /** Absent where no journal is kept. */
  readonly asOf?: AsOfSource | undefined;
  /** Where it is measured what replies took. */
  readonly timings?: Pick<Timings, 'asOf'> | undefined;
  readonly timers: Timers;
}

/** The paths of the book that can be asked for a past moment. */
export type AsOfPath = AsOfRead['path'] | 'batchL2';

/** The route of a path, which replies with a past moment where the query names one, and else as `live` does. */
export function withMoment(options: AsOfRouteOptions, path: AsOfPath, live: BookRoute): BookRoute {
  const { readiness, asOf, timings, timers } = options;
  const gzips = new GzipCache();
  return (request) => {
    const moment = parseMoment(request.query);
    if (moment === undefined) return live(request);
    if (asOf === undefined) throw new ServerError('NO_JOURNAL', NO_JOURNAL_TEXT);
    requireFirstBook(readiness());
    const encoding = encodingFor(path, request);
    const bodies = bodiesOf(path, request, { ...options, encoding });
    requireOneMarket(path, moment);
    return replyLater(asOf, { request, moment, bodies, encoding, gzips, timings, timers });
  };
}

/** The encoding for a client; undefined for a path that has JSON alone. */
function encodingFor(path: AsOfPath, request: HttpRequest): BodyEncoding | undefined {
  if (path !== 'l2' && path !== 'l3') return undefined;
  return prefersBytes(request) ? 'binary' : 'json';
}

function requireOneMarket(path: AsOfPath, { by }: AsOfMoment): void {
  if (path !== 'batchL2' || by !== 'seq') return;
  const message = 'seq was given for a batch, must be slot or ts: each market has a seq of its own';
  throw new ServerError('INVALID_PARAM', message, 'seq');
}

interface PastRead extends Pick<AsOfRouteOptions, 'timings' | 'timers'> {
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
  const made = await asOf.readMoment({ moment, bodies }, () => request.isGone);
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

const ABSENT_TEXT = 'there was no such market at this moment';

interface BodiesOf extends BookRouteOptions {
  readonly encoding: BodyEncoding | undefined;
}

function bodiesOf(
  path: AsOfPath,
  { path: sent, query }: HttpRequest,
  { directory, compatDefaults = false, encoding = 'json' }: BodiesOf,
): AsOfBodies {
  const schema = compatDefaults && sent.startsWith('/dlob/') ? l2CompatibleParams : l2Params;
  const keyed = <Request extends { readonly market: number }>(request: Request) => ({
    key: keyOf(request, directory),
    request: { ...request, ...encodingOf(encoding) },
  });
  switch (path) {
    case 'l2':
      return { read: { path, ...keyed(parseL2(query, directory, schema)) } };
    case 'batchL2':
      return { parts: partsOf(parseBatchL2(query, directory, schema), directory) };
    case 'l3':
      return { read: { path, ...keyed(parseL3(query, directory)) } };
    case 'auctions':
      return { read: { path, ...keyed(parseAuctions(query, directory)) } };
    case 'match':
      return { read: { path, ...keyed(parseMatch(query, directory)) } };
    case 'topMakers':
      return { read: { path, ...keyed(pastMakers(query, directory)) } };
  }
}

function partsOf(
  entries: ReturnType<typeof parseBatchL2>,
  directory: MarketDirectory,
): readonly AsOfPart[] {
  const absent = new ServerError('UNKNOWN_MARKET', ABSENT_TEXT, 'marketName').toBody();
  return entries.map((entry) => {
    if (entry instanceof ServerError) return { text: entry.toBody() };
    return { read: { path: 'l2', key: keyOf(entry, directory), request: entry }, absent };
  });
}

function pastMakers(query: string, directory: MarketDirectory) {
  const { includeAccounts, ...request } = parseTopMakers(query, directory);
  if (!includeAccounts) return request;
  const message =
    'includeAccounts was true, must be false: accounts are read from the node, as of now';
  throw new ServerError('INVALID_PARAM', message, 'includeAccounts');
}

function keyOf({ market }: { readonly market: number }, directory: MarketDirectory): MarketKey {
  const row = directory.markets().find(({ id }) => id === market);
  if (row === undefined) throw new Error('Invariant: a parsed request has a market');
  const { marketType, marketIndex } = row;
  return { marketType, marketIndex };
}
