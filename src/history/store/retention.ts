import { RETIRE_ROWS_MAX, TS_MAX } from '../model/limits.js';
import { readNumber, readNumberOrNull } from './columns.js';
import type { Connection, DroppedRows } from './connection.js';
import { writeMark } from './marks.js';
import { marketsIn } from './queries.js';
import type { CandleMinutes, RetirePolicy } from './types.js';
import type { StoreParts } from './writer.js';

/** A cutoff before everything. */
const NEVER = Number.NEGATIVE_INFINITY;

type RecordTable = 'trades' | 'funding_rates';

/** The result of one step of retention. */
export interface Retired {
  readonly trades: number;
  readonly fundingRates: number;
  readonly candles: number;
  /** Deleted transactions without records. */
  readonly empty: number;
  /** Whether there may be more to delete. */
  readonly hasMore: boolean;
}

/**
 * Deletes some of the records that are older than the policy allows, within a transaction. The
 * cutoffs are moved first, so that older trades are never stored again.
 */
export function retireSome(parts: StoreParts, policy: RetirePolicy): Retired {
  const { cutoffs } = parts;
  let room = RETIRE_ROWS_MAX;
  if (policy.tradesBefore !== undefined) cutoffs.advanceCutoff('trades', policy.tradesBefore);
  const { tradesBefore: before = NEVER, fundingRatesBefore: ratesBefore = NEVER } = policy;
  const trades = retireRecords(parts, 'trades', { before, room });
  room -= trades.rows;
  const rates = retireRecords(parts, 'funding_rates', { before: ratesBefore, room });
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
    hasMore:
      trades.hasMore ||
      rates.hasMore ||
      Math.max(trades.rows + rates.rows + candles, empty) >= RETIRE_ROWS_MAX,
  };
}

/**
 * Returns the seconds from the oldest record to the cutoff of a policy; 0 when the policy deletes
 * nothing.
 */
export function retiredSpan({ connection }: StoreParts, policy: RetirePolicy): number {
  const { tradesBefore, fundingRatesBefore, candlesBefore = {} } = policy;
  const spans = [0];
  const records = [
    ['trades', tradesBefore],
    ['funding_rates', fundingRatesBefore],
  ] as const;
  for (const [table, before] of records) {
    if (before === undefined) continue;
    const oldest = `select ts from ${table} where market = ? order by ts limit 1`;
    spans.push(
      ...marketsIn(connection, table).map((code) => before - firstTs(connection, oldest, [code])),
    );
  }
  const oldest =
    'select start from candles where market = ? and minutes = ? order by start limit 1';
  for (const [minutes, before] of Object.entries(candlesBefore)) {
    for (const code of marketsIn(connection, 'candles')) {
      spans.push(before - firstTs(connection, oldest, [code, Number(minutes)]));
    }
  }
  return Math.max(...spans);
}

function firstTs(connection: Connection, sql: string, bound: readonly number[]): number {
  const row = connection.readRow(sql, bound);
  return row === null ? Number.POSITIVE_INFINITY : readNumber(row[0]);
}

/** Returns the time of the newest record up to a moment, unix seconds; null when there is none. */
export function newestTs({ connection }: StoreParts, tsMax: number): number | null {
  const times = (['trades', 'funding_rates'] as const).flatMap((table) =>
    marketsIn(connection, table).map((code) => {
      const text = `select max(ts) from ${table} where market = ? and ts <= ?`;
      return readNumberOrNull(connection.readRow(text, [code, tsMax])?.[0] ?? null);
    }),
  );
  return times.reduce((newest, ts) => (ts === null || (newest ?? ts) > ts ? newest : ts), null);
}

/**
 * The name of the mark with the time from which everything is read again, unix seconds; ingestion
 * deletes the mark.
 */
export const REREAD_MARK = 'reread';

/**
 * Lowers cutoffs that are later than all stored records, which a fast clock may have caused:
 * nothing was stored since. Missed records are read again. Runs within a transaction; returns the
 * new cutoff of trades, or null when all cutoffs were valid.
 */
export function clampCutoffs(parts: StoreParts): number | null {
  const { connection, cutoffs } = parts;
  const counted = marketsIn(connection, 'candles').map((code) => {
    const text = 'select max(last_ts) from candles where market = ? and minutes = 1440';
    return readNumberOrNull(connection.readRow(text, [code])?.[0] ?? null) ?? 0;
  });
  const line = Math.max(newestTs(parts, TS_MAX) ?? 0, ...counted) + 1;
  if (!cutoffs.limitCutoffs(line).includes('trades')) return null;
  // Transactions whose records are before the cutoff are forgotten; otherwise ingestion would count
  // them as stored.
  const gone = connection.changeRows(
    'delete from transactions where has_records = 0 and is_truncated = 0',
  );
  parts.totals.addCounts({ trades: 0, fundingRates: 0, transactions: -gone });
  writeMark(connection, 'progress', { name: REREAD_MARK, value: String(line) });
  return line;
}

interface Share {
  /** Unix seconds. */
  readonly before: number;
  /** Maximum rows to delete. */
  readonly room: number;
}

function retireRecords(parts: StoreParts, table: RecordTable, share: Share): DroppedRows {
  const { connection } = parts;
  if (share.before === NEVER) return { rows: 0, transactions: 0, hasMore: false };
  const dropped = connection.dropOldestDay(table, share.before);
  if (dropped.hasMore) return dropped;
  const transactions = new Set<number>();
  let { rows } = dropped;
  for (const code of marketsIn(connection, table)) {
    const room = Math.max(share.room - rows, 0);
    rows += deleteOldest(parts, { table, code, before: share.before, room }, transactions);
  }
  const emptied = deleteEmptyTransactions(connection, transactions);
  return { rows, transactions: dropped.transactions + emptied, hasMore: false };
}

/**
 * Deletes the oldest records of a market and adds their transactions to `touched`; returns the
 * number of deleted records.
 */
function deleteOldest(
  { connection }: StoreParts,
  { table, code, before, room }: Share & { readonly table: RecordTable; readonly code: number },
  touched: Set<number>,
): number {
  const old = connection.readRows(
    `select slot, place, idx, tx from ${table} where market = ? and ts < ? order by ts limit ?`,
    [code, before, room],
  );
  for (const [slot, place, idx, tx] of old) {
    connection.changeRows(
      `delete from ${table} where market = ? and slot = ? and place = ? and idx = ? and tx = ?`,
      [code, slot, place, idx, tx].map((value) => (typeof value === 'bigint' ? value : code)),
    );
    touched.add(readNumber(tx));
  }
  return old.length;
}

/** Deletes transactions that have no records left; returns their number. */
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
        [code, minutes, before, Math.max(room - rows, 0)],
      );
    }
  }
  return rows;
}
