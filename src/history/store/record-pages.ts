/** Reads pages, spans and walks of records. */
import type { MarketKey } from '../../contract/markets.js';
import type { RecordKind } from '../../engine/events.js';
import {
  ARCHIVE_ROWS_COUNTED_MAX,
  EXPORT_TRADES_AT_ONCE,
  ORDER_ACTIONS_MAX,
  PAGE_OFFSET_MAX,
  PAGE_ROWS_MAX,
} from '../model/limits.js';
import type { RecordPosition, RecordRow } from '../model/records.js';
import { decodeBase58 } from './base58.js';
import { marketCode, readNumber, storedInteger } from './columns.js';
import type { Bound } from './connection.js';
import { accountCode, kindCode, type ReadParts, readRecordRows } from './record-rows.js';
import type { RecordPageQuery, RecordSpanPart, RecordSpanQuery } from './types.js';

/** Returns a page of a market's records of a kind, newest first. */
export function recordPage(parts: ReadParts, query: RecordPageQuery): readonly RecordRow[] {
  const { before, since, limit, offset = 0 } = query;
  const key: readonly Bound[] = [kindCode(query.kind), marketCode(query.market)];
  const bound: Bound[] = [...key];
  let where = 'where r.kind = ? and r.market = ?';
  if (before !== undefined) {
    where += ' and (r.slot, r.id) < (?, ?)';
    bound.push(before.slot, storedInteger(before.id));
  }
  if (since !== undefined) {
    // The walk ends at the first slot of the requested time, not at the market's oldest row.
    where += ` and r.slot >= (select min(slot) from records where kind = ? and market = ? and ts >= ?)
      and r.ts >= ?`;
    bound.push(...key, since, since);
  }
  requireMax('limit', limit, PAGE_ROWS_MAX);
  requireMax('offset', offset, PAGE_OFFSET_MAX);
  const order = 'order by r.slot desc, r.id desc, r.tx desc, r.idx desc limit ? offset ?';
  return readRecordRows(parts, `${where} ${order}`, [...bound, limit, offset]);
}

function requireMax(name: string, value: number, max: number): void {
  if (value > max) throw new RangeError(`${name} was ${value}, must be at most ${max}`);
}

/** Records of one account, newest first. */
interface AccountPageQuery {
  /** A user account, or for kinds of users an authority; base58. */
  readonly account: string;
  readonly kind: RecordKind;
  /** By `LoggedRecord.market`. */
  readonly markets: readonly number[];
  readonly limit: number;
  readonly before?: (RecordPosition & { readonly market: number }) | undefined;
}

const byParty = `join parties p on p.kind = r.kind and p.market = r.market and p.slot = r.slot
  and p.id = r.id and p.tx = r.tx and p.idx = r.idx
  where instr(r.bytes, ?) > 0 and p.account = ?`;

/** Returns a page of an account's records of a kind; in a slot by market, then by number. */
export function accountPage(parts: ReadParts, query: AccountPageQuery): readonly RecordRow[] {
  const key = decodeBase58(query.account, 32);
  if (key === null || query.markets.length === 0) return [];
  const { text, bound } = pageOf(query);
  return readRecordRows(parts, `${byParty} ${text}`, [key, accountCode(key), ...bound]);
}

/** Returns the actions on the orders of a page, oldest first. */
export function pageActions(parts: ReadParts, query: AccountPageQuery): readonly RecordRow[] {
  const key = decodeBase58(query.account, 32);
  if (key === null || query.markets.length === 0) return [];
  const { text, bound } = pageOf(query);
  const of = `p.order_id in (select p.order_id from parties p where p.account = ? ${text})`;
  const order = 'order by p.slot desc, x.place desc, p.idx desc limit ?';
  const account = accountCode(key);
  const all = [key, account, kindCode(query.kind), account, ...bound, ORDER_ACTIONS_MAX];
  return readRecordRows(parts, `${byParty} and p.kind <> ? and ${of} ${order}`, all).toReversed();
}

function pageOf({ kind, markets, before, limit }: AccountPageQuery) {
  const bound: Bound[] = [kindCode(kind)];
  let where = `and p.kind = ? and p.market in (${markets.join()})`;
  if (before !== undefined) {
    where += ' and (p.slot, p.market, p.id) < (?, ?, ?)';
    bound.push(before.slot, before.market, storedInteger(before.id));
  }
  const order = 'order by p.slot desc, p.market desc, p.id desc, p.tx desc, p.idx desc limit ?';
  return { text: `${where} ${order}`, bound: [...bound, limit] };
}

/** An order of an account, which may be of any of the markets. */
interface OrderRowsQuery extends Pick<AccountPageQuery, 'account' | 'markets'> {
  readonly orderId: number;
}

/** Returns everything that was logged of an order, oldest first; at most `PAGE_ROWS_MAX`. */
export function orderRows(parts: ReadParts, query: OrderRowsQuery): readonly RecordRow[] {
  const { account, markets, orderId } = query;
  const key = decodeBase58(account, 32);
  if (key === null || markets.length === 0) return [];
  const where = `and p.order_id = ? and p.market in (${markets.join()})`;
  const order = 'order by p.slot, x.place, p.idx limit ?';
  const bound = [key, accountCode(key), orderId, PAGE_ROWS_MAX];
  return readRecordRows(parts, `${byParty} ${where} ${order}`, bound);
}

/** Returns a range of the records in a span, oldest first. */
export function recordSpan(parts: ReadParts, part: RecordSpanPart): readonly RecordRow[] {
  const order = 'order by r.ts, r.slot, r.id, r.tx, r.idx limit ? offset ?';
  const bound = [...boundsOf(part), part.limit, part.offset];
  return readRecordRows(
    parts,
    `where r.kind = ? and r.market = ? and r.ts >= ? and r.ts < ? ${order}`,
    bound,
  );
}

/** Returns the number of records in a span, at most `ARCHIVE_ROWS_COUNTED_MAX`. */
export function countRecords({ connection }: ReadParts, span: RecordSpanQuery): number {
  const rows = 'select 1 from records where kind = ? and market = ? and ts >= ? and ts < ? limit ?';
  const text = `select count(*) from (${rows}) as counted`;
  const [count] = connection.readRow(text, [...boundsOf(span), ARCHIVE_ROWS_COUNTED_MAX]) ?? [];
  return readNumber(count);
}

function boundsOf({ kind, market, from, to }: RecordSpanQuery): readonly number[] {
  return [kindCode(kind), marketCode(market), from, to];
}

/** The trades to walk, oldest first. */
interface TradeWalk {
  readonly market: MarketKey;
  readonly behindSlot: number;
  /** The first and the last second. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** Returns the next trades of a walk, in whole slots; none at its end. */
export function nextTrades(parts: ReadParts, walk: TradeWalk): readonly RecordRow[] {
  const { market, behindSlot, fromTs, toTs } = walk;
  const where = 'where r.kind = ? and r.market = ? and r.slot > ? and r.ts >= ? and r.ts <= ?';
  const order = 'order by r.slot, r.id, r.tx, r.idx limit ?';
  const bound = [kindCode('trade'), marketCode(market), behindSlot, fromTs, toTs];
  const rows = readRecordRows(parts, `${where} ${order}`, [...bound, EXPORT_TRADES_AT_ONCE]);
  if (rows.length < EXPORT_TRADES_AT_ONCE) return rows;
  const whole = rows.filter(({ slot }) => slot < (rows.at(-1)?.slot ?? 0));
  return whole.length > 0 ? whole : rows;
}
