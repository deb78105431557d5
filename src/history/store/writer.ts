import { BATCH_TRANSACTIONS_MAX, FORK_SLOTS_MAX } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import type { CandleBuilder } from './candle-builder.js';
import type { CandleTables } from './candle-tables.js';
import { Changes } from './changes.js';
import {
  marketCode,
  marketCodeOf,
  readIntegerOrNull,
  readNumber,
  storedInteger,
} from './columns.js';
import type { Connection } from './connection.js';
import type { FillRuns } from './fill-runs.js';
import { writeMark } from './marks.js';
import type { RetentionCutoffs, RowTotals } from './meta.js';
import type { NameIds } from './name-ids.js';
import {
  FUNDING_COLUMNS,
  fundingValues,
  type RowPosition,
  TRADE_COLUMNS,
  tradeValues,
  withPosition,
} from './record-rows.js';
import { MOVE_RECORD } from './row-sum.js';
import type { KnownTransaction, Transactions } from './transactions.js';
import type { FinalPosition, StoreBatch, StoreChange } from './types.js';

const tradeShape = { table: 'trades', columns: TRADE_COLUMNS };
const fundingShape = { table: 'funding_rates', columns: FUNDING_COLUMNS };
const tables = ['trades', 'funding_rates'] as const;

/** Adds and removes records, within a transaction of the database. */
export class Writer {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  writeBatch(batch: StoreBatch): StoreChange {
    if (batch.transactions.length > BATCH_TRANSACTIONS_MAX) {
      throw new Error(
        `a batch had ${batch.transactions.length} transactions, must have at most ${BATCH_TRANSACTIONS_MAX}`,
      );
    }
    const changes = new Changes();
    const signatures = batch.transactions.map(({ signature }) => signature);
    const { transactions, nameIds } = this.#parts;
    const putAll = (): void => {
      for (const transaction of batch.transactions) this.#putTransaction(transaction, changes);
    };
    nameIds.expectAccounts(accountsOf(batch), () =>
      transactions.expectSignatures(signatures, putAll),
    );
    this.#writeMarks(batch.progress);
    return this.#finishChanges(changes);
  }

  removeTransactions(signatures: readonly string[]): StoreChange {
    const changes = new Changes();
    for (const signature of signatures) {
      const known = this.#parts.transactions.findTransaction(signature);
      if (known === null) continue;
      this.#removeRecords(known, changes);
      this.#parts.transactions.deleteTransaction(known.id);
      changes.transactions -= 1;
    }
    return this.#finishChanges(changes);
  }

  /**
   * Sets the final places of transactions; transactions in another slot are unchanged and returned.
   */
  finaliseTransactions(
    places: readonly FinalPosition[],
    progress: StoreBatch['progress'],
  ): { readonly change: StoreChange; readonly elsewhere: readonly string[] } {
    const changes = new Changes();
    const elsewhere: string[] = [];
    const { transactions } = this.#parts;
    const signatures = places.map(({ signature }) => signature);
    transactions.expectSignatures(signatures, () => {
      for (const { signature, slot, place } of places) {
        const known = transactions.findTransaction(signature);
        if (known === null) continue;
        if (known.slot === slot) this.#finaliseTransaction(known, place, changes);
        else elsewhere.push(signature);
      }
    });
    this.#writeMarks(progress);
    return { change: this.#finishChanges(changes), elsewhere };
  }

  #putTransaction(records: TransactionRecords, changes: Changes): void {
    const fills = records.fills.filter((fill) => fill.ts >= this.#parts.cutoffs.tradesBefore);
    changes.retired += records.fills.length - fills.length;
    const kept = { ...records, fills };
    const known = this.#parts.transactions.findTransaction(records.signature);
    if (known !== null) {
      this.#putKnown(known, kept, changes);
      return;
    }
    const tx = this.#parts.transactions.addTransaction(records.signature, {
      ...records,
      hasRecords: hasAny(kept),
    });
    changes.transactions += 1;
    const seat = { slot: records.slot, place: records.place, tx };
    this.#putRecords(kept, { ...seat, isKnown: false }, changes);
  }

  #putKnown(known: KnownTransaction, records: TransactionRecords, changes: Changes): void {
    const isElsewhere = known.slot !== records.slot;
    if (isElsewhere && known.isFinal && !records.isFinal) {
      changes.known += records.fills.length + records.fundingRates.length;
      return;
    }
    // In another slot the transaction ran again on another state, so its earlier records are void.
    if (isElsewhere) this.#removeRecords(known, changes);
    const place = records.isFinal || isElsewhere ? records.place : known.place;
    if (!isElsewhere && place !== known.place) this.#moveRecords(known.id, place, changes);
    this.#parts.transactions.updateTransaction(known, {
      slot: records.slot,
      place,
      isFinal: known.isFinal || records.isFinal,
      isTruncated: records.isTruncated && (isElsewhere || known.isTruncated),
      hasRecords: hasAny(records) || (!isElsewhere && known.hasRecords),
    });
    const seat = { slot: records.slot, place, tx: known.id };
    this.#putRecords(records, { ...seat, isKnown: true }, changes);
  }

  #putRecords(records: TransactionRecords, seat: RecordSeat, changes: Changes): void {
    const { connection, nameIds } = this.#parts;
    const at = { slot: seat.slot, place: seat.place, txSig: records.signature };
    const isNewFill = this.#newEvents('trades', seat);
    for (const fill of records.fills) {
      if (!isNewFill(fill.index)) {
        changes.known += 1;
        continue;
      }
      connection.addRow(tradeShape, tradeValues(fill, seat, nameIds));
      changes.trades.push(withPosition(fill, at));
      changes.hasLate ||= seat.isKnown;
      const code = marketCodeOf(fill.marketType, fill.marketIndex);
      changes.markDirty(code);
      changes.addFillId(code, fill.fillRecordId);
      const point = this.#parts.candleBuilder.pointOf({ code, tx: seat.tx }, fill);
      if (point !== null) this.#parts.candles.addPoint(code, point);
    }
    this.#putRates(records, seat, changes);
  }

  #putRates(records: TransactionRecords, seat: RecordSeat, changes: Changes): void {
    const { connection, nameIds } = this.#parts;
    const at = { slot: seat.slot, place: seat.place, txSig: records.signature };
    const isNewRate = this.#newEvents('funding_rates', seat);
    for (const rate of records.fundingRates) {
      if (!isNewRate(rate.index)) {
        changes.known += 1;
        continue;
      }
      connection.addRow(fundingShape, fundingValues(rate, seat, nameIds));
      changes.fundingRates.push(withPosition(rate, at));
      changes.markDirty(marketCodeOf('perp', rate.marketIndex));
    }
  }

  /** Returns the events of a transaction that are not stored yet, each once, by their index. */
  #newEvents(
    table: (typeof tables)[number],
    { tx, isKnown }: RecordSeat,
  ): (index: number) => boolean {
    const text = `select idx from ${table} where tx = ?`;
    const rows = isKnown ? this.#parts.connection.readRows(text, [tx]) : [];
    const stored = new Set(rows.map(([index]) => readNumber(index)));
    return (index) => !stored.has(index) && stored.add(index).has(index);
  }

  #finaliseTransaction(known: KnownTransaction, place: number, changes: Changes): void {
    if (known.isFinal && known.place === place) return;
    if (known.place !== place) this.#moveRecords(known.id, place, changes);
    this.#parts.transactions.updateTransaction(known, { ...known, place, isFinal: true });
  }

  #moveRecords(tx: number, place: number, changes: Changes): void {
    for (const table of tables) {
      const { connection } = this.#parts;
      const markets = connection.readRows(`select distinct market from ${table} where tx = ?`, [
        tx,
      ]);
      for (const [market] of markets) changes.markDirty(readNumber(market));
      if (markets.length > 0) {
        connection.changeRows(`update ${table} set ${MOVE_RECORD} where tx = ?2`, [place, tx]);
      }
    }
  }

  #removeRecords(known: KnownTransaction, changes: Changes): void {
    const { connection, candles, candleBuilder } = this.#parts;
    const fills = connection.readRows(
      'select market, ts, fill_record_id from trades where tx = ?',
      [known.id],
    );
    for (const [market, ts, id] of fills) {
      const code = readNumber(market);
      changes.markDirty(code);
      if (candleBuilder.knowsDecimals(code)) candles.markStale(code, readNumber(ts));
      const gone = readIntegerOrNull(id);
      if (gone !== null) changes.removedFills.push({ code, slot: known.slot, id: gone });
    }
    for (const [market] of connection.readRows('select market from funding_rates where tx = ?', [
      known.id,
    ])) {
      changes.markDirty(readNumber(market));
    }
    changes.tradesRemoved += connection.changeRows('delete from trades where tx = ?', [known.id]);
    changes.fundingRatesRemoved += connection.changeRows('delete from funding_rates where tx = ?', [
      known.id,
    ]);
  }

  #finishChanges(changes: Changes): StoreChange {
    const { fillRuns, candles, candleBuilder, totals } = this.#parts;
    for (const [code, ids] of changes.newIds) fillRuns.addIds(code, ids);
    for (const gone of changes.removedFills) {
      if (!this.#hasDuplicate(gone)) fillRuns.removeId(gone.code, gone.id);
    }
    totals.addCounts({
      trades: changes.trades.length - changes.tradesRemoved,
      fundingRates: changes.fundingRates.length - changes.fundingRatesRemoved,
      transactions: changes.transactions,
    });
    candleBuilder.addPendingFills(candles);
    const change = changes.toStoreChange(candles.writeChanges());
    const markets = [...change.markets].map(marketCode);
    const isNewAlone = change.removed === 0 && !changes.hasLate;
    this.#parts.connection.recordChange({ markets, isNewAlone });
    return change;
  }

  /**
   * Returns whether another fill near this slot has the same number: the fill that replaced the
   * removed one.
   */
  #hasDuplicate(gone: {
    readonly code: number;
    readonly slot: number;
    readonly id: bigint;
  }): boolean {
    const twin = this.#parts.connection.readRow(
      `select 1 from trades where market = ? and slot between ? and ? and fill_record_id = ? limit 1`,
      [gone.code, gone.slot - FORK_SLOTS_MAX, gone.slot + FORK_SLOTS_MAX, storedInteger(gone.id)],
    );
    return twin !== null;
  }

  #writeMarks(progress: StoreBatch['progress']): void {
    for (const [name, value] of Object.entries(progress ?? {})) {
      if (value === null) {
        this.#parts.connection.changeRows('delete from progress where name = ?', [name]);
      } else {
        writeMark(this.#parts.connection, 'progress', { name, value });
      }
    }
  }
}

/** The position of a transaction's records, and whether some may already be stored. */
interface RecordSeat extends RowPosition {
  readonly isKnown: boolean;
}

function accountsOf({ transactions }: StoreBatch): ReadonlySet<string> {
  const fills = transactions.flatMap((one) => one.fills);
  const keys = fills.flatMap(({ filler, taker, maker }) => [filler, taker, maker]);
  return new Set(keys.filter((key) => key !== null));
}

function hasAny(records: TransactionRecords): boolean {
  return records.fills.length + records.fundingRates.length > 0;
}

/** Dependencies of reads. */
export interface ReadParts {
  readonly connection: Connection;
  readonly nameIds: NameIds;
}

/** The parts of a store, on one connection. */
export interface StoreParts extends ReadParts {
  readonly transactions: Transactions;
  readonly fillRuns: FillRuns;
  readonly cutoffs: RetentionCutoffs;
  readonly totals: RowTotals;
  readonly candles: CandleTables;
  readonly candleBuilder: CandleBuilder;
}
