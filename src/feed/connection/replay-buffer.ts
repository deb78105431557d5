import type { AccountUpdate } from '../model/account-update.js';
import { FeedError } from '../model/error.js';
import { REPLAY_CHARS_MAX, REPLAY_UPDATES_MAX } from '../model/limits.js';

/** Updates that arrived while the accounts were read, in the order of their arrival. */
export class ReplayBuffer {
  readonly #updatesMax: number;
  #updates: AccountUpdate[] = [];
  #chars = 0;

  constructor(updatesMax: number = REPLAY_UPDATES_MAX) {
    this.#updatesMax = updatesMax;
  }

  /** Keeps an update. Throws REPLAY_BUFFER_EXCEEDED when it is full: then nothing is complete. */
  addUpdate(update: AccountUpdate): void {
    this.#chars += update.data.length;
    if (this.#updates.length >= this.#updatesMax || this.#chars > REPLAY_CHARS_MAX) {
      const message = `updates kept were ${this.#updates.length}, must be at most ${this.#updatesMax}`;
      throw new FeedError('REPLAY_BUFFER_EXCEEDED', message, { chars: this.#chars });
    }
    this.#updates.push(update);
  }

  /** Hands all updates over and is empty. */
  takeUpdates(): readonly AccountUpdate[] {
    const taken = this.#updates;
    this.#updates = [];
    this.#chars = 0;
    return taken;
  }
}
