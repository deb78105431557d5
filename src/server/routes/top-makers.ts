/**
 * /topMakers: the makers with the best orders. Names come from the book alone; accounts are fetched from
 * the node for the client, and are as fresh as the node rather than as the book.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { TopMakersRequest } from '../../contract/book-requests.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import { pastErrors } from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { flagSchema, market, wordSchema } from '../api/param-parts.js';
import { text, textOrNull } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { type BookRoute, bookRoute, requireFirstBook } from './book-routes.js';
import type { Path, PathService, ReadAccounts } from './path.js';
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
  includeAccounts: flagSchema("Adds each maker's account as base64, read from the RPC node."),
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

/** Reads the parameters of /topMakers. Throws a ServerError that names the wrong one. */
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

/** The user accounts with the best orders of a side, each once, best first. */
function topMakersRoute(service: PathService): BookRoute {
  const { book, directory, readiness, timers, readAccounts } = service;
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, directory);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ ...service, parse, render, isLarge: () => false });
  const memo = new QueryMemo(directory, parse);
  const reads = accountReads(readAccounts, timers);
  const withAccounts = accountsRoute((keys) => reads.read(keys), timers);
  return (request) => {
    requireFirstBook(readiness());
    const query = memo.parseQuery(request.query);
    return query.includeAccounts ? withAccounts(request, makersOf(query, book)) : names(request);
  };
}

/** The accounts that clients have requested lately. */
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

/** 100 accounts are 584 KB of text, so each fetch is serialized and compressed once. */
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
 * Fetches lists of accounts: equal fetches in flight are one, a result is cached for a short time, and few
 * run at a time. Failures carry a code and nothing of the node's address.
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

  /** Number of fetches that run or are cached. */
  get size(): number {
    return this.#fetches.size;
  }

  /** Throws RATE_LIMITED when too many fetches run, and rejects with NOT_READY when this one fails. */
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

  /** Fetches end in another order than they start, so all are checked; they are few. */
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
