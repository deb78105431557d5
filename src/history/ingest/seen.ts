import { SEEN_MAX } from './limits.js';

/**
 * Transactions above the finalised edge that were looked at and left nothing to store. It spares
 * reading them again; what it forgets is only read twice.
 */
export class Seen {
  readonly #slots = new Map<string, number>();

  get size(): number {
    return this.#slots.size;
  }

  /** In another slot it ran once more, on other state, and may have left something. */
  has({ signature, slot }: { readonly signature: string; readonly slot: number }): boolean {
    return this.#slots.get(signature) === slot;
  }

  /** It has left something after all. */
  delete(signature: string): void {
    this.#slots.delete(signature);
  }

  add({ signature, slot }: { readonly signature: string; readonly slot: number }): void {
    this.#slots.set(signature, slot);
    if (this.#slots.size <= SEEN_MAX) return;
    for (const oldest of this.#slots.keys()) {
      this.#slots.delete(oldest);
      return;
    }
  }

  /** The edge has passed this slot. */
  forgetUpTo(slotMax: number): void {
    for (const [signature, slot] of this.#slots) {
      if (slot <= slotMax) this.#slots.delete(signature);
    }
  }

  clear(): void {
    this.#slots.clear();
  }
}
