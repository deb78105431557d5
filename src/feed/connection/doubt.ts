import { PROOF_MS_MAX } from '../model/limits.js';

/** The read that a book in doubt waits for. */
interface WantedProof {
  /** A read of an earlier slot may precede the loss. */
  readonly slotMin: number;
  readonly untilMs: number;
  /** The slot of the first such read; null before it. */
  slotRead: number | null;
}

/** Tracks whether messages of a gap in the slots may be lost, and no read has verified the book yet. */
export class Doubt {
  #proof: WantedProof | null = null;

  get isOpen(): boolean {
    return this.#proof !== null;
  }

  /** A gap has ended: a read of this slot or later verifies the book. Times are monotonic milliseconds. */
  open(slotMin: number, nowMs: number): void {
    // When each slot ends a gap, the first of them counts.
    const untilMs = this.#proof?.untilMs ?? nowMs + PROOF_MS_MAX;
    this.#proof = { slotMin, untilMs, slotRead: null };
  }

  end(): void {
    this.#proof = null;
  }

  recordRead(slot: number): void {
    if (this.#proof !== null && slot >= this.#proof.slotMin) this.#proof.slotRead ??= slot;
  }

  /** The slot of the verifying read; null for none yet. */
  get slotRead(): number | null {
    return this.#proof?.slotRead ?? null;
  }

  /** Whether no read has agreed for too long. */
  isOverdue(nowMs: number): boolean {
    return this.#proof !== null && nowMs >= this.#proof.untilMs;
  }
}
