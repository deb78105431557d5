/** Manages a client's binary topics while the service supports binary frames. */
import type { Message } from '../fields.js';
import { FrameDecoder } from './frame-decoder.js';

/** A subscription, or the end of one. */
interface TopicRequest {
  readonly topic?: string;
  readonly resume?: unknown;
}

/**
 * Requests and decodes binary frames; all connections of a client share it, because a resumed
 * stream sends no snapshot.
 */
export class BinaryTopics {
  readonly #decoder = new FrameDecoder();
  #isOffered = true;
  /**
   * Whether the last frame was unreadable: its stream is not resumed, because the service would
   * send the same bytes again.
   */
  #isLost = false;

  /** A subscribe or unsubscribe message. */
  requestOf(message: TopicRequest): object {
    const { topic, resume, ...members } = message;
    return {
      ...members,
      // A topic that is left after the service refused binary may still have its binary name.
      ...(topic === undefined
        ? {}
        : { topic: this.#isOffered ? topic : topic.replace(/:binary$/, '') }),
      ...(resume === undefined || this.#isLost ? {} : { resume }),
      ...(this.#isOffered ? { encoding: 'binary' } : {}),
    };
  }

  /** Decodes a frame. Throws RangeError for an invalid frame. */
  decodeFrame(bytes: Uint8Array): Message {
    this.#isLost = true;
    // A socket class that delivers bytes in a type of its own is not supported.
    if (bytes.length === 0) this.#isOffered = false;
    const message = this.#decoder.decodeFrame(bytes);
    this.#isLost = false;
    return message;
  }

  /**
   * Returns whether a message rejects the binary encoding, so that all topics must be subscribed
   * again. An older service ignores the encoding and sends JSON: from then on this client requests
   * JSON, also on later connections. Messages about candles and trades do not show this, so each
   * connection detects it.
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
