/** The topics of a client whose frames are bytes, as long as the service has them so. */
import type { Message } from '../fields.js';
import { FrameDecoder } from './frame-decoder.js';

/** Asks for bytes, and decodes them: one for all connections of a client, as a stream that is resumed has no snapshot. */
export class BinaryTopics {
  readonly #decoder = new FrameDecoder();
  #isOffered = true;

  /** A subscription, or the end of one, as it is sent. */
  requestOf(message: object): object {
    return this.#isOffered ? { ...message, encoding: 'binary' } : message;
  }

  /** The message that bytes are. Throws RangeError for what is no frame. */
  decodeFrame(bytes: Uint8Array): Message {
    return this.#decoder.decodeFrame(bytes);
  }

  /**
   * Whether a message refuses the encoding, so that all is to be subscribed again. An older service ignores it and sends
   * JSON: from then on JSON is asked for, also on another connection, where no snapshot in bytes was received before.
   */
  isRefusedBy({ type, topic, message }: Message): boolean {
    const isRefusal = type === 'error' && /\bencoding\b/.test(String(message));
    const isRefused = isRefusal && this.#isOffered;
    const isIgnored = type === 'subscribed' && !/:binary$/.test(String(topic));
    if (isRefusal || isIgnored) this.#isOffered = false;
    return isRefused;
  }
}
