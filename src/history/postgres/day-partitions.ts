import {
  DROPPED_TRANSACTIONS_MAX,
  PARTITION_DAYS_AHEAD,
  PARTITION_TS_MAX,
  PARTITION_TS_MIN,
} from '../model/limits.js';
import { readNumber } from '../store/columns.js';
import type { Bound, DroppedRows, Row } from '../store/connection.js';

const DAY_SECONDS = 86_400;

/** The tables that are partitioned by day. */
export type PartedTable = 'trades' | 'funding_rates';

/** Statements that read and change partitions. */
interface PartitionRunner {
  readRows(text: string, bound?: readonly Bound[]): readonly Row[];
  changeRows(text: string, bound?: readonly Bound[]): number;
}

/** A detached partition whose transactions are being deleted. */
interface DetachedDay {
  readonly table: PartedTable;
  readonly name: string;
}

/** The daily partitions (UTC) of both record tables, such as `trades_d20261123`. */
export class DayPartitions {
  readonly #runner: PartitionRunner;
  /** Days since 1970 with a partition; null until loaded. */
  #days: Map<PartedTable, Set<number>> | null = null;
  /** Null until loaded. */
  #detached: DetachedDay[] | null = null;
  /** The last deleted transaction, by partition name. */
  readonly #emptied = new Map<string, number>();
  readonly #transactionsMax: number;

  constructor(runner: PartitionRunner, transactionsMax: number = DROPPED_TRANSACTIONS_MAX) {
    this.#runner = runner;
    this.#transactionsMax = transactionsMax;
  }

  /** Creates the partition of a moment, and for the newest day some ahead of it. */
  ensureDay(table: PartedTable, ts: number): void {
    if (ts < PARTITION_TS_MIN || ts >= PARTITION_TS_MAX) return;
    const days = this.#daysOf(table);
    const day = Math.floor(ts / DAY_SECONDS);
    const isNewest = day + PARTITION_DAYS_AHEAD > Math.max(...days);
    if (days.has(day) && !isNewest) return;
    if (!days.has(day)) this.#makeDay(table, day);
    if (!isNewest) return;
    for (let ahead = 1; ahead <= PARTITION_DAYS_AHEAD; ahead += 1)
      this.#makeAhead(table, day + ahead);
  }

  /**
   * Runs one step of dropping the oldest partition before a moment: the partition is detached,
   * which is quick; then the transactions with records only in it are deleted in batches; finally
   * it is dropped. An unfinished drop is completed first.
   */
  dropOldest(table: PartedTable, before: number): DroppedRows {
    this.#detached ??= this.#readDetached();
    const [detached] = this.#detached.filter((day) => day.table === table);
    if (detached !== undefined) return this.#emptyDetached(detached);
    const day = Math.min(...this.#daysOf(table));
    if (!((day + 1) * DAY_SECONDS <= before)) return { rows: 0, transactions: 0, hasMore: false };
    return this.#detachDay(table, day);
  }

  #detachDay(table: PartedTable, day: number): DroppedRows {
    const name = partitionName(table, day);
    const [[rows] = []] = this.#runner.readRows(`select count(*) from ${name}`);
    if (table === 'trades') {
      this.#runner.changeRows(`delete from uncharted u using ${name} d
        where u.market = d.market and u.tx = d.tx and u.idx = d.idx`);
    }
    // Last, because readers wait from here on.
    this.#runner.changeRows(`alter table ${table} detach partition ${name}`);
    this.#detached?.push({ table, name });
    return { rows: readNumber(rows), transactions: 0, hasMore: true };
  }

  #emptyDetached(day: DetachedDay): DroppedRows {
    const { table, name } = day;
    const from = this.#emptied.get(name) ?? 0;
    const some = `select distinct tx from ${name} where tx > ? order by tx limit ${this.#transactionsMax}`;
    const [[last] = []] = this.#runner.readRows(`select max(tx) from (${some}) d`, [from]);
    if (last === null || last === undefined) {
      this.#runner.changeRows(`drop table ${name}`);
      this.#detached = this.#detached?.filter((other) => other !== day) ?? null;
      this.#daysOf(table).delete(dayOf(name));
      this.#emptied.delete(name);
      return { rows: 0, transactions: 0, hasMore: true };
    }
    const transactions = this.#runner.changeRows(
      `delete from transactions x using (${some}) d where x.id = d.tx
        and not exists (select 1 from trades r where r.tx = x.id)
        and not exists (select 1 from funding_rates r where r.tx = x.id)`,
      [from],
    );
    this.#emptied.set(name, readNumber(last));
    return { rows: 0, transactions, hasMore: true };
  }

  clearCache(): void {
    this.#days = null;
    this.#detached = null;
    this.#emptied.clear();
  }

  #makeAhead(table: PartedTable, day: number): void {
    if (day * DAY_SECONDS < PARTITION_TS_MAX && !this.#daysOf(table).has(day)) {
      this.#makeDay(table, day);
    }
  }

  #makeDay(table: PartedTable, day: number): void {
    const from = day * DAY_SECONDS;
    const to = (day + 1) * DAY_SECONDS;
    this.#runner.changeRows(
      `create table ${partitionName(table, day)} partition of ${table} for values from (${from}) to (${to})`,
    );
    this.#daysOf(table).add(day);
  }

  #daysOf(table: PartedTable): Set<number> {
    this.#days ??= new Map([
      ['trades', this.#readDays('trades')],
      ['funding_rates', this.#readDays('funding_rates')],
    ]);
    return this.#days.get(table) ?? new Set();
  }

  /**
   * Returns the days with a partition, including detached ones: late records of a detached day go
   * to the default partition.
   */
  #readDays(table: PartedTable): Set<number> {
    const names = this.#runner.readRows(
      `select relname from pg_class where relkind = 'r' and pg_table_is_visible(oid) and relname ~ '^${table}_d[0-9]{8}$'`,
    );
    return new Set(names.map(([name]) => dayOf(String(name))));
  }

  /** Partitions that another run began to drop. */
  #readDetached(): DetachedDay[] {
    const names = this.#runner.readRows(`select relname from pg_class
      where relkind = 'r' and not relispartition and pg_table_is_visible(oid) and relname ~ '^(trades|funding_rates)_d[0-9]{8}$' order by relname`);
    return names.map(([name]) => {
      const table = String(name).startsWith('trades') ? 'trades' : 'funding_rates';
      return { table, name: String(name) };
    });
  }
}

function partitionName(table: PartedTable, day: number): string {
  const date = new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
  return `${table}_d${date.replaceAll('-', '')}`;
}

function dayOf(name: string): number {
  const [, year, month, day] = /_d(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`) / (DAY_SECONDS * 1_000);
}
