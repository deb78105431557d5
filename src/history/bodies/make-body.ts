/**
 * Renders bodies from the store's rows: the worker calls `makeBody`.
 *
 * *This folder does not* know the storage of the rows, cache rows, or handle paths and headers.
 */

import { BASE_PLACES, formatFixedDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type {
  BodyForm,
  CandlesQuery,
  FundingRatesQuery,
  HistoryBody,
  TradesQuery,
  VolumesQuery,
} from '../../contract/history-queries.js';
import { candleText } from '../candles/candle-text.js';
import { type BucketReader, readCandles } from '../candles/read-candles.js';
import { udfText } from '../candles/udf-text.js';
import type { FundingRow, HistoryMarket, TradeRow } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';
import type { RecordPageQuery } from '../store/types.js';
import { type CursorOf, cursorOf, type PageEnd, readCursor } from './cursor.js';
import { type Page, readPage } from './read-page.js';
import {
  fundingRateRecordText,
  fundingRateText,
  rawFundingRateText,
  tradeRecordText,
  tradeText,
} from './record-text.js';

/** The source of rows, newest first. */
export interface RowReader extends BucketReader {
  readTrades(query: RecordPageQuery): readonly TradeRow[];
  readFundingRates(query: RecordPageQuery): readonly FundingRow[];
}

/** The inputs of a body. */
interface BodyContext {
  readonly reader: RowReader;
  readonly market: HistoryMarket;
  /** The slot before which all slots are finalised and complete; 0 when unknown. */
  readonly finalisedSlot: number;
}

/** The queries of {@link makeBody}. */
export type BodyQuery = TradesQuery | FundingRatesQuery | CandlesQuery;

/**
 * Renders a body.
 *
 * # Errors
 * Throws INVALID_PARAM for a cursor that is malformed or of another market.
 */
export function makeBody(query: BodyQuery, context: BodyContext): HistoryBody {
  switch (query.kind) {
    case 'trades':
      return makeTradesBody(query, context);
    case 'fundingRates':
      return makeFundingRatesBody(query, context);
    case 'candles':
      return makeCandlesBody(query, context);
  }
}

function makeTradesBody(query: TradesQuery, context: BodyContext): HistoryBody {
  const { reader, market, finalisedSlot } = context;
  const page = readPage(
    pageOf(query),
    (part) => reader.readTrades({ market: query.market, ...part }),
    idOfTrade,
  );
  const write = tradeWriters[query.form];
  const texts = page.rows.map((row) => write(row, market));
  const body = makePageBody(query, page, { texts, idOf: idOfTrade });
  // Pages by offset shift with every trade.
  if (query.before === undefined) return body;
  return { ...body, isFinal: isFinal(page, finalisedSlot) };
}

function makeFundingRatesBody(query: FundingRatesQuery, context: BodyContext): HistoryBody {
  const { reader, market } = context;
  const { since } = query;
  const page = readPage(
    pageOf(query),
    (part) => reader.readFundingRates({ market: query.market, since, ...part }),
    idOfFundingRate,
  );
  const write = fundingRateWriters[query.form];
  const texts = page.rows.map((row) => write(row, market));
  return makePageBody(query, page, { texts, idOf: idOfFundingRate });
}

function makeCandlesBody(query: CandlesQuery, { reader }: BodyContext): HistoryBody {
  const candles = readCandles(reader, query);
  if (query.form === 'udf') {
    const olderTs = candles.length > 0 ? null : lastTsBefore(reader, query);
    return { body: bytesOf(udfText(candles, olderTs)), nextCursor: null };
  }
  const texts = candles.map(candleText);
  const body =
    query.form === 'spec'
      ? `[${texts.join()}]`
      : `{"success":true,"records":[${texts.reverse().join()}]}`;
  return { body: bytesOf(body), nextCursor: null };
}

/** Returns the start of the last candle before an empty range; null when there is none. */
function lastTsBefore(reader: RowReader, { from, to: _, ...query }: CandlesQuery): number | null {
  const [last] = readCandles(reader, { ...query, limit: 1 });
  return last !== undefined && from !== undefined && last.ts < from ? last.ts : null;
}

type Writer<Row> = (row: Row, market: HistoryMarket) => string;

const tradeWriters: Readonly<Record<BodyForm, Writer<TradeRow>>> = {
  spec: tradeText,
  records: tradeRecordText,
  // The body is JSON in JSON: clients of this path parse the body, and then each trade.
  named: (row, market) => JSON.stringify(tradeRecordText(row, market)),
};

const fundingRateWriters: Readonly<Record<BodyForm, Writer<FundingRow>>> = {
  spec: fundingRateText,
  records: fundingRateRecordText,
  named: rawFundingRateText,
};

const idOfTrade = ({ fillRecordId }: TradeRow): bigint | null => fillRecordId;
const idOfFundingRate = ({ recordId }: FundingRow): bigint => recordId;

type PagedQuery = TradesQuery | FundingRatesQuery;

function pageOf(query: PagedQuery) {
  const { limit, pageIndex = 0, before } = query;
  if (before !== undefined) return { limit, after: readCursor(before, cursorKind(query)) };
  return { limit, offset: pageIndex * limit };
}

function cursorKind({ kind, market, form }: PagedQuery): CursorOf {
  return { kind, market, param: form === 'records' ? 'page' : 'before' };
}

function makePageBody<Row extends { readonly slot: number }>(
  query: PagedQuery,
  { rows, hasMore }: Page<Row>,
  {
    texts,
    idOf,
  }: { readonly texts: readonly string[]; readonly idOf: (row: Row) => bigint | null },
): HistoryBody {
  const last = rows.at(-1);
  const end: PageEnd | undefined =
    hasMore && last !== undefined ? { slot: last.slot, id: idOf(last) ?? -1n } : undefined;
  const nextCursor = end === undefined ? null : cursorOf(end, cursorKind(query));
  const list = `[${texts.join()}]`;
  return { body: bytesOf(listBody(query, list, nextCursor)), nextCursor };
}

function listBody({ kind, form }: PagedQuery, list: string, nextCursor: string | null): string {
  if (form === 'spec') return list;
  if (form === 'records')
    return `{"success":true,"records":${list},"meta":{"nextPage":${JSON.stringify(nextCursor)}}}`;
  return kind === 'trades' ? `{"data":{"trades":${list}}}` : `{"fundingRates":${list}}`;
}

/**
 * Returns whether the page can no longer change: it is full, all its trades are finalised, and
 * their numbers continue the cursor without a hole.
 */
function isFinal({ rows, hasMore, after }: Page<TradeRow>, finalisedSlot: number): boolean {
  if (after === undefined || !hasMore) return false;
  return rows.every(
    ({ slot, fillRecordId }, index) =>
      slot < finalisedSlot && fillRecordId === after.id - BigInt(index) - 1n,
  );
}

/** Encodes the text into a buffer of its own, which can be transferred. */
function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The inputs of volumes. */
interface VolumesContext {
  readonly reader: Pick<HistoryStore, 'aggregateSpan'>;
  /** All markets, in any order. */
  readonly markets: Iterable<HistoryMarket>;
}

/**
 * The traded volumes of all markets in a time span, in the format of the Drift v2 data API:
 * perpetual markets first, each kind by index; amounts are decimals of fixed places.
 */
export function makeVolumesBody(query: VolumesQuery, context: VolumesContext): HistoryBody {
  const { from, to } = query;
  let total = 0n;
  const markets = [...context.markets].sort(byKindAndIndex).map((market) => {
    const traded = context.reader.aggregateSpan(market.key, { from, to });
    const quote = traded?.quote ?? 0n;
    total += quote;
    return {
      symbol: market.symbol,
      quoteVolume: formatFixedDecimal(quote, QUOTE_PLACES),
      baseVolume: formatFixedDecimal(traded?.base ?? 0n, BASE_PLACES),
      marketIndex: market.marketIndex,
      marketType: market.marketType,
    };
  });
  const body = { success: true, total: formatFixedDecimal(total, QUOTE_PLACES), markets };
  return { body: Buffer.from(JSON.stringify(body)), nextCursor: null };
}

function byKindAndIndex(left: HistoryMarket, right: HistoryMarket): number {
  if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
  return left.marketIndex - right.marketIndex;
}
