import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream';
import { headers, type MsgHdrs, nanos } from '@nats-io/transport-node';
import { JournalError } from '../model/error.js';
import { NATS_CONNECT_MS_MAX } from '../model/limits.js';
import type { LogSetup } from '../model/log-place.js';
import {
  codeOf,
  fencedError,
  isMissingStream,
  type LogConnection,
  readStored,
  subjectOf,
  unreachableError,
} from './connect.js';
import { describeOrigin, parseOrigin, requireOrigin } from './log-origin.js';
import { LogSeal } from './log-seal.js';
import { type LogMessageId, parseId, textOfId } from './message-id.js';

/** The JetStream header with the name of a message. */
export const ID_HEADER = 'Nats-Msg-Id';

/**
 * Header with the queue delay when the message was appended, milliseconds; absent when the queue
 * was empty.
 */
export const BEHIND_HEADER = 'Slotbook-Behind-Ms';

/** Header of the first message after a failover, with the name of the message before it. */
export const AFTER_HEADER = 'Slotbook-After';

/** JetStream's error code for a stream with another configuration. */
const OTHER_CONFIG = 10_058;

/** A message to append. */
export interface NewMessage {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** Queue delay of the following bytes, milliseconds. */
  readonly behindMs?: number;
  /** The name of the message of another run that this message follows. */
  readonly after?: string;
}

/** The position of the last message of a log. */
export interface LastMessage {
  /** The sequence number of the message in the stream; 0 for an empty stream. */
  readonly sequence: number;
}

/**
 * The exclusive appender of a log: each message contains the expected last sequence number, and
 * JetStream rejects a message that does not follow it.
 */
export class LogAppender {
  readonly #connection: LogConnection;
  readonly #setup: LogSetup;
  readonly #seal: LogSeal;
  readonly #onForeign: () => void;
  #last = 0;

  /** `onForeign` is called for each skipped message, whose writer is not a core. */
  constructor(connection: LogConnection, setup: LogSetup, onForeign = (): void => undefined) {
    this.#connection = connection;
    this.#setup = setup;
    this.#seal = new LogSeal(setup.log);
    this.#onForeign = onForeign;
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
   * Reads where the log ends. Rejects with `LOG_UNREACHABLE`, and with `LOG_LOST` when
   * there is no stream.
   */
  async readLast(): Promise<LastMessage> {
    const { streams } = this.#connection.manager;
    const info = await this.#asked(() => streams.info(this.#setup.log.stream));
    return { sequence: info.state.last_seq };
  }

  /**
   * Reads the id of a message; null for a foreign or deleted message. Rejects as {@link
   * LogAppender.readLast}.
   */
  async readId(sequence: number): Promise<LogMessageId | null> {
    const message = await this.#asked(() =>
      readStored(this.#connection, this.#setup.log.stream, sequence),
    );
    return message === null ? null : readNameOf(this.#seal, sequence, message.header, message.data);
  }

  /** Continues after this message. */
  goOnBehind({ sequence }: LastMessage): void {
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
  async appendMessage({ id, bytes, behindMs = 0, after = '' }: NewMessage): Promise<number> {
    const expect = { lastSequence: this.#last };
    const behind = behindMs >= 1 ? String(Math.floor(behindMs)) : '';
    const marks = headers();
    if (behind !== '') marks.set(BEHIND_HEADER, behind);
    if (after !== '') marks.set(AFTER_HEADER, after);
    const msgID = this.#seal.nameOf(id, { sequence: this.#last + 1, bytes, behind, after });
    const options = { msgID, expect, timeout: NATS_CONNECT_MS_MAX, headers: marks };
    const subject = subjectOf(this.#setup.log);
    try {
      this.#last = (await this.#connection.stream.publish(subject, bytes, options)).seq;
    } catch (error) {
      this.#last = await this.#findAppended(id, error);
    }
    return this.#last;
  }

  /**
   * Checks after an error whether the message is in the log; otherwise a retry would look as if
   * another writer had appended. Foreign messages are skipped: the next message is appended after
   * them.
   */
  async #findAppended(id: string, error: unknown): Promise<number> {
    const { sequence } = await this.readLast();
    if (sequence < this.#last) {
      const message = `the log ended at ${sequence}, must have ${this.#last}`;
      throw new JournalError('LOG_LOST', message);
    }
    while (this.#last < sequence) {
      const found = await this.readId(this.#last + 1);
      if (found !== null && found.run !== parseId(id)?.run) throw fencedError(textOfId(found));
      this.#last += 1;
      if (found === null) this.#onForeign();
      else if (textOfId(found) === id) return this.#last;
      // The id of the epoch is unique, so this is an own message whose acknowledgement was lost.
      else break;
    }
    throw unreachableError(error);
  }

  async #asked<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (!isMissingStream(error)) throw unreachableError(error);
      const message = `there is no stream ${this.#setup.log.stream}`;
      throw new JournalError('LOG_LOST', message, { cause: error });
    }
  }
}

/** Reads the id of a message of the log; null for a message that no core wrote. */
export function readNameOf(
  seal: LogSeal,
  sequence: number,
  marks: MsgHdrs | undefined,
  bytes: Uint8Array,
): LogMessageId | null {
  const textOf = (name: string): string => marks?.get(name) ?? '';
  const [behind, after] = [textOf(BEHIND_HEADER), textOf(AFTER_HEADER)];
  return seal.readName(textOf(ID_HEADER), { sequence, bytes, behind, after });
}
