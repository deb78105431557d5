/** The topics of a client whose frames are bytes, as long as the service has them so. */
import type { Message } from '../fields.js';
import { FrameDecoder } from './frame-decoder.js';

/** A subscription, or the end of one. */
interface TopicRequest {
  readonly topic?: string;
  readonly resume?: unknown;
}

/** Asks for bytes, and decodes them: one for all connections of a client, as a stream that is resumed has no snapshot. */
export class BinaryTopics {
  readonly #decoder = new FrameDecoder();
  #isOffered = true;
  /** The last bytes could not be read: what they belong to is not resumed, as the same bytes would come again. */
  #isLost = false;

  /** A subscription, or the end of one, as it is sent. */
  requestOf(message: TopicRequest): object {
    const { topic, resume, ...members } = message;
    return {
      ...members,
      // A topic that is left after bytes were refused may have its name from before.
      ...(topic === undefined
        ? {}
        : { topic: this.#isOffered ? topic : topic.replace(/:binary$/, '') }),
      ...(resume === undefined || this.#isLost ? {} : { resume }),
      ...(this.#isOffered ? { encoding: 'binary' } : {}),
    };
  }

  /** The message that bytes are. Throws RangeError for what is no frame. */
  decodeFrame(bytes: Uint8Array): Message {
    this.#isLost = true;
    // A class of sockets that gives bytes in a form of its own has none here.
    if (bytes.length === 0) this.#isOffered = false;
    const message = this.#decoder.decodeFrame(bytes);
    this.#isLost = false;
    return message;
  }

  /**
   * Whether a message refuses the encoding, so that all is to be subscribed again. An older service ignores it and sends JSON: from
   * then on JSON is asked for, also on another connection. Candles and trades have no message that tells, and ask it of each connection.
   */
  isRefusedBy({ type, topic, code, message }: Message): boolean {
    // A market may be called so.
    const isAboutIt = code !== 'UNKNOWN_MARKET' && /\bencoding\b/.test(String(message));
    const isRefusal = type === 'error' && isAboutIt;
    const isRefused = isRefusal && this.#isOffered;
    const isIgnored = type === 'subscribed' && !/:binary$/.test(String(topic));
    if (isRefusal || isIgnored) this.#isOffered = false;
    return isRefused;
  }
}
