import { sql } from 'kysely';
import { RETIRE_ROWS_MAX, UNFINALISED_READ_MAX } from '../model/limits.js';
import { decodeBase58 } from './base58.js';
import { readNumber } from './columns.js';
import type { Connection, Row } from './connection.js';
import { queries, rowsOf } from './queries.js';
import { signatureOf } from './record-rows.js';
import { blobSum } from './row-sum.js';
import type { StoredTransaction, UnfinalisedQuery } from './types.js';

const signatureBytes = 64;

/** A stored transaction with its number. */
export interface KnownTransaction extends TransactionState {
  readonly id: number;
}

/** What is stored of a transaction besides its signature. */
export type TransactionState = Omit<StoredTransaction, 'signature'>;

const findText =
  'select id, slot, place, is_final, is_truncated, has_records from transactions where signature = ?';
const shape = {
  table: 'transactions',
  columns: ['signature', 'sum', 'slot', 'place', 'is_final', 'is_truncated', 'has_records'],
};
/** Signatures of one query over a network: more would make its text long, and fewer wait more often. */
const signaturesAtOnce = 500;
const updateText = `update transactions
  set slot = ?, place = ?, is_final = ?, is_truncated = ?, has_records = ? where id = ?`;

/** The transactions of the program, each once by its signature. */
export class Transactions {
  readonly #connection: Connection;
  /** The signature that was requested last: it is often added next. */
  #last: { readonly signature: string; readonly bytes: Uint8Array } | null = null;
  /** How many have a log that was cut; null when they are to be counted. */
  #truncated: number | null = null;
  /** What is stored of the signatures that were named beforehand: null of those that are not stored. */
  readonly #expected = new Map<string, KnownTransaction | null>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Runs `work`, which finds these signatures: of a server all are read at once, because each question takes a way
   * there and back.
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

  /** The stored transaction of a signature, or null. */
  findTransaction(signature: string): KnownTransaction | null {
    const expected = this.#expected.get(signature);
    if (expected !== undefined) return expected;
    const row = this.#connection.readRow(findText, [this.#bytesOf(signature)]);
    if (row === null) return null;
    return { id: readNumber(row[0]), ...stateOf(row) };
  }

  /** Adds one; its number. */
  addTransaction(signature: string, state: TransactionState): number {
    if (state.isTruncated) this.#truncated = null;
    const bytes = this.#bytesOf(signature);
    const values = [bytes, blobSum(bytes), ...valuesOf(state)];
    const id = this.#connection.addNumberedRow(shape, values);
    if (this.#expected.has(signature)) this.#expected.set(signature, { ...state, id });
    return id;
  }

  /** Updates the state of one. */
  updateTransaction(known: KnownTransaction, state: TransactionState): void {
    if (state.isTruncated !== known.isTruncated) this.#truncated = null;
    this.#connection.changeRows(updateText, [...valuesOf(state), known.id]);
    // It may be expected once more in the same write.
    Object.assign(known, state);
  }

  /** Deletes one. */
  deleteTransaction(id: number): void {
    this.#truncated = null;
    this.#expected.clear();
    this.#connection.changeRows('delete from transactions where id = ?', [id]);
  }

  /** Which of some signatures are stored. */
  findStored(signatures: readonly string[]): ReadonlySet<string> {
    return this.expectSignatures(
      signatures,
      () => new Set(signatures.filter((signature) => this.findTransaction(signature) !== null)),
    );
  }

  /** Which of some signatures are stored of a log that was cut. */
  findTruncated(signatures: readonly string[]): ReadonlySet<string> {
    const isCut = (signature: string): boolean =>
      this.findTransaction(signature)?.isTruncated === true;
    return this.expectSignatures(signatures, () => new Set(signatures.filter(isCut)));
  }

  /** Those that are not final, oldest first. */
  readUnfinalised(query: UnfinalisedQuery): readonly StoredTransaction[] {
    const select = queries
      .selectFrom('transactions')
      .select(['signature', 'slot', 'place', 'is_final', 'is_truncated', 'has_records'])
      // As text, because only then is the index of those that are not final taken.
      .where(sql<boolean>`is_final = 0`)
      .where('slot', '>', query.slotAfter)
      .where('slot', '<=', query.slotUpTo)
      .orderBy('slot')
      .orderBy('place')
      .limit(UNFINALISED_READ_MAX);
    return rowsOf(this.#connection, select).map((row) => ({
      signature: signatureOf(row[0]),
      ...stateOf(row),
    }));
  }

  /** Deletes some final ones that left nothing, up to a slot; how many. */
  deleteEmpty(slotUpTo: number): number {
    return this.#connection.changeRows(
      `delete from transactions where id in (select id from transactions
        where has_records = 0 and is_final = 1 and is_truncated = 0 and slot <= ? limit ?)`,
      [slotUpTo, RETIRE_ROWS_MAX],
    );
  }

  /** How many have a log that the node cut. */
  countTruncated(): number {
    this.#truncated ??= this.#readTruncatedCount();
    return this.#truncated;
  }

  /** Forgets what was counted: rows were deleted past this, or a write failed. */
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

/** Of a row whose second column is the slot, and so on to has_records. */
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
