/** The streams of the model of a NATS server: what they store, refuse and forget. */
import { VirtualDate } from '../simulation/globals.js';
import { isOfSubject, type NatsMessage } from './nats-protocol.js';

/** What a client asks for, and what the server keeps of it. */
interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly discard: string;
  /** Nanoseconds; 0 for no limit. */
  readonly max_age: number;
  readonly max_bytes: number;
  readonly max_msgs_per_subject: number;
  /** Nanoseconds. */
  readonly duplicate_window: number;
}

/** What a client says of it. */
export type AskedConfig = Pick<StreamConfig, 'name' | 'subjects'> & Partial<StreamConfig>;

/** A message that is kept. */
export interface StoredMessage extends NatsMessage {
  readonly seq: number;
  readonly timeMs: number;
}

/** An error of the interface, as its replies have it. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly errCode: number,
    readonly description: string,
  ) {
    super(description);
  }
}

export const noStream = (): ApiError => new ApiError(404, 10_059, 'stream not found');
const noMessage = (): ApiError => new ApiError(404, 10_037, 'no message found');

const NANOS = 1_000_000;
const DEFAULTS = {
  ...{ retention: 'limits', max_consumers: -1, max_msgs: -1, max_bytes: -1, max_age: 0 },
  ...{ max_msgs_per_subject: -1, max_msg_size: -1, discard: 'old', storage: 'file' },
  ...{ num_replicas: 1, allow_direct: false },
} as const;
/** Of those that are not told one: two minutes, or as long as messages are kept. */
const WINDOW = 120_000 * NANOS;

/** What a file of the server takes for a message. */
function bytesOf({ subject, headers, data }: NatsMessage): number {
  return 30 + subject.length + (headers === null ? 0 : 4 + headers.length) + data.length;
}

/** A header of a message; undefined where it has none. */
function headerOf({ headers }: NatsMessage, name: string): string | undefined {
  const lines = headers?.toString().split('\r\n') ?? [];
  return lines
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim();
}

/** One stream. */
export class Stream {
  readonly created = new VirtualDate().toISOString();
  config: StreamConfig;
  /** By sequence number. */
  messages: StoredMessage[] = [];
  bytes = 0;
  lastSeq = 0;
  readonly #asked: string;
  /** Names of messages that are not stored twice, and when they were. */
  readonly #names = new Map<string, { readonly seq: number; readonly atMs: number }>();

  constructor(asked: AskedConfig) {
    this.#asked = JSON.stringify(asked);
    this.config = Stream.#whole(asked);
  }

  static #whole(asked: AskedConfig): StreamConfig {
    const config = { ...DEFAULTS, ...asked };
    const window = config.max_age === 0 ? WINDOW : Math.min(WINDOW, config.max_age);
    return { ...config, duplicate_window: asked.duplicate_window || window };
  }

  /** Whether the stream was made with the same words. */
  isAsked(asked: AskedConfig): boolean {
    return this.#asked === JSON.stringify(asked);
  }

  update(asked: AskedConfig): void {
    this.config = Stream.#whole(asked);
    this.#forget();
  }

  get state(): object {
    this.#forget();
    return {
      ...{ messages: this.messages.length, bytes: this.bytes, consumer_count: 0 },
      ...{ first_seq: this.messages[0]?.seq ?? this.lastSeq + 1, last_seq: this.lastSeq },
    };
  }

  /** Those that are not too old now, from a sequence number on. */
  kept(filter = '>', from = 1): readonly StoredMessage[] {
    this.#forget();
    // A busy log has tens of thousands, of which consumers want the last.
    const before = from > 1 ? this.messages.findLastIndex(({ seq }) => seq < from) : -1;
    return this.messages.slice(before + 1).filter(({ subject }) => isOfSubject(subject, filter));
  }

  takes(subject: string): boolean {
    return this.config.subjects.some((pattern) => isOfSubject(subject, pattern));
  }

  /** Stores a message, and returns what acknowledges it. Throws an ApiError. */
  append(message: NatsMessage): { readonly seq: number; readonly duplicate?: boolean } {
    this.#forget();
    const timeMs = VirtualDate.now();
    const name = headerOf(message, 'Nats-Msg-Id');
    const known = name === undefined ? undefined : this.#names.get(name);
    if (known !== undefined) return { seq: known.seq, duplicate: true };
    const { subject } = message;
    this.#requireLast(this.lastSeq, headerOf(message, 'Nats-Expected-Last-Sequence'));
    const expectedOfSubject = headerOf(message, 'Nats-Expected-Last-Subject-Sequence');
    if (expectedOfSubject !== undefined) {
      const last = this.messages.findLast((one) => one.subject === subject)?.seq ?? 0;
      this.#requireLast(last, expectedOfSubject);
    }
    const { max_bytes, discard } = this.config;
    if (discard === 'new' && max_bytes > 0 && this.bytes + bytesOf(message) > max_bytes) {
      throw new ApiError(503, 10_077, 'maximum bytes exceeded');
    }
    if (headerOf(message, 'Nats-Rollup') === 'sub') this.purge({ filter: subject });
    this.lastSeq += 1;
    this.messages.push({ ...message, seq: this.lastSeq, timeMs });
    this.bytes += bytesOf(message);
    if (name !== undefined) this.#names.set(name, { seq: this.lastSeq, atMs: timeMs });
    this.#forget();
    return { seq: this.lastSeq };
  }

  /** Throws an ApiError where there is none. */
  find(query: { readonly seq?: number; readonly last_by_subj?: string }): StoredMessage {
    const { seq, last_by_subj: filter } = query;
    const found = this.kept(filter).findLast((one) => seq === undefined || one.seq === seq);
    if (found === undefined) throw noMessage();
    return found;
  }

  /** Deletes messages of a subject, but for the newest few; returns how many. */
  purge(options: { readonly filter?: string; readonly keep?: number }): number {
    const { filter = '>', keep = 0 } = options;
    const found = this.kept(filter);
    const gone = new Set(found.slice(0, found.length - keep));
    this.#keep((message) => !gone.has(message));
    return gone.size;
  }

  #keep(isKept: (message: StoredMessage) => boolean): void {
    this.messages = this.messages.filter((message) => {
      const stays = isKept(message);
      if (!stays) this.bytes -= bytesOf(message);
      return stays;
    });
  }

  #dropFirst(): void {
    const first = this.messages.shift();
    if (first !== undefined) this.bytes -= bytesOf(first);
  }

  #requireLast(seq: number, expected: string | undefined): void {
    if (expected === undefined || Number(expected) === seq) return;
    throw new ApiError(400, 10_071, `wrong last sequence: ${seq}`);
  }

  /** Forgets what is too old or too much. */
  #forget(): void {
    const nowMs = VirtualDate.now();
    const { max_age, max_bytes, max_msgs_per_subject: perSubject, duplicate_window } = this.config;
    for (const [name, { atMs }] of this.#names) {
      if (nowMs - atMs >= duplicate_window / NANOS) this.#names.delete(name);
    }
    const isOld = ({ timeMs }: StoredMessage) => max_age > 0 && nowMs - timeMs >= max_age / NANOS;
    while (this.messages[0] !== undefined && isOld(this.messages[0])) this.#dropFirst();
    if (max_bytes > 0) while (this.bytes > max_bytes) this.#dropFirst();
    if (perSubject <= 0) return;
    const { messages } = this;
    this.#keep(({ subject, seq }) => {
      const newer = messages.filter((one) => one.subject === subject && one.seq > seq);
      return newer.length < perSubject;
    });
  }
}
