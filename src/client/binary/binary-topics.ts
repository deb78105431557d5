/** The binary topics of a client, while the service supports them. */
import type { Message } from '../fields.js';
import { FrameDecoder } from './frame-decoder.js';

/** A subscription, or the end of one. */
interface TopicRequest {
  readonly topic?: string;
  readonly resume?: unknown;
}

/**
 * Requests and decodes binary frames; shared by all connections of a client, because a resumed
 * stream has no snapshot.
 */
export class BinaryTopics {
  readonly #decoder = new FrameDecoder();
  #isOffered = true;
  /** The last frame was unreadable: its stream is not resumed, because the same bytes would come again. */
  #isLost = false;

  /** A subscribe or unsubscribe message. */
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

  /** Decodes a frame. Throws RangeError for an invalid one. */
  decodeFrame(bytes: Uint8Array): Message {
    this.#isLost = true;
    // A socket class with its own type for bytes is not supported.
    if (bytes.length === 0) this.#isOffered = false;
    const message = this.#decoder.decodeFrame(bytes);
    this.#isLost = false;
    return message;
  }

  /**
   * Whether a message rejects the encoding, so that all topics must be subscribed again. An older
   * service ignores it and sends JSON: from then on this client requests JSON, also on later
   * connections. Candles and trades have no such message, and detect it on each connection.
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
