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

  has(signature: string): boolean {
    return this.#slots.has(signature);
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
