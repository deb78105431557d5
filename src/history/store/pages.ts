import { sql } from 'kysely';
import { PAGE_OFFSET_MAX, PAGE_ROWS_MAX } from '../model/limits.js';
import { type FundingRow, TRANSFER_EXPLANATION, type TradeRow } from '../model/records.js';
import { marketCode } from './columns.js';
import type { Connection } from './connection.js';
import type { NameIds } from './name-ids.js';
import { queries, rowsOf } from './queries.js';
import { FUNDING_COLUMNS, fundingOf, TRADE_COLUMNS, tradeOf } from './record-rows.js';
import type { RecordPageQuery } from './types.js';

/** A page of trades, newest first. */
export function tradePage(
  connection: Connection,
  nameIds: NameIds,
  query: RecordPageQuery,
): readonly TradeRow[] {
  const page = selectTrades()
    .where(isAskedFor('trades', query))
    .where('r.explanation', '!=', hiddenId(nameIds))
    .orderBy(newestFirst)
    .limit(limitOf(query))
    .offset(offsetOf(query));
  return rowsOf(connection, page).map((row) => tradeOf(row, nameIds));
}

/** A page of funding rates, newest first. */
export function fundingPage(
  connection: Connection,
  nameIds: NameIds,
  query: RecordPageQuery,
): readonly FundingRow[] {
  const page = selectFundingRates()
    .where(isAskedFor('funding_rates', query))
    .orderBy(newestFirst)
    .limit(limitOf(query))
    .offset(offsetOf(query));
  return rowsOf(connection, page).map((row) => fundingOf(row, nameIds));
}

/** Selects trades `r` with the signatures of their transactions, for `tradeOf`. */
export function selectTrades() {
  return queries
    .selectFrom('trades as r')
    .innerJoin('transactions as x', 'x.id', 'r.tx')
    .select(TRADE_COLUMNS.map((column) => `r.${column}` as const))
    .select(['x.signature', 'x.sum as signature_sum']);
}

/** Selects funding rates `r` likewise, for `fundingOf`. */
export function selectFundingRates() {
  return queries
    .selectFrom('funding_rates as r')
    .innerJoin('transactions as x', 'x.id', 'r.tx')
    .select(FUNDING_COLUMNS.map((column) => `r.${column}` as const))
    .select(['x.signature', 'x.sum as signature_sum']);
}

/**
 * Returns the id of the explanation of trades that pages omit: a transfer is stored, because it has
 * a fillRecordId.
 */
export function hiddenId(nameIds: NameIds): number {
  return nameIds.findExplanationId(TRANSFER_EXPLANATION) ?? NO_ID;
}

/** An id that no name has. */
const NO_ID = -1;

/** The order follows the key, so nothing is sorted. */
const newestFirst = sql`r.slot desc, r.place desc, r.idx desc, r.tx desc`;

function isAskedFor(table: 'trades' | 'funding_rates', query: RecordPageQuery) {
  const market = marketCode(query.market);
  const parts = [sql<boolean>`r.market = ${market}`];
  if (query.before !== undefined) {
    // The position is compared as a tuple, so that the walk along the key starts after it.
    const { slot, place, index } = query.before;
    parts.push(sql`(r.slot, r.place, r.idx) < (${slot}, ${place}, ${index})`);
  }
  if (query.since !== undefined) {
    // The walk ends at the first slot of the requested time, not at the market's oldest row.
    parts.push(sql`r.slot >= (select min(slot) from ${sql.table(table)}
      where market = ${market} and ts >= ${query.since})`);
    parts.push(sql`r.ts >= ${query.since}`);
  }
  return sql<boolean>`${sql.join(parts, sql` and `)}`;
}

function limitOf({ limit }: RecordPageQuery): number {
  if (limit <= PAGE_ROWS_MAX) return limit;
  throw new RangeError(`limit was ${limit}, must be at most ${PAGE_ROWS_MAX}`);
}

function offsetOf({ offset = 0 }: RecordPageQuery): number {
  if (offset <= PAGE_OFFSET_MAX) return offset;
  throw new RangeError(`offset was ${offset}, must be at most ${PAGE_OFFSET_MAX}`);
}
