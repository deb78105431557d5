import { PublicKey } from '@solana/web3.js';

/** The table of an account; `discriminator` is its first eight bytes as hexadecimal text. */
interface LayoutTable {
  readonly size: number;
  readonly discriminator: string;
}

/**
 * Writes the bytes of one account, field by field, at the offsets of its table. Integers are
 * little endian.
 */
export class AccountBytes<Table extends LayoutTable = LayoutTable> {
  readonly bytes: Buffer;
  /** Where the account has its fields. */
  readonly at: Table;

  constructor(table: Table) {
    this.bytes = Buffer.alloc(table.size);
    this.bytes.write(table.discriminator, 0, 'hex');
    this.at = table;
  }

  u8(offset: number, value: number): void {
    this.bytes.writeUInt8(value, offset);
  }

  i8(offset: number, value: number): void {
    this.bytes.writeInt8(value, offset);
  }

  writeBool(offset: number, value: boolean): void {
    this.bytes.writeUInt8(value ? 1 : 0, offset);
  }

  u16(offset: number, value: number): void {
    this.bytes.writeUInt16LE(value, offset);
  }

  u32(offset: number, value: number): void {
    this.bytes.writeUInt32LE(value, offset);
  }

  i32(offset: number, value: number): void {
    this.bytes.writeInt32LE(value, offset);
  }

  u64(offset: number, value: bigint): void {
    this.bytes.writeBigUInt64LE(value, offset);
  }

  i64(offset: number, value: bigint): void {
    this.bytes.writeBigInt64LE(value, offset);
  }

  u128(offset: number, value: bigint): void {
    this.bytes.writeBigUInt64LE(BigInt.asUintN(64, value), offset);
    this.bytes.writeBigUInt64LE(value >> 64n, offset + 8);
  }

  i128(offset: number, value: bigint): void {
    this.bytes.writeBigUInt64LE(BigInt.asUintN(64, value), offset);
    this.bytes.writeBigInt64LE(value >> 64n, offset + 8);
  }

  /** Writes a key given in base58. */
  writeKey(offset: number, key: string): void {
    this.bytes.set(new PublicKey(key).toBytes(), offset);
  }

  /** Writes a name of at most 32 bytes, padded with spaces as the program's clients do. */
  writeName(offset: number, name: string): void {
    this.bytes.write(name.padEnd(32, ' '), offset, 32, 'latin1');
  }
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
