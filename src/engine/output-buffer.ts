import { EngineError } from './errors.js';

/** The first size of the body buffer: enough for /l2 at depth 1000. */
const BODY_BYTES_START = 256 << 10;
/** The maximum size of a body: an /l3 of a hundred thousand orders takes about 25 MB. */
const BODY_BYTES_MAX = 64 << 20;

/** The first size of the frame buffer: enough for nearly every frame. */
const FRAME_BYTES_START = 64 << 10;
/** The maximum size of a frame: a snapshot of 500 orders a side takes about 400 KB. */
const FRAME_BYTES_MAX = 16 << 20;

/** The bounds of an {@link OutputBuffer}, and the name of its contents for error messages. */
interface OutputBufferOptions {
  readonly name: 'body' | 'frame';
  readonly bytesStart: number;
  readonly bytesMax: number;
}

/** A buffer for one rendered body or frame at a time. It grows up to `bytesMax`. */
export class OutputBuffer {
  readonly #options: OutputBufferOptions;
  #buffer: Buffer;

  constructor(options: OutputBufferOptions) {
    this.#options = options;
    this.#buffer = Buffer.allocUnsafeSlow(options.bytesStart);
  }

  /** Creates the buffer for bodies. */
  static ofBodies(): OutputBuffer {
    const bytesStart = BODY_BYTES_START;
    const bytesMax = BODY_BYTES_MAX;
    return new OutputBuffer({ name: 'body', bytesStart, bytesMax });
  }

  /** Creates the buffer for frames. */
  static ofFrames(): OutputBuffer {
    const bytesStart = FRAME_BYTES_START;
    const bytesMax = FRAME_BYTES_MAX;
    return new OutputBuffer({ name: 'frame', bytesStart, bytesMax });
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
    const { name, bytesMax } = this.#options;
    if (bytes > bytesMax) {
      const message = `${name} was ${bytes} bytes, must be at most ${bytesMax}`;
      throw new EngineError('BODY_BYTES_EXCEEDED', message, { bytes });
    }
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(bytesMax, Math.ceil(bytes * 1.5)));
  }
}
