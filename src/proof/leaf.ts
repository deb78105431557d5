/** The bytes of a leaf of the log; docs/proof.md has the form. Numbers are big-endian. */
import type { ProvenMarket } from '../contract/proof-source.js';
import { ProofError } from './error.js';
import { hashLeaf, nodesOf, rootOf } from './tree.js';

/** Bytes of a leaf. */
export const LEAF_BYTES = 112;
/** Bytes of a market's entry. */
export const ENTRY_BYTES = 107;

const VERSION = 1;
const EPOCH_AT = 4;
const EPOCH_BYTES_MAX = 27;
const SLOT_AT = 32;
const INPUTS_AT = 48;
const ROOT_AT = 80;

/** The content of a leaf. */
export interface Leaf {
  readonly epoch: string;
  readonly slot: number;
  /** Of the turn, unix milliseconds. */
  readonly tsMs: number;
  /** The digest of the records of the journal since the leaf before. */
  readonly inputs: Uint8Array;
  /** The root over the entries of the changed markets; of none, zeros. */
  readonly root: Uint8Array;
  /** The number of entries. */
  readonly entries: number;
}

/** A market's entry. */
export interface Entry extends ProvenMarket {
  readonly seq: number;
  /** The hash of all open orders, as `prove` lists them. */
  readonly orders: Uint8Array;
}

/** Returns the bytes of a leaf. */
export function packLeaf({ epoch, slot, tsMs, inputs, root, entries }: Leaf): Uint8Array {
  const leaf = Buffer.alloc(LEAF_BYTES);
  leaf.writeUInt8(VERSION, 0);
  leaf.writeUInt16BE(entries, 1);
  const name = Buffer.from(epoch);
  if (name.length > EPOCH_BYTES_MAX) throw new Error('Invariant: an epoch has 27 bytes at most');
  leaf.writeUInt8(name.length, 3);
  name.copy(leaf, EPOCH_AT);
  leaf.writeBigUInt64BE(BigInt(slot), SLOT_AT);
  leaf.writeBigUInt64BE(BigInt(tsMs), SLOT_AT + 8);
  leaf.set(inputs, INPUTS_AT);
  leaf.set(root, ROOT_AT);
  return leaf;
}

/** Reads a leaf. Throws `MALFORMED_PROOF`. */
export function readLeaf(bytes: Uint8Array): Leaf {
  const leaf = Buffer.from(bytes);
  if (leaf.length !== LEAF_BYTES || leaf[0] !== VERSION) {
    const message = `a leaf had ${leaf.length} bytes of version ${leaf[0]}, must have ${LEAF_BYTES} of version ${VERSION}`;
    throw new ProofError('MALFORMED_PROOF', message);
  }
  return {
    entries: leaf.readUInt16BE(1),
    epoch: leaf.toString('utf8', EPOCH_AT, EPOCH_AT + leaf.readUInt8(3)),
    slot: Number(leaf.readBigUInt64BE(SLOT_AT)),
    tsMs: Number(leaf.readBigUInt64BE(SLOT_AT + 8)),
    inputs: leaf.subarray(INPUTS_AT, ROOT_AT),
    root: leaf.subarray(ROOT_AT),
  };
}

/** Splits the entries of a leaf. */
export function splitEntries(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) =>
    bytes.subarray(at * ENTRY_BYTES, (at + 1) * ENTRY_BYTES),
  );
}

/** Reads the entry at a place. */
export function readEntry(entries: Uint8Array, place = 0): Entry {
  const { buffer, byteOffset } = entries;
  const entry = Buffer.from(buffer, byteOffset + place * ENTRY_BYTES, ENTRY_BYTES);
  return {
    marketType: entry[0] === 0 ? 'perp' : 'spot',
    marketIndex: entry.readUInt16BE(1),
    seq: Number(entry.readBigUInt64BE(3)),
    orders: entry.subarray(11, 43),
  };
}

/** Returns the root over the entries of a leaf; zeros without any. */
export function rootOfEntries(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length === 0) return new Uint8Array(32);
  return rootOf(nodesOf(entries.map(hashLeaf)), 0, entries.length);
}
