/**
 * /topMakers: whose orders stand best. Names come from the book alone; accounts are read for the
 * client, and are as new as the node's answer rather than as the book.
 */
import { AccountReads, type ReadAccounts } from './account-reads.js';
import {
  type BookRoute,
  type BookRouteOptions,
  bookRoute,
  requireFirstBook,
} from './book-routes.js';
import type { BookSource } from './book-source.js';
import { parseTopMakers, type TopMakersQuery } from './params.js';
import { jsonHeaders, type Reply } from './reply.js';
import { QueryMemo } from './versioned.js';

/** What /topMakers needs. */
export interface TopMakersOptions extends BookRouteOptions {
  readonly readAccounts: ReadAccounts;
}

/** The user accounts whose orders stand best on a side, each once, best first. */
export function topMakersRoute({ book, readiness, readAccounts }: TopMakersOptions): BookRoute {
  const parse = (raw: string): TopMakersQuery => parseTopMakers(raw, book);
  const render = (query: TopMakersQuery): Uint8Array =>
    Buffer.from(JSON.stringify(makersOf(query, book)));
  const names = bookRoute({ book, readiness, parse, render });
  const memo = new QueryMemo(book, parse);
  const reads = new AccountReads(readAccounts);
  return (request) => {
    requireFirstBook(readiness());
    const query = memo.get(request.query);
    return query.includeAccounts ? withAccounts(makersOf(query, book), reads) : names(request);
  };
}

function makersOf({ market, side, limit }: TopMakersQuery, book: BookSource): readonly string[] {
  return book.topMakers({ market, side, limit });
}

async function withAccounts(makers: readonly string[], reads: AccountReads): Promise<Reply> {
  const accounts = makers.length === 0 ? [] : await reads.get(makers);
  const rows = makers.map((userAccountPubKey, index) => ({
    userAccountPubKey,
    accountBase64: accounts[index] ?? null,
  }));
  const headers = [...jsonHeaders, ['Cache-Control', 'no-cache'] as const];
  return { status: 200, headers, body: JSON.stringify(rows) };
}
