/**
 * One day of a market's records, as JSON and as CSV, in pages of the size that the Drift v2 data
 * API uses. The pages of the current day only grow at the end.
 */
import type { ArchiveQuery, HistoryBody } from '../../contract/history-queries.js';
import { ARCHIVE_ROWS } from '../model/limits.js';
import type { HistoryMarket } from '../model/records.js';
import { countRecords, recordSpan } from '../store/record-pages.js';
import { renderRows } from '../store/render-rows.js';
import type { HistoryStore } from '../store/store.js';
import { ownBytes } from './make-body.js';

/** The source of the rows. */
type RecordStore = Pick<HistoryStore, 'runRead'>;

/** The inputs of an archive. */
interface ArchiveContext {
  readonly store: RecordStore;
  readonly market: HistoryMarket;
}

/** Renders a page of an archive; pages after the last one are empty. */
export function makeArchiveBody(
  query: ArchiveQuery,
  { store, market }: ArchiveContext,
): HistoryBody {
  const { market: key, from, to, page, form } = query;
  const { kind, record } = archives[query.records];
  const span = { kind, market: key, from, to };
  const part = { ...span, limit: ARCHIVE_ROWS, offset: (page - 1) * ARCHIVE_ROWS };
  const rows = store.runRead((parts) => recordSpan(parts, part));
  const list = renderRows(rows, form === 'csv' ? record : 'records', { markets: [market] });
  if (form === 'csv') return { body: ownBytes('', list, ''), nextCursor: null };
  const totalRecords = store.runRead((parts) => countRecords(parts, span));
  const totalPages = Math.ceil(totalRecords / ARCHIVE_ROWS);
  const nextPage = page < totalPages ? page + 1 : null;
  const meta = { records: rows.length, totalRecords, totalPages, currentPage: page, nextPage };
  const tail = `],"meta":${JSON.stringify(meta)}}`;
  return { body: ownBytes('{"success":true,"records":[', list, tail), nextCursor: null };
}

const archives = {
  trades: { kind: 'trade', record: 'OrderActionRecord' },
  fundingRates: { kind: 'fundingRate', record: 'FundingRateRecord' },
} as const;
