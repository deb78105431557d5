import { FeedError } from './error.js';
import { type Codec, damaged, RecordFile } from './record-file.js';
import {
  CALL_LENGTH_BYTES,
  decodeCall,
  type RecordingInfo,
  type TimedCall,
} from './recorded-call.js';
import { CALL_BYTES_MAX } from './recording-limits.js';

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
   * `RECORDING_VERSION_MISMATCH`, and those of {@link RecordingReader.next}.
   */
  static async open(path: string, codec: Codec): Promise<RecordingReader> {
    const records = await RecordFile.open(path, codec);
    try {
      const stream = new CallStream();
      const { offset } = records;
      const record = await records.next();
      const [first, ...calls] = record === null ? [] : stream.add(record, offset);
      if (first?.call.name !== 'open') {
        throw damaged('MALFORMED_RECORDING', offset, 'the recording says not what it is of');
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
  async next(): Promise<readonly TimedCall[] | null> {
    const calls = this.#first;
    if (calls.length > 0) {
      this.#first = [];
      return calls;
    }
    const { offset } = this.#records;
    const record = await this.#records.next();
    if (record !== null) return this.#stream.add(record, offset);
    if (this.#stream.isWithinCall) this.#cutAt = offset;
    return null;
  }

  close(): Promise<void> {
    return this.#records.close();
  }
}

/** Puts the stream of calls together again. */
class CallStream {
  /** The beginning of a call whose end is in a record to come. */
  #pieces: Uint8Array[] = [];
  #length = 0;
  #wanted = CALL_LENGTH_BYTES;

  get isWithinCall(): boolean {
    return this.#length > 0;
  }

  /** The calls that end in this record, which begins at the offset. */
  add(record: Uint8Array, offset: number): readonly TimedCall[] {
    this.#pieces.push(record);
    this.#length += record.length;
    if (this.#length < this.#wanted) return [];
    const bytes = Buffer.concat(this.#pieces, this.#length);
    const calls: TimedCall[] = [];
    let at = 0;
    while (this.#isWhole(bytes, at, offset)) {
      const end = at + this.#wanted;
      calls.push(decodeAt(bytes.subarray(at + CALL_LENGTH_BYTES, end), offset));
      at = end;
    }
    this.#pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
    return calls;
  }

  /** Whether the call that begins there is all there; sets how many bytes are wanted for it. */
  #isWhole(bytes: Buffer, at: number, offset: number): boolean {
    const left = bytes.length - at;
    this.#wanted = CALL_LENGTH_BYTES;
    if (left < CALL_LENGTH_BYTES) return false;
    const length = bytes.readUInt32LE(at);
    if (length > CALL_BYTES_MAX) {
      const message = `call had ${length} bytes, must have at most ${CALL_BYTES_MAX}`;
      throw damaged('RECORDING_BYTES_EXCEEDED', offset, message);
    }
    this.#wanted += length;
    return left >= this.#wanted;
  }
}

function decodeAt(bytes: Buffer, offset: number): TimedCall {
  try {
    return decodeCall(bytes);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    throw damaged('MALFORMED_RECORDING', offset, error.message);
  }
}
