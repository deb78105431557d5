import { PARTITION_DAYS_AHEAD, PARTITION_TS_MAX, PARTITION_TS_MIN } from '../model/limits.js';
import { readNumber } from '../store/columns.js';
import type { Bound, Row } from '../store/connection.js';

const DAY_SECONDS = 86_400;

/** The tables that are parted by day. */
export type PartedTable = 'trades' | 'funding_rates';

/** How partitions are read and made. */
export interface PartitionRunner {
  readRows(text: string, bound?: readonly Bound[]): readonly Row[];
  changeRows(text: string, bound?: readonly Bound[]): number;
}

/** Rows of a partition that was dropped, and transactions that are gone with it. */
export interface DroppedDay {
  readonly rows: number;
  readonly transactions: number;
}

/** The partitions of both tables of records: a day of UTC each, `trades_d20261123`. */
export class DayPartitions {
  readonly #runner: PartitionRunner;
  /** Days by number since 1970; null before they are read. */
  #days: Map<PartedTable, Set<number>> | null = null;

  constructor(runner: PartitionRunner) {
    this.#runner = runner;
  }

  /** Makes the partition of a moment, and where it is the newest some ahead of it. */
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

  /** Drops the oldest partition that lies before a moment, with the transactions that are only there. */
  dropOldest(table: PartedTable, before: number): DroppedDay {
    const day = Math.min(...this.#daysOf(table));
    if (!((day + 1) * DAY_SECONDS <= before)) return { rows: 0, transactions: 0 };
    const name = partitionName(table, day);
    this.#runner.changeRows(`alter table ${table} detach partition ${name}`);
    const [[rows] = []] = this.#runner.readRows(`select count(*) from ${name}`);
    if (table === 'trades') {
      this.#runner.changeRows(`delete from uncharted u using ${name} d
        where u.market = d.market and u.tx = d.tx and u.idx = d.idx`);
    }
    const transactions = this.#runner.changeRows(`delete from transactions x using
      (select distinct tx from ${name}) d where x.id = d.tx
      and not exists (select 1 from trades r where r.tx = x.id)
      and not exists (select 1 from funding_rates r where r.tx = x.id)`);
    this.#runner.changeRows(`drop table ${name}`);
    this.#daysOf(table).delete(day);
    return { rows: readNumber(rows), transactions };
  }

  /** Forgets what was made: the transaction failed. */
  clearCache(): void {
    this.#days = null;
  }

  #makeAhead(table: PartedTable, day: number): void {
    if (day * DAY_SECONDS < PARTITION_TS_MAX && !this.#daysOf(table).has(day)) {
      this.#makeDay(table, day);
    }
  }

  #makeDay(table: PartedTable, day: number): void {
    const [from, to] = [day * DAY_SECONDS, (day + 1) * DAY_SECONDS];
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

  #readDays(table: PartedTable): Set<number> {
    const names = this.#runner.readRows(
      `select inhrelid::regclass::text from pg_inherits where inhparent = '${table}'::regclass`,
    );
    const days = names.flatMap(([name]) => {
      const [, year, month, day] = /_d(\d{4})(\d\d)(\d\d)$/.exec(String(name)) ?? [];
      return year === undefined ? [] : [Date.parse(`${year}-${month}-${day}T00:00:00Z`)];
    });
    return new Set(days.map((ms) => ms / (DAY_SECONDS * 1_000)));
  }
}

function partitionName(table: PartedTable, day: number): string {
  const date = new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
  return `${table}_d${date.replaceAll('-', '')}`;
}
