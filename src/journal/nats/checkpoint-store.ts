import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import { LOG_CHECKPOINTS_KEPT } from '../model/limits.js';
import type { LogOrigin, LogPlace } from '../model/log-place.js';
import type { LogConnection } from './connect.js';
import { fencedError } from './connect.js';
import { ID_HEADER } from './log-appender.js';
import { parseOrigin } from './log-origin.js';
import { parseId } from './message-id.js';

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
  readonly #objects: ObjectStore;

  private constructor({ stream }: LogPlace, connection: LogConnection, objects: ObjectStore) {
    this.#stream = stream;
    this.#connection = connection;
    this.#objects = objects;
  }

  /** Opens the store of a log; creates it when the number of replicas is given. */
  static async openStore(
    place: LogPlace,
    connection: LogConnection,
    options?: { readonly replicas: number },
  ): Promise<CheckpointStore> {
    return new CheckpointStore(place, connection, await connection.openObjects(options));
  }

  /**
   * Stores a checkpoint of this run, and deletes the oldest one. Rejects with `LOG_FENCED` when
   * another run writes the log.
   */
  async storeCheckpoint({ bytes, next }: LogCheckpoint, run: string): Promise<void> {
    const facts = await this.#readFacts();
    const { manager } = this.#connection;
    const last = await manager.streams.getMessage(this.#stream, { seq: facts.last });
    const id = last?.header.get(ID_HEADER) ?? '';
    if (parseId(id)?.run !== run) {
      throw fencedError(id);
    }
    const metadata = { next: String(next), stream: facts.created };
    await this.#objects.putBlob({ name: `${run}-${next}`, metadata }, bytes);
    const stored = await this.#objects.list();
    const kept = newestFirst(stored, facts).slice(0, LOG_CHECKPOINTS_KEPT);
    for (const info of stored) if (!kept.includes(info)) await this.#objects.delete(info.name);
  }

  /**
   * Reads the newest checkpoint whose tail is in the stream. Null when there is none at or after
   * message `from`, or when it is being deleted.
   */
  async readNewest(from = 0): Promise<StoredCheckpoint | null> {
    const facts = await this.#readFacts();
    const newest = newestFirst(await this.#objects.list(), facts).find(
      (info) => nextOf(info) >= from,
    );
    const bytes = newest && (await this.#objects.getBlob(newest.name));
    return newest && bytes ? { bytes, next: nextOf(newest), origin: facts.origin } : null;
  }

  async #readFacts(): Promise<StreamFacts> {
    const { created, state, config } = await this.#connection.manager.streams.info(this.#stream);
    const origin = parseOrigin(config.description);
    return { origin, created, first: state.first_seq, last: state.last_seq };
  }
}

function newestFirst(
  stored: readonly ObjectInfo[],
  { created, first, last }: StreamFacts,
): readonly ObjectInfo[] {
  const isKept = (next: number): boolean => next >= first && next <= last;
  const fits = (info: ObjectInfo): boolean => info.metadata?.['stream'] === created;
  const found = stored.filter((info) => fits(info) && isKept(nextOf(info)));
  return found.sort((one, other) => nextOf(other) - nextOf(one));
}

function nextOf({ metadata }: ObjectInfo): number {
  return Number(metadata?.['next'] ?? 0);
}
