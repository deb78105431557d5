import type { MarketKey } from '../../contract/markets.js';
import type { RecordRow } from '../model/records.js';
import { marketKeyOfCode } from './columns.js';
import { kindCode } from './record-rows.js';
import type { CandleChange, StoreChange } from './types.js';

/** The changes of one write so far. */
export class Changes {
  readonly records: RecordRow[] = [];
  readonly markets = new Set<MarketKey>();
  /** fillRecordIds of new fills, by market. */
  readonly newIds = new Map<number, bigint[]>();
  readonly removedFills: RemovedFill[] = [];
  removed = 0;
  /** Added fills less removed ones. */
  trades = 0;
  /** Likewise. */
  fundingRates = 0;
  /** Whether an already stored transaction got new records. */
  hasLate = false;
  /** Added transactions less removed ones. */
  transactions = 0;
  known = 0;
  retired = 0;

  addRecord(row: RecordRow): void {
    this.records.push(row);
    this.#countRecord(kindCode(row.kind), row.market, 1);
  }

  removeRecord(kind: number, market: number): void {
    this.removed += 1;
    this.#countRecord(kind, market, -1);
  }

  #countRecord(kind: number, market: number, by: number): void {
    if (kind === kindCode('trade') || kind === kindCode('transfer')) this.trades += by;
    else if (kind === kindCode('fundingRate')) this.fundingRates += by;
    else return;
    this.markets.add(marketKeyOfCode(market));
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
    const { records, markets, known, retired, removed } = this;
    return { records, candles, markets, known, retired, removed };
  }
}

/** A removed fill. */
interface RemovedFill {
  readonly code: number;
  readonly slot: number;
  readonly id: bigint;
}
