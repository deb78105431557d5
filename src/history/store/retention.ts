import { RETIRE_ROWS_MAX } from '../model/limits.js';
import { readNumber } from './columns.js';
import type { Connection } from './connection.js';
import { marketsIn } from './queries.js';
import type { CandleMinutes, RetirePolicy } from './types.js';
import type { StoreParts } from './writer.js';

type RecordTable = 'trades' | 'funding_rates';

/** How much one step of retention has deleted. */
export interface Retired {
  readonly trades: number;
  readonly fundingRates: number;
  readonly candles: number;
  /** Transactions that left nothing. */
  readonly empty: number;
  /** Whether there may be more to delete. */
  readonly hasMore: boolean;
}

/**
 * Deletes some of what is older than the policy says; runs within a transaction of the database. The
 * lines are moved first, so that nothing from before them is stored again.
 */
export function retireSome(parts: StoreParts, policy: RetirePolicy): Retired {
  const { cutoffs } = parts;
  let room = RETIRE_ROWS_MAX;
  if (policy.tradesBefore !== undefined) cutoffs.advanceCutoff('trades', policy.tradesBefore);
  if (policy.fundingRatesBefore !== undefined) {
    cutoffs.advanceCutoff('funding_rates', policy.fundingRatesBefore);
  }
  const trades = retireRecords(parts, 'trades', { before: cutoffs.tradesBefore, room });
  room -= trades.rows;
  const rates = retireRecords(parts, 'funding_rates', { before: cutoffs.fundingRatesBefore, room });
  room -= rates.rows;
  if (trades.transactions + rates.transactions > 0) parts.transactions.clearCache();
  const candles = retireCandles(parts, policy, room);
  const empty =
    policy.emptyUpToSlot === undefined ? 0 : parts.transactions.deleteEmpty(policy.emptyUpToSlot);
  parts.totals.addCounts({
    trades: -trades.rows,
    fundingRates: -rates.rows,
    transactions: -(trades.transactions + rates.transactions + empty),
  });
  return {
    trades: trades.rows,
    fundingRates: rates.rows,
    candles,
    empty,
    hasMore: Math.max(trades.rows + rates.rows + candles, empty) >= RETIRE_ROWS_MAX,
  };
}

interface Share {
  /** Unix seconds. */
  readonly before: number;
  /** Rows that may be deleted. */
  readonly room: number;
}

function retireRecords(
  parts: StoreParts,
  table: RecordTable,
  share: Share,
): { readonly rows: number; readonly transactions: number } {
  const { connection } = parts;
  const transactions = new Set<number>();
  let rows = 0;
  if (share.before === Number.NEGATIVE_INFINITY) return { rows, transactions: 0 };
  for (const code of marketsIn(connection, table)) {
    const old = connection.readRows(
      `select slot, place, idx, tx from ${table} where market = ? and ts < ? order by ts limit ?`,
      [code, share.before, Math.max(share.room - rows, 0)],
    );
    for (const [slot, place, idx, tx] of old) {
      connection.changeRows(
        `delete from ${table} where market = ? and slot = ? and place = ? and idx = ? and tx = ?`,
        [code, slot, place, idx, tx].map((value) => (typeof value === 'bigint' ? value : code)),
      );
      transactions.add(readNumber(tx));
    }
    rows += old.length;
  }
  return { rows, transactions: deleteEmptyTransactions(connection, transactions) };
}

/** Takes away the transactions that have no record any more; how many. */
function deleteEmptyTransactions(
  connection: Connection,
  transactions: ReadonlySet<number>,
): number {
  let gone = 0;
  for (const id of transactions) {
    gone += connection.changeRows(
      `delete from transactions where id = ?1
      and not exists (select 1 from trades where tx = ?1)
      and not exists (select 1 from funding_rates where tx = ?1)`,
      [id],
    );
  }
  return gone;
}

function retireCandles(parts: StoreParts, policy: RetirePolicy, room: number): number {
  let rows = 0;
  for (const [name, before] of Object.entries(policy.candlesBefore ?? {})) {
    const minutes = Number(name) as CandleMinutes;
    parts.cutoffs.advanceCutoff(`candles_${minutes}`, before);
    for (const code of marketsIn(parts.connection, 'candles')) {
      rows += parts.connection.changeRows(
        `delete from candles where market = ?1 and minutes = ?2 and start in (
          select start from candles where market = ?1 and minutes = ?2 and start < ?3
          order by start limit ?4)`,
        [code, minutes, parts.cutoffs.candlesBefore(minutes), Math.max(room - rows, 0)],
      );
    }
  }
  return rows;
}
