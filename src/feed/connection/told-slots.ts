import type { AccountUpdate } from '../model/account-update.js';
import { SLOTS_KEPT_MAX } from '../model/limits.js';

/** As of when something speaks about an account. */
export type AccountState = Pick<AccountUpdate, 'pubkey' | 'slot'>;

/** As of which slot one connection told of each account last, and how often it went back. */
export class ToldSlots {
  readonly #slots = new Map<string, number>();
  #reverts = 0;

  /** Notifications of a lower slot than the account had. */
  get reverts(): number {
    return this.#reverts;
  }

  has(pubkey: string): boolean {
    return this.#slots.has(pubkey);
  }

  /** Whether a reading has a later state of this account than was told. */
  isNews({ pubkey, slot }: AccountState): boolean {
    return slot > (this.#slots.get(pubkey) ?? 0);
  }

  /** Takes a notification; true when it is a revert. */
  notified({ pubkey, slot }: AccountState): boolean {
    const isRevert = slot < (this.#slots.get(pubkey) ?? 0);
    if (isRevert) this.#reverts += 1;
    this.#keep(pubkey, slot);
    return isRevert;
  }

  /** Takes a reading that is news and is applied. Another one of its slot may be later within it. */
  applied({ pubkey, slot }: AccountState): void {
    this.#keep(pubkey, slot - 1);
  }

  #keep(pubkey: string, slot: number): void {
    if (this.#slots.size < SLOTS_KEPT_MAX || this.#slots.has(pubkey)) this.#slots.set(pubkey, slot);
  }
}
