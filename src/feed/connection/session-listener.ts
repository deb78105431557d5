/** The events of a session. */
export interface SessionListener {
  /** Called when the book is complete, in the turn that is about to end. */
  onLive(): void;
  /** The book is no longer complete. */
  onRebuilding(reason: string): void;
  /** Updates may be missing, for this reason. */
  onGap(reason: string): void;
  /** Called when a snapshot failed; the next one is scheduled. */
  onReadFailure(error: unknown): void;
  onLoss(reason: string): void;
  /** Called when the chain has advanced by a slot. */
  onSlot(): void;
  /** The chain of this connection. */
  onGenesis(hash: string): void;
}
