import { gzipSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Decimals, RowBlock, RowColumn } from '../contract/row-block.js';
import type { RowEncoder } from './row-format.js';

/** Bytes of a decimal: the largest price or size of an order exceeds the 18 digits of 64 bits. */
const DECIMAL_BYTES = 16;
const DECIMAL_DIGITS = 38;

const REQUIRED = { repetition_type: 'REQUIRED' } as const;

/**
 * Encodes a Parquet file: a row group for each block, dictionaries for repeated values, and gzip,
 * which every reader supports. Decimals are exact and never negative; times are milliseconds.
 */
export class ParquetEncoder implements RowEncoder {
  readonly #bytes = new ByteWriter();
  #parquet: ParquetWriter | undefined;

  encodeBlock({ count, columns }: RowBlock): Uint8Array {
    this.#parquet ??= this.#begin(columns);
    const columnData = columns.map(sourceOf);
    // The writer below works synchronously in memory.
    void this.#parquet.write({ columnData, rowGroupSize: count });
    return this.#takeBytes();
  }

  finish(): Uint8Array {
    if (this.#parquet !== undefined) finishFile(this.#parquet);
    return this.#takeBytes();
  }

  #begin(columns: readonly RowColumn[]): ParquetWriter {
    const root = { name: 'rows', num_children: columns.length };
    return new ParquetWriter({
      writer: this.#bytes,
      schema: [root, ...columns.map(elementOf)],
      codec: 'GZIP',
      compressors: { GZIP: (bytes) => gzipSync(bytes) },
      createdBy: 'slotbook',
    });
  }

  #takeBytes(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

/**
 * Decimals are written as plain bytes, which takes half the time; readers get the type from the
 * file's footer.
 */
function finishFile(parquet: ParquetWriter): void {
  parquet.schema = parquet.schema.map((element) =>
    element.type === 'FIXED_LEN_BYTE_ARRAY' ? { ...element, converted_type: 'DECIMAL' } : element,
  );
  void parquet.finish();
}

function elementOf(column: RowColumn): SchemaElement {
  const { name, kind } = column;
  switch (kind) {
    case 'time':
      return { name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...REQUIRED };
    case 'integer':
      return { name, type: 'INT64', ...REQUIRED };
    case 'decimal': {
      const digits = { precision: DECIMAL_DIGITS, scale: column.places };
      const type = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: DECIMAL_BYTES } as const;
      return { name, ...type, ...digits, ...REQUIRED };
    }
    case 'text':
      return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...REQUIRED };
    case 'flag':
      return { name, type: 'BOOLEAN', ...REQUIRED };
  }
}

function sourceOf(column: RowColumn): ColumnSource {
  const { name, kind } = column;
  switch (kind) {
    case 'time':
    case 'integer':
      return { name, data: column.values, encoding: 'DELTA_BINARY_PACKED' };
    case 'decimal':
      return { name, data: decimalBytes(column.values), statistics: false };
    default:
      return { name, data: [...column.values] };
  }
}

/**
 * Encodes each number once, big-endian: numbers repeat, and the writer recognises equal bytes by
 * object identity.
 */
function decimalBytes(values: Decimals): Uint8Array[] {
  const bytesOf = new Map<bigint, Uint8Array>();
  return Array.from(values, (value) => {
    const known = bytesOf.get(value);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(DECIMAL_BYTES);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, value >> 64n);
    view.setBigUint64(8, BigInt.asUintN(64, value));
    bytesOf.set(value, bytes);
    return bytes;
  });
}
