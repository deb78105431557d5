import type { MarketKey } from '../../contract/markets.js';
import { GAPS_LISTED_MAX } from '../model/limits.js';
import { marketCode, marketKeyOfCode, readInteger, readNumber, storedInteger } from './columns.js';
import type { Connection, Row } from './connection.js';
import type { FillGap } from './types.js';

interface Run {
  readonly first: bigint;
  readonly last: bigint;
}

/** Holes in the fillRecordIds of markets. */
export interface FillGaps {
  readonly missing: bigint;
  readonly holes: number;
  /** The first holes. */
  readonly gaps: readonly FillGap[];
  /** The number of missing numbers by market; contains only markets with missing numbers. */
  readonly byMarket: ReadonlyMap<MarketKey, bigint>;
}

interface RunTotals {
  runs: number;
  numbers: bigint;
}

const nearestText = `select first_id, last_id from fill_runs
  where market = ? and first_id <= ? order by first_id desc limit 1`;
const insertText = 'insert into fill_runs (market, first_id, last_id) values (?, ?, ?)';
const deleteText = 'delete from fill_runs where market = ? and first_id = ?';
const firstText = `select first_id, last_id from fill_runs
  where market = ? order by first_id limit ?`;
const lastText = `select first_id, last_id from fill_runs
  where market = ? order by first_id desc limit 1`;

/**
 * The stored fillRecordIds of each market as contiguous runs. The program numbers a market's fills
 * without holes, so the ranges between runs are missing. Totals are updated with each change,
 * because they are read every second and there may be a hundred thousand runs.
 */
export class FillRuns {
  readonly #connection: Connection;
  /** The totals by market, ascending; null when they must be computed. */
  #totals: Map<number, RunTotals> | null = null;
  #cachedGaps = new Map<MarketKey | 'all', FillGaps>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds numbers of a market; some may already be stored. */
  addIds(code: number, ids: readonly bigint[]): void {
    this.#cachedGaps.clear();
    for (const run of runsOf(ids)) this.#addRun(code, run);
  }

  removeId(code: number, id: bigint): void {
    this.#cachedGaps.clear();
    const run = this.#nearestRun(code, id);
    if (run === null || run.last < id) return;
    this.#deleteRun(code, run);
    if (run.first < id) this.#insertRun(code, { first: run.first, last: id - 1n });
    if (run.last > id) this.#insertRun(code, { first: id + 1n, last: run.last });
  }

  /** Clears the totals after a failed write. */
  clearCache(): void {
    this.#cachedGaps.clear();
    this.#totals = null;
  }

  /** Returns the holes of a market, or of all markets. */
  findGaps(market?: MarketKey): FillGaps {
    const name = market ?? 'all';
    const known = this.#cachedGaps.get(name);
    if (known !== undefined) return known;
    const found = this.#countGaps(market);
    this.#cachedGaps.set(name, found);
    return found;
  }

  #addRun(code: number, run: Run): void {
    let { first, last } = run;
    for (;;) {
      const near = this.#nearestRun(code, last + 1n);
      if (near === null || near.last < first - 1n) break;
      if (near.first <= first && near.last >= last) return;
      this.#deleteRun(code, near);
      if (near.first < first) first = near.first;
      if (near.last > last) last = near.last;
    }
    this.#insertRun(code, { first, last });
  }

  #insertRun(code: number, run: Run): void {
    const totals = this.#totalsOf(code);
    this.#connection.changeRows(insertText, [
      code,
      storedInteger(run.first),
      storedInteger(run.last),
    ]);
    totals.runs += 1;
    totals.numbers += lengthOf(run);
  }

  #deleteRun(code: number, run: Run): void {
    const totals = this.#totalsOf(code);
    this.#connection.changeRows(deleteText, [code, storedInteger(run.first)]);
    totals.runs -= 1;
    totals.numbers -= lengthOf(run);
  }

  #nearestRun(code: number, id: bigint): Run | null {
    const row = this.#connection.readRow(nearestText, [code, storedInteger(id)]);
    return row === null ? null : runOf(row);
  }

  #countGaps(market?: MarketKey): FillGaps {
    const only = market === undefined ? null : marketCode(market);
    const codes = [...this.#loadTotals().keys()].filter((code) => only === null || code === only);
    const gaps: FillGap[] = [];
    const byMarket = new Map<MarketKey, bigint>();
    let missing = 0n;
    let holes = 0;
    for (const code of codes.toSorted((a, b) => a - b)) {
      const { runs, numbers } = this.#totalsOf(code);
      if (runs < 2) continue;
      const lacking = this.#lengthOfAll(code) - numbers;
      missing += lacking;
      holes += runs - 1;
      byMarket.set(marketKeyOfCode(code), lacking);
      gaps.push(...this.#firstGaps(code, GAPS_LISTED_MAX - gaps.length));
    }
    return { missing, holes, gaps, byMarket };
  }

  /** Returns the length of the range from a market's first number to its last. */
  #lengthOfAll(code: number): bigint {
    const [first] = this.#connection.readRows(firstText, [code, 1]).map(runOf);
    const [last] = this.#connection.readRows(lastText, [code]).map(runOf);
    if (first === undefined || last === undefined) return 0n;
    return lengthOf({ first: first.first, last: last.last });
  }

  /** The first holes of a market. */
  #firstGaps(code: number, limit: number): readonly FillGap[] {
    if (limit === 0) return [];
    const runs = this.#connection.readRows(firstText, [code, limit + 1]).map(runOf);
    return runs.flatMap(({ first: before }, at) => {
      const after = runs[at - 1]?.last;
      if (after === undefined) return [];
      return [{ market: marketKeyOfCode(code), after, before, missing: before - after - 1n }];
    });
  }

  #totalsOf(code: number): RunTotals {
    const totals = this.#loadTotals();
    const known = totals.get(code);
    if (known !== undefined) return known;
    const none = { runs: 0, numbers: 0n };
    totals.set(code, none);
    return none;
  }

  #loadTotals(): Map<number, RunTotals> {
    if (this.#totals !== null) return this.#totals;
    const totals = new Map<number, RunTotals>();
    const rows = this.#connection.readRows('select first_id, last_id, market from fill_runs');
    for (const row of rows) {
      const code = readNumber(row[2]);
      const { runs, numbers } = totals.get(code) ?? { runs: 0, numbers: 0n };
      totals.set(code, { runs: runs + 1, numbers: numbers + lengthOf(runOf(row)) });
    }
    this.#totals = totals;
    return totals;
  }
}

function runOf([first, last]: Row): Run {
  return { first: readInteger(first), last: readInteger(last) };
}

function lengthOf({ first, last }: Run): bigint {
  return last - first + 1n;
}

/** Converts numbers in any order, with duplicates, into ascending runs. */
function runsOf(ids: readonly bigint[]): readonly Run[] {
  const runs: { first: bigint; last: bigint }[] = [];
  for (const id of [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const open = runs.at(-1);
    if (open !== undefined && id <= open.last + 1n) open.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs;
}
