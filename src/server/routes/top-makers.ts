/**
 * /topMakers: the makers with the best orders. The keys come from the book; account data is fetched
 * from the node for each request, so it is as fresh as the node and not as the book.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { ReadAccount, ReadAccounts } from '../../contract/account-source.js';
import type { TopMakersRequest } from '../../contract/book-requests.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import { pastErrors } from '../api/book-parts.js';
import { selectMarket } from '../api/market-params.js';
import { readQuery } from '../api/param-check.js';
import { lenientFlagSchema, market, wholeSchema, wordSchema } from '../api/param-parts.js';
import { text, textOrNull } from '../api/schema-parts.js';
import { queuedClient } from '../transport/client-address.js';
import { ServerError } from '../transport/errors.js';
import { type Header, type HttpRequest, jsonHeaders, type Reply } from '../transport/reply.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { BodyCache } from './body-cache.js';
import { type BookRoute, bookRoute, requireFirstBook } from './book-routes.js';
import { type Path, type PathService, shared } from './path.js';
import { nodeFailure, SpacedReads, type SpacedReadsOptions } from './spaced-reads.js';
import { bodyReply, GzipCache, QueryMemo, requestAcceptsGzip } from './versioned-reply.js';

/** The parameters of /topMakers. */
const topMakersParams = Type.Object({
  ...market,
  side: wordSchema(['bid', 'ask'], { description: 'The side whose makers are named.' }),
  limit: wholeSchema(
    { min: LIMITS.topMakersMin, max: LIMITS.topMakersMax, byDefault: LIMITS.topMakersDefault },
    'Makers at most.',
  ),
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
  const { book, directory, readiness } = service;
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, directory);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ ...service, parse, render, isLarge: () => false });
  const memo = new QueryMemo(directory, parse);
  const withAccounts = accountsRoute(accountReadsOf(service));
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
  timers: SpacedReadsOptions<ReadAccount>['timers'],
): SpacedReads<ReadAccount> {
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

/** The body of some accounts; the tag names it for its compressed form. */
interface AccountsBody {
  readonly accounts: readonly ReadAccount[];
  readonly body: Buffer;
  readonly etag: string;
}

/** 100 accounts are 584 KB of text, so equal accounts are written and compressed once. */
function accountsRoute(
  reads: SpacedReads<ReadAccount>,
): (request: HttpRequest, makers: readonly string[]) => Promise<Reply> {
  const gzips = new GzipCache();
  const bodies = new BodyCache<AccountsBody>(LIMITS.gzipCacheBytesMax);
  let written = 0;
  const writeBody = (
    key: string,
    makers: readonly string[],
    accounts: AccountsBody['accounts'],
  ) => {
    written += 1;
    const body = Buffer.from(JSON.stringify(rowsOf(makers, accounts)));
    const entry = { accounts, body, etag: `${written}` };
    // The texts of the accounts are kept as well.
    bodies.cacheBody(key, { version: '', body: entry, bytes: 2 * body.length });
    return entry;
  };
  return async (request, makers) => {
    const isZipped = requestAcceptsGzip(request);
    const { client } = queuedClient(request);
    const accounts = await reads.read(makers, client).catch((error: unknown): never => {
      throw nodeFailure('the accounts', error);
    });
    const key = makers.join();
    const known = bodies.findBody(key, '');
    const isKnown = known?.accounts.every((account, index) => account === accounts[index]);
    const { body, etag } = known && isKnown ? known : writeBody(key, makers, accounts);
    return bodyReply({ etag, headers }, { body, identity: body, isZipped, gzips, key });
  };
}

function rowsOf(makers: readonly string[], accounts: readonly ReadAccount[]) {
  return makers.map((userAccountPubKey, index) => ({
    userAccountPubKey,
    accountBase64: accounts[index] ?? null,
  }));
}
