import type { LoggedRecord } from '../../engine/events.js';
import { BATCH_TRANSACTIONS_MAX, FORK_SLOTS_MAX } from '../model/limits.js';
import type { RecordRow, TransactionRecords } from '../model/records.js';
import type { CandleBuilder } from './candle-builder.js';
import type { CandleTables } from './candle-tables.js';
import { Changes } from './changes.js';
import { marketCode, readInteger, readNumber, storedInteger } from './columns.js';
import type { FillRuns } from './fill-runs.js';
import { writeMark } from './marks.js';
import type { RetentionCutoffs, RowTotals } from './meta.js';
import { addRecord, kindCode, type ReadParts, type RowPosition } from './record-rows.js';
import type { KnownTransaction, Transactions } from './transactions.js';
import type { FinalPosition, StoreBatch, StoreChange } from './types.js';

/** The kinds whose records have a fillRecordId. */
const FILL_KINDS: readonly number[] = [kindCode('trade'), kindCode('transfer')];

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
    this.#parts.transactions.expectSignatures(signatures, () => {
      for (const transaction of batch.transactions) this.#putTransaction(transaction, changes);
    });
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
      changes.countTransactions(-1);
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
        if (known.slot === slot) this.#finaliseTransaction(known, place);
        else elsewhere.push(signature);
      }
    });
    this.#writeMarks(progress);
    return { change: this.#finishChanges(changes), elsewhere };
  }

  #putTransaction(records: TransactionRecords, changes: Changes): void {
    const { cutoffs } = this.#parts;
    const kept = {
      ...records,
      records: records.records.filter(({ kind, ts }) => ts >= cutoffs.recordsBefore(kind)),
    };
    const known = this.#parts.transactions.findTransaction(records.signature);
    if (known !== null) {
      this.#putKnown(known, kept, changes);
      return;
    }
    const tx = this.#parts.transactions.addTransaction(records.signature, {
      ...records,
      hasRecords: kept.records.length > 0,
    });
    changes.countTransactions(1);
    const seat = { slot: records.slot, place: records.place, tx, txSig: records.signature };
    this.#putRecords(kept, { ...seat, isKnown: false }, changes);
  }

  #putKnown(known: KnownTransaction, records: TransactionRecords, changes: Changes): void {
    const isElsewhere = known.slot !== records.slot;
    if (isElsewhere && known.isFinal && !records.isFinal) {
      changes.known += records.records.length;
      return;
    }
    // In another slot the transaction ran again on another state, so its earlier records are void.
    if (isElsewhere) this.#removeRecords(known, changes);
    const place = records.isFinal || isElsewhere ? records.place : known.place;
    this.#parts.transactions.updateTransaction(known, {
      slot: records.slot,
      place,
      isFinal: known.isFinal || records.isFinal,
      isTruncated: records.isTruncated && (isElsewhere || known.isTruncated),
      hasRecords: records.records.length > 0 || (!isElsewhere && known.hasRecords),
    });
    const seat = { slot: records.slot, place, tx: known.id, txSig: records.signature };
    this.#putRecords(records, { ...seat, isKnown: true }, changes);
  }

  #putRecords({ records }: TransactionRecords, seat: RecordSeat, changes: Changes): void {
    const isNew = this.#newRecords(seat);
    for (const record of records) {
      if (!isNew(record.index)) {
        changes.known += 1;
        continue;
      }
      const row = addRecord(this.#parts, record, seat);
      changes.addRecord(row);
      if (record.fill === null) continue;
      changes.addFillId(record.market, record.fill.id);
      this.#addTrade(record, row, seat);
      changes.hasLate ||= seat.isKnown;
    }
  }

  #addTrade({ kind, fill }: LoggedRecord, { market, index }: RecordRow, { tx }: RecordSeat): void {
    if (kind !== 'trade' || fill === null) return;
    const point = this.#parts.candleBuilder.pointOf({ code: market, tx, index }, fill);
    if (point !== null) this.#parts.candles.addPoint(market, point);
  }

  /** Returns the records of a transaction that are not stored yet, each once, by their index. */
  #newRecords({ tx, isKnown }: RecordSeat): (index: number) => boolean {
    const text = 'select idx from records where tx = ?';
    const rows = isKnown ? this.#parts.connection.readRows(text, [tx]) : [];
    const stored = new Set(rows.map(([index]) => readNumber(index)));
    return (index) => !stored.has(index) && stored.add(index).has(index);
  }

  #finaliseTransaction(known: KnownTransaction, place: number): void {
    if (known.isFinal && known.place === place) return;
    this.#parts.transactions.updateTransaction(known, { ...known, place, isFinal: true });
  }

  #removeRecords(known: KnownTransaction, changes: Changes): void {
    const { connection, candles, candleBuilder } = this.#parts;
    const rows = connection.readRows('select kind, market, ts, id from records where tx = ?', [
      known.id,
    ]);
    for (const [kindColumn, marketColumn, ts, id] of rows) {
      const [kind, code] = [readNumber(kindColumn), readNumber(marketColumn)];
      changes.removeRecord(kind, code);
      if (!FILL_KINDS.includes(kind)) continue;
      if (candleBuilder.knowsDecimals(code)) candles.markStale(code, readNumber(ts));
      changes.removedFills.push({ code, slot: known.slot, id: readInteger(id) });
    }
    for (const table of ['records', 'parties', 'uncharted']) {
      connection.changeRows(`delete from ${table} where tx = ?`, [known.id]);
    }
  }

  #finishChanges(changes: Changes): StoreChange {
    const { fillRuns, candles, candleBuilder, totals } = this.#parts;
    for (const [code, ids] of changes.newIds) fillRuns.addIds(code, ids);
    for (const gone of changes.removedFills) {
      if (!this.#hasDuplicate(gone)) fillRuns.removeId(gone.code, gone.id);
    }
    totals.addCounts(changes.totals);
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
      `select 1 from records where kind in (${FILL_KINDS.join()}) and market = ?
        and slot between ? and ? and id = ? limit 1`,
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

/** The parts of a store, on one connection. */
export interface StoreParts extends ReadParts {
  readonly transactions: Transactions;
  readonly fillRuns: FillRuns;
  readonly cutoffs: RetentionCutoffs;
  readonly totals: RowTotals;
  readonly candles: CandleTables;
  readonly candleBuilder: CandleBuilder;
}
