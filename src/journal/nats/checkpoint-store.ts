import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import { LOG_CHECKPOINTS_KEPT } from '../model/limits.js';
import type { LogOrigin, LogPlace } from '../model/log-place.js';
import type { LogConnection } from './connect.js';
import { fencedError, readStored } from './connect.js';
import { readNameOf } from './log-appender.js';
import { parseOrigin } from './log-origin.js';
import { hashOf, LogSeal } from './log-seal.js';
import { textOfId } from './message-id.js';

/** A checkpoint of a log, and the position of the first message of its tail. */
export interface LogCheckpoint {
  /** A segment's file up to the end of its checkpoint. */
  readonly bytes: Uint8Array;
  /** The sequence number of the first message after the checkpoint. */
  readonly next: number;
}

/**
 * A stored checkpoint, with the origin of its log; the origin is null when the stream does not name
 * it.
 */
export interface StoredCheckpoint extends LogCheckpoint {
  readonly origin: LogOrigin | null;
  /** The creation time of its stream, in which alone `next` can be compared. */
  readonly created: string;
}

interface StreamFacts {
  readonly origin: LogOrigin | null;
  /**
   * The creation time of the stream, which distinguishes it from an earlier stream of the same
   * name.
   */
  readonly created: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The newest few checkpoints of a log, in a NATS object store. The name of a checkpoint contains
 * its writer and position, so that a suspended writer cannot replace another's checkpoint, and its
 * stream, because the bucket may contain checkpoints of a deleted stream.
 */
export class CheckpointStore {
  readonly #stream: string;
  readonly #connection: LogConnection;
  readonly #seal: LogSeal;
  readonly #options: { readonly replicas: number } | undefined;
  #objects: ObjectStore;

  private constructor(
    place: LogPlace,
    connection: LogConnection,
    {
      objects,
      options,
    }: {
      readonly objects: ObjectStore;
      readonly options: { readonly replicas: number } | undefined;
    },
  ) {
    this.#stream = place.stream;
    this.#connection = connection;
    this.#seal = new LogSeal(place);
    this.#objects = objects;
    this.#options = options;
  }

  /** Opens the store of a log; creates it when the number of replicas is given. */
  static async openStore(
    place: LogPlace,
    connection: LogConnection,
    options?: { readonly replicas: number },
  ): Promise<CheckpointStore> {
    const objects = await connection.openObjects(options);
    return new CheckpointStore(place, connection, { objects, options });
  }

  /**
   * Stores a checkpoint of this epoch in its bucket, which is created again when it is missing, and
   * deletes the oldest checkpoint. Rejects with `LOG_FENCED` when another core writes the log, and
   * with an Error when the stored bytes cannot be read back.
   */
  async storeCheckpoint({ bytes, next }: LogCheckpoint, run: string): Promise<void> {
    const facts = await this.#readFacts();
    await this.#requireWriter(run, { next, last: facts.last });
    this.#objects = await this.#connection.openObjects(this.#options);
    const { created } = facts;
    const hash = hashOf(bytes);
    const seal = this.#seal.sealCheckpoint({ created, run, next, hash });
    const metadata = { next: String(next), stream: created, run, hash, seal };
    const name = `${run}-${next}`;
    await this.#objects.putBlob({ name, metadata }, bytes);
    const stored = await this.#objects.list();
    const kept = this.#newestFirst(stored, facts).slice(0, LOG_CHECKPOINTS_KEPT);
    for (const info of stored) if (!kept.includes(info)) await this.#objects.delete(info.name);
    const back = await this.#objects.getBlob(name);
    if (back === null || hashOf(back) !== hash) throw new Error('it cannot be read back');
  }

  /**
   * Reads the newest checkpoint whose tail is in the stream. Null when there is none at or after
   * message `from`, or when it is being deleted.
   */
  async readNewest(from = 0): Promise<StoredCheckpoint | null> {
    const facts = await this.#readFacts();
    const newest = this.#newestFirst(await this.#objects.list(), facts).find(
      (info) => nextOf(info) >= from,
    );
    const bytes = newest && (await this.#objects.getBlob(newest.name));
    if (!newest || !bytes || hashOf(bytes) !== newest.metadata?.['hash']) return null;
    return { bytes, next: nextOf(newest), origin: facts.origin, created: facts.created };
  }

  /**
   * Returns whether a reader could start at the checkpoint before this message, or at a newer
   * checkpoint.
   */
  async isReadable(next: number): Promise<boolean> {
    const facts = await this.#readFacts();
    const newest = this.#newestFirst(await this.#objects.list(), facts)[0];
    if (newest === undefined || nextOf(newest) < next) return false;
    return (await readStored(this.#connection, this.#stream, nextOf(newest))) !== null;
  }

  /**
   * Rejects with `LOG_FENCED` when the last message of a core, from `next` on, is of another epoch.
   */
  async #requireWriter(
    run: string,
    { next, last }: { readonly next: number; readonly last: number },
  ): Promise<void> {
    for (let sequence = last; sequence >= next; sequence -= 1) {
      const message = await readStored(this.#connection, this.#stream, sequence);
      const id = message && readNameOf(this.#seal, sequence, message.header, message.data);
      if (id === null) continue;
      if (id.run !== run) throw fencedError(textOfId(id));
      return;
    }
  }

  /** Returns the checkpoints of cores after which the stream has all messages. */
  #newestFirst(
    stored: readonly ObjectInfo[],
    { created, first, last }: StreamFacts,
  ): readonly ObjectInfo[] {
    const found = stored.filter((info) => {
      const { stream, run = '', hash = '', seal = '' } = info.metadata ?? {};
      const next = nextOf(info);
      const isKept = stream === created && next >= first && next <= last;
      return isKept && this.#seal.isOfCheckpoint(seal, { created, run, next, hash });
    });
    return found.sort((one, other) => nextOf(other) - nextOf(one));
  }

  async #readFacts(): Promise<StreamFacts> {
    const { created, state, config } = await this.#connection.manager.streams.info(this.#stream);
    const origin = parseOrigin(config.description);
    return { origin, created, first: state.first_seq, last: state.last_seq };
  }
}

function nextOf({ metadata }: ObjectInfo): number {
  return Number(metadata?.['next'] ?? 0);
}
