/**
 * Which path answers what. The public thing of this room: `createHandler` for the transport.
 */

import type { BuildInfo } from '../build-info.js';
import { LIMITS } from '../limits.js';
import { l2Route, l3Route, requireFirstBook } from './book-routes.js';
import type { BookSource, FeedFigures, MarketRow, Readiness } from './book-source.js';
import { ServerError, STATUS_BY_CODE } from './errors.js';
import { Metrics, RequestCounts } from './metrics.js';
import { commonHeaders, errorReply, jsonReply, preflightReply, type Reply } from './reply.js';
import { type Handler, type HttpRequest, transportVersion } from './uws.js';

/** What the paths are answered from. */
export interface HttpOptions {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  readonly feed: () => FeedFigures;
  readonly build: BuildInfo;
}

type Route = (request: HttpRequest) => Reply | Promise<Reply>;

/** Builds the handler of all HTTP paths. */
export function createHandler(options: HttpOptions): Handler {
  const requests = new RequestCounts();
  const routes = routeTable(options, requests);
  return (request) => {
    const route = routes.get(request.path);
    const name = route?.name ?? 'unknown';
    const count = (reply: Reply): Reply => {
      requests.add(name, reply.status);
      return reply;
    };
    // The transport answers what is thrown here with INTERNAL.
    const fail = (error: unknown): never => {
      requests.add(name, STATUS_BY_CODE.INTERNAL);
      throw error;
    };
    try {
      const reply = dispatch(route?.answer, request);
      return reply instanceof Promise ? reply.then(count, fail) : count(reply);
    } catch (error) {
      return fail(error);
    }
  };
}

function dispatch(answer: Route | undefined, request: HttpRequest): Reply | Promise<Reply> {
  try {
    requireSize(request);
    if (answer === undefined) {
      throw new ServerError('UNKNOWN_PATH', 'there is no such path; GET / lists them');
    }
    if (request.method === 'get' || request.method === 'head') return answer(request);
    if (request.method === 'options') return preflightReply;
    const message = 'this path answers GET, HEAD and OPTIONS';
    throw new ServerError('METHOD_NOT_ALLOWED', message);
  } catch (error) {
    if (error instanceof ServerError) return errorReply(error);
    throw error;
  }
}

function requireSize(request: HttpRequest): void {
  const { requestLineBytesMax, headerBytesMax } = LIMITS;
  const line = request.path.length + request.query.length;
  if (line <= requestLineBytesMax && request.headerBytes() <= headerBytesMax) return;
  const message =
    `a request may have ${requestLineBytesMax} bytes of path and query and ` +
    `${headerBytesMax} of headers`;
  throw new ServerError('TOO_LARGE', message);
}

interface NamedRoute {
  readonly name: string;
  readonly answer: Route;
}

/** Every path also answers under /v1, and those of the book under /dlob as the incumbent's do. */
function routeTable(
  options: HttpOptions,
  requests: RequestCounts,
): ReadonlyMap<string, NamedRoute> {
  const bookPaths: Record<string, Route> = {
    '/l2': l2Route(options),
    '/l3': l3Route(options),
    // Reached only by what is no upgrade, which the transport takes before.
    '/ws': upgradeRequired,
  };
  const otherPaths: Record<string, Route> = {
    '/markets': () => marketsReply(options),
    '/health': () => jsonReply('{"status":"ok"}'),
    '/ready': () => readyReply(options.readiness()),
    '/metrics': metricsRoute(new Metrics({ ...options, requests })),
    '/version': () => versionReply(options.build),
  };
  const names = Object.keys({ ...bookPaths, ...otherPaths });
  const table = new Map<string, NamedRoute>();
  const add = (prefixes: readonly string[], paths: Record<string, Route>): void => {
    for (const [name, answer] of Object.entries(paths)) {
      for (const prefix of prefixes) table.set(`${prefix}${name}`, { name, answer });
    }
  };
  add(['', '/v1', '/dlob'], bookPaths);
  add(['', '/v1'], { ...otherPaths, '/': () => indexReply(options.build, names) });
  return table;
}

function indexReply({ name, version }: BuildInfo, paths: readonly string[]): Reply {
  return jsonReply(JSON.stringify({ name, version, paths }));
}

function marketsReply({ book, readiness }: HttpOptions): Reply {
  requireFirstBook(readiness());
  const rows = [...book.markets()].sort(byTypeAndIndex);
  return jsonReply(JSON.stringify(rows.map(marketBody)));
}

/** Perpetual markets first, each kind by index: never the order in which accounts arrived. */
function byTypeAndIndex(left: MarketRow, right: MarketRow): number {
  if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
  return left.marketIndex - right.marketIndex;
}

/** Raw integers are text, as everywhere in the book. */
function marketBody(row: MarketRow): Record<string, unknown> {
  return {
    symbol: row.symbol,
    marketIndex: row.marketIndex,
    marketType: row.marketType,
    status: row.status,
    tick: row.tickSize.toString(),
    step: row.stepSize.toString(),
    minOrderSize: row.minOrderSize.toString(),
    decimals: row.decimals,
    oracle: row.oracle,
    oracleSource: row.oracleSource,
    emptyReason: row.emptyReason,
  };
}

function readyReply({ state, reason, slot }: Readiness): Reply {
  if (state === 'live') return jsonReply(JSON.stringify({ ready: true, state, slot }));
  throw new ServerError('NOT_READY', reason ?? `the book is ${state}`);
}

function upgradeRequired(): never {
  throw new ServerError('UPGRADE_REQUIRED', 'this path speaks WebSocket (RFC 6455, version 13)');
}

function versionReply({ name, version, commit }: BuildInfo): Reply {
  const node = process.versions.node;
  return jsonReply(JSON.stringify({ name, version, commit, node, uws: transportVersion }));
}

function metricsRoute(metrics: Metrics): Route {
  return async () => {
    const body = await metrics.text();
    return {
      status: 200,
      headers: [['Content-Type', metrics.contentType], ...commonHeaders],
      body,
    };
  };
}
