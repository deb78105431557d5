import { type FillAmounts, readLogged } from '../../engine/events.js';
import { PENDING_FILLS_PER_WRITE_MAX, TS_MAX } from '../model/limits.js';
import type { CandleTables, Span } from './candle-tables.js';
import { marketKeyOfCode, marketTypeOf, readNumber } from './columns.js';
import type { Bound, Connection } from './connection.js';
import { readMarks, writeMark } from './marks.js';
import { marketsIn } from './queries.js';
import { kindCode, type ReadParts, readRecordRows } from './record-rows.js';
import type { CandlePoint, StoreOptions } from './types.js';

const perpDecimals = 9;
const byTimeTail = `where r.kind = ${kindCode('trade')} and r.market = ? and r.ts >= ? and r.ts < ?
  and not exists (select 1 from uncharted u where u.tx = r.tx and u.idx = r.idx)`;
const pendingTail = 'where r.tx = ? and r.idx = ?';
const pendingText = 'select tx, idx from uncharted where market = ? order by tx, idx limit ?';
const addPendingText = 'insert into uncharted (market, tx, idx) values (?, ?, ?)';
const deletePendingText = 'delete from uncharted where tx = ? and idx = ?';

/** The key of a fill's row. */
interface FillKey {
  /** `marketCode`. */
  readonly code: number;
  readonly tx: number;
  readonly index: number;
}

/**
 * Adds fills to candles. A fill of a market with unknown decimals is pending: it is listed in the
 * table `uncharted`, and added when the decimals become known. Decimals never change on chain, so
 * the store saves them with the first fill added.
 */
export class CandleBuilder {
  readonly #parts: ReadParts;
  readonly #options: Pick<StoreOptions, 'rules' | 'decimalsOf'>;
  #cachedDecimals = new Map<number, number>();
  #pendingMarkets = new Set<number>();

  constructor(parts: ReadParts, options: Pick<StoreOptions, 'rules' | 'decimalsOf'>) {
    this.#parts = parts;
    this.#options = options;
    this.reloadState();
  }

  get #connection(): Connection {
    return this.#parts.connection;
  }

  /**
   * Returns the candle data of a new fill, or null; a fill with unknown decimals becomes pending.
   */
  pointOf({ code, tx, index }: FillKey, fill: FillAmounts): CandlePoint | null {
    const decimals = this.#decimalsOf(code);
    if (decimals !== null) {
      this.#cacheDecimals(code, decimals);
      return this.#pointOfFill(fill, decimals);
    }
    this.#connection.changeRows(addPendingText, [code, tx, index]);
    this.#pendingMarkets.add(code);
    return null;
  }

  knowsDecimals(code: number): boolean {
    return this.#decimalsOf(code) !== null;
  }

  /** Whether a pending fill can be added. */
  get hasReadyFills(): boolean {
    return [...this.#pendingMarkets].some((code) => this.knowsDecimals(code));
  }

  /** Returns the candle data of a market's fills with `from <= ts < to`, without pending fills. */
  readPoints(code: number, span: Span): readonly CandlePoint[] {
    const decimals = this.#decimalsOf(code);
    if (decimals === null) return [];
    return this.#readPoints(byTimeTail, [code, span.from, span.to], decimals);
  }

  /** Adds up to `PENDING_FILLS_PER_WRITE_MAX` pending fills whose decimals are now known. */
  addPendingFills(candles: CandleTables): void {
    let room = PENDING_FILLS_PER_WRITE_MAX;
    for (const code of [...this.#pendingMarkets]) {
      const decimals = this.#decimalsOf(code);
      if (decimals === null || room === 0) continue;
      this.#cacheDecimals(code, decimals);
      const rows = this.#connection.readRows(pendingText, [code, room]);
      for (const [tx, index] of rows) {
        const key = [readNumber(tx), readNumber(index)];
        for (const point of this.#readPoints(pendingTail, key, decimals)) {
          candles.addPoint(code, point);
        }
        this.#connection.changeRows(deletePendingText, key);
      }
      if (rows.length < room) this.#pendingMarkets.delete(code);
      room -= rows.length;
    }
  }

  /**
   * Reads the stored decimals and the markets with pending fills: at the start, and after a failed
   * write.
   */
  reloadState(): void {
    const marks = readMarks(this.#connection, 'meta', 'decimals:');
    this.#cachedDecimals = new Map(
      [...marks].map(([name, value]) => [Number(name.split(':')[1]), Number(value)]),
    );
    this.#pendingMarkets = new Set(marketsIn(this.#connection, 'uncharted'));
  }

  #readPoints(tail: string, bound: readonly Bound[], decimals: number): readonly CandlePoint[] {
    const rows = readRecordRows(this.#parts, tail, bound);
    const records = rows.map(({ bytes }) => bytes);
    return readLogged(this.#parts.program, records)
      .map(({ fill }) => (fill === null ? null : this.#pointOfFill(fill, decimals)))
      .filter((point) => point !== null);
  }

  #decimalsOf(code: number): number | null {
    if (marketTypeOf(code) === 'perp') return perpDecimals;
    return this.#cachedDecimals.get(code) ?? this.#options.decimalsOf(marketKeyOfCode(code));
  }

  #cacheDecimals(code: number, decimals: number): void {
    if (marketTypeOf(code) === 'perp' || this.#cachedDecimals.has(code)) return;
    writeMark(this.#connection, 'meta', { name: `decimals:${code}`, value: String(decimals) });
    this.#cachedDecimals.set(code, decimals);
  }

  #pointOfFill(fill: FillAmounts, decimals: number): CandlePoint | null {
    if (fill.ts < 0 || fill.ts > TS_MAX) return null;
    return this.#options.rules.pointOf(fill, decimals);
  }
}
