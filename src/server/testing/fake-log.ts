import type { EntryProof, ProofSource } from '../../contract/proof-source.js';

/** The proof of each market but market 1. */
export const PROOF: EntryProof = {
  entry: 'AA==',
  place: 0,
  places: 1,
  entryPath: '',
  leaf: 'AA==',
  index: 3,
  path: '',
  checkpoint: 'note',
};

/** A log that has everything but market 1, and records what was asked of it. */
export class FakeLog implements ProofSource {
  readonly asked: unknown[] = [];
  checkpoint = (): string | null => 'a note';
  readTile = (tile: object): Uint8Array => {
    this.asked.push(tile);
    return new Uint8Array([1, 2]);
  };
  findProof = (market: { readonly marketIndex: number }, at: object): EntryProof | null => {
    this.asked.push(at);
    return market.marketIndex === 1 ? null : PROOF;
  };
}
