import type { ReplayEvent } from '../../contract/replay-source.js';
import { REPLAY_BATCH_BYTES, REPLAY_WINDOW_BYTES } from '../model/limits.js';
import type { ReplayItems } from '../model/messages.js';

/** Sends what one replay makes, in its order, and says when its reader has to read first. */
export class Outbox {
  readonly #post: (items: ReplayItems) => void;
  /** Copies, of which the next batch is made. */
  #frames: Uint8Array[] = [];
  #bytes = 0;
  /** Sent, and not taken by the reader. */
  #untakenBytes = 0;

  constructor(post: (items: ReplayItems) => void) {
    this.#post = post;
  }

  /** Whether nothing more is to be made until the reader has taken some of it. */
  get isFull(): boolean {
    return this.#untakenBytes + this.#bytes >= REPLAY_WINDOW_BYTES;
  }

  /** Adds a copy of a frame. */
  addFrame(frame: Uint8Array): void {
    this.#frames.push(Uint8Array.from(frame));
    this.#bytes += frame.length;
    if (this.#bytes >= REPLAY_BATCH_BYTES) this.flush();
  }

  /** Sends an event behind all frames so far. */
  sendEvent(event: ReplayEvent): void {
    this.#postItems(event);
  }

  /** Sends the frames that wait. */
  flush(): void {
    if (this.#frames.length > 0) this.#postItems(null);
  }

  /** The reader has taken so many bytes. */
  noteTaken(bytes: number): void {
    this.#untakenBytes -= bytes;
  }

  #postItems(event: ReplayEvent | null): void {
    const bytes = new Uint8Array(this.#bytes);
    const ends: number[] = [];
    let end = 0;
    for (const frame of this.#frames) {
      bytes.set(frame, end);
      end += frame.length;
      ends.push(end);
    }
    this.#untakenBytes += this.#bytes;
    this.#frames = [];
    this.#bytes = 0;
    this.#post({ bytes, ends, event });
  }
}
