/** Reads the records of a time span, oldest first, and their numbers. */
import { sql } from 'kysely';
import { ARCHIVE_ROWS_COUNTED_MAX } from '../model/limits.js';
import type { FundingRow, TradeRow } from '../model/records.js';
import { marketCode, readNumber } from './columns.js';
import type { Bound, Connection } from './connection.js';
import { hiddenId, selectFundingRates, selectTrades } from './pages.js';
import { rowsOf } from './queries.js';
import { fundingOf, tradeOf } from './record-rows.js';
import type { RecordSpanPart, RecordSpanQuery } from './types.js';
import type { ReadParts } from './writer.js';

/** Returns a range of the trades in a span. */
export function tradeSpan(
  { connection, nameIds }: ReadParts,
  part: RecordSpanPart,
): readonly TradeRow[] {
  const { limit, offset } = part;
  const select = selectTrades()
    .where(isOf(part))
    .where('r.explanation', '!=', hiddenId(nameIds))
    .orderBy(oldestFirst);
  return rowsOf(connection, select.limit(limit).offset(offset)).map((row) => tradeOf(row, nameIds));
}

/** Returns a range of the funding rates in a span. */
export function fundingSpan(
  { connection, nameIds }: ReadParts,
  part: RecordSpanPart,
): readonly FundingRow[] {
  const { limit, offset } = part;
  const select = selectFundingRates().where(isOf(part)).orderBy(oldestFirst);
  const rows = rowsOf(connection, select.limit(limit).offset(offset));
  return rows.map((row) => fundingOf(row, nameIds));
}

/** Returns the number of trades in a span, at most `ARCHIVE_ROWS_COUNTED_MAX`. */
export function countTrades({ connection, nameIds }: ReadParts, span: RecordSpanQuery): number {
  const rows = 'select 1 from trades where market = ? and ts >= ? and ts < ? and explanation != ?';
  return countRows(connection, rows, [...boundsOf(span), hiddenId(nameIds)]);
}

/** Returns the number of funding rates in a span, at most `ARCHIVE_ROWS_COUNTED_MAX`. */
export function countFundingRates({ connection }: ReadParts, span: RecordSpanQuery): number {
  const rows = 'select 1 from funding_rates where market = ? and ts >= ? and ts < ?';
  return countRows(connection, rows, boundsOf(span));
}

function countRows(connection: Connection, rows: string, bounds: readonly Bound[]): number {
  const text = `select count(*) from (${rows} limit ?) as counted`;
  const [count] = connection.readRow(text, [...bounds, ARCHIVE_ROWS_COUNTED_MAX]) ?? [];
  return readNumber(count);
}

/** The order follows the index by time, so nothing is sorted. */
const oldestFirst = sql`r.ts, r.slot, r.place, r.idx, r.tx`;

function isOf(span: RecordSpanQuery) {
  const [market, from, to] = boundsOf(span);
  return sql<boolean>`r.market = ${market} and r.ts >= ${from} and r.ts < ${to}`;
}

function boundsOf({ market, from, to }: RecordSpanQuery): readonly number[] {
  return [marketCode(market), from, to];
}
