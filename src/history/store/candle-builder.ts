import { CHART_ROWS, TS_MAX } from '../model/limits.js';
import type { Fill } from '../model/records.js';
import type { CandleTables, Span } from './candle-tables.js';
import { marketKeyOfCode, marketTypeOf, readNumber } from './columns.js';
import type { Bound, Connection, Row } from './connection.js';
import type { Numbers } from './name-ids.js';
import { marketsIn } from './queries.js';
import { fillOf, TRADE_COLUMNS } from './trade-rows.js';
import type { CandlePoint, StoreOptions } from './types.js';

/** Base amounts of perp markets, whatever the market. */
const perpDecimals = 9;
const columns = TRADE_COLUMNS.map((column) => `t.${column}`).join(', ');
const byTimeText = `select ${columns} from trades t where market = ? and ts >= ? and ts < ?
  and not exists
    (select 1 from uncharted u where u.market = t.market and u.tx = t.tx and u.idx = t.idx)`;
const waitingText = `select ${columns} from uncharted u
  join trades t on t.tx = u.tx and t.idx = u.idx
  where u.market = ? order by u.tx, u.idx limit ?`;
const waitText = 'insert into uncharted (market, tx, idx) values (?, ?, ?)';
const chartedText = 'delete from uncharted where market = ? and tx = ? and idx = ?';

/** Where the row of a fill is. */
export interface FillKey {
  /** `marketCode`. */
  readonly code: number;
  readonly tx: number;
}

/**
 * What fills add to candles. A fill of a market whose decimals are not known is in none: it waits in a
 * table, and is added to what is there when they are told. Decimals never change on chain, so the file
 * remembers them from the first charted fill on.
 */
export class Charts {
  readonly #connection: Connection;
  readonly #numbers: Numbers;
  readonly #options: Pick<StoreOptions, 'rules' | 'decimalsOf'>;
  #remembered = new Map<number, number>();
  /** Markets with fills that wait. */
  #waiting = new Set<number>();

  constructor(
    connection: Connection,
    numbers: Numbers,
    options: Pick<StoreOptions, 'rules' | 'decimalsOf'>,
  ) {
    this.#connection = connection;
    this.#numbers = numbers;
    this.#options = options;
    this.reload();
  }

  /** What a new fill adds to the candles of its market, or null; one that must wait is noted. */
  pointOf({ code, tx }: FillKey, fill: Fill): CandlePoint | null {
    const decimals = this.#decimals(code);
    if (decimals !== null) {
      this.#remember(code, decimals);
      return this.#point(fill, decimals);
    }
    this.#connection.run(waitText, [code, tx, fill.index]);
    this.#waiting.add(code);
    return null;
  }

  /** Whether a market can have candles. */
  knows(code: number): boolean {
    return this.#decimals(code) !== null;
  }

  /** Whether a fill waits that can be charted. */
  get isBehind(): boolean {
    return [...this.#waiting].some((code) => this.knows(code));
  }

  /** The points of a market's charted fills with `from <= ts < to`. */
  points(code: number, span: Span): readonly CandlePoint[] {
    const decimals = this.#decimals(code);
    if (decimals === null) return [];
    const rows = this.#connection.all(byTimeText, [code, span.from, span.to]);
    return rows
      .map((row) => this.#point(fillOf(row, this.#numbers), decimals))
      .filter((point) => point !== null);
  }

  /** Adds fills that waited for decimals that are known by now, `CHART_ROWS` at most. */
  catchUp(candles: CandleTables): void {
    let room = CHART_ROWS;
    for (const code of [...this.#waiting]) {
      const decimals = this.#decimals(code);
      if (decimals === null || room === 0) continue;
      this.#remember(code, decimals);
      const rows = this.#connection.all(waitingText, [code, room]);
      for (const row of rows) this.#chart(row, { code, decimals, candles });
      if (rows.length < room) this.#waiting.delete(code);
      room -= rows.length;
    }
  }

  /** Reads what is remembered and who waits: at the start, and when a write failed. */
  reload(): void {
    const rows = this.#connection.all("select name, value from meta where name like 'decimals:%'");
    this.#remembered = new Map(
      rows.map(([name, value]) => [Number(String(name).split(':')[1]), Number(value)]),
    );
    this.#waiting = new Set(marketsIn(this.#connection, 'uncharted'));
  }

  #chart(
    row: Row,
    to: { readonly code: number; readonly decimals: number; readonly candles: CandleTables },
  ): void {
    const point = this.#point(fillOf(row, this.#numbers), to.decimals);
    if (point !== null) to.candles.add(to.code, point);
    const [tx, idx] = [row[TRADE_COLUMNS.indexOf('tx')], row[TRADE_COLUMNS.indexOf('idx')]];
    this.#connection.run(chartedText, [to.code, readNumber(tx), readNumber(idx)] as Bound[]);
  }

  #decimals(code: number): number | null {
    if (marketTypeOf(code) === 'perp') return perpDecimals;
    return this.#remembered.get(code) ?? this.#options.decimalsOf(marketKeyOfCode(code));
  }

  #remember(code: number, decimals: number): void {
    if (marketTypeOf(code) === 'perp' || this.#remembered.has(code)) return;
    this.#connection.run('insert or replace into meta (name, value) values (?, ?)', [
      `decimals:${code}`,
      String(decimals),
    ]);
    this.#remembered.set(code, decimals);
  }

  #point(fill: Fill, decimals: number): CandlePoint | null {
    if (fill.ts < 0 || fill.ts > TS_MAX) return null;
    return this.#options.rules.pointOf(fill, decimals);
  }
}
