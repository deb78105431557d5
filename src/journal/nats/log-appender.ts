import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream';
import { headers, nanos } from '@nats-io/transport-node';
import { JournalError } from '../model/error.js';
import { NATS_CONNECT_MS_MAX } from '../model/limits.js';
import type { LogSetup } from '../model/log-place.js';
import { codeOf, fencedError, type LogConnection, subjectOf, unreachableError } from './connect.js';
import { describeOrigin, parseOrigin, requireOrigin } from './log-origin.js';
import { parseId } from './message-id.js';

/** The header of a message's name in JetStream. */
export const ID_HEADER = 'Nats-Msg-Id';

/** Queue delay at append time, ms; absent if the queue was empty. */
export const BEHIND_HEADER = 'Slotbook-Behind-Ms';

/** The header of the first message after a failover: the name of the message that it follows. */
export const AFTER_HEADER = 'Slotbook-After';

/** JetStream's codes for a stream with another configuration, a missing stream, and a missing message. */
const [OTHER_CONFIG, NO_STREAM, NO_MESSAGE] = [10_058, 10_059, 10_037] as const;

/** A message to append. */
export interface NewMessage {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Queue delay of the following bytes, milliseconds. */
  readonly behindMs?: number;
  /** The name of another run's message that this run follows. */
  readonly after?: string;
}

/** The last message of a log. */
export interface LastMessage {
  /** Its sequence number in the stream; 0 for an empty one. */
  readonly sequence: number;
  /** Its name; empty when retention has deleted it. */
  readonly id: string;
}

/**
 * The exclusive appender of a log: each message names the previous sequence number, and JetStream
 * rejects a message that does not follow.
 */
export class LogAppender {
  readonly #connection: LogConnection;
  readonly #setup: LogSetup;
  #last = 0;

  constructor(connection: LogConnection, setup: LogSetup) {
    this.#connection = connection;
    this.#setup = setup;
  }

  /**
   * Creates the stream, or updates its configuration. Rejects with `LOG_MISMATCH` when it belongs
   * to another chain or program, and with `LOG_UNREACHABLE` also when the server keeps another
   * configuration.
   */
  async prepareStream(): Promise<void> {
    const { log, ageMsMax, bytesMax, replicas } = this.#setup;
    const limits = { max_age: nanos(ageMsMax), max_bytes: bytesMax, num_replicas: replicas };
    const config = {
      name: log.stream,
      subjects: [subjectOf(log)],
      ...limits,
      description: describeOrigin(this.#setup),
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      retention: RetentionPolicy.Limits,
    };
    await this.#asked(async () => {
      // An older server silently drops unknown settings.
      const kept = (await this.#makeStream(config)).config;
      const wrong = Object.entries(limits).find(
        ([name, value]) => kept[name as keyof typeof kept] !== value,
      );
      if (wrong !== undefined) throw new Error(`its stream ${log.stream} has another ${wrong[0]}`);
    });
  }

  /** Of two concurrent creators only one finds its own configuration. */
  async #makeStream(config: { name: string; subjects: string[] }): Promise<StreamInfo> {
    const { streams } = this.#connection.manager;
    try {
      return await streams.add(config);
    } catch (error) {
      if (codeOf(error) !== OTHER_CONFIG) throw error;
      const { description } = (await streams.info(config.name)).config;
      requireOrigin(parseOrigin(description), this.#setup);
      return streams.update(config.name, config);
    }
  }

  /** The end of the log. Rejects with `LOG_UNREACHABLE`, and with `LOG_LOST` when there is none. */
  readLast(): Promise<LastMessage> {
    const { streams } = this.#connection.manager;
    const { stream } = this.#setup.log;
    return this.#asked(async () => {
      const { last_seq: sequence } = (await streams.info(stream)).state;
      if (sequence === 0) return { sequence, id: '' };
      const read = streams.getMessage(stream, { seq: sequence });
      const message = await read.catch((error: unknown) => {
        if (codeOf(error) !== NO_MESSAGE) throw error;
        return null;
      });
      return { sequence, id: message?.header.get(ID_HEADER) ?? '' };
    });
  }

  /** Continues after this message. */
  goOnBehind({ sequence }: Pick<LastMessage, 'sequence'>): void {
    this.#last = sequence;
  }

  /**
   * Appends a message once; repeatable with the same message. Resolves with its sequence number.
   *
   * # Errors
   * `LOG_UNREACHABLE`: it may be retried. `LOG_FENCED`: another writer has appended. `LOG_LOST`:
   * earlier messages are gone.
   */
  async appendMessage({ id, bytes, behindMs = 0, after }: NewMessage): Promise<number> {
    const expect = { lastSequence: this.#last };
    const marks = headers();
    if (behindMs >= 1) marks.set(BEHIND_HEADER, String(Math.floor(behindMs)));
    if (after !== undefined) marks.set(AFTER_HEADER, after);
    const options = { msgID: id, expect, timeout: NATS_CONNECT_MS_MAX, headers: marks };
    const subject = subjectOf(this.#setup.log);
    try {
      this.#last = (await this.#connection.stream.publish(subject, bytes, options)).seq;
    } catch (error) {
      this.#last = await this.#findAppended(id, error);
    }
    return this.#last;
  }

  /**
   * After an error the message may still be in the log: a retry then looks as if another writer had
   * appended.
   */
  async #findAppended(id: string, error: unknown): Promise<number> {
    const last = await this.readLast();
    if (last.id === id) return last.sequence;
    if (last.sequence === this.#last) throw unreachableError(error);
    if (isOfOneRun(last.id, id)) {
      // The run is unique: this is the own message, whose acknowledgement was lost.
      this.#last = last.sequence;
      throw unreachableError(error);
    }
    if (last.sequence < this.#last) {
      const message = `the log ended at ${last.sequence}, must have ${this.#last}`;
      throw new JournalError('LOG_LOST', message);
    }
    throw fencedError(last.id);
  }

  async #asked<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (codeOf(error) !== NO_STREAM) throw unreachableError(error);
      const message = `there is no stream ${this.#setup.log.stream}`;
      throw new JournalError('LOG_LOST', message, { cause: error });
    }
  }
}

function isOfOneRun(one: string, other: string): boolean {
  const run = parseId(one)?.run;
  return run !== undefined && run === parseId(other)?.run;
}
