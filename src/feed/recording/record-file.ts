/**
 * The file of a recording: 16 bytes of magic, a u32 version, then records to its end. A record is
 * `u32 length, u32 CRC-32, zstd frame`, little-endian; length and CRC are of the frame, which holds
 * at most 64 KiB of the stream of calls (`recorded-call.ts`), cut without regard to calls. A file
 * is only ever appended to, so that everything before a truncation can be read.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { FeedError, type FeedErrorCode } from '../model/error.js';
import { RECORD_BYTES_MAX, RECORD_CALL_BYTES_MAX, RECORDING_READ_BYTES } from '../model/limits.js';

/** How the bytes of a record are packed: zstd. */
export interface Codec {
  compress(bytes: Uint8Array): Uint8Array;
  /** Throws when the bytes are no zstd, or more than `bytesMax` when unpacked. */
  decompress(bytes: Uint8Array, bytesMax: number): Uint8Array;
}

const MAGIC = Buffer.from('slotbook calls\r\n', 'latin1');
/** A reader of one version reads no other. */
const VERSION = 1;
const PREAMBLE_BYTES = MAGIC.length + 4;
const RECORD_HEAD_BYTES = 8;

/** What every recording begins with. */
export function recordingPreamble(): Buffer {
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  MAGIC.copy(preamble);
  preamble.writeUInt32LE(VERSION, MAGIC.length);
  return preamble;
}

/** A block of the stream of calls as one record of the file. */
export function sealRecord(codec: Codec, block: Uint8Array): Buffer {
  const packed = codec.compress(block);
  const record = Buffer.allocUnsafe(RECORD_HEAD_BYTES + packed.length);
  record.writeUInt32LE(packed.length, 0);
  record.writeUInt32LE(crc32(packed), 4);
  record.set(packed, RECORD_HEAD_BYTES);
  return record;
}

/** Reads the records of a file, one after the other. */
export class RecordFile {
  readonly #file: FileHandle;
  readonly #codec: Codec;
  /** What was read of the file and not yet taken. */
  #ahead: Buffer = Buffer.alloc(0);
  #ended = false;
  #offset = 0;
  #tornAt: number | null = null;

  private constructor(file: FileHandle, codec: Codec) {
    this.#file = file;
    this.#codec = codec;
  }

  /**
   * Opens a file that is a recording of this version.
   *
   * # Errors
   *
   * `RECORDING_READ_FAILED`, `MALFORMED_RECORDING`, `RECORDING_VERSION_MISMATCH`.
   */
  static async open(path: string, codec: Codec): Promise<RecordFile> {
    const file = await open(path, 'r').catch((error: unknown) => {
      throw readFailedError(error);
    });
    const records = new RecordFile(file, codec);
    try {
      await records.#readPreamble();
      return records;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Where the next record begins. */
  get offset(): number {
    return this.#offset;
  }

  /** Where the file ends within a record; null while it does not. */
  get tornAt(): number | null {
    return this.#tornAt;
  }

  /**
   * What the next record holds; null at the end, and where the file is torn.
   *
   * # Errors
   *
   * `MALFORMED_RECORDING`, `RECORDING_CRC_MISMATCH` and `RECORDING_BYTES_EXCEEDED` with the offset of
   * the record; `RECORDING_READ_FAILED`.
   */
  async readRecord(): Promise<Uint8Array | null> {
    if (this.#tornAt !== null || (await this.#readAhead(1)) === 0) return null;
    if ((await this.#readAhead(RECORD_HEAD_BYTES)) < RECORD_HEAD_BYTES) return this.#markTorn();
    const length = this.#ahead.readUInt32LE(0);
    const crc = this.#ahead.readUInt32LE(4);
    // A machine that lost power may leave a tail that was made longer and never written.
    if (length === 0) {
      if (await this.#isZeroToEnd()) return this.#markTorn();
      throw damagedError('MALFORMED_RECORDING', this.#offset, 'record was empty');
    }
    if (length > RECORD_BYTES_MAX) {
      const message = `record had ${length} bytes, must have at most ${RECORD_BYTES_MAX}`;
      throw damagedError('RECORDING_BYTES_EXCEEDED', this.#offset, message);
    }
    const bytes = RECORD_HEAD_BYTES + length;
    if ((await this.#readAhead(bytes)) < bytes) return this.#markTorn();
    const packed = this.#ahead.subarray(RECORD_HEAD_BYTES, bytes);
    if (crc32(packed) !== crc) {
      // The last record: its bytes were not all written before it ended.
      if ((await this.#readAhead(bytes + 1)) === bytes) return this.#markTorn();
      throw damagedError(
        'RECORDING_CRC_MISMATCH',
        this.#offset,
        'record does not match its CRC-32',
      );
    }
    const block = this.#unpackRecord(packed);
    this.#skipBytes(bytes);
    return block;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readPreamble(): Promise<void> {
    const length = await this.#readAhead(PREAMBLE_BYTES);
    if (length < PREAMBLE_BYTES || !this.#ahead.subarray(0, MAGIC.length).equals(MAGIC)) {
      throw damagedError('MALFORMED_RECORDING', 0, 'the file is not a recording');
    }
    const version = this.#ahead.readUInt32LE(MAGIC.length);
    if (version !== VERSION) {
      const message = `version was ${version}, must be ${VERSION}`;
      throw damagedError('RECORDING_VERSION_MISMATCH', MAGIC.length, message);
    }
    this.#skipBytes(PREAMBLE_BYTES);
  }

  #unpackRecord(packed: Uint8Array): Uint8Array {
    try {
      return this.#codec.decompress(packed, RECORD_CALL_BYTES_MAX);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw damagedError('MALFORMED_RECORDING', this.#offset, `record cannot be unpacked: ${why}`);
    }
  }

  #markTorn(): null {
    this.#tornAt = this.#offset;
    return null;
  }

  async #isZeroToEnd(): Promise<boolean> {
    for (;;) {
      if (this.#ahead.some((byte) => byte !== 0)) return false;
      const rest = this.#ahead.length;
      if ((await this.#readAhead(rest + 1)) === rest) return true;
      // What is known to be zero needs not be kept: the file ends here in any case.
      this.#ahead = this.#ahead.subarray(rest);
    }
  }

  /** Reads until so many bytes are ahead; returns how many are, which is fewer at the end only. */
  async #readAhead(count: number): Promise<number> {
    while (this.#ahead.length < count && !this.#ended) {
      const more = await this.#readChunk();
      if (more.length === 0) this.#ended = true;
      else this.#ahead = Buffer.concat([this.#ahead, more]);
    }
    return Math.min(count, this.#ahead.length);
  }

  async #readChunk(): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(RECORDING_READ_BYTES);
    try {
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, null);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw readFailedError(error);
    }
  }

  #skipBytes(count: number): void {
    this.#ahead = this.#ahead.subarray(count);
    this.#offset += count;
  }
}

/** What is wrong with a recording, and where. */
export function damagedError(code: FeedErrorCode, offset: number, what: string): FeedError {
  return new FeedError(code, `${what} (at byte ${offset} of the recording)`, { offset });
}

function readFailedError(error: unknown): FeedError {
  const why = error instanceof Error ? error.message : String(error);
  return new FeedError('RECORDING_READ_FAILED', `the recording cannot be read: ${why}`);
}
