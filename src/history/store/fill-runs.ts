import { GAPS_TOLD_MAX } from '../limits.js';
import type { MarketKey } from '../records.js';
import type { Connection } from './connection.js';
import { readInteger, readNumber, storedInteger } from './integers.js';
import { marketCode, marketKeyOfCode } from './market-code.js';
import type { FillGap } from './types.js';

interface Run {
  readonly first: bigint;
  readonly last: bigint;
}

/** Holes in the fillRecordIds of markets. */
export interface FillGaps {
  /** Numbers that are missing, of all holes. */
  readonly missing: bigint;
  readonly holes: number;
  /** The first of the holes. */
  readonly gaps: readonly FillGap[];
}

const nearestText = `select first_id, last_id from fill_runs
  where market = ? and first_id <= ? order by first_id desc limit 1`;
const insertText = 'insert into fill_runs (market, first_id, last_id) values (?, ?, ?)';
const deleteText = 'delete from fill_runs where market = ? and first_id = ?';

/**
 * Which fillRecordIds of a market were stored, as runs of contiguous ones. The program numbers the
 * fills of a market without a hole, so what lies between two runs is what is missing.
 */
export class FillRuns {
  readonly #connection: Connection;
  #known = new Map<MarketKey | 'all', FillGaps>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds numbers to those of a market; they may be there already. */
  add(code: number, ids: readonly bigint[]): void {
    this.#known.clear();
    for (const run of runsOf(ids)) this.#addRun(code, run);
  }

  /** Takes one number away. */
  takeAway(code: number, id: bigint): void {
    this.#known.clear();
    const run = this.#nearest(code, id);
    if (run === null || run.last < id) return;
    this.#connection.run(deleteText, [code, storedInteger(run.first)]);
    if (run.first < id) this.#insert(code, { first: run.first, last: id - 1n });
    if (run.last > id) this.#insert(code, { first: id + 1n, last: run.last });
  }

  /** Forgets what was counted: a write failed. */
  forget(): void {
    this.#known.clear();
  }

  /** The holes of a market, or of all. */
  gaps(market?: MarketKey): FillGaps {
    const name = market ?? 'all';
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#count(market);
    this.#known.set(name, found);
    return found;
  }

  #addRun(code: number, run: Run): void {
    let { first, last } = run;
    for (;;) {
      const near = this.#nearest(code, last + 1n);
      if (near === null || near.last < first - 1n) break;
      if (near.first <= first && near.last >= last) return;
      this.#connection.run(deleteText, [code, storedInteger(near.first)]);
      if (near.first < first) first = near.first;
      if (near.last > last) last = near.last;
    }
    this.#insert(code, { first, last });
  }

  #insert(code: number, run: Run): void {
    this.#connection.run(insertText, [code, storedInteger(run.first), storedInteger(run.last)]);
  }

  #nearest(code: number, id: bigint): Run | null {
    const row = this.#connection.one(nearestText, [code, storedInteger(id)]);
    return row === null ? null : { first: readInteger(row[0]), last: readInteger(row[1]) };
  }

  #count(market?: MarketKey): FillGaps {
    const rows = this.#connection.all(
      `select market, first_id, last_id from fill_runs
      ${market === undefined ? '' : 'where market = ?'} order by market, first_id`,
      market === undefined ? [] : [marketCode(market)],
    );
    const gaps: FillGap[] = [];
    let missing = 0n;
    let holes = 0;
    rows.forEach((row, at) => {
      const previous = rows[at - 1];
      if (previous === undefined || previous[0] !== row[0]) return;
      const [after, before] = [readInteger(previous[2]), readInteger(row[1])];
      missing += before - after - 1n;
      holes += 1;
      if (gaps.length >= GAPS_TOLD_MAX) return;
      gaps.push({
        market: marketKeyOfCode(readNumber(row[0])),
        after,
        before,
        missing: before - after - 1n,
      });
    });
    return { missing, holes, gaps };
  }
}

/** Numbers in any order, with repetitions, as runs in ascending order. */
function runsOf(ids: readonly bigint[]): readonly Run[] {
  const runs: { first: bigint; last: bigint }[] = [];
  for (const id of [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const open = runs.at(-1);
    if (open !== undefined && id <= open.last + 1n) open.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs;
}
