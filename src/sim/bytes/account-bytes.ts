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

/** Integers are little endian; names are padded with spaces as the program's clients do. */
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
    bytes.set(new PublicKey(String(value)).toBytes(), at),
  name: (bytes: Buffer, at: number, value: Value) =>
    bytes.write(String(value).padEnd(32, ' '), at, 32, 'latin1'),
};

function writeWide(bytes: Buffer, at: number, value: bigint): void {
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value), at);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value >> 64n), at + 8);
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
