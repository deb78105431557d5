/** A copy of a log that the services of a cluster share, which one of them at a time continues. */
import { existsSync, readFileSync } from 'node:fs';
import type { SharedLog, SharedPlace, SharedProof } from '../contract/shared-log.js';
import { ProofError } from './error.js';
import { LEAF_BYTES } from './leaf.js';
import { replaceFile } from './log-files.js';
import type { TreeHead, Verifier } from './note.js';
import type { LeafEntries, ServedLog } from './served-log.js';

/** Leaves that are written at once, while a log is read from its beginning. */
const BATCH_LEAVES_MAX = 4_096;

interface FollowedLogOptions {
  readonly served: ServedLog;
  readonly shared: SharedLog;
  readonly verifier: Verifier;
  /** The file of the newest checkpoint that the key has signed; absent for a reader. */
  readonly signedFile?: string;
  /** Called once when the log is not followed any more. */
  readonly onFailed: (error: unknown) => void;
}

/** Fills the files of a log from its streams, and serves the checkpoints of its key. */
export class FollowedLog {
  readonly #options: FollowedLogOptions;
  /** The last messages that were read. */
  #read = { leaves: 0, proofs: 0 };
  /** The message of leaves after which this writer alone appends; 0 for a reader. */
  #claimed = 0;
  #waiting: (() => void)[] = [];
  #following: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(options: FollowedLogOptions) {
    this.#options = options;
  }

  /** Opens the files, and reads the log from now on. */
  async open(): Promise<void> {
    const { served, shared } = this.#options;
    shared.lockFolder(served.folder);
    await served.openCopy();
    this.#following = Promise.all([this.#readLeaves(), this.#readProofs()]).catch((error) =>
      this.#end(error),
    );
  }

  async close(): Promise<void> {
    this.#end(null);
    await this.#options.shared.stop();
    await this.#following;
    await this.#options.served.close();
  }

  /**
   * Appends leaves; before the first of them this becomes the only writer, and has read all leaves
   * of other writers. Resolves when the files have the leaves.
   *
   * # Errors
   * Rejects with `PROOF_LOG_MISMATCH` when the key has signed another log or a longer one, and with
   * `LOG_FENCED` when another writer continues the log.
   */
  async appendLeaves(leaves: readonly Uint8Array[]): Promise<void> {
    const { served, shared } = this.#options;
    if (this.#claimed === 0) await this.#claim();
    const { size } = served.head;
    for (const [at, leaf] of leaves.entries()) await shared.appendLeaf(size + at, leaf);
    await this.#until(() => served.head.size >= size + leaves.length);
    this.#requireFollowed();
  }

  /** Gives readers a checkpoint, which is on this disk before, and the entries of leaves. */
  async publish(note: string, added: readonly LeafEntries[]): Promise<void> {
    const { signedFile = '', shared } = this.#options;
    await replaceFile(signedFile, note);
    for (const leaf of added) await shared.appendProof({ note, ...leaf });
  }

  async #claim(): Promise<void> {
    const { served, shared, verifier, signedFile = '' } = this.#options;
    const { leaves, proofs } = await shared.claim();
    const { size } = served.head;
    if (leaves <= size) {
      const message = `NATS has ${leaves - 1} leaves at most, ${served.folder} has ${size}`;
      throw new ProofError('PROOF_LOG_MISMATCH', message);
    }
    this.#claimed = leaves;
    await this.#until(() => this.#read.leaves >= leaves && this.#read.proofs >= proofs);
    this.#requireFollowed();
    if (!existsSync(signedFile)) return;
    const signed = verifier.openCheckpoint(readFileSync(signedFile, 'utf8'));
    served.requireTree(signed);
  }

  async #readLeaves(): Promise<void> {
    const { served, shared } = this.#options;
    let batch: Uint8Array[] = [];
    for await (const { sequence, index, bytes, waiting } of shared.readLeaves(served.head.size)) {
      const next = served.head.size + batch.length;
      if (bytes.length === LEAF_BYTES && index === next) batch.push(bytes);
      if (bytes.length === LEAF_BYTES && index > next) {
        const message = `the leaves ${next} to ${index - 1} are gone from NATS`;
        throw new ProofError('PROOF_LOG_MISMATCH', message);
      }
      if (waiting > 0 && batch.length < BATCH_LEAVES_MAX) continue;
      if (batch.length > 0) await served.appendLeaves(batch);
      batch = [];
      this.#noteRead({ ...this.#read, leaves: sequence });
    }
  }

  async #readProofs(): Promise<void> {
    for await (const proof of this.#options.shared.readProofs()) {
      await this.#takeProof(proof);
      this.#noteRead({ ...this.#read, proofs: proof.sequence });
    }
  }

  /** Passes a note of another key. */
  async #takeProof({ note, waiting, ...leaf }: SharedProof & SharedPlace): Promise<void> {
    const { served, verifier } = this.#options;
    const head = note === '' ? null : openNote(verifier, note);
    if (head === null) return;
    await this.#until(() => served.head.size >= head.size || this.#hasReadClaim);
    if (this.#hasEnded) return;
    if (served.serveNote(note, head) && waiting === 0) await served.writeNote(note);
    served.addEntries(leaf);
  }

  /** Whether all leaves of other writers are in the files. */
  get #hasReadClaim(): boolean {
    return this.#claimed > 0 && this.#read.leaves >= this.#claimed;
  }

  #noteRead(read: { readonly leaves: number; readonly proofs: number }): void {
    this.#read = read;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #requireFollowed(): void {
    if (!this.#hasEnded) return;
    throw new ProofError('PROOF_LOG_MISMATCH', 'the log is not followed any more');
  }

  /** Resolves once a condition holds, or the log is not followed any more. */
  async #until(isTrue: () => boolean): Promise<void> {
    while (!this.#hasEnded && !isTrue()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #end(error: unknown): void {
    if (!this.#hasEnded && error !== null) this.#options.onFailed(error);
    this.#hasEnded = true;
    this.#noteRead(this.#read);
  }
}

function openNote(verifier: Verifier, note: string): TreeHead | null {
  try {
    return verifier.openCheckpoint(note);
  } catch {
    return null;
  }
}
