/**
 * Renders bodies from the store's rows: the worker calls `makeBody`.
 *
 * *This folder does not* know the storage of the rows, cache rows, or handle paths and headers.
 */

import { BASE_PLACES, formatFixedDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type {
  CandlesQuery,
  FundingRatesQuery,
  HistoryBody,
  TradesQuery,
  VolumesQuery,
} from '../../contract/history-queries.js';
import { candleText } from '../candles/candle-text.js';
import { type BucketReader, readCandles } from '../candles/read-candles.js';
import { udfText } from '../candles/udf-text.js';
import type { HistoryMarket, RecordPosition, RecordRow } from '../model/records.js';
import { renderRows } from '../store/render-rows.js';
import type { HistoryStore } from '../store/store.js';
import type { RecordPageQuery } from '../store/types.js';
import { type CursorOf, cursorOf, readCursor } from './cursor.js';
import { type Page, readPage } from './read-page.js';

/** The source of rows, newest first. */
export interface RowReader extends BucketReader {
  readRecords(query: RecordPageQuery): readonly RecordRow[];
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
    case 'fundingRates':
      return makePageBody(query, context);
    case 'candles':
      return makeCandlesBody(query, context);
  }
}

function makePageBody(query: PagedQuery, { reader, market, ...context }: BodyContext): HistoryBody {
  const { limit, pageIndex = 0, before: cursor } = query;
  const before = cursor === undefined ? undefined : readCursor(cursor, cursorKind(query));
  const kind = recordKinds[query.kind];
  const since = query.kind === 'fundingRates' ? { since: query.since } : {};
  const part = { kind, market: query.market, before, offset: pageIndex * limit, ...since };
  const page = readPage(limit, (rows) => reader.readRecords({ ...part, limit: rows }));
  const last = page.hasMore ? page.rows.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursorOf(last, cursorKind(query));
  const [head, tail] = listEnds(query, nextCursor);
  const list = renderRows(page.rows, query.form, { markets: [market] });
  const body = ownBytes(head, list, tail);
  // Pages by offset shift with every trade.
  if (query.kind !== 'trades' || before === undefined) return { body, nextCursor };
  return { body, nextCursor, isFinal: isFinal(page, before, context.finalisedSlot) };
}

const recordKinds = { trades: 'trade', fundingRates: 'fundingRate' } as const;

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

type PagedQuery = TradesQuery | FundingRatesQuery;

function cursorKind({ kind, market, form }: PagedQuery): CursorOf {
  return { kind, market, param: form === 'records' ? 'page' : 'before' };
}

/** Returns the text before and after the list of a body. */
function listEnds({ kind, form }: PagedQuery, nextCursor: string | null): [string, string] {
  if (form === 'spec') return ['[', ']'];
  if (form === 'records')
    return ['{"success":true,"records":[', `],"meta":{"nextPage":${JSON.stringify(nextCursor)}}}`];
  return kind === 'trades' ? ['{"data":{"trades":[', ']}}'] : ['{"fundingRates":[', ']}'];
}

/**
 * Returns whether the page can no longer change: it is full, all its trades are finalised, and
 * their numbers continue the cursor without a hole.
 */
function isFinal({ rows, hasMore }: Page, after: RecordPosition, finalisedSlot: number): boolean {
  return (
    hasMore &&
    rows.every(
      ({ slot, id }, index) => slot < finalisedSlot && id === after.id - BigInt(index) - 1n,
    )
  );
}

/** Joins the parts of a body in a buffer of its own, which can be transferred. */
export function ownBytes(head: string, list: Uint8Array, tail: string): Uint8Array {
  const [before, after] = [Buffer.from(head), Buffer.from(tail)];
  const body = new Uint8Array(before.length + list.length + after.length);
  body.set(before);
  body.set(list, before.length);
  body.set(after, before.length + list.length);
  return body;
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
