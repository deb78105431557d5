import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream';
import { headers, nanos } from '@nats-io/transport-node';
import { JournalError } from '../model/error.js';
import { NATS_CONNECT_MS_MAX } from '../model/limits.js';
import type { LogSetup } from '../model/log-place.js';
import { codeOf, fencedError, type LogConnection, subjectOf, unreachableError } from './connect.js';
import { describeOrigin, parseOrigin, requireOrigin } from './log-origin.js';
import { parseId } from './message-id.js';

/** The JetStream header with the name of a message. */
export const ID_HEADER = 'Nats-Msg-Id';

/**
 * Header with the queue delay when the message was appended, milliseconds; absent when the queue
 * was empty.
 */
export const BEHIND_HEADER = 'Slotbook-Behind-Ms';

/** Header of the first message after a failover, with the name of the message before it. */
export const AFTER_HEADER = 'Slotbook-After';

/**
 * JetStream's error codes for a stream with another configuration, a missing stream, and a missing
 * message.
 */
const [OTHER_CONFIG, NO_STREAM, NO_MESSAGE] = [10_058, 10_059, 10_037] as const;

/** A message to append. */
export interface NewMessage {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Queue delay of the following bytes, milliseconds. */
  readonly behindMs?: number;
  /** The name of the message of another run that this message follows. */
  readonly after?: string;
}

/** The last message of a log. */
export interface LastMessage {
  /** The sequence number of the message in the stream; 0 for an empty stream. */
  readonly sequence: number;
  /** The name of the message; empty when retention has deleted the message. */
  readonly id: string;
}

/**
 * The exclusive appender of a log: each message contains the expected last sequence number, and
 * JetStream rejects a message that does not follow it.
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

  /** When two cores create the stream concurrently, only one finds its own configuration. */
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

  /**
   * Reads the last message of the log. Rejects with `LOG_UNREACHABLE`, and with `LOG_LOST` when
   * there is no stream.
   */
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
   * Appends a message once, also when it is called again with the same message. Resolves with the
   * sequence number.
   *
   * # Errors
   * Rejects with `LOG_UNREACHABLE`, which may be retried, `LOG_FENCED` when another writer has
   * appended, and `LOG_LOST` when earlier messages are gone.
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
   * Checks after an error whether the message is in the log; a retry would otherwise look as if
   * another writer had appended.
   */
  async #findAppended(id: string, error: unknown): Promise<number> {
    const last = await this.readLast();
    if (last.id === id) return last.sequence;
    if (last.sequence === this.#last) throw unreachableError(error);
    if (isOfOneRun(last.id, id)) {
      // The name of the run is unique, so this is the own message, whose acknowledgement was lost.
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
