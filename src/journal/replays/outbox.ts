import type { ReplayEvent } from '../../contract/replay-source.js';
import { REPLAY_BATCH_BYTES, REPLAY_WINDOW_BYTES } from '../model/limits.js';
import type { ReplayItems } from '../model/messages.js';

/** Sends the output of one replay in order, with back-pressure from its reader. */
export class Outbox {
  readonly #post: (items: ReplayItems) => void;
  /** Copies for the next batch. */
  #frames: Uint8Array[] = [];
  #bytes = 0;
  /** Sent bytes that the reader has not taken yet. */
  #untakenBytes = 0;

  constructor(post: (items: ReplayItems) => void) {
    this.#post = post;
  }

  /** Whether the replay must pause until the reader has taken some output. */
  get isFull(): boolean {
    return this.#untakenBytes + this.#bytes >= REPLAY_WINDOW_BYTES;
  }

  addFrame(frame: Uint8Array): void {
    this.#frames.push(Uint8Array.from(frame));
    this.#bytes += frame.length;
    if (this.#bytes >= REPLAY_BATCH_BYTES) this.flush();
  }

  sendEvent(event: ReplayEvent): void {
    this.#postItems(event);
  }

  /** Sends the pending frames. */
  flush(): void {
    if (this.#frames.length > 0) this.#postItems(null);
  }

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
