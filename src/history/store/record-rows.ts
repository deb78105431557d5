/**
 * Records and their rows: a record is stored as the program logged it, beside the columns by which
 * it is found, and a row of `parties` for each of its accounts.
 */
import { crc32 } from 'node:zlib';
import type { ProgramName } from '../../contract/program.js';
import { type LoggedRecord, RECORD_KINDS, type RecordKind } from '../../engine/events.js';
import type { RecordRow } from '../model/records.js';
import { decodeBase58, encodeBase58 } from './base58.js';
import {
  readInteger,
  readIntegerOrNull,
  readNumber,
  storedInteger,
  storedOrNull,
} from './columns.js';
import type { Bound, Connection, Row } from './connection.js';
import { blobSum, damagedError, requireSum } from './row-sum.js';

/** Dependencies of reads. */
export interface ReadParts {
  readonly connection: Connection;
  /** The program of the records. */
  readonly program: ProgramName;
}

/** The columns of a record, in the order of its row arrays. */
export const RECORD_COLUMNS = [
  'kind',
  'market',
  'slot',
  'id',
  'tx',
  'idx',
  'ts',
  'fraction',
  'bytes',
  'sum',
] as const;

/** The columns of an account of a record, likewise. */
export const PARTY_COLUMNS = [
  'account',
  'kind',
  'slot',
  'market',
  'id',
  'tx',
  'idx',
  'order_id',
] as const;

/** The keys of both tables: the records of a kind and a market, in the order of pages. */
export const RECORD_KEY = ['kind', 'market', 'slot', 'id', 'tx', 'idx'] as const;
/** See RECORD_KEY. */
export const PARTY_KEY = ['account', 'kind', 'slot', 'market', 'id', 'tx', 'idx'] as const;

const recordShape = { table: 'records', columns: RECORD_COLUMNS };
const partyShape = { table: 'parties', columns: PARTY_COLUMNS };

/** The number of a kind. */
export function kindCode(kind: RecordKind): number {
  return RECORD_KINDS.indexOf(kind);
}

/** The position of a transaction's records. */
export interface RowPosition {
  readonly slot: number;
  readonly place: number;
  /** The id of the transaction. */
  readonly tx: number;
  /** Base58. */
  readonly txSig: string;
}

/** Adds a record that is not stored yet; returns it. */
export function addRecord(
  { connection, program }: ReadParts,
  { parties, fill: _, ...record }: LoggedRecord,
  { tx, ...at }: RowPosition,
): RecordRow {
  const id = record.id ?? numberOf(at.txSig, record.index);
  const { kind, market, index, ts, fraction, bytes } = record;
  const [code, stored] = [kindCode(kind), storedInteger(id)];
  const key: Bound[] = [code, market, at.slot, stored, tx, index, ts, storedOrNull(fraction)];
  connection.addRow(recordShape, [...key, bytes, recordSum(key, bytes)]);
  // An authority may be a key of the program as well, and is found once.
  const accounts = [...new Map(parties.map((one) => [one.key, one.orderId ?? null]))];
  for (const [account, orderId] of accounts) {
    connection.addRow(partyShape, [account, code, at.slot, market, stored, tx, index, orderId]);
  }
  return { program, ...record, ...at, id };
}

/** Bits of the index of a record within its number. */
const INDEX_BITS = 10n;

/** The number of a record of a kind without numbers: the same wherever and whenever it is read. */
function numberOf(txSig: string, index: number): bigint {
  const head = Buffer.from(signatureBytes(txSig)).readUIntBE(0, 6);
  return (BigInt(head) << INDEX_BITS) + BigInt(index % 2 ** Number(INDEX_BITS));
}

function signatureBytes(txSig: string): Uint8Array {
  const bytes = decodeBase58(txSig, 64);
  if (bytes === null) throw new Error(`a signature was ${txSig}, must be 64 bytes in base58`);
  return bytes;
}

/** The checksum of a record: of its bytes and of the columns before them. */
function recordSum(values: readonly unknown[], bytes: Uint8Array): number {
  return crc32(bytes, crc32(values.join()));
}

/** Returns the expected checksum of a row of `RECORD_COLUMNS`. */
export function sumOfRecord(row: Row): number {
  const bytes = row[8];
  return bytes instanceof Uint8Array ? recordSum(row.slice(0, 8), bytes) : Number.NaN;
}

const columns = RECORD_COLUMNS.map((column) => `r.${column}`).join();

/**
 * Reads records `r` with their transactions `x`: `tail` is the text of a query from its `where` on,
 * or after further joins. Throws a StoreError on a checksum mismatch.
 */
export function readRecordRows(
  { connection, program }: ReadParts,
  tail: string,
  bound: readonly Bound[],
): readonly RecordRow[] {
  const text = `select ${columns}, x.place, x.signature, x.sum from records r
    join transactions x on x.id = r.tx ${tail}`;
  return connection.readRows(text, bound).map((row) => ({ program, ...recordOf(row) }));
}

function recordOf(row: Row): Omit<RecordRow, 'program'> {
  requireSum('records', row[9], sumOfRecord(row));
  return {
    kind: RECORD_KINDS[readNumber(row[0])] ?? 'other',
    market: readNumber(row[1]),
    slot: readNumber(row[2]),
    id: readInteger(row[3]),
    index: readNumber(row[5]),
    ts: readNumber(row[6]),
    fraction: readIntegerOrNull(row[7]),
    bytes: row[8] as Uint8Array,
    place: readNumber(row[10]),
    txSig: checkedSignature(row[11], row[12]),
  };
}

/** Encodes the bytes of a signature. */
export function signatureOf(value: unknown): string {
  if (value instanceof Uint8Array) return encodeBase58(value);
  throw damagedError('transactions');
}

function checkedSignature(value: unknown, sum: unknown): string {
  const signature = signatureOf(value);
  requireSum('transactions', sum, blobSum(value as Uint8Array));
  return signature;
}

/** The number by which the records of an account are found; null for an invalid key. */
export function accountCode(key: Uint8Array): bigint {
  return Buffer.from(key.buffer, key.byteOffset, key.length).readBigInt64BE(0);
}

/** Returns the kinds and markets of stored records, with one seek for each. */
export function kindsAndMarkets(
  connection: Connection,
  kinds: readonly RecordKind[],
): readonly { readonly kind: RecordKind; readonly market: number }[] {
  const text = 'select market from records where kind = ? and market > ? order by market limit 1';
  return kinds.flatMap((kind) => {
    const found: { kind: RecordKind; market: number }[] = [];
    for (let last = -2; ; ) {
      const [market] = connection.readRow(text, [kindCode(kind), last]) ?? [];
      if (market === undefined) return found;
      last = readNumber(market);
      found.push({ kind, market: last });
    }
  });
}
