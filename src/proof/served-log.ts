/**
 * The signed log as readers get it: its leaves in files, the newest checkpoint, and the entries of
 * the last hour.
 */
import { existsSync, readFileSync } from 'node:fs';
import type {
  EntryProof,
  ProofMoment,
  ProofSource,
  ProvenMarket,
  TileName,
} from '../contract/proof-source.js';
import { ProofError } from './error.js';
import { ENTRY_BYTES, readEntry, readLeaf, rootOfEntries, splitEntries } from './leaf.js';
import { LogFiles, replaceFile, splitBundle } from './log-files.js';
import type { TreeHead, Verifier } from './note.js';
import { hashLeaf, nodesOf, nodesOfTiles, OpenTiles, pathOf, rootOf, TILE_WIDTH } from './tree.js';

/** Leaves whose entries are kept for proofs: an hour. */
export const KEPT_LEAVES_MAX = 3_600;
/** Bytes of all kept entries. */
export const KEPT_BYTES_MAX = 32 * 1024 * 1024;

/** The entries of a leaf, as the core returns them. */
export interface LeafEntries {
  /** The number of the leaf. */
  readonly index: number;
  readonly entries: Uint8Array;
}

interface KeptLeaf extends LeafEntries {
  readonly epoch: string;
  readonly tsMs: number;
  readonly bytes: Uint8Array;
}

interface ServedLogOptions {
  readonly folder: string;
  /** The file of the newest checkpoint. */
  readonly noteFile: string;
  /** Of the key of the log. */
  readonly verifier: Verifier;
}

/** Serves the leaves of its files up to the newest checkpoint. */
export class ServedLog implements ProofSource {
  readonly #options: ServedLogOptions;
  #files: LogFiles | null = null;
  #signed: TreeHead = EMPTY;
  /** The newest signed note; empty before the first. */
  #note = '';
  #kept: KeptLeaf[] = [];
  #keptBytes = 0;
  readonly #readNode = nodesOfTiles((level, from, count) =>
    this.#openFiles().readHashes(level, from, count),
  );

  constructor(options: ServedLogOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Opens the files. Rejects with `PROOF_LOG_MISMATCH`, also for an older copy of them. */
  async open(): Promise<void> {
    this.#note = this.#readNote();
    this.#signed = this.#note === '' ? EMPTY : this.#options.verifier.openCheckpoint(this.#note);
    this.#files = await LogFiles.open(this.#options.folder, this.#signed);
  }

  /**
   * Opens files of which another place has the leaves. Those of an older or a damaged copy are
   * emptied, to be read again.
   */
  async openCopy(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      if (!(error instanceof ProofError && error.code === 'PROOF_LOG_MISMATCH')) throw error;
      this.#files = await LogFiles.open(this.#options.folder, EMPTY);
    }
  }

  async close(): Promise<void> {
    await this.#files?.close();
    this.#files = null;
  }

  /** The tree of all leaves in the files. */
  get head(): TreeHead {
    const { size, root } = this.#openFiles();
    return { size, root };
  }

  /** Appends leaves; they are on the disk when it resolves. */
  async appendLeaves(leaves: readonly Uint8Array[]): Promise<void> {
    await this.#openFiles().appendLeaves(leaves);
  }

  /** Throws `PROOF_LOG_MISMATCH` unless the leaves in the files begin with those of a signed tree. */
  requireTree({ size, root }: TreeHead): void {
    const held = this.head.size;
    if (size === 0) return;
    if (size <= held && Buffer.from(rootOf(this.#readNode, 0, size)).equals(root)) return;
    const message = `the key has signed other leaves, or more: ${size}, of the log's ${held}`;
    throw new ProofError('PROOF_LOG_MISMATCH', message);
  }

  /**
   * Serves a checkpoint from now on, which is on the disk before a reader can get it, and proofs of
   * the entries. Rejects with `PROOF_KEY_USED` when another process has replaced the last one.
   */
  async publish(note: string, added: readonly LeafEntries[]): Promise<void> {
    const { noteFile, verifier } = this.#options;
    if (this.#readNote() !== this.#note) {
      const message = `${noteFile} was written by another process: it signs with this key`;
      throw new ProofError('PROOF_KEY_USED', message);
    }
    await this.writeNote(note);
    this.serveNote(note, verifier.openCheckpoint(note));
    for (const leaf of added) this.addEntries(leaf);
  }

  /** Writes a checkpoint to its file, from which the next run serves it. */
  async writeNote(note: string): Promise<void> {
    await replaceFile(this.#options.noteFile, note);
  }

  /**
   * Serves a checkpoint when it is newer; returns whether it is. Throws `PROOF_LOG_MISMATCH` when the
   * files lack its leaves, or have others.
   */
  serveNote(note: string, head: TreeHead): boolean {
    for (const tree of [head, this.#signed]) {
      if (tree.size <= head.size) this.requireTree(tree);
    }
    if (head.size <= this.#signed.size) return false;
    this.#note = note;
    this.#signed = head;
    return true;
  }

  /** Serves proofs of the entries of a leaf in the files, whose root they must have. */
  addEntries({ index, entries }: LeafEntries): void {
    if (index >= this.head.size || index <= (this.#kept.at(-1)?.index ?? -1)) return;
    const [bytes = new Uint8Array()] = splitBundle(this.#openFiles().readBundle(index, 1));
    const { epoch, tsMs, root } = readLeaf(bytes);
    if (!Buffer.from(rootOfEntries(splitEntries(entries))).equals(root)) return;
    this.#kept.push({ index, epoch, tsMs, bytes, entries });
    this.#keptBytes += entries.length;
    while (this.#kept.length > KEPT_LEAVES_MAX || this.#keptBytes > KEPT_BYTES_MAX) {
      this.#keptBytes -= this.#kept.shift()?.entries.length ?? 0;
    }
  }

  /** The tree that is served. A copy may still lack leaves of the newest checkpoint. */
  get #served(): TreeHead {
    const isWhole = this.#files !== null && this.#signed.size <= this.#files.size;
    return isWhole ? this.#signed : EMPTY;
  }

  checkpoint(): string | null {
    return this.#served.size === 0 ? null : this.#note;
  }

  readTile({ level, index, width }: TileName): Uint8Array | null {
    const files = this.#files;
    const levelOf = level === 'entries' ? 0 : level;
    const held = Math.floor(this.#served.size / TILE_WIDTH ** levelOf);
    const from = index * TILE_WIDTH;
    if (files === null || from + width > held) return null;
    if (level === 'entries') return files.readBundle(from, width);
    return files.readTile(level, from, width);
  }

  findProof(market: ProvenMarket, at: ProofMoment): EntryProof | null {
    const key = keyOf(market);
    const epoch = this.#kept.at(-1)?.epoch;
    const found =
      'seq' in at
        ? this.#kept.find((leaf) => leaf.epoch === epoch && seqIn(leaf, key) >= at.seq)
        : this.#kept.findLast((leaf) => leaf.tsMs <= at.tsMs && seqIn(leaf, key) >= 0);
    const isServed = found !== undefined && found.index < this.#served.size;
    return isServed ? this.#proofOf(found, key) : null;
  }

  #proofOf({ index, bytes, entries }: KeptLeaf, key: number): EntryProof {
    const split = splitEntries(entries);
    const place = placeIn({ entries }, key);
    const { size } = this.#signed;
    const inLeaf = pathOf(nodesOf(split.map(hashLeaf)), place, { to: split.length });
    return {
      entry: textOf([split[place] ?? new Uint8Array()]),
      place,
      places: split.length,
      entryPath: textOf(inLeaf),
      leaf: textOf([bytes]),
      index,
      path: textOf(pathOf(this.#readNode, index, { to: size })),
      checkpoint: this.#note,
    };
  }

  #openFiles(): LogFiles {
    if (this.#files === null) throw new Error('Invariant: the log is open');
    return this.#files;
  }

  #readNote(): string {
    const { noteFile } = this.#options;
    return existsSync(noteFile) ? readFileSync(noteFile, 'utf8') : '';
  }
}

/** The tree without leaves. */
const EMPTY: TreeHead = { size: 0, root: new OpenTiles().root() };

/** A number for each market, by which entries are sorted. */
function keyOf({ marketType, marketIndex }: ProvenMarket): number {
  return marketIndex + (marketType === 'spot' ? 2 ** 16 : 0);
}

/** The place of a market's entry in a leaf; -1 in a leaf without it. */
function placeIn({ entries }: Pick<KeptLeaf, 'entries'>, key: number): number {
  let low = 0;
  let high = entries.length / ENTRY_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = keyOf(readEntry(entries, middle));
    if (found === key) return middle;
    if (found < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The sequence number of a market in a leaf; -1 in a leaf without it. */
function seqIn(leaf: KeptLeaf, key: number): number {
  const place = placeIn(leaf, key);
  return place === -1 ? -1 : readEntry(leaf.entries, place).seq;
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('base64');
}
