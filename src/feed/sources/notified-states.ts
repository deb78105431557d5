import type { SourceUpdate } from '../model/feed-source.js';
import {
  addBehind,
  canAdd,
  isSameState,
  type LedgerListener,
  type NotifiedState,
  type SlotWrites,
  stateOf,
} from './account-writes.js';
import { LEDGER_STATES_MAX } from './limits.js';

/** What decides whether a state is one of the book's. */
export interface NotifiedStatesOptions {
  readonly sourceCount: number;
  readonly listener: LedgerListener;
  /** Whether what a source notifies of a slot may change the book. */
  readonly counts: (source: number, slot: number) => boolean;
}

/** Adds what sources notify to the states of a slot: the first that notifies one wins, the others confirm it. */
export class NotifiedStates {
  /** The slot from which no source that numbers writes goes on; infinite while one does. */
  unnumberedFrom = Number.POSITIVE_INFINITY;
  readonly #options: NotifiedStatesOptions;

  constructor(options: NotifiedStatesOptions) {
    this.#options = options;
  }

  /** Whether the state is a new one for the book, and not one that another source notified before. */
  addState(writes: SlotWrites, added: NotifiedState): boolean {
    const { sourceCount, listener, counts } = this.#options;
    const { states, notified, claims } = writes;
    const { first: source, update } = added;
    const at = notified[source] ?? -1;
    const known = states.findIndex((state, index) => {
      return index >= at && isSameState(state.update, update);
    });
    const found = states[known];
    if (found !== undefined) {
      notified[source] = known;
      claims[source] = found.update;
      this.#confirmState(found, source, added.atMs);
      return false;
    }
    claims[source] = update;
    const isNumberedWhole = writes.slot < this.unnumberedFrom;
    const state = { source, added: update, isNumberedWhole };
    if (!counts(source, writes.slot) || !canAdd(writes, state) || isRepeated(writes, update))
      return false;
    listener.onFirst(source);
    const isFull = states.length >= LEDGER_STATES_MAX || sourceCount === 1;
    return addBehind(writes, { added, isFull });
  }

  /** Adds what a source notified last, where that did not count. */
  addClaim(writes: SlotWrites, source: number): void {
    const update = writes.claims[source] ?? null;
    if (update === null || (writes.notified[source] ?? -1) >= 0) return;
    const known = writes.states.find((state) => isSameState(state.update, update));
    // It may still notify again what led to that.
    if (known !== undefined) known.tellers |= 1 << source;
    else this.addState(writes, { update, first: source, atMs: 0, tellers: 1 << source });
  }

  /** Adds what sources that number no write notified. */
  addUnnumbered(writes: SlotWrites): void {
    writes.claims.forEach((update, source) => {
      if (update === null || update.writeVersion > 0) return;
      if (writes.states.some((state) => isSameState(state.update, update))) return;
      this.addState(writes, { update, first: source, atMs: 0, tellers: 1 << source });
    });
  }

  #confirmState(state: NotifiedState, source: number, atMs: number): void {
    const bit = 1 << source;
    if ((state.tellers & bit) !== 0) return;
    state.tellers |= bit;
    this.#options.listener.onConfirmed(source, state.first, atMs - state.atMs);
  }
}

/** Whether it is what stood before: a node notifies the last of several slots alone, with the number of the last one. */
function isRepeated({ account, slot, states }: SlotWrites, update: SourceUpdate): boolean {
  if (update.writeVersion > 0 || states.length > 0) return false;
  const before = stateOf(account);
  return before !== null && before.slot < slot && isSameState(before, update);
}
