import { RECORD_KINDS, type RecordKind } from '../../engine/events.js';
import { RETIRE_ROWS_MAX } from '../model/limits.js';
import { readNumber, readNumberOrNull } from './columns.js';
import type { Connection } from './connection.js';
import { addTo, totalOf } from './meta.js';
import { marketsIn } from './queries.js';
import { kindCode, kindsAndMarkets } from './record-rows.js';
import type { CandleMinutes, RetirePolicy } from './types.js';
import type { StoreParts } from './writer.js';

/** The result of one step of retention. */
export interface Retired {
  readonly records: number;
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
  const { transactions, totals } = parts;
  const gone: Gone = { records: 0, totals: {}, transactions: 0 };
  for (const [kind, before] of Object.entries(policy.recordsBefore ?? {})) {
    retireKind(parts, { kind: kind as RecordKind, before }, gone);
  }
  if (gone.transactions > 0) transactions.clearCache();
  const { records } = gone;
  const candles = retireCandles(parts, policy, Math.max(RETIRE_ROWS_MAX - records, 0));
  const { emptyUpToSlot } = policy;
  const empty = emptyUpToSlot === undefined ? 0 : transactions.deleteEmpty(emptyUpToSlot);
  addTo(gone.totals, 'transactions', -gone.transactions - empty);
  totals.addCounts(gone.totals);
  const hasMore = Math.max(records + candles, empty) >= RETIRE_ROWS_MAX;
  return { records, candles, empty, hasMore };
}

/** The rows that were deleted, and what they change in the totals. */
interface Gone {
  records: number;
  transactions: number;
  readonly totals: Record<string, number>;
}

/** Deletes the oldest records of a kind in all markets, and counts them. */
function retireKind(
  parts: StoreParts,
  { kind, before }: { readonly kind: RecordKind; readonly before: number },
  gone: Gone,
): void {
  // Only fills need a line: candles count them still.
  const isFill = kind === 'trade' || kind === 'transfer';
  if (isFill) parts.cutoffs.advanceCutoff(kind, before);
  for (const { market } of kindsAndMarkets(parts.connection, [kind])) {
    const room = Math.max(RETIRE_ROWS_MAX - gone.records, 0);
    const { rows, transactions } = deleteOldest(parts, { kind, market, before, room });
    gone.records += rows;
    gone.transactions += transactions;
    addTo(gone.totals, totalOf(kind), -rows);
  }
}

/**
 * Returns the seconds from the oldest record to the cutoff of a policy; 0 when the policy deletes
 * nothing.
 */
export function retiredSpan({ connection }: StoreParts, policy: RetirePolicy): number {
  const { recordsBefore = {}, candlesBefore = {} } = policy;
  const spans = [0];
  for (const [name, before] of Object.entries(recordsBefore)) {
    const kind = name as RecordKind;
    const oldest = 'select ts from records where kind = ? and market = ? order by ts limit 1';
    spans.push(
      ...kindsAndMarkets(connection, [kind]).map(
        ({ market }) => before - firstTs(connection, oldest, [kindCode(kind), market]),
      ),
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
  const text = 'select max(ts) from records where kind = ? and market = ? and ts <= ?';
  const times = kindsAndMarkets(connection, RECORD_KINDS).map(({ kind, market }) =>
    readNumberOrNull(connection.readRow(text, [kindCode(kind), market, tsMax])?.[0] ?? null),
  );
  return times.reduce((newest, ts) => (ts === null || (newest ?? ts) > ts ? newest : ts), null);
}

/** Records of a kind and a market before a time, unix seconds; at most `room`. */
interface OldRecords {
  readonly kind: RecordKind;
  readonly market: number;
  readonly before: number;
  readonly room: number;
}

/** Deletes the oldest records, and their transactions that have none left. */
function deleteOldest({ connection }: StoreParts, { kind, market, before, room }: OldRecords) {
  const oldest = `select tx, idx from records where kind = ? and market = ? and ts < ?
    order by ts, slot, id, tx, idx limit ?`;
  const bound = [kindCode(kind), market, before, room];
  const touched = new Set(connection.readRows(oldest, bound).map(([tx]) => readNumber(tx)));
  if (touched.size === 0) return { rows: 0, transactions: 0 };
  const [, , rows = 0] = ['parties', 'uncharted', 'records'].map((table) =>
    connection.changeRows(`delete from ${table} where (tx, idx) in (${oldest})`, bound),
  );
  const transactions = connection.changeRows(
    `delete from transactions where id in (${[...touched].join()})
      and not exists (select 1 from records r where r.tx = transactions.id)`,
  );
  return { rows, transactions };
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
