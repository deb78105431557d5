/** A signed log that the services of a cluster share: one writes its leaves, all read them. */

/** The place of a message in its stream. */
export interface SharedPlace {
  /** The number of the message, from 1. */
  readonly sequence: number;
  /** Later messages that are already there. */
  readonly waiting: number;
}

/** A leaf. */
export interface SharedLeaf {
  /** The number of the leaf in the log. */
  readonly index: number;
  /** The leaf; empty in a message without one. */
  readonly bytes: Uint8Array;
}

/** A signed checkpoint, and the entries of a leaf before it. */
export interface SharedProof {
  /** A signed note; empty in a message without one. */
  readonly note: string;
  /** The number of the leaf in the log. */
  readonly index: number;
  readonly entries: Uint8Array;
}

/** The numbers of a writer's first messages, which have no content. */
export interface WriterPlace {
  readonly leaves: number;
  readonly proofs: number;
}

/**
 * The streams of a shared log. All methods try again while the servers fail; they end with
 * {@link SharedLog.stop}.
 */
export interface SharedLog {
  /** Takes the folder of a copy for this process. Throws `JOURNAL_LOCKED` when another one has it. */
  lockFolder(folder: string): void;
  /** Yields all leaves from one on, as they come; earlier ones may come before it. */
  readLeaves(from: number): AsyncIterable<SharedLeaf & SharedPlace>;
  /** Yields the proofs of the last hour, and new ones as they come. */
  readProofs(): AsyncIterable<SharedProof & SharedPlace>;
  /**
   * Makes this service the only writer. Resolves with its messages, after which no other
   * writer can append.
   */
  claim(): Promise<WriterPlace>;
  /** Appends a leaf. Rejects with `LOG_FENCED` when another service is the writer. */
  appendLeaf(index: number, leaf: Uint8Array): Promise<void>;
  appendProof(proof: SharedProof): Promise<void>;
  stop(): Promise<void>;
}
