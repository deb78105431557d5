import type { RawAccount } from '../contract/accounts.js';

/** The newest state of an account: its bytes, or a closed account. */
type RecentUpdate = RawAccount | { readonly pubkey: string; readonly slot: number };

/** Bytes of an update without its data. */
const UPDATE_BYTES = 200;

/** The newest states of recently changed accounts, in order of arrival, up to a total size. */
export class RecentUpdates {
  readonly #bytesMax: number;
  readonly #byKey = new Map<string, RecentUpdate>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an update. Returns false when it does not fit; all updates are then dropped. */
  addUpdate(update: RecentUpdate): boolean {
    const before = this.#byKey.get(update.pubkey);
    if (before !== undefined) this.#remove(before);
    this.#byKey.set(update.pubkey, update);
    this.#bytes += bytesOf(update);
    if (this.#bytes <= this.#bytesMax) return true;
    this.#byKey.clear();
    this.#bytes = 0;
    return false;
  }

  /** Drops the oldest updates, up to the first of this slot or later. */
  forgetBefore(slot: number): void {
    for (const update of this.#byKey.values()) {
      if (update.slot >= slot) return;
      this.#remove(update);
    }
  }

  takeAll(): readonly RecentUpdate[] {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    this.#bytes = 0;
    return all;
  }

  #remove(update: RecentUpdate): void {
    this.#byKey.delete(update.pubkey);
    this.#bytes -= bytesOf(update);
  }
}

function bytesOf(update: RecentUpdate): number {
  return UPDATE_BYTES + ('data' in update ? update.data.length : 0);
}
