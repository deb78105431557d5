import { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream';
import { headers, nanos } from '@nats-io/transport-node';
import { JournalError } from '../model/error.js';
import { NATS_CONNECT_MS_MAX } from '../model/limits.js';
import type { LogSetup } from '../model/log-place.js';
import { codeOf, fencedError, type LogConnection, subjectOf, unreachableError } from './connect.js';
import { describeOrigin, parseOrigin, requireOrigin } from './log-origin.js';
import { parseId } from './message-id.js';

/** The header in which JetStream keeps the name of a message. */
export const ID_HEADER = 'Nats-Msg-Id';

/** The header of a message that says for how long what waited behind it had waited then, whole milliseconds; without it nothing had. */
export const BEHIND_HEADER = 'Slotbook-Behind-Ms';

/** The header of the first message of a core that takes over: the name of the message behind which it goes on. */
export const AFTER_HEADER = 'Slotbook-After';

/** JetStream's codes of a stream that is there with another configuration, and of one that is not there. */
const [OTHER_CONFIG, NO_STREAM, NO_MESSAGE] = [10_058, 10_059, 10_037] as const;

/** A message that is to be appended. */
export interface NewMessage {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** For how long what is behind it waits already, milliseconds. */
  readonly behindMs?: number;
  /** The name of another run's message behind which this run goes on. */
  readonly after?: string;
}

/** The last message of a log. */
export interface LastMessage {
  /** Its sequence number in the stream; 0 of an empty one. */
  readonly sequence: number;
  /** Its name; empty where retention has deleted it. */
  readonly id: string;
}

/**
 * Appends to a log, and nobody else does meanwhile: each message names the sequence number of the one before, and JetStream refuses
 * one that does not follow.
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
   * Makes the stream, or gives it this configuration. Rejects with `LOG_MISMATCH` where it is of another chain or program, with `LOG_UNREACHABLE` also
   * where the server keeps another configuration.
   */
  async prepareStream(): Promise<void> {
    const { log, ageMsMax, bytesMax, replicas } = this.#setup;
    const limits = { max_age: nanos(ageMsMax), max_bytes: bytesMax, num_replicas: replicas };
    const config = {
      ...{ name: log.stream, subjects: [subjectOf(log)], ...limits },
      description: describeOrigin(this.#setup),
      ...{ storage: StorageType.File, discard: DiscardPolicy.Old },
      retention: RetentionPolicy.Limits,
    };
    await this.#asked(async () => {
      // An older server drops what it does not know without a word.
      const kept = (await this.#makeStream(config)).config;
      const wrong = Object.entries(limits).find(
        ([name, value]) => kept[name as keyof typeof kept] !== value,
      );
      if (wrong !== undefined) throw new Error(`its stream ${log.stream} has another ${wrong[0]}`);
    });
  }

  /** Of two that make it at once one alone finds its own configuration. */
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

  /** What the log ends with. Rejects with `LOG_UNREACHABLE`, and with `LOG_LOST` when there is none. */
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

  /** Goes on behind this message. */
  goOnBehind({ sequence }: Pick<LastMessage, 'sequence'>): void {
    this.#last = sequence;
  }

  /**
   * Appends a message, once, also when it is called again with the same one. Resolves with its sequence number.
   *
   * # Errors
   * `LOG_UNREACHABLE`: it may be tried again. `LOG_FENCED`: another writer has appended. `LOG_LOST`: what was appended before is gone.
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

  /** After an error the message may be in the log all the same: a try again looks as if another writer had appended. */
  async #findAppended(id: string, error: unknown): Promise<number> {
    const last = await this.readLast();
    if (last.id === id) return last.sequence;
    if (last.sequence === this.#last) throw unreachableError(error);
    if (isOfOneRun(last.id, id)) {
      // Nobody else has this run: it is one that was given up when its acknowledgement was lost.
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
