import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import type { JournalPiece } from '../../engine/journal-writer.js';
import type { Log } from '../../rpc/log.js';
import { textOfError } from '../model/error.js';
import { LOG_CHECKPOINTS_KEPT } from '../model/limits.js';

/** A checkpoint of a log, and the message with which its tail begins. */
export interface LogCheckpoint {
  /** The file of a segment that ends with its checkpoint. */
  readonly bytes: Uint8Array;
  /** The sequence number of the first message behind it. */
  readonly next: number;
}

/** The checkpoints of a log, the newest few, in an object store. */
export class CheckpointStore {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Stores a checkpoint in the place of the oldest one. */
  async storeCheckpoint({ bytes, next }: LogCheckpoint): Promise<void> {
    const kept = await this.#list();
    const newest = kept[0] === undefined ? -1 : placeOf(kept[0]);
    const name = `checkpoint-${(newest + 1) % LOG_CHECKPOINTS_KEPT}`;
    await this.#objects.putBlob({ name, metadata: { next: String(next) } }, bytes);
  }

  /** Reads the newest checkpoint; null when there is none from this message on, or when it is being replaced. */
  async readNewest(from = 0): Promise<LogCheckpoint | null> {
    const newest = (await this.#list()).find((info) => nextOf(info) >= from);
    const bytes = newest && (await this.#objects.getBlob(newest.name));
    return newest && bytes ? { bytes, next: nextOf(newest) } : null;
  }

  /** Newest first. */
  async #list(): Promise<readonly ObjectInfo[]> {
    const kept = (await this.#objects.list()).filter((info) => nextOf(info) > 0);
    return kept.sort((one, other) => nextOf(other) - nextOf(one));
  }
}

function nextOf({ metadata }: ObjectInfo): number {
  return Number(metadata?.['next'] ?? 0);
}

function placeOf({ name }: ObjectInfo): number {
  return Number(name.split('-').at(-1));
}

/** Collects the checkpoint of the newest segment, until it can be stored. */
export class CheckpointKeeper {
  readonly #log: Log;
  readonly #onFailure: () => void;
  #newest: { readonly segment: number; readonly pieces: Uint8Array[] } | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(log: Log, onFailure: () => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  /** Takes a piece of a checkpoint. One before it that is not stored is of no use any more. */
  pushPiece({ segment, bytes }: JournalPiece): void {
    if (this.#newest?.segment !== segment) this.#newest = { segment, pieces: [] };
    this.#newest.pieces.push(bytes);
  }

  /** The tail of a segment has begun with this message: its checkpoint, where it is the newest one, is stored meanwhile. */
  storeBehind(segment: number, next: number, store: CheckpointStore): void {
    if (this.#newest?.segment !== segment) return;
    const bytes = Buffer.concat(this.#newest.pieces);
    this.#newest = null;
    this.#storing = this.#storing
      .then(() => store.storeCheckpoint({ bytes, next }))
      .then(() => this.#log.info({ next, bytes: bytes.length }, 'a checkpoint was stored'))
      .catch((error: unknown) => {
        this.#log.warn({ reason: textOfError(error) }, 'a checkpoint could not be stored');
        this.#onFailure();
      });
  }
}
