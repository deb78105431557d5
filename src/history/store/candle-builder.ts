import { PENDING_FILLS_PER_WRITE_MAX, TS_MAX } from '../model/limits.js';
import type { Fill } from '../model/records.js';
import type { CandleTables, Span } from './candle-tables.js';
import { marketKeyOfCode, marketTypeOf, readNumber } from './columns.js';
import type { Bound, Connection, Row } from './connection.js';
import { readMarks, writeMark } from './marks.js';
import type { NameIds } from './name-ids.js';
import { marketsIn } from './queries.js';
import { fillOf, TRADE_COLUMNS } from './record-rows.js';
import type { CandlePoint, StoreOptions } from './types.js';

const perpDecimals = 9;
const columns = TRADE_COLUMNS.map((column) => `t.${column}`).join(', ');
const byTimeText = `select ${columns} from trades t where market = ? and ts >= ? and ts < ?
  and not exists
    (select 1 from uncharted u where u.market = t.market and u.tx = t.tx and u.idx = t.idx)`;
const pendingText = `select ${columns} from uncharted u
  join trades t on t.tx = u.tx and t.idx = u.idx
  where u.market = ? order by u.tx, u.idx limit ?`;
const addPendingText = 'insert into uncharted (market, tx, idx) values (?, ?, ?)';
const deletePendingText = 'delete from uncharted where market = ? and tx = ? and idx = ?';

/** The key of a fill's row. */
interface FillKey {
  /** `marketCode`. */
  readonly code: number;
  readonly tx: number;
}

/**
 * Adds fills to candles. A fill of a market with unknown decimals is pending: it is listed in the
 * table `uncharted`, and added when the decimals become known. Decimals never change on chain, so
 * the store saves them with the first fill added.
 */
export class CandleBuilder {
  readonly #connection: Connection;
  readonly #nameIds: NameIds;
  readonly #options: Pick<StoreOptions, 'rules' | 'decimalsOf'>;
  #cachedDecimals = new Map<number, number>();
  #pendingMarkets = new Set<number>();

  constructor(
    connection: Connection,
    nameIds: NameIds,
    options: Pick<StoreOptions, 'rules' | 'decimalsOf'>,
  ) {
    this.#connection = connection;
    this.#nameIds = nameIds;
    this.#options = options;
    this.reloadState();
  }

  /**
   * Returns the candle data of a new fill, or null; a fill with unknown decimals becomes pending.
   */
  pointOf({ code, tx }: FillKey, fill: Fill): CandlePoint | null {
    const decimals = this.#decimalsOf(code);
    if (decimals !== null) {
      this.#cacheDecimals(code, decimals);
      return this.#pointOfFill(fill, decimals);
    }
    this.#connection.changeRows(addPendingText, [code, tx, fill.index]);
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
    const rows = this.#connection.readRows(byTimeText, [code, span.from, span.to]);
    return rows
      .map((row) => this.#pointOfFill(fillOf(row, this.#nameIds), decimals))
      .filter((point) => point !== null);
  }

  /** Adds up to `PENDING_FILLS_PER_WRITE_MAX` pending fills whose decimals are now known. */
  addPendingFills(candles: CandleTables): void {
    let room = PENDING_FILLS_PER_WRITE_MAX;
    for (const code of [...this.#pendingMarkets]) {
      const decimals = this.#decimalsOf(code);
      if (decimals === null || room === 0) continue;
      this.#cacheDecimals(code, decimals);
      const rows = this.#connection.readRows(pendingText, [code, room]);
      for (const row of rows) this.#addPendingFill(row, { code, decimals, candles });
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

  #addPendingFill(
    row: Row,
    to: { readonly code: number; readonly decimals: number; readonly candles: CandleTables },
  ): void {
    const point = this.#pointOfFill(fillOf(row, this.#nameIds), to.decimals);
    if (point !== null) to.candles.addPoint(to.code, point);
    const tx = row[TRADE_COLUMNS.indexOf('tx')];
    const idx = row[TRADE_COLUMNS.indexOf('idx')];
    this.#connection.changeRows(deletePendingText, [
      to.code,
      readNumber(tx),
      readNumber(idx),
    ] as Bound[]);
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

  #pointOfFill(fill: Fill, decimals: number): CandlePoint | null {
    if (fill.ts < 0 || fill.ts > TS_MAX) return null;
    return this.#options.rules.pointOf(fill, decimals);
  }
}
