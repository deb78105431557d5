import { gzipSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { RowBlock, RowColumn } from '../contract/row-block.js';
import type { RowEncoder } from './row-format.js';

/** Digits of a decimal of 64 bits, as the format allows them. */
const DECIMAL_DIGITS = 18;
const DECIMAL_END = 10n ** BigInt(DECIMAL_DIGITS);

const REQUIRED = { repetition_type: 'REQUIRED' } as const;

/**
 * A Parquet file: a row group a block, dictionaries where values come again, gzip, which every reader has. Decimals are exact,
 * of 64 bits; times are milliseconds. Throws a RangeError for a decimal that does not fit.
 */
export class ParquetEncoder implements RowEncoder {
  readonly #bytes = new ByteWriter();
  #parquet: ParquetWriter | undefined;

  encodeBlock({ count, columns }: RowBlock): Uint8Array {
    this.#parquet ??= this.#begin(columns);
    const columnData = columns.map(sourceOf);
    // Nothing is awaited: the writer below makes the bytes in its memory.
    void this.#parquet.write({ columnData, rowGroupSize: count });
    return this.#takeBytes();
  }

  finish(): Uint8Array {
    void this.#parquet?.finish();
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

function elementOf(column: RowColumn): SchemaElement {
  const { name, kind } = column;
  switch (kind) {
    case 'time':
      return { name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...REQUIRED };
    case 'integer':
      return { name, type: 'INT64', ...REQUIRED };
    case 'decimal': {
      const digits = { precision: DECIMAL_DIGITS, scale: column.places };
      return { name, type: 'INT64', converted_type: 'DECIMAL', ...digits, ...REQUIRED };
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
      refuseLong(column);
      return { name, data: column.values };
    default:
      return { name, data: [...column.values] };
  }
}

function refuseLong({ name, values, places }: RowColumn & { readonly kind: 'decimal' }): void {
  const long = values.find((value) => value >= DECIMAL_END || value <= -DECIMAL_END);
  if (long === undefined) return;
  const whole = DECIMAL_DIGITS - places;
  throw new RangeError(
    `${name} was ${long / 10n ** BigInt(places)}, must have at most ${whole} digits before the point in a Parquet file; jsonl has no limit`,
  );
}
