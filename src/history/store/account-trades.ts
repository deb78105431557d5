/** The trades of one account, as taker or maker, in all markets. */
import { sql } from 'kysely';
import type { MarketKey } from '../../contract/markets.js';
import type { TradeRow } from '../model/records.js';
import { marketCode, marketCodeOf } from './columns.js';
import { hiddenId, selectTrades } from './pages.js';
import { rowsOf } from './queries.js';
import { tradeOf } from './record-rows.js';
import type { RecordPosition } from './types.js';
import type { ReadParts } from './writer.js';

/** A range of them, newest first. */
interface AccountTradesPart {
  readonly account: string;
  readonly markets: readonly MarketKey[];
  readonly limit: number;
  /** Number of rows to skip from the newest; the cost grows with it. */
  readonly offset?: number;
  readonly before?: RecordPosition;
}

/**
 * Reads a part of the trades. The roles taker and maker have an index each, and both results are
 * merged.
 */
export function readAccountTrades(parts: ReadParts, query: AccountTradesPart): readonly TradeRow[] {
  const id = parts.nameIds.findAccountId(query.account);
  if (id === null) return [];
  const { limit, offset = 0 } = query;
  const taken = readRole(parts, query, sql<boolean>`r.taker = ${id}`);
  const made = readRole(
    parts,
    query,
    sql<boolean>`r.maker = ${id} and r.taker is distinct from ${id}`,
  );
  return [...taken, ...made].sort(newestFirst).slice(offset, offset + limit);
}

function readRole(
  { connection, nameIds }: ReadParts,
  { markets, limit, offset = 0, before }: AccountTradesPart,
  isOfAccount: ReturnType<typeof sql<boolean>>,
): readonly TradeRow[] {
  if (markets.length === 0) return [];
  const codes = sql.join(markets.map((market) => sql.lit(marketCode(market))));
  // The plus makes the planner use the account's index instead of the market's key.
  const isWanted = sql<boolean>`+r.market in (${codes})
    and r.explanation != ${hiddenId(nameIds)}`;
  let select = selectTrades().where(isOfAccount).where(isWanted);
  if (before !== undefined) {
    const { slot, place, index } = before;
    select = select.where(sql<boolean>`(r.slot, r.place, r.idx) < (${slot}, ${place}, ${index})`);
  }
  const order = sql`r.slot desc, r.place desc, r.idx desc, r.market desc, r.tx desc`;
  const rows = rowsOf(connection, select.orderBy(order).limit(limit + offset));
  return rows.map((row) => tradeOf(row, nameIds));
}

function newestFirst(left: TradeRow, right: TradeRow): number {
  return (
    right.slot - left.slot ||
    right.place - left.place ||
    right.index - left.index ||
    marketCodeOf(right.marketType, right.marketIndex) -
      marketCodeOf(left.marketType, left.marketIndex)
  );
}
