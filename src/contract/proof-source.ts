/** The signed log of the books, as paths serve it. */

/** Where a proof is wanted: a sequence number of the market, or unix milliseconds. */
export type ProofMoment = { readonly seq: number } | { readonly tsMs: number };

/** A market as entries name it. */
export interface ProvenMarket {
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
}

/** A market's entry in a leaf of the log, with all that leads to a checkpoint. Hashes are base64. */
export interface EntryProof {
  /** The entry, 107 bytes. */
  readonly entry: string;
  /** The number of the entry in its leaf, of so many. */
  readonly place: number;
  readonly places: number;
  /** The hashes from the entry to the leaf's root, lowest first, in one. */
  readonly entryPath: string;
  /** The leaf. */
  readonly leaf: string;
  /** The number of the leaf in the log. */
  readonly index: number;
  /** The hashes from the leaf to the root of the checkpoint, lowest first, in one. */
  readonly path: string;
  /** A signed note. */
  readonly checkpoint: string;
}

/** A file of the log: part of a level of hashes, or of the leaves. */
export interface TileName {
  readonly level: number | 'entries';
  readonly index: number;
  /** Hashes or leaves in it, 1 to 256. */
  readonly width: number;
}

/** The signed log of a service. */
export interface ProofSource {
  /** The newest checkpoint, a signed note; null before the first. */
  checkpoint(): string | null;
  /** Returns a tile as bytes; null for one that the newest checkpoint does not cover. */
  readTile(tile: TileName): Uint8Array | null;
  /**
   * Returns the proof of the first entry of a market at or after the sequence number, or of the last
   * at or before the time; null when there is none, or its leaf is older than those that are kept.
   */
  findProof(market: ProvenMarket, at: ProofMoment): EntryProof | null;
}
