/** The handlers of all HTTP paths, which `createHandlers` makes for the transport. */

import type { ReadAccounts } from '../../contract/account-source.js';
import { statusOf } from '../../contract/error-codes.js';
import { RequestLimiter, requireNoBody, requireRequestSize } from '../admission/admission.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { describeApi } from '../api/openapi.js';
import { compileParamSchemas } from '../api/param-check.js';
import { Metrics, RequestCounts } from '../metrics/metrics.js';
import type { QuoteSocketStats } from '../metrics/quotes-metrics.js';
import type { SocketStats } from '../metrics/socket-metrics.js';
import { NO_HISTORY_TEXT, ServerError } from '../transport/errors.js';
import {
  errorReply,
  type Handler,
  type HttpRequest,
  preflightReply,
  type Reply,
} from '../transport/reply.js';
import { describeChannels } from './asyncapi.js';
import { FirstReady } from './first-ready.js';
import { LoopBudget } from './loop-budget.js';
import { type PageFiles, readPageFiles } from './page-files.js';
import type { HistoryService, Path, PathService, ReadFees, Route, ServiceSources } from './path.js';
import {
  decodeTexts,
  type FoundRoute,
  type NamedRoute,
  PathTable,
  type Routes,
  unknownRoute,
} from './path-table.js';
import { bodySchemas, type PathName, pathOf, paths } from './paths.js';
import { udfErrorReply } from './udf.js';

/** The sources of the paths, and the limits of their requests. */
export interface HttpOptions extends ServiceSources {
  /** Decides when the service is ready; by default the other parts decide. */
  readonly ready?: FirstReady;
  /** Reads accounts for /topMakers; absent when there is no node to read from. */
  readonly readAccounts?: ReadAccounts | undefined;
  /** Reads fees for /priorityFees; absent when there is no node to read from. */
  readonly readFees?: ReadFees | undefined;
  /** Maximum requests a second of one address; 0, the default, for no limit. */
  readonly requestsPerSecond?: number;
  /** Finds the client address of a request; absent when no proxy is trusted. */
  readonly addresses?: ClientAddresses | undefined;
  /** Whether /metrics is on the main port, the default, or on the operator's port only. */
  readonly metrics?: 'main' | 'operator';
  /** The statistics of the WebSockets, for /metrics. */
  readonly sockets?: () => SocketStats;
  /** The statistics of the makers' sockets. */
  readonly quotes?: () => QuoteSocketStats;
  /** The bytes of replies that clients have not read yet, as the transport holds them. */
  readonly unsent?: { readonly bytes: number };
  /** Bytes that wait for WebSockets. */
  readonly backlog?: { readonly bytes: number };
  /** The number of log lines that could not be written. */
  readonly logLines?: { readonly lost: number };
  /** The page for browsers; by default the page that the set-up has built. */
  readonly page?: PageFiles;
}

/** One handler for each port. */
export interface Handlers {
  /** Everything for clients. */
  readonly main: Handler;
  /** The operator's paths, without a limit. */
  readonly operator: Handler;
}

const pathNames = Object.keys(paths) as readonly PathName[];
const operatorPaths: readonly PathName[] = ['/metrics', '/health', '/ready', '/status'];

/** Builds the handlers of all HTTP paths. */
export function createHandlers(options: HttpOptions): Handlers {
  compileParamSchemas(pathNames.flatMap((name) => pathOf(name).params ?? []));
  const requests = new RequestCounts();
  const reachable = pathNames.filter((name) => isReachable(name, options));
  const served = reachable.filter((name) => isServed(name, options));
  const { page = readPageFiles() } = options;
  const routes = routesOf({ ...options, page }, requests, served);
  const { timers, requestsPerSecond: perSecond = 0, addresses } = options;
  const limiter =
    perSecond === 0 ? undefined : new RequestLimiter({ perSecond, timers, addresses });
  return {
    main: handlerOf(new PathTable(routes, reachable, page.keys()), requests, limiter),
    operator: handlerOf(new PathTable(routes, operatorPaths), requests),
  };
}

/**
 * Returns whether the clients' port serves the path. A path of the history is served without a
 * history too, and then replies with an error.
 */
function isReachable(name: PathName, { metrics }: HttpOptions): boolean {
  return name !== '/metrics' || metrics !== 'operator';
}

function isServed(name: PathName, { history, journal, proofs }: HttpOptions): boolean {
  if (name === '/journal') return journal !== undefined;
  if (name === '/proof' || name === '/log') return proofs !== undefined;
  return history !== undefined || pathOf(name).kind !== 'history';
}

function routesOf(
  options: HttpOptions & { readonly page: PageFiles },
  requests: RequestCounts,
  served: readonly PathName[],
): Routes {
  const { build, readAccounts = noNode, readFees = noNode } = options;
  const { ready = new FirstReady(options) } = options;
  const described = {
    paths: served,
    api: JSON.stringify(describeApi(build, { paths: specsOf(served), bodies: bodySchemas })),
    channels: JSON.stringify(describeChannels(build)),
  };
  const service: PathService = {
    ...options,
    readAccounts,
    readFees,
    budget: new LoopBudget(options.timers),
    ready,
    metrics: new Metrics({ ...options, requests }),
    described,
  };
  return Object.fromEntries(pathNames.map((name) => [name, routeOf(pathOf(name), service)]));
}

const specsOf = (names: readonly PathName[]): Readonly<Record<string, Path>> =>
  Object.fromEntries(names.map((name) => [name, pathOf(name)]));

/**
 * Returns the route of a path; without a history, the route of a history path replies with an
 * error.
 */
function routeOf(path: Path, service: PathService): Route {
  if (path.kind !== 'history') return path.open(service);
  const { history } = service;
  return history === undefined ? refuseHistory : path.open(service as HistoryService);
}

function refuseHistory(): never {
  throw new ServerError('NO_HISTORY', NO_HISTORY_TEXT);
}

function handlerOf(table: PathTable, requests: RequestCounts, limiter?: RequestLimiter): Handler {
  const count = (reply: Reply, { name }: NamedRoute): Reply => {
    requests.countReply(name, reply.status);
    return reply;
  };
  const fail = (error: unknown, { name, isUdf }: NamedRoute): Reply => {
    const isClientError = error instanceof ServerError;
    requests.countReply(name, isClientError ? error.status : statusOf('INTERNAL'));
    // The transport replies with INTERNAL to an error that is thrown here.
    if (!isClientError) throw error;
    return isUdf ? udfErrorReply(error) : errorReply(error);
  };
  return (request) => {
    const { method } = request;
    const found = table.findRoute(request.path);
    const { route } = found;
    try {
      requireNoBody(request);
      // A refused preflight hides the reason and Retry-After of the request after it from a page.
      const isFree = route.isUnlimited || method === 'options';
      const refusal = isFree ? undefined : limiter?.checkRequest(request.ip);
      const reply = refusal ?? dispatchRequest(found, request);
      if (!(reply instanceof Promise)) return count(reply, route);
      return reply.then(
        (found) => count(found, route),
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

async function noNode(): Promise<never> {
  throw new ServerError('NOT_READY', 'this cannot be read: there is no RPC node');
}
