import type { AccountUpdate } from '../model/account-update.js';
import { SLOTS_KEPT_MAX } from '../model/limits.js';

/** As of when something speaks about an account. */
export type AccountState = Pick<AccountUpdate, 'pubkey' | 'slot'>;

/** As of which slot one connection told of each account last, and how often it went back. */
export class LastNotifiedSlots {
  readonly #slots = new Map<string, number>();
  #revertCount = 0;

  /** Notifications of a lower slot than the account had. */
  get revertCount(): number {
    return this.#revertCount;
  }

  hasSlot(pubkey: string): boolean {
    return this.#slots.has(pubkey);
  }

  /** Whether a reading has a later state of this account than was told. */
  isNewer({ pubkey, slot }: AccountState): boolean {
    return slot > (this.#slots.get(pubkey) ?? 0);
  }

  /** Takes a notification; true when it is a revert. */
  recordNotification({ pubkey, slot }: AccountState): boolean {
    const isRevert = slot < (this.#slots.get(pubkey) ?? 0);
    if (isRevert) this.#revertCount += 1;
    this.#setSlot(pubkey, slot);
    return isRevert;
  }

  /** Takes a reading that is news and is applied. Another one of its slot may be later within it. */
  recordApplied({ pubkey, slot }: AccountState): void {
    this.#setSlot(pubkey, slot - 1);
  }

  #setSlot(pubkey: string, slot: number): void {
    if (this.#slots.size < SLOTS_KEPT_MAX || this.#slots.has(pubkey)) this.#slots.set(pubkey, slot);
  }
}
