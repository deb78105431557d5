import { mkdirSync } from 'node:fs';
import type {
  SharedLeaf,
  SharedLog,
  SharedPlace,
  SharedProof,
  WriterPlace,
} from '../../contract/shared-log.js';
import type { Timers } from '../../contract/timers.js';
import { Backoff } from '../../rpc/backoff.js';
import { loggedFailure } from '../../rpc/error.js';
import type { Log } from '../../rpc/log.js';
import { sleep } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import {
  LEAVES_RETRY_MS_MAX,
  LOG_RETRY_MS,
  PROOFS_BYTES_MAX,
  PROOFS_MS_MAX,
} from '../model/limits.js';
import type { LogPlace, LogSetup } from '../model/log-place.js';
import { FolderLock } from '../store/folder-lock.js';
import { connectLog, type LogConnection } from './connect.js';
import { LogAppender } from './log-appender.js';
import { type LogMessage, LogReader } from './log-reader.js';
import { textOfId } from './message-id.js';

/** The dependencies of the streams. */
interface LeafStreamsOptions {
  readonly place: LogPlace;
  readonly log: Log;
  readonly timers: Timers;
  /** The unique name of a core, and the log whose books it signs; absent for an edge. */
  readonly writer?: { readonly run: string; readonly setup: LogSetup };
}

/** The segments of message names: a claim, and everything else. */
const [CLAIM, CONTENT] = [0, 1] as const;

const NOTHING = new Uint8Array(0);

/**
 * A signed log on NATS: a stream of leaves that is kept for ever, and a stream of checkpoints and
 * entries that is kept for an hour. Both are written and authenticated as the log of turns.
 */
export class LeafStreams implements SharedLog {
  readonly #leaves: LeafStream;
  readonly #proofs: LeafStream;
  readonly #end = new AbortController();
  #lock: FolderLock | null = null;

  constructor(options: LeafStreamsOptions) {
    const { signal } = this.#end;
    const forEver = { ageMsMax: 0, bytesMax: -1 };
    const anHour = { ageMsMax: PROOFS_MS_MAX, bytesMax: PROOFS_BYTES_MAX };
    this.#leaves = new LeafStream('leaves', { ...options, signal, limits: forEver });
    this.#proofs = new LeafStream('proofs', { ...options, signal, limits: anHour });
  }

  lockFolder(folder: string): void {
    mkdirSync(folder, { recursive: true });
    this.#lock = FolderLock.take(folder);
  }

  async *readLeaves(from: number): AsyncGenerator<SharedLeaf & SharedPlace> {
    for await (const { sequence, id, bytes, waiting } of this.#leaves.readFrom(from + 1)) {
      const isLeaf = id?.segment === CONTENT;
      yield { sequence, index: id?.index ?? 0, bytes: isLeaf ? bytes : NOTHING, waiting };
    }
  }

  async *readProofs(): AsyncGenerator<SharedProof & SharedPlace> {
    for await (const { sequence, id, bytes, waiting } of this.#proofs.readFrom(1)) {
      const proof = unpackProof(id?.segment === CONTENT ? bytes : NOTHING);
      yield { sequence, index: id?.index ?? 0, ...proof, waiting };
    }
  }

  async claim(): Promise<WriterPlace> {
    return { leaves: await this.#leaves.claimStream(), proofs: await this.#proofs.claimStream() };
  }

  async appendLeaf(index: number, leaf: Uint8Array): Promise<void> {
    await this.#leaves.appendNext(index, leaf);
  }

  async appendProof({ note, index, entries }: SharedProof): Promise<void> {
    await this.#proofs.appendNext(index, packProof(note, entries));
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#leaves.close();
    await this.#proofs.close();
    this.#lock?.release();
    this.#lock = null;
  }
}

interface LeafStreamOptions extends LeafStreamsOptions {
  readonly signal: AbortSignal;
  readonly limits: Pick<LogSetup, 'ageMsMax' | 'bytesMax'>;
}

/** One of the streams. */
class LeafStream {
  readonly #options: LeafStreamOptions;
  readonly #place: LogPlace;
  readonly #retries = new Backoff({
    firstMs: LOG_RETRY_MS,
    capMs: LEAVES_RETRY_MS_MAX,
    random: Math.random,
  });
  #reader: LogReader | null = null;
  #connection: LogConnection | null = null;
  #appender: LogAppender | null = null;
  /** The last message of this writer. */
  #last = 0;
  #failure = '';

  constructor(name: string, options: LeafStreamOptions) {
    this.#options = options;
    this.#place = { ...options.place, stream: `${options.place.stream}-${name}` };
  }

  async *readFrom(sequence: number): AsyncGenerator<LogMessage> {
    const { timers, signal } = this.#options;
    for (let next = sequence; !signal.aborted; ) {
      try {
        if (this.#reader?.isClosed !== false) {
          this.#reader = await LogReader.openLog(this.#place, timers);
        }
        for await (const message of this.#reader.readMessages(next, signal)) {
          next = message.sequence + 1;
          this.#retries.reset();
          yield message;
        }
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  /** Appends a message that fences off other writers; resolves with its sequence number. */
  claimStream(): Promise<number> {
    return this.#tried(async () => {
      this.#appender = null;
      const appender = await this.#openAppender();
      await appender.prepareStream();
      appender.goOnBehind(await appender.readLast());
      return this.#appendMessage(appender, { segment: CLAIM, index: 0, bytes: NOTHING });
    }, ['LOG_UNREACHABLE', 'LOG_FENCED']);
  }

  appendNext(index: number, bytes: Uint8Array): Promise<number> {
    return this.#tried(
      async () =>
        this.#appendMessage(await this.#openAppender(), { segment: CONTENT, index, bytes }),
      ['LOG_UNREACHABLE'],
    );
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    await this.#connection?.nats.close();
  }

  async #appendMessage(
    appender: LogAppender,
    { segment, index, bytes }: { segment: number; index: number; bytes: Uint8Array },
  ): Promise<number> {
    const id = textOfId({ run: this.#options.writer?.run ?? '', segment, index });
    this.#last = await appender.appendMessage({ id, bytes });
    return this.#last;
  }

  async #openAppender(): Promise<LogAppender> {
    const { writer, limits } = this.#options;
    if (writer === undefined) throw new Error('Invariant: an edge appends nothing');
    if (this.#connection?.nats.isClosed() !== false) {
      this.#appender = null;
      this.#connection = await connectLog(this.#place, 'slotbook proofs');
    }
    if (this.#appender !== null) return this.#appender;
    const setup = { ...writer.setup, ...limits, log: this.#place };
    this.#appender = new LogAppender(this.#connection, setup);
    this.#appender.goOnBehind({ sequence: this.#last });
    return this.#appender;
  }

  /** Tries until it succeeds, or fails with another code. */
  async #tried<Result>(work: () => Promise<Result>, passing: readonly string[]): Promise<Result> {
    for (;;) {
      try {
        const result = await work();
        this.#retries.reset();
        return result;
      } catch (error) {
        if (!(error instanceof JournalError && passing.includes(error.code))) throw error;
        await this.#pauseAfter(error);
      }
    }
  }

  /** Rejects when the streams have stopped. */
  async #pauseAfter(error: unknown): Promise<void> {
    const { log, timers, signal } = this.#options;
    const reason = loggedFailure(error);
    if (reason !== this.#failure && !signal.aborted) {
      log.warn({ reason, stream: this.#place.stream }, 'a stream of the signed log failed');
    }
    this.#failure = reason;
    await sleep(timers, this.#retries.next(), signal);
  }
}

/** The length of the checkpoint (u16, big-endian), the checkpoint, the entries. */
function packProof(note: string, entries: Uint8Array): Buffer {
  const text = Buffer.from(note);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, text, entries]);
}

function unpackProof(bytes: Uint8Array): Pick<SharedProof, 'note' | 'entries'> {
  const end = bytes.length < 2 ? 0 : 2 + Buffer.from(bytes).readUInt16BE();
  return { note: Buffer.from(bytes.subarray(2, end)).toString(), entries: bytes.subarray(end) };
}
