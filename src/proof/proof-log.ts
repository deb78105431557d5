/**
 * The log that a key signs: once a second a leaf with the hashes of the changed markets, and a
 * checkpoint that is signed when the leaf is stored.
 */
import { readFileSync } from 'node:fs';
import { type Leaf, packLeaf, rootOfEntries, splitEntries } from './leaf.js';
import { Signer } from './note.js';
import { ServedLog } from './served-log.js';

/** Leaves that wait for their digest or for being stored; beyond them the newest is left out. */
const WAITING_MAX = 60;

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
}

/** Appends leaves, and signs checkpoints. */
export class ProofLog {
  readonly served: ServedLog;
  readonly #options: ProofLogOptions;
  readonly #signer: Signer;
  #open: OpenLeaf[] = [];
  #ready: ReadyLeaf[] = [];
  #writing: Promise<void> | null = null;
  #hasFailed = false;

  /** Reads the key. Throws `MALFORMED_PROOF`, and errors of the file. */
  constructor(options: ProofLogOptions) {
    const { keyFile, folder } = options;
    this.#options = options;
    this.#signer = Signer.read(readFileSync(keyFile, 'utf8'));
    const { verifier } = this.#signer;
    this.served = new ServedLog({ folder, noteFile: `${keyFile}.signed`, verifier });
  }

  /** The key by which readers check the log. */
  get verifierKey(): string {
    return this.#signer.verifierKey;
  }

  /** Opens the files. Rejects with `PROOF_LOG_MISMATCH`, also for an older copy of them. */
  async open(): Promise<void> {
    await this.served.open();
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
    await this.#writing;
    await this.served.close();
  }

  async #writeReady(): Promise<void> {
    const { served } = this;
    try {
      while (this.#ready.length > 0 && !this.#hasFailed) {
        const batch = this.#ready.splice(0);
        const first = served.head.size;
        await served.appendLeaves(batch.map(({ leaf }) => leaf));
        const note = this.#signer.signCheckpoint(served.head);
        await served.publish(
          note,
          batch.map(({ entries }, at) => ({ index: first + at, entries })),
        );
      }
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onFailed(error);
    }
  }
}
