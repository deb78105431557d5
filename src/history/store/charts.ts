import { REBUILD_ROWS, TS_MAX } from '../limits.js';
import type { Fill, MarketKey } from '../records.js';
import type { CandleTables, Span } from './candle-table.js';
import type { Bound, Connection, Row } from './connection.js';
import { marketCode, marketKeyOfCode, marketTypeOf } from './market-code.js';
import type { Numbers } from './numbers.js';
import { fillOf, TRADE_COLUMNS } from './trade-rows.js';
import type { CandleChange, CandlePoint, StoreOptions } from './types.js';

/** Base amounts of perp markets, whatever the market. */
const perpDecimals = 9;
const columns = TRADE_COLUMNS.join(', ');
const byTimeText = `select ${columns} from trades where market = ? and ts >= ? and ts < ?`;
const firstRowsText = `select ${columns} from trades where market = ?
  order by slot, place, idx, tx limit ${REBUILD_ROWS}`;
const nextRowsText = `select ${columns} from trades
  where market = ? and (slot, place, idx, tx) > (?, ?, ?, ?)
  order by slot, place, idx, tx limit ${REBUILD_ROWS}`;

/**
 * What fills add to candles. A market whose decimals are not known yet has trades and no candles; it
 * is remembered in the file, and its candles are made from its trades when they are known.
 */
export class Charts {
  readonly #connection: Connection;
  readonly #numbers: Numbers;
  readonly #options: Pick<StoreOptions, 'rules' | 'decimalsOf'>;
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

  /** What a fill adds to the candles of its market, or null. */
  pointOf(code: number, fill: Fill): CandlePoint | null {
    if (this.#waiting.has(code)) return null;
    const decimals = this.#decimals(code);
    if (decimals !== null) return this.#point(fill, decimals);
    this.#waiting.add(code);
    this.#connection.run('insert or ignore into meta (name, value) values (?, ?)', [
      `uncharted:${code}`,
      marketKeyOfCode(code),
    ]);
    return null;
  }

  /** The points of a market's fills with `from <= ts < to`. */
  points(code: number, span: Span): readonly CandlePoint[] {
    const decimals = this.#decimals(code);
    if (decimals === null) return [];
    return this.#pointsOf(this.#connection.all(byTimeText, [code, span.from, span.to]), decimals);
  }

  /** Makes the candles of the markets that waited for their decimals. */
  catchUp(candles: CandleTables): readonly CandleChange[] {
    const ready = [...this.#waiting].filter((code) => this.#decimals(code) !== null);
    return ready.flatMap((code) => {
      this.#waiting.delete(code);
      this.#connection.run('delete from meta where name = ?', [`uncharted:${code}`]);
      return this.rebuild(marketKeyOfCode(code), candles);
    });
  }

  /** Makes all candles of a market from its trades; the last change of each bucket. */
  rebuild(market: MarketKey, candles: CandleTables): readonly CandleChange[] {
    const code = marketCode(market);
    const decimals = this.#decimals(code) ?? perpDecimals;
    const changes = new Map<string, CandleChange>();
    this.#connection.run('delete from candles where market = ?', [code]);
    let rows = this.#connection.all(firstRowsText, [code]);
    while (rows.length > 0) {
      for (const point of this.#pointsOf(rows, decimals)) candles.add(code, point);
      for (const change of candles.flush()) {
        changes.set(`${change.market}:${change.minutes}:${change.start}`, change);
      }
      const [, slot, place, tx, idx] = rows.at(-1) ?? [];
      rows = this.#connection.all(nextRowsText, [code, slot, place, idx, tx] as readonly Bound[]);
    }
    return [...changes.values()];
  }

  /** Reads which markets wait: at the start, and when a write failed. */
  reload(): void {
    const rows = this.#connection.all("select value from meta where name like 'uncharted:%'");
    this.#waiting = new Set(rows.map(([market]) => marketCode(String(market) as MarketKey)));
  }

  #decimals(code: number): number | null {
    if (marketTypeOf(code) === 'perp') return perpDecimals;
    return this.#options.decimalsOf(marketKeyOfCode(code));
  }

  #pointsOf(rows: readonly Row[], decimals: number): readonly CandlePoint[] {
    return rows
      .map((row) => this.#point(fillOf(row, this.#numbers), decimals))
      .filter((point) => point !== null);
  }

  #point(fill: Fill, decimals: number): CandlePoint | null {
    if (fill.ts < 0 || fill.ts > TS_MAX) return null;
    return this.#options.rules.pointOf(fill, decimals);
  }
}
