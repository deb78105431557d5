import { EngineError } from './errors.js';

/** The first size of the body buffer: /l2 at depth 1000 fits. */
const BODY_BYTES_START = 256 << 10;
/** No body may be larger: an /l3 of a hundred thousand orders is about 25 MB. */
const BODY_BYTES_MAX = 64 << 20;

/** The first size of the frame buffer: nearly every frame fits. */
const FRAME_BYTES_START = 64 << 10;
/** No frame may be larger: a snapshot of 500 orders a side is about 400 KB. */
const FRAME_BYTES_MAX = 16 << 20;

/** The bounds of an {@link OutputBuffer}, and what it holds, for the message of an error. */
export interface OutputBufferOptions {
  readonly name: 'body' | 'frame';
  /** The first size. */
  readonly bytesStart: number;
  readonly bytesMax: number;
}

/** A buffer into which the core writes one body or frame at a time; it grows as far as `bytesMax`. */
export class OutputBuffer {
  readonly #options: OutputBufferOptions;
  #buffer: Buffer;

  constructor(options: OutputBufferOptions) {
    this.#options = options;
    this.#buffer = Buffer.allocUnsafeSlow(options.bytesStart);
  }

  /** The buffer of the engine's bodies. */
  static ofBodies(): OutputBuffer {
    const [bytesStart, bytesMax] = [BODY_BYTES_START, BODY_BYTES_MAX];
    return new OutputBuffer({ name: 'body', bytesStart, bytesMax });
  }

  /** The buffer of its frames. */
  static ofFrames(): OutputBuffer {
    const [bytesStart, bytesMax] = [FRAME_BYTES_START, FRAME_BYTES_MAX];
    return new OutputBuffer({ name: 'frame', bytesStart, bytesMax });
  }

  /**
   * What `write` has written: a view that is valid until the next call; empty when it wrote nothing.
   * `write` returns the bytes it has written or, when they do not fit, their number with a minus.
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
