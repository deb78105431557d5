import { RETIRE_ROWS_MAX, UNFINALISED_READ_MAX } from '../model/limits.js';
import { decodeBase58 } from './base58.js';
import { readNumber } from './columns.js';
import type { Connection, Row } from './connection.js';
import { signatureOf } from './record-rows.js';
import { blobSum } from './row-sum.js';
import type { StoredTransaction, UnfinalisedQuery } from './types.js';

const signatureBytes = 64;

/** A stored transaction with its id. */
export interface KnownTransaction extends TransactionState {
  readonly id: number;
}

/** The stored columns of a transaction besides its signature. */
type TransactionState = Omit<StoredTransaction, 'signature'>;

const findText =
  'select id, slot, place, is_final, is_truncated, has_records from transactions where signature = ?';
const shape = {
  table: 'transactions',
  columns: ['signature', 'sum', 'slot', 'place', 'is_final', 'is_truncated', 'has_records'],
};
/** Number of signatures per network query: more make the text long, fewer cost more round trips. */
const signaturesAtOnce = 500;
const updateText = `update transactions
  set slot = ?, place = ?, is_final = ?, is_truncated = ?, has_records = ? where id = ?`;

/** The transactions of the program, unique by signature. */
export class Transactions {
  readonly #connection: Connection;
  /** The signature requested last, which is often added next. */
  #last: { readonly signature: string; readonly bytes: Uint8Array } | null = null;
  /** The number of transactions with a truncated log; null until it was counted. */
  #truncated: number | null = null;
  /** Prefetched transactions by signature; null for a transaction that is not stored. */
  readonly #expected = new Map<string, KnownTransaction | null>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Runs `work`, which looks up these signatures. A server returns them in one query, because each
   * query costs a round trip.
   */
  expectSignatures<T>(signatures: readonly string[], work: () => T): T {
    if (this.#connection.engine === 'file' || signatures.length < 2) return work();
    try {
      for (let at = 0; at < signatures.length; at += signaturesAtOnce) {
        this.#readExpected(signatures.slice(at, at + signaturesAtOnce));
      }
      return work();
    } finally {
      this.#expected.clear();
    }
  }

  #readExpected(signatures: readonly string[]): void {
    for (const signature of signatures) this.#expected.set(signature, null);
    const places = signatures.map(() => '?').join();
    const text = `select id, slot, place, is_final, is_truncated, has_records, signature
      from transactions where signature in (${places})`;
    const bytes = signatures.map((signature) => this.#bytesOf(signature));
    for (const row of this.#connection.readRows(text, bytes)) {
      this.#expected.set(signatureOf(row[6]), { id: readNumber(row[0]), ...stateOf(row) });
    }
  }

  /** Returns the stored transaction of a signature, or null. */
  findTransaction(signature: string): KnownTransaction | null {
    const expected = this.#expected.get(signature);
    if (expected !== undefined) return expected;
    const row = this.#connection.readRow(findText, [this.#bytesOf(signature)]);
    if (row === null) return null;
    return { id: readNumber(row[0]), ...stateOf(row) };
  }

  /** Adds a transaction; returns its id. */
  addTransaction(signature: string, state: TransactionState): number {
    if (state.isTruncated) this.#truncated = null;
    const bytes = this.#bytesOf(signature);
    const values = [bytes, blobSum(bytes), ...valuesOf(state)];
    const id = this.#connection.addNumberedRow(shape, values);
    if (this.#expected.has(signature)) this.#expected.set(signature, { ...state, id });
    return id;
  }

  updateTransaction(known: KnownTransaction, state: TransactionState): void {
    if (state.isTruncated !== known.isTruncated) this.#truncated = null;
    this.#connection.changeRows(updateText, [...valuesOf(state), known.id]);
    // The prefetched state is updated, because the same write may look it up again.
    Object.assign(known, state);
  }

  deleteTransaction(id: number): void {
    this.#truncated = null;
    this.#expected.clear();
    this.#connection.changeRows('delete from transactions where id = ?', [id]);
  }

  findStored(signatures: readonly string[]): ReadonlySet<string> {
    return this.expectSignatures(
      signatures,
      () => new Set(signatures.filter((signature) => this.findTransaction(signature) !== null)),
    );
  }

  /** Returns which of these signatures are stored from a truncated log. */
  findTruncated(signatures: readonly string[]): ReadonlySet<string> {
    const isCut = (signature: string): boolean =>
      this.findTransaction(signature)?.isTruncated === true;
    return this.expectSignatures(signatures, () => new Set(signatures.filter(isCut)));
  }

  /** Transactions that are not final, oldest first. */
  readUnfinalised(query: UnfinalisedQuery): readonly StoredTransaction[] {
    // The condition is literal, because the partial index is used only for this text.
    const text = `select signature, slot, place, is_final, is_truncated, has_records
      from transactions where is_final = 0 and slot > ? and slot <= ? order by slot, place limit ?`;
    const bound = [query.slotAfter, query.slotUpTo, UNFINALISED_READ_MAX];
    return this.#connection.readRows(text, bound).map((row) => ({
      signature: signatureOf(row[0]),
      ...stateOf(row),
    }));
  }

  /** Deletes final transactions without records, up to a slot; returns their number. */
  deleteEmpty(slotUpTo: number): number {
    return this.#connection.changeRows(
      `delete from transactions where id in (select id from transactions
        where has_records = 0 and is_final = 1 and is_truncated = 0 and slot <= ? limit ?)`,
      [slotUpTo, RETIRE_ROWS_MAX],
    );
  }

  countTruncated(): number {
    this.#truncated ??= this.#readTruncatedCount();
    return this.#truncated;
  }

  /** Clears the cached count, after deletions elsewhere or a failed write. */
  clearCache(): void {
    this.#truncated = null;
  }

  #readTruncatedCount(): number {
    const row = this.#connection.readRow(
      'select count(*) from transactions where is_truncated = 1',
    );
    return Number(row?.[0] ?? 0n);
  }

  #bytesOf(signature: string): Uint8Array {
    if (this.#last?.signature === signature) return this.#last.bytes;
    const bytes = decodeBase58(signature, signatureBytes);
    if (bytes === null) {
      throw new Error(`a signature was ${signature}, must be 64 bytes in base58`);
    }
    this.#last = { signature, bytes };
    return bytes;
  }
}

/** Decodes a row whose columns from the second on are slot to has_records. */
function stateOf(row: Row): TransactionState {
  return {
    slot: readNumber(row[1]),
    place: readNumber(row[2]),
    isFinal: readNumber(row[3]) === 1,
    isTruncated: readNumber(row[4]) === 1,
    hasRecords: readNumber(row[5]) === 1,
  };
}

function valuesOf(state: TransactionState): readonly number[] {
  const flags = [state.isFinal, state.isTruncated, state.hasRecords];
  return [state.slot, state.place, ...flags.map(Number)];
}
