import type { MarketKey } from '../../contract/markets.js';
import type { FundingRow, TradeRow } from '../model/records.js';
import { marketKeyOfCode } from './columns.js';
import type { CandleChange, StoreChange } from './types.js';

/** What one write has changed so far. */
export class Changes {
  readonly trades: TradeRow[] = [];
  readonly fundingRates: FundingRow[] = [];
  readonly markets = new Set<MarketKey>();
  /** fillRecordIds of new fills, by market. */
  readonly newIds = new Map<number, bigint[]>();
  /** Fills that were taken away. */
  readonly removedFills: RemovedFill[] = [];
  tradesRemoved = 0;
  fundingRatesRemoved = 0;
  /** Whether a transaction that was stored before has got records. */
  hasLate = false;
  /** Transactions added less those taken away. */
  transactions = 0;
  known = 0;
  retired = 0;

  /** Remembers that a market's records changed. */
  markDirty(code: number): void {
    this.markets.add(marketKeyOfCode(code));
  }

  /** Remembers the number of a new fill. */
  addFillId(code: number, id: bigint | null): void {
    if (id === null) return;
    const ids = this.newIds.get(code);
    if (ids === undefined) this.newIds.set(code, [id]);
    else ids.push(id);
  }

  /** The whole change, with the buckets that it changed. */
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

/** A fill that was taken away. */
export interface RemovedFill {
  readonly code: number;
  readonly slot: number;
  readonly id: bigint;
}
