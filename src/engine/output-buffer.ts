import { EngineError } from './errors.js';

/** The maximum size of a body: an /l3 of a hundred thousand orders takes about 25 MB. */
const BODY_BYTES_MAX = 64 << 20;

/** The bounds of each kind of contents. */
const BYTES = {
  /** The first size is enough for /l2 at depth 1000. */
  body: { start: 256 << 10, max: BODY_BYTES_MAX },
  /** The first size is enough for nearly every frame; a snapshot of 500 orders a side takes about 400 KB. */
  frame: { start: 64 << 10, max: 16 << 20 },
} as const;

/** A buffer for one rendered body or frame at a time. It grows up to the maximum of its contents. */
export class OutputBuffer {
  readonly #contents: keyof typeof BYTES;
  #buffer: Buffer;

  constructor(contents: keyof typeof BYTES) {
    this.#contents = contents;
    this.#buffer = Buffer.allocUnsafeSlow(BYTES[contents].start);
  }

  /**
   * Renders with `write` and returns a view on the bytes that is valid until the next call; the
   * view is empty when `write` wrote nothing. `write` returns the number of bytes, or the negative
   * number of bytes needed when the buffer is too small.
   */
  renderView(write: (out: Buffer) => number): Uint8Array {
    let length = write(this.#buffer);
    if (length < 0) {
      this.#grow(-length);
      length = write(this.#buffer);
    }
    return this.#buffer.subarray(0, length);
  }

  #grow(bytes: number): void {
    const { max } = BYTES[this.#contents];
    if (bytes > max) {
      const message = `${this.#contents} was ${bytes} bytes, must be at most ${max}`;
      throw new EngineError('BODY_BYTES_EXCEEDED', message, { bytes });
    }
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(max, Math.ceil(bytes * 1.5)));
  }
}
