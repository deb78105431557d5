import { PROOF_MS_MAX } from '../model/limits.js';

/** The read that must verify a book in doubt. */
interface WantedProof {
  /** The lowest slot of such a read; a read of an earlier slot may precede the loss. */
  readonly slotMin: number;
  readonly untilMs: number;
  /** The slot of the first such read; null until it was made. */
  slotRead: number | null;
}

/**
 * Tracks whether messages may have been lost in a gap of the slots while no read has verified the
 * book yet.
 */
export class Doubt {
  #proof: WantedProof | null = null;

  get isOpen(): boolean {
    return this.#proof !== null;
  }

  /**
   * Records that a gap has ended: a read of this slot or later verifies the book. Times are
   * monotonic milliseconds.
   */
  open(slotMin: number, nowMs: number): void {
    // When every slot ends a gap, the time limit of the first gap stays.
    const untilMs = this.#proof?.untilMs ?? nowMs + PROOF_MS_MAX;
    this.#proof = { slotMin, untilMs, slotRead: null };
  }

  end(): void {
    this.#proof = null;
  }

  recordRead(slot: number): void {
    if (this.#proof !== null && slot >= this.#proof.slotMin) this.#proof.slotRead ??= slot;
  }

  /** The slot of the verifying read; null until it was made. */
  get slotRead(): number | null {
    return this.#proof?.slotRead ?? null;
  }

  /** Returns whether no read has agreed with the book for too long. */
  isOverdue(nowMs: number): boolean {
    return this.#proof !== null && nowMs >= this.#proof.untilMs;
  }
}
