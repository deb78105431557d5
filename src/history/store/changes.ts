import type { MarketKey } from '../../contract/markets.js';
import type { FundingRow, TradeRow } from '../model/records.js';
import { marketKeyOfCode } from './columns.js';
import type { CandleChange, StoreChange } from './types.js';

/** The changes of one write so far. */
export class Changes {
  readonly trades: TradeRow[] = [];
  readonly fundingRates: FundingRow[] = [];
  readonly markets = new Set<MarketKey>();
  /** fillRecordIds of new fills, by market. */
  readonly newIds = new Map<number, bigint[]>();
  readonly removedFills: RemovedFill[] = [];
  tradesRemoved = 0;
  fundingRatesRemoved = 0;
  /** Whether an already stored transaction got new records. */
  hasLate = false;
  /** Added transactions less removed ones. */
  transactions = 0;
  known = 0;
  retired = 0;

  markDirty(code: number): void {
    this.markets.add(marketKeyOfCode(code));
  }

  /** Records the number of a new fill. */
  addFillId(code: number, id: bigint | null): void {
    if (id === null) return;
    const ids = this.newIds.get(code);
    if (ids === undefined) this.newIds.set(code, [id]);
    else ids.push(id);
  }

  /** The complete change, with the changed buckets. */
  toStoreChange(candles: readonly CandleChange[]): StoreChange {
    for (const candle of candles) this.markets.add(candle.market);
    return {
      trades: this.trades,
      fundingRates: this.fundingRates,
      candles,
      markets: this.markets,
      known: this.known,
      retired: this.retired,
      removed: this.tradesRemoved + this.fundingRatesRemoved,
    };
  }
}

/** A removed fill. */
interface RemovedFill {
  readonly code: number;
  readonly slot: number;
  readonly id: bigint;
}
