/** The records of an account, in the format of the Drift v2 data API. */
import type {
  AccountRecordsQuery,
  HistoryBody,
  OrderQuery,
} from '../../contract/history-queries.js';
import type { MarketKey } from '../../contract/markets.js';
import type { HistoryMarket } from '../model/records.js';
import { marketCode } from '../store/columns.js';
import { accountPage, orderRows, pageActions } from '../store/record-pages.js';
import { renderRows } from '../store/render-rows.js';
import type { HistoryStore } from '../store/store.js';
import { accountCursorOf, readAccountCursor } from './cursor.js';
import { ownBytes } from './make-body.js';
import { readPage } from './read-page.js';

/** The inputs of the bodies. */
interface AccountContext {
  readonly store: Pick<HistoryStore, 'runRead'>;
  /** The served markets; records of other markets are omitted, because their decimals are unknown. */
  readonly markets: ReadonlyMap<MarketKey, HistoryMarket>;
}

/** The number of records without a market. */
const NO_MARKET = -1;

/**
 * Renders a page of records, or an order.
 *
 * # Errors
 * Throws INVALID_PARAM for a cursor that is malformed or belongs to other records.
 */
export function makeAccountBody(
  query: AccountRecordsQuery | OrderQuery,
  context: AccountContext,
): HistoryBody {
  return query.kind === 'order' ? makeOrderBody(query, context) : makePageBody(query, context);
}

/**
 * Renders a page, newest first; records of a slot are ordered by market and by their numbers, which
 * never change.
 */
function makePageBody(query: AccountRecordsQuery, { store, markets }: AccountContext): HistoryBody {
  const { account, records: kind, market, isPerp, limit, before: cursor } = query;
  const keys = market === undefined ? [...markets.keys()] : [market];
  const served = keys.filter((key) => isPerp !== true || key.startsWith('perp')).map(marketCode);
  const before = cursor === undefined ? undefined : readAccountCursor(cursor, kind, 'page');
  const wanted = { account, kind, before, markets: [...served, NO_MARKET] };
  const { rows, hasMore } = readPage(limit, (rows) =>
    store.runRead((parts) => accountPage(parts, { ...wanted, limit: rows })),
  );
  const last = hasMore ? rows.at(-1) : undefined;
  const nextPage = last === undefined ? null : accountCursorOf({ ...last, kind });
  const user = kind === 'trade' ? { user: account } : {};
  const context = { markets: [...markets.values()], ...user };
  const page = { ...wanted, limit: rows.length };
  const actions = kind === 'order' ? store.runRead((parts) => pageActions(parts, page)) : [];
  const form = kind === 'order' ? 'orders' : 'records';
  const list = renderRows([...actions, ...rows], form, context);
  const tail = `],"meta":{"nextPage":${JSON.stringify(nextPage)}}}`;
  return { body: ownBytes('{"success":true,"records":[', list, tail), nextCursor: nextPage };
}

/** Renders everything that was logged of an order, oldest first: its placement, then each action. */
function makeOrderBody(query: OrderQuery, { store, markets }: AccountContext): HistoryBody {
  const served = [...markets.keys()].map(marketCode);
  const rows = store.runRead((parts) => orderRows(parts, { ...query, markets: served }));
  const context = { markets: [...markets.values()] };
  const placed = rows.filter(({ kind }) => kind === 'order').slice(0, 1);
  const actions = rows.filter(({ kind }) => kind !== 'order');
  const order = renderRows([...actions, ...placed], 'orders', context).toString() || 'null';
  const list = renderRows(actions, 'records', context);
  const head = `{"success":true,"record":${order},"actions":[`;
  return { body: ownBytes(head, list, ']}'), nextCursor: null };
}
