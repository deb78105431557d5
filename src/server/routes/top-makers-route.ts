/**
 * /topMakers: whose orders stand best. Names come from the book alone; accounts are read for the
 * client, and are as new as the node's answer rather than as the book.
 */
import { LIMITS } from '../../config/limits.js';
import { parseTopMakers, type TopMakersQuery } from '../api/params.js';
import type { BookSource } from '../ports/book-source.js';
import type { HttpRequest } from '../transport/reply.js';
import { type Header, jsonHeaders, type Reply } from '../transport/reply.js';
import { AccountFetcher, type ReadAccounts } from './account-reads.js';
import {
  type BookRoute,
  type BookRouteOptions,
  bookRoute,
  requireFirstBook,
} from './book-routes.js';
import { acceptsGzip, GzipCache } from './gzip.js';
import { gzipReply, QueryMemo } from './versioned.js';

/** What /topMakers needs. */
export interface TopMakersOptions extends BookRouteOptions {
  readonly readAccounts: ReadAccounts;
}

/** The user accounts whose orders stand best on a side, each once, best first. */
export function topMakersRoute({ readAccounts, ...options }: TopMakersOptions): BookRoute {
  const { book, readiness } = options;
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, book);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ ...options, parse, render, isLarge: () => false });
  const memo = new QueryMemo(book, parse);
  const withAccounts = accountsRoute(readAccounts);
  return (request) => {
    requireFirstBook(readiness());
    const query = memo.parseQuery(request.query);
    return query.includeAccounts ? withAccounts(request, makersOf(query, book)) : names(request);
  };
}

function makersOf({ market, side, limit }: TopMakersQuery, book: BookSource): readonly string[] {
  return book.topMakers({ market, side, limit });
}

const headers: readonly Header[] = [
  ...jsonHeaders,
  ['Cache-Control', 'no-cache'],
  ['Vary', 'Accept-Encoding'],
];

/** 100 accounts are 584 KB of text, so each reading is written down and compressed once. */
function accountsRoute(
  readAccounts: ReadAccounts,
): (request: HttpRequest, makers: readonly string[]) => Promise<Reply> {
  let readings = 0;
  const reads = new AccountFetcher(async (makers) => {
    const accounts = makers.length === 0 ? [] : await readAccounts(makers);
    readings += 1;
    return { body: Buffer.from(JSON.stringify(rowsOf(makers, accounts))), version: `${readings}` };
  });
  const gzips = new GzipCache();
  return async (request, makers) => {
    const wantsGzip = acceptsGzip(request.header('accept-encoding'));
    const { body, version } = await reads.fetchShared(makers);
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
