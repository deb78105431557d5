import { PublicKey } from '@solana/web3.js';

/** What a field holds: an integer, a key in base58, or a name of at most 32 bytes. */
type FieldType = keyof typeof WRITERS;

/** The value of a field; a truth value is written as a byte. */
type Value = bigint | number | boolean | string;

/** The table of a struct; its other members are the places of its fields. */
interface StructTable {
  readonly size: number;
  readonly types: Readonly<Record<string, FieldType>>;
}

/** The table of an account; `discriminator` is its first eight bytes as hexadecimal text. */
interface AccountTable extends StructTable {
  readonly discriminator: string;
}

/** The table of an event: its fields in order; one with `?` may be absent. */
interface EventTable {
  readonly discriminator: string;
  readonly fields: Readonly<Record<string, FieldType | `${FieldType}?`>>;
}

/** Values by the program's names of fields. */
export type Fields<Table> = { readonly [Name in keyof Table]?: Value | undefined };

/** Returns the bytes of an account; later fields replace earlier ones, and all others are 0. */
export function accountBytes<Table extends AccountTable>(
  table: Table,
  ...parts: readonly Fields<Table>[]
): Buffer {
  const bytes = Buffer.alloc(table.size);
  bytes.write(table.discriminator, 0, 'hex');
  writeFields(bytes, { table, at: 0 }, ...parts);
  return bytes;
}

/** Writes fields of a struct that begins at `at`. A field that the program lacks is left out. */
export function writeFields<Table extends StructTable>(
  bytes: Buffer,
  { table, at }: { readonly table: Table; readonly at: number },
  ...parts: readonly Fields<Table>[]
): void {
  const places = table as unknown as Readonly<Record<string, number>>;
  for (const fields of parts as readonly Readonly<Record<string, Value | undefined>>[]) {
    for (const name in fields) {
      const type = table.types[name];
      const value = fields[name];
      if (type !== undefined && value !== undefined)
        WRITERS[type](bytes, at + (places[name] ?? 0), value);
    }
  }
}

/** Returns the bytes of an event in borsh; a field without a value is absent, or 0. */
export function eventBytes<Table extends EventTable>(
  { discriminator, fields }: Table,
  values: Fields<Table['fields']>,
): Buffer {
  const bytes = Buffer.alloc(EVENT_BYTES_MAX);
  const given = values as Readonly<Record<string, Value | undefined>>;
  let end = bytes.write(discriminator, 0, 'hex');
  for (const [name, type] of Object.entries(fields)) {
    const value = given[name];
    const isOption = type.endsWith('?');
    if (isOption) end = bytes.writeUInt8(value === undefined ? 0 : 1, end);
    if (isOption && value === undefined) continue;
    end = WRITERS[type.replace('?', '') as FieldType](bytes, end, value ?? 0);
  }
  return bytes.subarray(0, end);
}

/** Bytes of an event; the longest has less than 512. */
export const EVENT_BYTES_MAX = 1_024;

/**
 * Each returns the place after the field. Integers are little endian; names are padded with spaces as the
 * program's clients do.
 */
const WRITERS = {
  u8: (bytes: Buffer, at: number, value: Value) => bytes.writeUInt8(Number(value), at),
  i8: (bytes: Buffer, at: number, value: Value) => bytes.writeInt8(Number(value), at),
  u16: (bytes: Buffer, at: number, value: Value) => bytes.writeUInt16LE(Number(value), at),
  u32: (bytes: Buffer, at: number, value: Value) => bytes.writeUInt32LE(Number(value), at),
  i32: (bytes: Buffer, at: number, value: Value) => bytes.writeInt32LE(Number(value), at),
  u64: (bytes: Buffer, at: number, value: Value) => bytes.writeBigUInt64LE(BigInt(value), at),
  i64: (bytes: Buffer, at: number, value: Value) => bytes.writeBigInt64LE(BigInt(value), at),
  u128: (bytes: Buffer, at: number, value: Value) => writeWide(bytes, at, BigInt(value)),
  i128: (bytes: Buffer, at: number, value: Value) => writeWide(bytes, at, BigInt(value)),
  key: (bytes: Buffer, at: number, value: Value) =>
    at + Buffer.from(new PublicKey(String(value)).toBytes()).copy(bytes, at),
  name: (bytes: Buffer, at: number, value: Value) =>
    at + bytes.write(String(value).padEnd(32, ' '), at, 32, 'latin1'),
};

function writeWide(bytes: Buffer, at: number, value: bigint): number {
  const middle = bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  return bytes.writeBigUInt64LE(BigInt.asUintN(64, value >> 64n), middle);
}

/** Two bytes, little-endian. */
export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

/** Four bytes, little-endian. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
