/**
 * The log that a key signs: once a second a leaf with the hashes of the changed markets, and a
 * checkpoint that is signed when the leaf is stored.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SharedLog } from '../contract/shared-log.js';
import { FollowedLog } from './followed-log.js';
import { type Leaf, packLeaf, rootOfEntries, splitEntries } from './leaf.js';
import { Signer } from './note.js';
import { type LeafEntries, ServedLog } from './served-log.js';

/**
 * Leaves that wait for their digest or for being stored, as while NATS is away: those of an hour.
 * Beyond them the newest is left out.
 */
const WAITING_MAX = 3_600;

/** A leaf whose digest is not known yet. */
export type OpenLeaf = Pick<Leaf, 'epoch' | 'slot' | 'tsMs'> & {
  /** As the core returns them. */
  readonly entries: Uint8Array;
};

interface ReadyLeaf {
  readonly leaf: Uint8Array;
  readonly entries: Uint8Array;
}

interface ProofLogOptions {
  /** The file of the signing key; a file with `.signed` after its name has the newest checkpoint. */
  readonly keyFile: string;
  readonly folder: string;
  /** Called once when nothing more can be signed. */
  readonly onFailed: (error: unknown) => void;
  /** The log of a cluster, which other services read and continue. */
  readonly shared?: SharedLog | undefined;
}

/** Where leaves are stored, and readers get checkpoints. */
interface LeafStore {
  appendLeaves(leaves: readonly Uint8Array[]): Promise<void>;
  publish(note: string, added: readonly LeafEntries[]): Promise<void>;
}

/** Appends leaves, and signs checkpoints. */
export class ProofLog {
  readonly served: ServedLog;
  readonly #options: ProofLogOptions;
  readonly #signer: Signer;
  readonly #followed: FollowedLog | undefined;
  #open: OpenLeaf[] = [];
  #ready: ReadyLeaf[] = [];
  #writing: Promise<void> | null = null;
  #hasFailed = false;

  /** Reads the key. Throws `MALFORMED_PROOF`, and errors of the file. */
  constructor(options: ProofLogOptions) {
    const { keyFile, folder, shared, onFailed } = options;
    this.#options = options;
    this.#signer = Signer.read(readFileSync(keyFile, 'utf8'));
    const { verifier } = this.#signer;
    const signedFile = `${keyFile}.signed`;
    if (shared === undefined) {
      this.served = new ServedLog({ folder, noteFile: signedFile, verifier });
      return;
    }
    this.served = new ServedLog({ folder, noteFile: path.join(folder, 'checkpoint'), verifier });
    const { served } = this;
    this.#followed = new FollowedLog({ served, shared, verifier, signedFile, onFailed });
  }

  /** The key by which readers check the log. */
  get verifierKey(): string {
    return this.#signer.verifierKey;
  }

  /** Opens the files. Rejects with `PROOF_LOG_MISMATCH`, also for an older copy of them. */
  async open(): Promise<void> {
    await (this.#followed ?? this.served).open();
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
    this.#ready.push({ leaf, entries });
    this.#writing ??= this.#writeReady().finally(() => {
      this.#writing = null;
    });
  }

  async stop(): Promise<void> {
    this.#hasFailed = true;
    // Without NATS a shared log would wait for ever.
    await this.#followed?.close();
    await this.#writing;
    await this.served.close();
  }

  async #writeReady(): Promise<void> {
    const { served } = this;
    const store: LeafStore = this.#followed ?? served;
    try {
      while (this.#ready.length > 0 && !this.#hasFailed) {
        const batch = this.#ready.splice(0);
        await store.appendLeaves(batch.map(({ leaf }) => leaf));
        const note = this.#signer.signCheckpoint(served.head);
        const first = served.head.size - batch.length;
        await store.publish(
          note,
          batch.map(({ entries }, at) => ({ index: first + at, entries })),
        );
      }
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailed(error);
      this.#hasFailed = true;
    }
  }
}
