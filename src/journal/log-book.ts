import { type FeedState, lessFresh } from '../contract/feed-status.js';
import { JournalReader } from '../engine/journal-reader.js';
import { nextTurn } from '../rpc/timers.js';
import { BookPublisher, type PublishedBook } from './book-publisher.js';
import { LOG_SLICE_MS } from './model/limits.js';
import type { LogCheckpoint } from './nats/checkpoint-store.js';
import type { LogMessage } from './nats/log-reader.js';
import { isFollowedBy, type LogMessageId, textOfId } from './nats/message-id.js';

/** The dependencies of the book of a log, and its listeners. */
export interface LogBookOptions extends PublishedBook {
  readonly programId: string;
}

/** The book of a log: restored from a checkpoint, then updated with each message. */
export class LogBook {
  readonly #options: LogBookOptions;
  readonly #publisher: BookPublisher;
  #reader: JournalReader;
  /** The name of the last applied message; null after a checkpoint was restored. */
  #last: LogMessageId | null = null;
  #next = 0;
  #state: FeedState = 'rebuilding';
  #freshness: FeedState = 'stale';
  /** The state that topics show. */
  #published: FeedState = 'stale';
  #turns = 0;

  constructor(options: LogBookOptions) {
    this.#options = options;
    this.#publisher = new BookPublisher(options);
    this.#reader = new JournalReader(options.programId);
  }

  /** The sequence number of the next message; 0 before a checkpoint is restored. */
  get nextSequence(): number {
    return this.#next;
  }

  /** The state of the book according to the log, without local delays. */
  get state(): FeedState {
    return this.#state;
  }

  get slot(): number {
    return this.#reader.position().slot;
  }

  /**
   * The time when the core ended the last turn, in unix milliseconds of the core's clock; 0 before
   * the first turn.
   */
  get turnMs(): number {
    return this.#reader.position().tsMs;
  }

  get turnCount(): number {
    return this.#turns;
  }

  /**
   * Returns the bytes of accounts (base58) in the book; null for an account that does not exist.
   */
  readAccounts(keys: readonly string[]): readonly (Uint8Array | null)[] {
    return this.#reader.readAccounts(keys);
  }

  /** Replaces the book by a checkpoint. Throws an EngineError. */
  restoreCheckpoint({ bytes, next }: LogCheckpoint): void {
    const { engine, programId } = this.#options;
    this.forgetBook();
    this.#reader = new JournalReader(programId);
    this.#reader.pushBytes(bytes);
    while (this.#publisher.moveBook().readJournal(this.#reader).kind !== 'moreBytes');
    const tear = this.#reader.finish();
    if (tear !== null) throw new Error('Invariant: a checkpoint is stored as a whole');
    this.#state = engine.state;
    this.#next = next;
    this.#setState();
    // Readers of the previous book start over.
    this.#publishAll();
  }

  /** Drops the book, because the log does not continue it: a checkpoint is needed. */
  forgetBook(): void {
    this.#last = null;
    this.#next = 0;
  }

  /** Skips a message that no core has written; returns false for a core's message. */
  passForeign({ sequence, id }: LogMessage): boolean {
    if (id !== null || sequence !== this.#next) return false;
    this.#next += 1;
    return true;
  }

  isNext({ sequence, id, after }: LogMessage): boolean {
    if (sequence !== this.#next || id === null) return false;
    if (this.#last === null) return id.index === 0;
    return isFollowedBy(this.#last, id) || after === textOfId(this.#last);
  }

  /**
   * Applies the next message; each turn waits until the frames of the previous turn are rendered.
   * Throws an EngineError when the message is damaged, or the book differs from the written one.
   */
  async applyMessage({ sequence, id, bytes, after }: LogMessage): Promise<void> {
    // Another core continues the log, and the previous core may have ended within a turn.
    if (after !== '') this.#reader.dropRest();
    if (id?.index === 0) this.#reader.beginTail();
    this.#reader.pushBytes(bytes);
    await this.#applyTurns();
    this.#last = id;
    this.#next = sequence + 1;
  }

  /** The name of the last message; empty before the first. */
  get lastName(): string {
    return this.#last === null ? '' : textOfId(this.#last);
  }

  /** Stops following. Returns the reader, which holds the accounts of the log. */
  handOver(): JournalReader {
    const { engine } = this.#options;
    if (engine.state !== this.#state) this.#publisher.moveBook().setState(this.#state);
    this.#reader.dropRest();
    return this.#reader;
  }

  /**
   * Sets the local freshness of the log. Bodies and frames show the worse of this freshness and the
   * log's state; sequence numbers are not affected.
   */
  showFreshness(freshness: FeedState): void {
    this.#freshness = freshness;
    this.#setState();
    if (this.#options.engine.state !== this.#published) this.#publishAll();
  }

  #setState(): void {
    const { engine } = this.#options;
    // Without a market nothing is displayed, and the engine does not have the log's state yet.
    if (engine.markets().length === 0) return;
    const shown = lessFresh(this.#state, this.#freshness);
    if (engine.state !== shown) engine.setState(shown);
  }

  /** Publishes a change that the log does not mark, to the topics of all markets. */
  #publishAll(): void {
    this.#published = this.#options.engine.state;
    this.#publisher.publishWhole();
  }

  async #applyTurns(): Promise<void> {
    const { engine, timers } = this.#options;
    for (let sliceMs = timers.nowMs(); ; ) {
      if (timers.nowMs() - sliceMs > LOG_SLICE_MS) {
        await nextTurn(timers);
        sliceMs = timers.nowMs();
      }
      await this.#publisher.whenPublished();
      // The log does not contain the local freshness, and a turn must have the same result on all
      // edges.
      if (engine.state !== this.#state) this.#publisher.moveBook().setState(this.#state);
      const step = this.#publisher.moveBook().readJournal(this.#reader);
      this.#state = engine.state;
      this.#setState();
      if (step.kind !== 'turn') return;
      this.#published = engine.state;
      this.#turns += 1;
      this.#publisher.publishTurn({ changes: step.turn, mark: step.mark });
    }
  }
}
