/**
 * The handlers of all HTTP paths, made by `createHandlers` for the transport.
 */

import type { AsOfSource } from '../../contract/as-of-source.js';
import { statusOf } from '../../contract/error-codes.js';
import type { MarketDataSource } from '../../contract/history-source.js';
import type { Timers } from '../../contract/timers.js';
import { RequestLimiter, requireNoBody, requireRequestSize } from '../admission/admission.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { compileBookParams } from '../api/book-params.js';
import { describeApi } from '../api/openapi.js';
import { type PathName, pathSpecs } from '../api/path-specs.js';
import { Metrics, RequestCounts } from '../metrics/metrics.js';
import type { QuoteSocketStats } from '../metrics/quotes-metrics.js';
import type { SocketStats } from '../metrics/socket-metrics.js';
import type { Timings } from '../metrics/timings.js';
import { NO_HISTORY_TEXT, ServerError } from '../transport/errors.js';
import {
  errorReply,
  type Handler,
  type HttpRequest,
  jsonReply,
  preflightReply,
  type Reply,
} from '../transport/reply.js';
import { UnsentReplies } from '../transport/unsent-replies.js';
import { type AsOfPath, withMoment } from './as-of-route.js';
import { describeChannels } from './asyncapi.js';
import { auctionParamsRoute } from './auction-params-route.js';
import { batchL2Route } from './batch-route.js';
import { auctionsRoute, type BookRoute, l2Route, l3Route } from './book-routes.js';
import { docsRoute } from './docs-route.js';
import { FirstReady } from './first-ready.js';
import { type HistoryRouteOptions, historyRoutes } from './history-routes.js';
import { journalRoute } from './journal-route.js';
import { LoopBudget } from './loop-budget.js';
import { matchRoute } from './match-route.js';
import { orderbookRoute } from './orderbook-route.js';
import { type PageFiles, readPageFiles } from './page-files.js';
import { indexRoute } from './page-route.js';
import {
  decodeTexts,
  type FoundRoute,
  type NamedRoute,
  PathTable,
  type Routes,
  unknownRoute,
} from './path-table.js';
import { priorityFeeRoutes, type ReadFees } from './priority-fees-route.js';
import {
  indexReply,
  marketsReply,
  metricsReply,
  readyReply,
  type ServiceRouteOptions,
  statusReply,
  versionReply,
} from './service-routes.js';
import { statsRoutes, summaryRoutes } from './stats-routes.js';
import { type ReadAccounts, topMakersRoute } from './top-makers-route.js';
import { udfErrorReply, udfRoutes } from './udf-routes.js';
import { userOrdersRoute, userRoutes } from './user-routes.js';

/** The sources of the paths. */
export interface HttpOptions extends ServiceRouteOptions {
  /** Trades, funding rates and candles; without it their paths are not there. */
  readonly history?: MarketDataSource;
  readonly timers: Timers;
  /** When the service is ready; by default as its other parts are. */
  readonly ready?: FirstReady;
  /** Reads accounts for /topMakers; without it there is no node to read from. */
  readonly readAccounts?: ReadAccounts;
  /** Books of past moments; absent where no journal is kept. */
  readonly asOf?: AsOfSource;
  /** Whether /l2 and the batches have the defaults of the dlob-server under /dlob; not by default. */
  readonly compatDefaults?: boolean;
  /** Reads fees for /priorityFees; without it there is no node to read from. */
  readonly readFees?: ReadFees;
  /** Requests a second of one address; 0, the default, for no limit. */
  readonly requestsPerSecond?: number;
  /** Whose requests count together; without it no proxy is trusted. */
  readonly addresses?: ClientAddresses;
  /** Whether /metrics is on the main port, as by default, or on the operator's only. */
  readonly metrics?: 'main' | 'operator';
  /** Durations and the statistics of the WebSockets, for /metrics. */
  readonly timings?: Timings;
  readonly sockets?: () => SocketStats;
  /** The statistics of the makers' sockets. */
  readonly quotes?: () => QuoteSocketStats;
  /** Where the transport holds what clients have not read. */
  readonly unsent?: UnsentReplies;
  /** Bytes that wait for WebSockets. */
  readonly backlog?: { readonly bytes: number };
  /** Lines of the log that could not be written. */
  readonly logLines?: { readonly lost: number };
  /** The page for browsers; by default the one that the set-up has built. */
  readonly page?: PageFiles;
}

/** One handler for each port. */
export interface Handlers {
  /** Everything for clients. */
  readonly main: Handler;
  /** The operator's paths, without a limit. */
  readonly operator: Handler;
}

const pathNames = Object.keys(pathSpecs) as readonly PathName[];
const operatorPaths: readonly PathName[] = ['/metrics', '/health', '/ready', '/status'];

/** Builds the handlers of all HTTP paths. */
export function createHandlers(options: HttpOptions): Handlers {
  compileBookParams();
  const requests = new RequestCounts();
  const reachable = pathNames.filter((name) => isReachable(name, options));
  const served = reachable.filter((name) => isServed(name, options));
  const { page = readPageFiles() } = options;
  const routes = routesOf({ ...options, page }, requests, served);
  const { timers, requestsPerSecond: perSecond = 0, addresses } = options;
  const { unsent = new UnsentReplies(timers) } = options;
  const clients = addresses === undefined ? {} : { addresses };
  const limiter =
    perSecond === 0 ? undefined : new RequestLimiter({ perSecond, timers, ...clients });
  return {
    main: handlerOf(new PathTable(routes, reachable, page.keys()), { requests, unsent, limiter }),
    operator: handlerOf(new PathTable(routes, operatorPaths), {
      requests,
      unsent,
      limiter: undefined,
    }),
  };
}

/** Whether the port of the clients has the path; one of the history says at least that there is none. */
function isReachable(name: PathName, { metrics }: HttpOptions): boolean {
  return name !== '/metrics' || metrics !== 'operator';
}

function isServed(name: PathName, { history, journal }: HttpOptions): boolean {
  if (name === '/journal') return journal !== undefined;
  return history !== undefined || !isOfHistory(name);
}

function isOfHistory(name: PathName): boolean {
  return pathSpecs[name].kind === 'history';
}

function routesOf(
  options: HttpOptions & { readonly page: PageFiles },
  requests: RequestCounts,
  served: readonly PathName[],
): Routes {
  const { build, readAccounts = noNode, readFees = noNode, history } = options;
  const metrics = new Metrics({ ...options, requests });
  const { ready = new FirstReady(options) } = options;
  const ofBook = { ...options, budget: new LoopBudget(options.timers) };
  const dated = (path: AsOfPath, live: BookRoute): BookRoute => withMoment(ofBook, path, live);
  const batch = dated('batchL2', batchL2Route(ofBook));
  const description = JSON.stringify(describeApi(build, served));
  const channels = JSON.stringify(describeChannels(build));
  return {
    '/l2': dated('l2', l2Route(ofBook)),
    '/batchL2': batch,
    '/batchL2Cache': batch,
    '/l3': dated('l3', l3Route(ofBook)),
    '/orderbook': orderbookRoute(ofBook),
    '/auctions': dated('auctions', auctionsRoute(ofBook)),
    '/match': dated('match', matchRoute(ofBook)),
    '/auctionParams': auctionParamsRoute(ofBook),
    '/topMakers': dated('topMakers', topMakersRoute({ ...ofBook, readAccounts })),
    '/user/{account}/orders': userOrdersRoute(options),
    ...priorityFeeRoutes({ ...options, readFees }),
    ...(history === undefined ? withoutHistory() : routesOfHistory({ ...options, history })),
    // Reached only by what is no upgrade, which the transport takes before.
    '/ws': upgradeRequired,
    '/quotes/ws': upgradeRequired,
    '/markets': () => marketsReply(options),
    ...statsRoutes(options),
    '/health': () => jsonReply('{"status":"ok"}'),
    '/ready': () => readyReply(options, ready),
    '/status': () => statusReply(options),
    '/journal': journalRoute(options),
    '/metrics': () => metricsReply(metrics),
    '/version': () => versionReply(build),
    '/openapi.json': () => jsonReply(description),
    '/asyncapi.json': () => jsonReply(channels),
    '/docs': docsRoute(),
    '/': indexRoute(options.page, () => indexReply(build, served)),
  };
}

function routesOfHistory(options: HistoryRouteOptions): Routes {
  const markets = { ...historyRoutes(options), ...summaryRoutes(options), ...udfRoutes(options) };
  return { ...markets, ...userRoutes(options) };
}

/** The paths of a history where there is none. */
function withoutHistory(): Routes {
  const refuse = (): never => {
    throw new ServerError('NO_HISTORY', NO_HISTORY_TEXT);
  };
  return Object.fromEntries(pathNames.filter(isOfHistory).map((name) => [name, refuse]));
}

interface Bounds {
  readonly requests: RequestCounts;
  readonly unsent: UnsentReplies;
  readonly limiter: RequestLimiter | undefined;
}

function handlerOf(table: PathTable, { requests, unsent, limiter }: Bounds): Handler {
  const count = (found: Reply, { name, isBounded }: NamedRoute, method: string): Reply => {
    const refusal = isBounded && method !== 'head' ? unsent.checkReply(found) : undefined;
    const reply = refusal ?? found;
    requests.countReply(name, reply.status);
    return reply;
  };
  const fail = (error: unknown, { name, isUdf }: NamedRoute): Reply => {
    const isClientError = error instanceof ServerError;
    requests.countReply(name, isClientError ? error.status : statusOf('INTERNAL'));
    // The transport replies to what is thrown here with INTERNAL.
    if (!isClientError) throw error;
    return isUdf ? udfErrorReply(error) : errorReply(error);
  };
  return (request) => {
    const { method } = request;
    const found = table.findRoute(request.path);
    const { route } = found;
    try {
      requireNoBody(request);
      const refusal = route.isUnlimited ? undefined : limiter?.checkRequest(request.ip);
      const reply = refusal ?? dispatchRequest(found, request);
      if (!(reply instanceof Promise)) return count(reply, route, method);
      return reply.then(
        (found) => count(found, route, method),
        (error: unknown) => fail(error, route),
      );
    } catch (error) {
      return fail(error, route);
    }
  };
}

function dispatchRequest(
  { route, texts }: FoundRoute,
  request: HttpRequest,
): Reply | Promise<Reply> {
  requireRequestSize(request);
  const { method } = request;
  if (route === unknownRoute || method === 'get' || method === 'head') {
    return route.handle(request, decodeTexts(texts));
  }
  if (method === 'options') {
    return preflightReply(request.getHeader('access-control-request-headers'));
  }
  throw new ServerError('METHOD_NOT_ALLOWED', 'this path accepts GET, HEAD and OPTIONS');
}

function upgradeRequired(): never {
  throw new ServerError('UPGRADE_REQUIRED', 'this path speaks WebSocket (RFC 6455, version 13)');
}

async function noNode(): Promise<never> {
  throw new ServerError('NOT_READY', 'this cannot be read: there is no RPC node');
}
