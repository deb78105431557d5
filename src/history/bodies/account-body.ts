/** The trades of an account in all markets, in the format of the Drift v2 data API. */
import type { AccountTradesQuery, HistoryBody } from '../../contract/history-queries.js';
import type { MarketKey } from '../../contract/markets.js';
import { type HistoryMarket, marketKeyOf, type TradeRow } from '../model/records.js';
import { readAccountTrades } from '../store/account-trades.js';
import { marketCode } from '../store/columns.js';
import type { HistoryStore } from '../store/store.js';
import { cursorOf, type PageEnd, readAccountCursor } from './cursor.js';
import { readPage } from './read-page.js';
import { tradeRecordText } from './record-text.js';

/** The inputs of the body. */
interface AccountContext {
  readonly store: Pick<HistoryStore, 'runRead'>;
  /** The served markets; trades of other markets are omitted, because their decimals are unknown. */
  readonly markets: ReadonlyMap<MarketKey, HistoryMarket>;
}

/**
 * Renders a page, newest first; trades of a slot are ordered by market and by the program's record
 * numbers, which never change.
 *
 * # Errors
 * Throws INVALID_PARAM for a cursor that is malformed or belongs to other records.
 */
export function makeAccountTradesBody(
  { account, market, limit, before }: AccountTradesQuery,
  { store, markets }: AccountContext,
): HistoryBody {
  const query = { account, markets: market === undefined ? [...markets.keys()] : [market] };
  const after = before === undefined ? {} : { after: placeOf(readAccountCursor(before, 'page')) };
  const { rows, hasMore } = readPage<TradeRow>(
    { limit, ...after },
    (part) => store.runRead((parts) => readAccountTrades(parts, { ...query, ...part })),
    placeInSlot,
  );
  const texts = rows.flatMap((row) => {
    const market = markets.get(marketKeyOf(row));
    return market === undefined
      ? []
      : [`${tradeRecordText(row, market).slice(0, -1)},"user":"${account}"}`];
  });
  const last = rows.at(-1);
  const nextPage = hasMore && last !== undefined ? cursorAfter(last) : null;
  const meta = JSON.stringify({ nextPage });
  const text = `{"success":true,"records":[${texts.join()}],"meta":${meta}}`;
  return { body: new TextEncoder().encode(text), nextCursor: nextPage };
}

/** The number of record numbers in a market: 64 bits, and -1 for none. */
const NUMBERS = 2n ** 65n;

/** Combines market and record number to order the trades of a slot. */
function placeInSlot(row: TradeRow): bigint {
  return BigInt(marketCode(marketKeyOf(row))) * NUMBERS + (row.fillRecordId ?? -1n) + 1n;
}

function cursorAfter(row: TradeRow): string {
  const end = { slot: row.slot, id: row.fillRecordId ?? -1n };
  return cursorOf(end, { kind: 'accountTrades', market: marketKeyOf(row) });
}

function placeOf({ slot, id, market }: PageEnd & { readonly market: MarketKey }): PageEnd {
  return { slot, id: BigInt(marketCode(market)) * NUMBERS + id + 1n };
}
