import type { LoggedWrites } from '../../contract/logged-writes.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { LoggedUsers } from '../../engine/events.js';
import { LIVE_BATCH_MS } from '../model/limits.js';
import type { LogsNotification } from './rpc-results.js';

interface SlotUsers {
  readonly users: Set<string>;
  readonly unread: string[];
}

/** Collects the users that logs name, by slot, and passes them on in small batches. */
export class LoggedUsersBatch {
  readonly #timers: Timers;
  readonly #onLogged: (writes: readonly LoggedWrites[]) => void;
  readonly #slots = new Map<number, SlotUsers>();
  #timer: Timer | null = null;

  constructor(timers: Timers, onLogged: (writes: readonly LoggedWrites[]) => void) {
    this.#timers = timers;
    this.#onLogged = onLogged;
  }

  /** Adds the users of a transaction that did not fail. */
  addTransaction({ slot, signature, lines }: LogsNotification, logged: LoggedUsers): void {
    const known = this.#slots.get(slot) ?? { users: new Set<string>(), unread: [] };
    for (const user of logged.users) known.users.add(user);
    if (logged.isPartial || lines === null) known.unread.push(signature);
    this.#slots.set(slot, known);
    this.#timer ??= this.#timers.after(LIVE_BATCH_MS, () => this.#passOn());
  }

  #passOn(): void {
    this.#timer = null;
    const writes = [...this.#slots].map(([slot, { users, unread }]) => {
      return { slot, users: [...users], unread };
    });
    this.#slots.clear();
    this.#onLogged(writes);
  }
}
