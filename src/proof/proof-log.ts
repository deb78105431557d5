/**
 * The signed log of a service: once a second a leaf with the hashes of the changed markets, in files
 * that only grow, and a checkpoint that is signed when the leaf is on the disk.
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
import {
  ENTRY_BYTES,
  type Leaf,
  packLeaf,
  readEntry,
  rootOfEntries,
  splitEntries,
} from './leaf.js';
import { LogFiles, replaceFile } from './log-files.js';
import { Signer, type TreeHead } from './note.js';
import { hashLeaf, nodesOf, nodesOfTiles, OpenTiles, pathOf, TILE_WIDTH } from './tree.js';

/** Leaves whose entries are kept for proofs: an hour. */
const KEPT_LEAVES_MAX = 3_600;
/** Bytes of all kept entries. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
/** Leaves that wait for their digest or the disk; beyond them the oldest is left out. */
const WAITING_MAX = 60;

/** A leaf whose digest is not known yet. */
export type OpenLeaf = Pick<Leaf, 'epoch' | 'slot' | 'tsMs'> & {
  /** As the core returns them. */
  readonly entries: Uint8Array;
};

interface KeptLeaf {
  readonly index: number;
  readonly tsMs: number;
  readonly bytes: Uint8Array;
  readonly entries: Uint8Array;
}

interface ProofLogOptions {
  /** The file of the signing key; a file with `.signed` after its name has the newest checkpoint. */
  readonly keyFile: string;
  readonly folder: string;
  /** Called once when nothing more can be signed. */
  readonly onFailed: (error: unknown) => void;
}

/** Appends leaves, signs checkpoints and serves both. */
export class ProofLog implements ProofSource {
  readonly #options: ProofLogOptions;
  readonly #signer: Signer;
  readonly #signedFile: string;
  #files: LogFiles | null = null;
  #signed: TreeHead = { size: 0, root: new Uint8Array(32) };
  /** The newest signed note; empty before the first. */
  #note = '';
  #open: OpenLeaf[] = [];
  #ready: { readonly leaf: Uint8Array; readonly tsMs: number; readonly entries: Uint8Array }[] = [];
  #kept: KeptLeaf[] = [];
  #keptBytes = 0;
  #writing: Promise<void> | null = null;
  #hasFailed = false;
  readonly #readNode = nodesOfTiles((level, from, count) =>
    this.#openFiles().readHashes(level, from, count),
  );

  /** Reads the key. Throws `MALFORMED_PROOF`, and errors of the file. */
  constructor(options: ProofLogOptions) {
    this.#options = options;
    this.#signer = Signer.read(readFileSync(options.keyFile, 'utf8'));
    this.#signedFile = `${options.keyFile}.signed`;
  }

  /** The key by which readers check the log. */
  get verifierKey(): string {
    return this.#signer.verifierKey;
  }

  /** Opens the files. Rejects with `PROOF_LOG_MISMATCH`, also for an older copy of them. */
  async open(): Promise<void> {
    this.#note = this.#readSigned();
    this.#signed =
      this.#note === ''
        ? { size: 0, root: new OpenTiles().root() }
        : this.#signer.verifier.openCheckpoint(this.#note);
    this.#files = await LogFiles.open(this.#options.folder, this.#signed);
  }

  /** Adds a leaf, which waits for the digest of its turn. */
  addLeaf(leaf: OpenLeaf): void {
    if (this.#hasFailed || this.#open.length >= WAITING_MAX) return;
    this.#open.push(leaf);
  }

  /** Adds the digest of the records up to a turn with a leaf. */
  addDigest({ tsMs, sha256 }: { readonly tsMs: number; readonly sha256: Uint8Array }): void {
    const at = this.#open.findIndex((leaf) => leaf.tsMs === tsMs);
    const found = this.#open[at];
    if (found === undefined || this.#ready.length >= WAITING_MAX) return;
    this.#open = this.#open.slice(at + 1);
    const { entries } = found;
    const split = splitEntries(entries);
    const root = rootOfEntries(split);
    const leaf = packLeaf({ ...found, inputs: sha256, root, entries: split.length });
    this.#ready.push({ leaf, tsMs, entries });
    this.#writing ??= this.#writeReady().finally(() => {
      this.#writing = null;
    });
  }

  async stop(): Promise<void> {
    this.#hasFailed = true;
    await this.#writing;
    await this.#files?.close();
    this.#files = null;
  }

  checkpoint(): string | null {
    return this.#note === '' ? null : this.#note;
  }

  readTile({ level, index, width }: TileName): Uint8Array | null {
    const files = this.#files;
    const levelOf = level === 'entries' ? 0 : level;
    const held = Math.floor(this.#signed.size / TILE_WIDTH ** levelOf);
    const from = index * TILE_WIDTH;
    if (files === null || from + width > held) return null;
    if (level === 'entries') return files.readBundle(from, width);
    return files.readTile(level, from, width);
  }

  findProof(market: ProvenMarket, at: ProofMoment): EntryProof | null {
    const key = keyOf(market);
    const found =
      'seq' in at
        ? this.#kept.find((leaf) => seqIn(leaf, key) >= at.seq)
        : this.#kept.findLast((leaf) => leaf.tsMs <= at.tsMs && seqIn(leaf, key) >= 0);
    return found === undefined ? null : this.#proofOf(found, key);
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

  async #writeReady(): Promise<void> {
    try {
      while (this.#ready.length > 0 && !this.#hasFailed) {
        const batch = this.#ready.splice(0);
        const files = this.#openFiles();
        const first = files.size;
        await files.appendLeaves(batch.map(({ leaf }) => leaf));
        await this.#signTree(files);
        for (const [at, { leaf, tsMs, entries }] of batch.entries()) {
          this.#keepLeaf({ index: first + at, tsMs, bytes: leaf, entries });
        }
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onFailed(error);
    }
  }

  /** Signs the tree; the checkpoint is on the disk before a reader can get it. */
  async #signTree(files: LogFiles): Promise<void> {
    if (this.#readSigned() !== this.#note) {
      const message = `${this.#signedFile} was written by another process: it signs with this key`;
      throw new ProofError('PROOF_KEY_USED', message);
    }
    const signed = { size: files.size, root: files.root };
    const note = this.#signer.signCheckpoint(signed);
    await replaceFile(this.#signedFile, note);
    this.#note = note;
    this.#signed = signed;
  }

  #readSigned(): string {
    return existsSync(this.#signedFile) ? readFileSync(this.#signedFile, 'utf8') : '';
  }

  #keepLeaf(leaf: KeptLeaf): void {
    this.#kept.push(leaf);
    this.#keptBytes += leaf.entries.length;
    while (this.#kept.length > KEPT_LEAVES_MAX || this.#keptBytes > KEPT_BYTES_MAX) {
      this.#keptBytes -= this.#kept.shift()?.entries.length ?? 0;
    }
  }
}

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
