/**
 * One day of a market's records, as JSON and as CSV, in pages of the size that the Drift v2 data
 * API uses. The pages of the current day only grow at the end.
 */
import type { ArchiveQuery, HistoryBody } from '../../contract/history-queries.js';
import { ARCHIVE_ROWS } from '../model/limits.js';
import type { HistoryMarket } from '../model/records.js';
import { countFundingRates, countTrades, fundingSpan, tradeSpan } from '../store/spans.js';
import type { HistoryStore } from '../store/store.js';
import type { RecordSpanPart, RecordSpanQuery } from '../store/types.js';
import type { ReadParts } from '../store/writer.js';
import { csvText } from './csv-text.js';
import {
  FUNDING_RATE_RECORD_MEMBERS,
  fundingRateRecordText,
  TRADE_RECORD_MEMBERS,
  tradeRecordText,
} from './record-text.js';

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
  const { records, page, form } = query;
  const { countRows, readTexts, members } = archives[records];
  const part = { ...spanOf(query), limit: ARCHIVE_ROWS, offset: (page - 1) * ARCHIVE_ROWS };
  const texts = store.runRead((parts) => readTexts(parts, part, market));
  const text =
    form === 'csv'
      ? csvText(members, texts)
      : pageText(
          texts,
          page,
          store.runRead((parts) => countRows(parts, spanOf(query))),
        );
  return { body: new TextEncoder().encode(text), nextCursor: null };
}

interface Archive {
  readonly members: readonly string[];
  readonly readTexts: (
    parts: ReadParts,
    part: RecordSpanPart,
    market: HistoryMarket,
  ) => readonly string[];
  readonly countRows: (parts: ReadParts, span: RecordSpanQuery) => number;
}

const archives: Readonly<Record<ArchiveQuery['records'], Archive>> = {
  trades: {
    members: TRADE_RECORD_MEMBERS,
    readTexts: (parts, part, market) =>
      tradeSpan(parts, part).map((row) => tradeRecordText(row, market)),
    countRows: countTrades,
  },
  fundingRates: {
    members: FUNDING_RATE_RECORD_MEMBERS,
    readTexts: (parts, part, market) =>
      fundingSpan(parts, part).map((row) => fundingRateRecordText(row, market)),
    countRows: countFundingRates,
  },
};

function spanOf({ market, from, to }: ArchiveQuery): RecordSpanQuery {
  return { market, from, to };
}

function pageText(texts: readonly string[], page: number, totalRecords: number): string {
  const totalPages = Math.ceil(totalRecords / ARCHIVE_ROWS);
  const meta = {
    records: texts.length,
    totalRecords,
    totalPages,
    currentPage: page,
    nextPage: page < totalPages ? page + 1 : null,
  };
  return `{"success":true,"records":[${texts.join()}],"meta":${JSON.stringify(meta)}}`;
}
