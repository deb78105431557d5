/**
 * /topMakers: the makers with the best orders. The keys come from the book; account data is fetched
 * from the node for each request, so it is as fresh as the node and not as the book.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { ReadAccounts } from '../../contract/account-source.js';
import type { TopMakersRequest } from '../../contract/book-requests.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import { pastErrors } from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { lenientFlagSchema, market, wordSchema } from '../api/param-parts.js';
import { text, textOrNull } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { type BookRoute, bookRoute, requireFirstBook } from './book-routes.js';
import { type Path, type PathService, shared } from './path.js';
import { nodeFailure, SpacedReads, type SpacedReadsOptions } from './spaced-reads.js';
import { acceptsGzip, GzipCache, gzipReply, QueryMemo } from './versioned-reply.js';

/** The parameters of /topMakers. */
const topMakersParams = Type.Object({
  ...market,
  side: wordSchema(['bid', 'ask'], { description: 'The side whose makers are named.' }),
  limit: Type.Integer({
    minimum: LIMITS.topMakersMin,
    maximum: LIMITS.topMakersMax,
    default: LIMITS.topMakersDefault,
    description: 'Makers at most.',
  }),
  includeAccounts: lenientFlagSchema(
    "Adds each maker's account as base64, read from the RPC node.",
  ),
});

/** The path. */
export const topMakers = {
  summary: 'The user accounts with the best orders; has no tag with includeAccounts',
  kind: 'book',
  params: topMakersParams,
  body: {
    name: 'TopMakers',
    schema: Type.Union([
      Type.Array(Type.String(), { description: 'User accounts, best price first.' }),
      Type.Array(
        Type.Object({
          userAccountPubKey: text('User account.'),
          accountBase64: textOrNull('Its bytes; null when the node has no such account.'),
        }),
        { description: 'With includeAccounts.' },
      ),
    ]),
  },
  tagged: true,
  moment: true,
  errors: [...pastErrors, 'RATE_LIMITED'],
  open: (service) =>
    withMoment(service, {
      encodings: 'json',
      bodiesOf: ({ query }, { encoding }) => {
        const parsed = pastMakers(query, service.directory);
        return { read: { path: 'topMakers', ...keyedRequest(parsed, service, encoding) } };
      },
      live: topMakersRoute(service),
    }),
} as const satisfies Path;

/** The parameters of /topMakers. */
interface TopMakersQuery extends TopMakersRequest {
  readonly includeAccounts: boolean;
}

/** Reads the parameters of /topMakers. Throws a ServerError that names the wrong parameter. */
function parseTopMakers(raw: string, markets: MarketDirectory): TopMakersQuery {
  const params = readQuery(topMakersParams, raw);
  const { side, limit, includeAccounts } = params;
  return { market: selectMarket(params, markets).id, side, limit, includeAccounts };
}

function pastMakers(query: string, directory: MarketDirectory) {
  const { includeAccounts, ...request } = parseTopMakers(query, directory);
  if (!includeAccounts) return request;
  const message =
    'includeAccounts was true, must be false: accounts are read from the node, as of now';
  throw new ServerError('INVALID_PARAM', message, 'includeAccounts');
}

/**
 * Returns the route of the user accounts with the best orders of a side, each account once, best
 * first.
 */
function topMakersRoute(service: PathService): BookRoute {
  const { book, directory, readiness, timers } = service;
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, directory);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ ...service, parse, render, isLarge: () => false });
  const memo = new QueryMemo(directory, parse);
  const reads = accountReadsOf(service);
  const withAccounts = accountsRoute((keys) => reads.read(keys), timers);
  return (request) => {
    requireFirstBook(readiness());
    const query = memo.parseQuery(request.query);
    return query.includeAccounts ? withAccounts(request, makersOf(query, book)) : names(request);
  };
}

/** The accounts that clients have requested lately, of all paths of a service. */
export const accountReadsOf = shared(({ readAccounts, timers }: PathService) =>
  accountReads(readAccounts, timers),
);

/** Reads of accounts at the rate of the limits. */
export function accountReads(
  read: ReadAccounts,
  timers: SpacedReadsOptions<string | null>['timers'],
): SpacedReads<string | null> {
  return new SpacedReads({
    read,
    keysPerCall: LIMITS.topMakersMax,
    spacingMs: LIMITS.accountCallSpacingMs,
    callsMax: LIMITS.accountCallsMax,
    waitingMax: LIMITS.accountsWaitingMax,
    keptMs: LIMITS.accountReadsKeptMs,
    timers,
  });
}

function makersOf({ market, side, limit }: TopMakersQuery, book: BookSource): readonly string[] {
  return book.topMakers({ market, side, limit });
}

const headers: readonly Header[] = [
  ...jsonHeaders,
  ['Cache-Control', 'no-cache'],
  ['Vary', 'Accept-Encoding'],
];

/**
 * 100 accounts are 584 KB of text, so the result of each fetch is serialized and compressed once.
 */
function accountsRoute(
  readAccounts: ReadAccounts,
  timers: Timers,
): (request: HttpRequest, makers: readonly string[]) => Promise<Reply> {
  let fetches = 0;
  const read = async (makers: readonly string[]): Promise<{ body: Buffer; version: string }> => {
    const accounts = makers.length === 0 ? [] : await readAccounts(makers);
    fetches += 1;
    return { body: Buffer.from(JSON.stringify(rowsOf(makers, accounts))), version: `${fetches}` };
  };
  const fetcher = new AccountFetcher(read, timers);
  const gzips = new GzipCache();
  return async (request, makers) => {
    const wantsGzip = acceptsGzip(request.getHeader('accept-encoding'));
    const { body, version } = await fetcher.fetchShared(makers);
    const plain: Reply = { status: 200, headers, body, identity: body };
    if (!wantsGzip || body.length < LIMITS.gzipBodyBytesMin) return plain;
    const zipped = await gzips.compressBody({ key: makers.join(), version }, () => body);
    return zipped === undefined ? plain : gzipReply(headers, zipped);
  };
}

function rowsOf(makers: readonly string[], accounts: readonly (string | null)[]) {
  return makers.map((userAccountPubKey, index) => ({
    userAccountPubKey,
    accountBase64: accounts[index] ?? null,
  }));
}

interface SharedFetch<Result> {
  readonly result: Promise<Result>;
  /** When it ended; undefined while it runs. */
  endedAtMs: number | undefined;
}

/**
 * Fetches lists of accounts: equal fetches in flight are shared, results are cached for a short
 * time, and few fetches run at a time. Errors have a code and never contain the node's address.
 */
export class AccountFetcher<Result> {
  readonly #fetches = new Map<string, SharedFetch<Result>>();
  #running = 0;

  readonly #read: (keys: readonly string[]) => Promise<Result>;
  readonly #timers: Pick<Timers, 'nowMs'>;

  constructor(read: (keys: readonly string[]) => Promise<Result>, timers: Pick<Timers, 'nowMs'>) {
    this.#read = read;
    this.#timers = timers;
  }

  /** The number of fetches that run or are cached. */
  get size(): number {
    return this.#fetches.size;
  }

  /**
   * Throws RATE_LIMITED when too many fetches run; rejects with NOT_READY when this fetch fails.
   */
  fetchShared(keys: readonly string[]): Promise<Result> {
    this.#evictExpired();
    const name = keys.join();
    const known = this.#fetches.get(name);
    if (known !== undefined) return known.result;
    if (this.#running >= LIMITS.accountReadsMax) {
      const message = `${LIMITS.accountReadsMax} reads of accounts are running, which is the limit`;
      throw new ServerError('RATE_LIMITED', message);
    }
    return this.#startFetch(name, keys);
  }

  #startFetch(name: string, keys: readonly string[]): Promise<Result> {
    const started = this.#read(keys);
    this.#running += 1;
    const result = started
      .catch((error: unknown): never => {
        throw nodeFailure('the accounts', error);
      })
      .finally(() => {
        this.#running -= 1;
        fetch.endedAtMs = this.#timers.nowMs();
      });
    const fetch: SharedFetch<Result> = { result, endedAtMs: undefined };
    this.#fetches.set(name, fetch);
    return result;
  }

  /**
   * Fetches do not end in the order in which they start, so all of them are checked; they are few.
   */
  #evictExpired(): void {
    const { accountReadsKeptMs, accountReadsKeptMax } = LIMITS;
    const nowMs = this.#timers.nowMs();
    for (const [name, { endedAtMs }] of this.#fetches) {
      if (endedAtMs === undefined) continue;
      const old = nowMs - endedAtMs > accountReadsKeptMs;
      if (old || this.#fetches.size >= accountReadsKeptMax) this.#fetches.delete(name);
    }
  }
}
