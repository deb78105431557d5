import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { ProofError } from './error.js';
import { LEAF_BYTES } from './leaf.js';
import type { TreeHead } from './note.js';
import { HASH_BYTES, hashLeaf, OpenTiles, TILE_WIDTH } from './tree.js';

/** Bytes of a leaf in a bundle of entries: its length, then the leaf. */
const BUNDLED_BYTES = 2 + LEAF_BYTES;
/** Levels of tiles: as many as a log of four thousand million leaves has. */
const LEVELS_MAX = 4;
/** Leaves in one read. */
const READ_LEAVES = 4_096;

/**
 * The files of a log: `leaves`, and the hashes of each level of tiles in a file of its own. Leaves
 * after the signed tree are cut off, because no reader has a checkpoint of them.
 */
export class LogFiles {
  readonly #leaves: FileHandle;
  readonly #levels: readonly FileHandle[];
  #tiles = new OpenTiles();

  private constructor(leaves: FileHandle, levels: readonly FileHandle[]) {
    this.#leaves = leaves;
    this.#levels = levels;
  }

  /** Opens the files of a signed tree. Rejects with `PROOF_LOG_MISMATCH`. */
  static async open(folder: string, signed: TreeHead): Promise<LogFiles> {
    await mkdir(folder, { recursive: true });
    const openFile = (name: string): Promise<FileHandle> => open(path.join(folder, name), 'a+');
    const leaves = await openFile('leaves');
    const levels = await Promise.all(
      Array.from({ length: LEVELS_MAX }, (_, level) => openFile(`hashes-${level}`)),
    );
    const files = new LogFiles(leaves, levels);
    try {
      await files.#restore(folder, signed);
      return files;
    } catch (error) {
      await files.close();
      throw error;
    }
  }

  get size(): number {
    return this.#tiles.size;
  }

  get root(): Uint8Array {
    return this.#tiles.root();
  }

  /** Appends leaves; they are on the disk when it resolves. */
  async appendLeaves(leaves: readonly Uint8Array[]): Promise<void> {
    await this.#leaves.appendFile(Buffer.concat(leaves.map(packBundled)));
    await this.#leaves.datasync();
    await this.#appendHashes(leaves);
  }

  /** Reads leaves as a bundle: each after its length, two bytes. */
  readBundle(from: number, count: number): Uint8Array {
    return readFrom(this.#leaves, from * BUNDLED_BYTES, count * BUNDLED_BYTES);
  }

  readHashes(level: number, from: number, count: number): readonly Uint8Array[] {
    const bytes = this.readTile(level, from, count);
    return Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    );
  }

  /** Reads hashes of a level, in one. */
  readTile(level: number, from: number, count: number): Uint8Array {
    const file = this.#levels[level];
    if (file === undefined) throw new Error('Invariant: a log has four levels of tiles');
    return readFrom(file, from * HASH_BYTES, count * HASH_BYTES);
  }

  async close(): Promise<void> {
    for (const file of [this.#leaves, ...this.#levels]) await file.close();
  }

  async #restore(folder: string, { size, root }: TreeHead): Promise<void> {
    const held = Math.floor((await this.#leaves.stat()).size / BUNDLED_BYTES);
    if (held < size) {
      const message = `${folder} has ${held} leaves, the key has signed ${size}: an older copy must not go on`;
      throw new ProofError('PROOF_LOG_MISMATCH', message);
    }
    await this.#leaves.truncate(size * BUNDLED_BYTES);
    if (await this.#cutHashes(size)) {
      this.#tiles = new OpenTiles(size, (level, count) => {
        const end = Math.floor(size / TILE_WIDTH ** level);
        return this.readHashes(level, end - count, count);
      });
      if (Buffer.from(this.root).equals(root)) return;
    }
    await this.#hashAgain(size);
    if (Buffer.from(this.root).equals(root)) return;
    throw new ProofError(
      'PROOF_LOG_MISMATCH',
      `${folder} has other leaves than the key has signed`,
    );
  }

  async #appendHashes(leaves: readonly Uint8Array[]): Promise<void> {
    const added = this.#levels.map((): Uint8Array[] => []);
    for (const leaf of leaves) {
      for (const [level, hash] of this.#tiles.appendHash(hashLeaf(leaf)).entries()) {
        added[level]?.push(hash);
      }
    }
    for (const [level, hashes] of added.entries()) {
      if (hashes.length === 0) continue;
      await this.#levels[level]?.appendFile(Buffer.concat(hashes));
      await this.#levels[level]?.datasync();
    }
  }

  /** Cuts the hashes to those of a size; returns whether there are as many. */
  async #cutHashes(size: number): Promise<boolean> {
    let isWhole = true;
    for (const [level, file] of this.#levels.entries()) {
      const bytes = Math.floor(size / TILE_WIDTH ** level) * HASH_BYTES;
      isWhole &&= (await file.stat()).size >= bytes;
      if (isWhole) await file.truncate(bytes);
    }
    return isWhole;
  }

  /** Makes the hashes from the leaves. */
  async #hashAgain(size: number): Promise<void> {
    this.#tiles = new OpenTiles();
    for (const file of this.#levels) await file.truncate(0);
    for (let from = 0; from < size; from += READ_LEAVES) {
      const count = Math.min(READ_LEAVES, size - from);
      await this.#appendHashes(splitBundle(this.readBundle(from, count)));
    }
  }
}

/** Returns the leaves of a bundle. Throws `MALFORMED_PROOF` for a bundle of another form. */
export function splitBundle(bundle: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(bundle);
  const leaves: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += BUNDLED_BYTES) {
    if (at + BUNDLED_BYTES > bytes.length || bytes.readUInt16BE(at) !== LEAF_BYTES) {
      const message = `a bundle has a leaf of another length than ${LEAF_BYTES} at byte ${at}`;
      throw new ProofError('MALFORMED_PROOF', message);
    }
    leaves.push(bytes.subarray(at + 2, at + BUNDLED_BYTES));
  }
  return leaves;
}

/** Replaces a small file; its new content is on the disk when it resolves. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeSynced(`${file}.new`, 'w', text);
  await rename(`${file}.new`, file);
  await writeSynced(path.dirname(file), 'r', null);
}

async function writeSynced(file: string, flags: 'w' | 'r', text: string | null): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    if (text !== null) await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function packBundled(leaf: Uint8Array): Buffer {
  const bytes = Buffer.alloc(BUNDLED_BYTES);
  bytes.writeUInt16BE(LEAF_BYTES, 0);
  bytes.set(leaf, 2);
  return bytes;
}

function readFrom({ fd }: FileHandle, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(fd, bytes, 0, length, at) === length) return bytes;
  throw new ProofError('PROOF_LOG_MISMATCH', `a file of the log ends before byte ${at + length}`);
}
