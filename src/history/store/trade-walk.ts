import { sql } from 'kysely';
import type { MarketKey } from '../../contract/markets.js';
import { EXPORT_TRADES_AT_ONCE } from '../model/limits.js';
import type { TradeRow } from '../model/records.js';
import { marketCode } from './columns.js';
import { hiddenId, selectTrades } from './pages.js';
import { rowsOf } from './queries.js';
import { tradeOf } from './record-rows.js';
import type { ReadParts } from './writer.js';

/** The trades to walk, oldest first. */
interface TradeWalk {
  readonly market: MarketKey;
  readonly behindSlot: number;
  /** The first and the last second. */
  readonly fromTs: number;
  readonly toTs: number;
}

/** Returns the next trades of a walk, in whole slots; none at its end. */
export function nextTrades(
  { connection, nameIds }: ReadParts,
  { market, behindSlot, fromTs, toTs }: TradeWalk,
): readonly TradeRow[] {
  const page = selectTrades()
    .where(sql<boolean>`r.market = ${marketCode(market)} and r.slot > ${behindSlot}`)
    .where(sql<boolean>`r.ts >= ${fromTs} and r.ts <= ${toTs}`)
    .where('r.explanation', '!=', hiddenId(nameIds))
    .orderBy(sql`r.slot, r.place, r.idx, r.tx`)
    .limit(EXPORT_TRADES_AT_ONCE);
  const rows = rowsOf(connection, page).map((row) => tradeOf(row, nameIds));
  if (rows.length < EXPORT_TRADES_AT_ONCE) return rows;
  const whole = rows.filter(({ slot }) => slot < (rows.at(-1)?.slot ?? 0));
  return whole.length > 0 ? whole : rows;
}
