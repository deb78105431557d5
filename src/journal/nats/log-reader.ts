import { type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { Timers } from '../../contract/timers.js';
import { SilenceTimer } from '../../rpc/timers.js';
import { LOG_READ_MESSAGES, LOG_SILENCE_MS_MAX } from '../model/limits.js';
import type { LogPlace } from '../model/log-place.js';
import { CheckpointStore, type StoredCheckpoint } from './checkpoint-store.js';
import { connectLog, type LogConnection, unreachableError, wantedOf } from './connect.js';
import { AFTER_HEADER, BEHIND_HEADER, readNameOf } from './log-appender.js';
import { LogSeal } from './log-seal.js';
import type { LogMessageId } from './message-id.js';

/** A message of a log. */
export interface LogMessage {
  readonly sequence: number;
  /** The parsed name; null for a message that no core has written. */
  readonly id: LogMessageId | null;
  readonly bytes: Uint8Array;
  /** Later messages already in the log. */
  readonly waiting: number;
  /** The writer's queue delay at this message, milliseconds; 0 for none. */
  readonly behindMs: number;
  /** The name of the message of another run that this message follows; empty for none. */
  readonly after: string;
}

/** Reads a log on NATS: its checkpoints, and the messages after a checkpoint as they arrive. */
export class LogReader {
  readonly #place: LogPlace;
  readonly #connection: LogConnection;
  readonly #timers: Timers;
  readonly #seal: LogSeal;

  private constructor(place: LogPlace, connection: LogConnection, timers: Timers) {
    this.#place = place;
    this.#connection = connection;
    this.#timers = timers;
    this.#seal = new LogSeal(place);
  }

  /** Connects. Rejects with `LOG_REFUSED` or `LOG_UNREACHABLE`. */
  static async openLog(place: LogPlace, timers: Timers): Promise<LogReader> {
    return new LogReader(place, await connectLog(place, 'slotbook edge'), timers);
  }

  /**
   * Reads the newest checkpoint; null when there is none at or after message `from`. Rejects with
   * `LOG_UNREACHABLE`.
   */
  async readCheckpoint(from = 0): Promise<StoredCheckpoint | null> {
    try {
      const store = await CheckpointStore.openStore(this.#place, this.#connection);
      return await store.readNewest(from);
    } catch (error) {
      this.requestCheckpoint();
      throw unreachableError(error);
    }
  }

  /**
   * Yields the messages from a sequence number on. Ends with the signal, and after ten seconds of
   * silence; call it again then. Rejects with `LOG_UNREACHABLE`.
   */
  async *readMessages(from: number, signal: AbortSignal): AsyncGenerator<LogMessage> {
    const messages = await this.#consume(from);
    const end = (): void => messages.stop();
    const silence = new SilenceTimer(this.#timers, LOG_SILENCE_MS_MAX, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      for await (const message of messages) {
        silence.recordSign();
        yield logMessageOf(message, this.#seal);
      }
    } catch (error) {
      throw unreachableError(error);
    } finally {
      signal.removeEventListener('abort', end);
      silence.cancel();
      end();
    }
  }

  /**
   * Requests a checkpoint from the core; a core that misses the request stores its next checkpoint
   * at the regular time.
   */
  requestCheckpoint(): void {
    if (!this.isClosed) this.#connection.nats.publish(wantedOf(this.#place));
  }

  /** Whether the connection has closed for good. */
  get isClosed(): boolean {
    return this.#connection.nats.isClosed();
  }

  async close(): Promise<void> {
    await this.#connection.nats.close();
  }

  async #consume(from: number): Promise<ConsumerMessages> {
    try {
      const { consumers } = this.#connection.stream;
      const consumer = await consumers.get(this.#place.stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: from,
      });
      return await consumer.consume({ max_messages: LOG_READ_MESSAGES });
    } catch (error) {
      throw unreachableError(error);
    }
  }
}

function logMessageOf({ seq, data, headers, info }: JsMsg, seal: LogSeal): LogMessage {
  const id = readNameOf(seal, seq, headers, data);
  const behindMs = Number(headers?.get(BEHIND_HEADER) ?? 0);
  const after = headers?.get(AFTER_HEADER) ?? '';
  return { sequence: seq, id, bytes: data, waiting: info.pending, behindMs, after };
}
