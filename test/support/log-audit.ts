/** Reads a log message by message, and finds messages that a single writer cannot have left. */
import { DeliverPolicy } from '@nats-io/jetstream';
import type { LogPlace } from '../../src/journal/model/log-place.js';
import { connectLog } from '../../src/journal/nats/connect.js';
import { AFTER_HEADER, ID_HEADER } from '../../src/journal/nats/log-appender.js';
import {
  isFollowedBy,
  type LogMessageId,
  parseId,
  textOfId,
} from '../../src/journal/nats/message-id.js';

/** JetStream accepts a message with this header only after the message with this sequence number. */
const EXPECTED_HEADER = 'Nats-Expected-Last-Sequence';

/** A log as far as it was read. */
export class LogAudit {
  readonly #place: LogPlace;
  #last: LogMessageId | null = null;
  #sequence = 0;
  readonly #runs = new Set<string>();
  readonly faults: string[] = [];

  constructor(place: LogPlace) {
    this.#place = place;
  }

  /** Messages that were read. */
  get messages(): number {
    return this.#sequence;
  }

  /** Cores that have written. */
  get writers(): number {
    return this.#runs.size;
  }

  /** Reads the messages since the last call. */
  async readMore(): Promise<void> {
    const { nats, manager, stream } = await connectLog(this.#place, 'an audit');
    try {
      const { last_seq: end } = (await manager.streams.info(this.#place.stream)).state;
      if (end === this.#sequence) return;
      const start = { opt_start_seq: this.#sequence + 1 };
      const consumer = await stream.consumers.get(this.#place.stream, {
        ...{ deliver_policy: DeliverPolicy.StartSequence, ...start },
      });
      for await (const { seq, headers } of await consumer.consume()) {
        const get = (name: string): string => headers?.get(name) ?? '';
        this.#check(seq, {
          id: get(ID_HEADER),
          after: get(AFTER_HEADER),
          expected: get(EXPECTED_HEADER),
        });
        if (seq >= end) break;
      }
    } finally {
      await nats.close();
    }
  }

  #check(sequence: number, marks: { id: string; after: string; expected: string }): void {
    const id = parseId(marks.id);
    const last = this.#last;
    const isNext = sequence === this.#sequence + 1 && marks.expected === String(this.#sequence);
    if (!isNext || id === null || !this.#isContinuous(last, id, marks.after)) {
      const before = `${this.#sequence} (${last === null ? '' : textOfId(last)})`;
      this.faults.push(`${sequence} ${JSON.stringify(marks)} behind ${before}`);
    }
    this.#sequence = sequence;
    this.#last = id;
    if (id !== null) this.#runs.add(id.run);
  }

  /** A writer continues its own numbers, or those of the last writer, and never repeats a number. */
  #isContinuous(last: LogMessageId | null, id: LogMessageId, after: string): boolean {
    if (last === null) return id.index === 0;
    if (last.run === id.run) return isFollowedBy(last, id);
    return after === textOfId(last) && !this.#runs.has(id.run);
  }
}
