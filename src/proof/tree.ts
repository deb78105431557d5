/** Merkle trees of RFC 6962, and the tiles of C2SP tlog-tiles in which their hashes are kept. */
import { createHash } from 'node:crypto';

/** Hashes of a full tile, and leaves of a full bundle. */
export const TILE_WIDTH = 256;
/** Levels of the tree in a tile. */
const TILE_HEIGHT = 8;
/** Bytes of a hash. */
export const HASH_BYTES = 32;

/** Returns the hash of a complete subtree of 2^height leaves. */
export type ReadNode = (height: number, index: number) => Uint8Array;

/** Returns the hash of a leaf. */
export function hashLeaf(leaf: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(leaf).digest();
}

function hashNode(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Returns the root over leaves `from` to `to`, which are at least one. */
export function rootOf(read: ReadNode, from: number, to: number): Uint8Array {
  const count = to - from;
  const half = splitOf(count);
  if (count === 1 || 2 * half === count) return read(Math.log2(count), from / count);
  return hashNode(rootOf(read, from, from + half), rootOf(read, from + half, to));
}

/** Returns the path from a leaf to the root over leaves `from` to `to`, lowest first. */
export function pathOf(
  read: ReadNode,
  leaf: number,
  { from = 0, to }: { readonly from?: number; readonly to: number },
): readonly Uint8Array[] {
  if (to - from === 1) return [];
  const middle = from + splitOf(to - from);
  return leaf < middle
    ? [...pathOf(read, leaf, { from, to: middle }), rootOf(read, middle, to)]
    : [...pathOf(read, leaf, { from: middle, to }), rootOf(read, from, middle)];
}

/** The largest power of two below a count; 1 for one. */
function splitOf(count: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(count)) - 1);
}

/** Returns the root of a complete subtree from its hashes, whose number is a power of two. */
export function foldHashes(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes;
  while (row.length > 1) {
    const next: Uint8Array[] = [];
    for (let at = 0; at < row.length; at += 2) {
      next.push(hashNode(row[at] as Uint8Array, row[at + 1] as Uint8Array));
    }
    row = next;
  }
  return row[0] as Uint8Array;
}

/** Returns a reader of the nodes of a tree in memory. */
export function nodesOf(hashes: readonly Uint8Array[]): ReadNode {
  return (height, index) =>
    foldHashes(hashes.slice(index * 2 ** height, (index + 1) * 2 ** height));
}

/** A growing tree, of which only the hashes of the open tiles are in memory. */
export class OpenTiles {
  /** By level; lower levels first. */
  readonly #levels: Uint8Array[][];
  #size: number;

  /** `readOpen` returns the last hashes of a level of a tree of this size. */
  constructor(
    size = 0,
    readOpen: (level: number, count: number) => readonly Uint8Array[] = () => [],
  ) {
    this.#size = size;
    this.#levels = [];
    for (let count = size, level = 0; count > 0; count = Math.floor(count / TILE_WIDTH)) {
      this.#levels.push([...readOpen(level, count % TILE_WIDTH)]);
      level += 1;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the hash of a leaf; returns the new hashes of all levels, of which each level has one at most. */
  appendHash(hash: Uint8Array): readonly Uint8Array[] {
    const added: Uint8Array[] = [];
    this.#size += 1;
    for (let next = hash, level = 0; ; level += 1) {
      this.#levels[level] ??= [];
      const open = this.#levels[level] as Uint8Array[];
      open.push(next);
      added.push(next);
      if (open.length < TILE_WIDTH) return added;
      next = foldHashes(open);
      this.#levels[level] = [];
    }
  }

  /** The root; of the empty tree the hash of nothing. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    for (const open of this.#levels) {
      let end = open.length;
      for (let width = 1; end > 0; width *= 2) {
        if ((end & width) === 0) continue;
        const subtree = foldHashes(open.slice(end - width, end));
        root = root === undefined ? subtree : hashNode(subtree, root);
        end -= width;
      }
    }
    return root ?? createHash('sha256').digest();
  }
}

/** Nodes of tiles that are kept: those of the paths of an hour. */
const KEPT_NODES_MAX = 8_192;

/**
 * Returns a reader of nodes from the hashes of tiles, which keeps nodes, because they never change:
 * `read` returns hashes of a level.
 */
export function nodesOfTiles(
  read: (level: number, from: number, count: number) => readonly Uint8Array[],
): ReadNode {
  const kept = new Map<string, Uint8Array>();
  return (height, index) => {
    const name = `${height} ${index}`;
    const known = kept.get(name);
    if (known !== undefined) return known;
    if (kept.size >= KEPT_NODES_MAX) kept.clear();
    const count = 2 ** (height % TILE_HEIGHT);
    const node = foldHashes(read(Math.floor(height / TILE_HEIGHT), index * count, count));
    kept.set(name, node);
    return node;
  };
}
