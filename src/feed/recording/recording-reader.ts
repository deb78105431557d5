import { FeedError } from '../model/error.js';
import { CALL_BYTES_MAX } from '../model/limits.js';
import { type Codec, damagedError, RecordFile } from './record-file.js';
import {
  CALL_LENGTH_BYTES,
  decodeCall,
  type RecordingInfo,
  type TimedCall,
} from './recorded-call.js';

/**
 * Reads the calls of a recording from its beginning to its end, or to where it is torn: a process
 * that was killed leaves an incomplete record, and that is no error. Everything else that no
 * recorder writes is a coded error that names the place.
 */
export class RecordingReader {
  readonly info: RecordingInfo;
  readonly #records: RecordFile;
  readonly #stream: CallStream;
  #first: readonly TimedCall[];
  #cutAt: number | null = null;

  private constructor(
    parts: { readonly records: RecordFile; readonly stream: CallStream },
    head: { readonly info: RecordingInfo; readonly calls: readonly TimedCall[] },
  ) {
    this.#records = parts.records;
    this.#stream = parts.stream;
    this.info = head.info;
    this.#first = head.calls;
  }

  /**
   * Opens a recording and reads what it is of.
   *
   * # Errors
   *
   * `RECORDING_VERSION_MISMATCH`, and those of {@link RecordingReader.readCalls}.
   */
  static async open(path: string, codec: Codec): Promise<RecordingReader> {
    const records = await RecordFile.open(path, codec);
    try {
      const stream = new CallStream();
      const { offset } = records;
      const record = await records.readRecord();
      const [first, ...calls] = record === null ? [] : stream.addRecord(record, offset);
      if (first?.call.name !== 'open') {
        throw damagedError(
          'MALFORMED_RECORDING',
          offset,
          'the recording does not say what it is of',
        );
      }
      return new RecordingReader({ records, stream }, { info: first.call, calls });
    } catch (error) {
      await records.close();
      throw error;
    }
  }

  /** Bytes of the file that were read. */
  get offset(): number {
    return this.#records.offset;
  }

  /** Where the file ends within a record or a call; null while it does not. */
  get tornAt(): number | null {
    return this.#records.tornAt ?? this.#cutAt;
  }

  /**
   * The calls that the next record completes, which may be none; null at the end.
   *
   * # Errors
   *
   * `MALFORMED_RECORDING`, `RECORDING_CRC_MISMATCH` and `RECORDING_BYTES_EXCEEDED` with the offset of
   * the record; `RECORDING_READ_FAILED`.
   */
  async readCalls(): Promise<readonly TimedCall[] | null> {
    const calls = this.#first;
    if (calls.length > 0) {
      this.#first = [];
      return calls;
    }
    const { offset } = this.#records;
    const record = await this.#records.readRecord();
    if (record !== null) return this.#stream.addRecord(record, offset);
    if (this.#stream.isWithinCall) this.#cutAt = offset;
    return null;
  }

  close(): Promise<void> {
    return this.#records.close();
  }
}

/** Reassembles the stream of calls. A large call is copied piece by piece as it arrives. */
class CallStream {
  /** The call that is being put together; null while it is the length before it. */
  #call: Buffer | null = null;
  readonly #length = Buffer.alloc(CALL_LENGTH_BYTES);
  /** Bytes that are there of either. */
  #filled = 0;

  get isWithinCall(): boolean {
    return this.#call !== null || this.#filled > 0;
  }

  /** The calls that end in this record, which begins at the offset. */
  addRecord(record: Uint8Array, offset: number): readonly TimedCall[] {
    const calls: TimedCall[] = [];
    for (let at = 0; at < record.length; ) {
      const target = this.#call ?? this.#length;
      const part = record.subarray(at, at + target.length - this.#filled);
      target.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < target.length) break;
      this.#filled = 0;
      if (this.#call !== null) calls.push(decodeAt(this.#call, offset));
      this.#call = this.#call === null ? this.#newCall(offset) : null;
    }
    return calls;
  }

  /** Room for the call behind this length. Memory that nothing is written to costs nothing. */
  #newCall(offset: number): Buffer {
    const length = this.#length.readUInt32LE(0);
    if (length > CALL_BYTES_MAX) {
      const message = `call had ${length} bytes, must have at most ${CALL_BYTES_MAX}`;
      throw damagedError('RECORDING_BYTES_EXCEEDED', offset, message);
    }
    // Not even a kind: there is nothing to wait for.
    if (length === 0) throw damagedError('MALFORMED_RECORDING', offset, 'call was empty');
    return Buffer.allocUnsafe(length);
  }
}

function decodeAt(bytes: Buffer, offset: number): TimedCall {
  try {
    return decodeCall(bytes);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    throw damagedError('MALFORMED_RECORDING', offset, error.message);
  }
}
