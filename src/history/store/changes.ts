import type { MarketKey } from '../../contract/markets.js';
import { RECORD_KINDS, type RecordKind } from '../../engine/events.js';
import type { RecordRow } from '../model/records.js';
import { marketKeyOfCode } from './columns.js';
import { addTo, totalOf } from './meta.js';
import type { CandleChange, StoreChange } from './types.js';

/** The changes of one write so far. */
export class Changes {
  readonly records: RecordRow[] = [];
  readonly markets = new Set<MarketKey>();
  /** fillRecordIds of new fills, by market. */
  readonly newIds = new Map<number, bigint[]>();
  readonly removedFills: RemovedFill[] = [];
  removed = 0;
  /** Added rows less removed ones, by the names of the totals. */
  readonly totals: Record<string, number> = {};
  /** Whether an already stored transaction got new records. */
  hasLate = false;
  known = 0;

  addRecord(row: RecordRow): void {
    this.records.push(row);
    this.#countRecord(row.kind, row.market, 1);
  }

  removeRecord(kind: number, market: number): void {
    this.removed += 1;
    const name = RECORD_KINDS[kind];
    if (name !== undefined) this.#countRecord(name, market, -1);
  }

  /** Counts added transactions less removed ones. */
  countTransactions(by: number): void {
    addTo(this.totals, 'transactions', by);
  }

  #countRecord(kind: RecordKind, market: number, by: number): void {
    const total = totalOf(kind);
    addTo(this.totals, total, by);
    if (total !== kind) this.markets.add(marketKeyOfCode(market));
  }

  /** Records the number of a new fill. */
  addFillId(code: number, id: bigint): void {
    const ids = this.newIds.get(code);
    if (ids === undefined) this.newIds.set(code, [id]);
    else ids.push(id);
  }

  /** The complete change, with the changed buckets. */
  toStoreChange(candles: readonly CandleChange[]): StoreChange {
    for (const candle of candles) this.markets.add(candle.market);
    const { records, markets, known, removed } = this;
    return { records, candles, markets, known, removed };
  }
}

/** A removed fill. */
interface RemovedFill {
  readonly code: number;
  readonly slot: number;
  readonly id: bigint;
}
