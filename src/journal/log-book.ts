import type { TurnChanges } from '../contract/feed-engine.js';
import type { FeedState } from '../contract/feed-status.js';
import type { MarkPublisher, PublishMark } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';
import type { Engine } from '../engine/engine.js';
import { JournalReader } from '../engine/journal-reader.js';
import { nextTurn } from '../rpc/timers.js';
import { LOG_SLICE_MS } from './model/limits.js';
import type { LogCheckpoint } from './nats/checkpoint-store.js';
import type { LogMessage } from './nats/log-reader.js';
import { isFollowedBy, type LogMessageId, textOfId } from './nats/message-id.js';

/** A mark for topics of all intervals. */
const ALL_CLASSES = 0xff;

/** From the freshest to the least. */
const STATES: readonly FeedState[] = ['live', 'lagging', 'stale', 'rebuilding'];

/** What the book of a log works with, and whom it tells. */
export interface LogBookOptions {
  readonly programId: string;
  readonly engine: Engine;
  readonly timers: Timers;
  /** After each turn. */
  readonly onTurn?: ((turn: TurnChanges, mark: PublishMark) => void) | undefined;
  /** Makes the frames of a mark: the next turn waits for them. */
  readonly publisher?: MarkPublisher | undefined;
}

/** The book that a log makes: restored from a checkpoint, then moved message by message. */
export class LogBook {
  readonly #options: LogBookOptions;
  #reader: JournalReader;
  /** The last message, and the sequence number of the next; 0 before a checkpoint was restored. */
  #last: LogMessageId | null = null;
  #next = 0;
  /** What the log says of its book. */
  #state: FeedState = 'rebuilding';
  /** How fresh the log itself is here. */
  #freshness: FeedState = 'stale';
  /** The state that topics show. */
  #published: FeedState = 'stale';
  #turns = 0;

  constructor(options: LogBookOptions) {
    this.#options = options;
    this.#reader = new JournalReader(options.programId);
  }

  /** The sequence number of the message that is to be applied next; 0 for none before a checkpoint is restored. */
  get nextSequence(): number {
    return this.#next;
  }

  /** What the log says of its book, however late it is here. */
  get state(): FeedState {
    return this.#state;
  }

  get slot(): number {
    return this.#reader.position().slot;
  }

  get turnCount(): number {
    return this.#turns;
  }

  /** The bytes of accounts (base58) of the book as it stands; null for those that it has none of. */
  readAccounts(keys: readonly string[]): readonly (Uint8Array | null)[] {
    return this.#reader.readAccounts(keys);
  }

  /** Puts a checkpoint in the place of the book. Throws an EngineError. */
  restoreCheckpoint({ bytes, next }: LogCheckpoint): void {
    const { engine, programId } = this.#options;
    this.forgetBook();
    this.#reader = new JournalReader(programId);
    this.#reader.pushBytes(bytes);
    while (engine.readJournal(this.#reader).kind !== 'moreBytes');
    const tear = this.#reader.finish();
    if (tear !== null) throw new Error('Invariant: a checkpoint is stored as a whole');
    this.#state = engine.state;
    this.#next = next;
    this.#setState();
    // Readers of a book before it begin again.
    this.#publishAll();
  }

  /** The log does not go on where the book stands: a checkpoint is needed. */
  forgetBook(): void {
    this.#last = null;
    this.#next = 0;
  }

  /** Whether a message is the one that comes next. */
  isNext({ sequence, id, after }: LogMessage): boolean {
    if (sequence !== this.#next || id === null) return false;
    if (this.#last === null) return id.index === 0;
    return isFollowedBy(this.#last, id) || after === textOfId(this.#last);
  }

  /**
   * Applies the message that comes next, each turn when the frames of the one before are made. Throws an EngineError where it is damaged, or the
   * book is not the one that was written.
   */
  async applyMessage({ sequence, id, bytes, after }: LogMessage): Promise<void> {
    // Another core goes on: the one before may have ended within a turn.
    if (after !== '') this.#reader.dropRest();
    if (id?.index === 0) this.#reader.beginTail();
    this.#reader.pushBytes(bytes);
    await this.#applyTurns();
    this.#last = id;
    this.#next = sequence + 1;
  }

  /** The name of the last message; empty before one was applied. */
  get lastName(): string {
    return this.#last === null ? '' : textOfId(this.#last);
  }

  /** Stops following. Returns the reader, which has the accounts of the book as the log has it. */
  handOver(): JournalReader {
    const { engine } = this.#options;
    if (engine.state !== this.#state) engine.setState(this.#state);
    this.#reader.dropRest();
    return this.#reader;
  }

  /** Sets how fresh the log is here; bodies and frames show the worse of this and of what the log says of its book. No sequence number moves with it. */
  showFreshness(freshness: FeedState): void {
    this.#freshness = freshness;
    this.#setState();
    if (this.#options.engine.state !== this.#published) this.#publishAll();
  }

  #setState(): void {
    const { engine } = this.#options;
    // Without a market nothing is shown, and the engine does not know what the log says.
    if (engine.markets().length === 0) return;
    const [own, ofLog] = [this.#freshness, this.#state];
    const shown = STATES.indexOf(own) > STATES.indexOf(ofLog) ? own : ofLog;
    if (engine.state !== shown) engine.setState(shown);
  }

  /** Publishes what no mark of the log has, to the topics of all markets. */
  #publishAll(): void {
    const { engine, onTurn } = this.#options;
    this.#published = engine.state;
    const dirty = engine.markets().map(({ id }) => id);
    const mark = dirty.map((market) => ({ market, classes: ALL_CLASSES }));
    const changes = { dirty, requoted: [], indicated: [], allChanged: true };
    onTurn?.({ ...changes, problems: [], marketsChanged: true }, mark);
  }

  async #applyTurns(): Promise<void> {
    const { engine, onTurn, timers } = this.#options;
    for (let sliceMs = timers.nowMs(); ; ) {
      if (timers.nowMs() - sliceMs > LOG_SLICE_MS) {
        await nextTurn(timers);
        sliceMs = timers.nowMs();
      }
      await this.#whenPublished();
      // The log knows nothing of what is shown here, and a turn is to be the same everywhere.
      if (engine.state !== this.#state) engine.setState(this.#state);
      const step = engine.readJournal(this.#reader);
      this.#state = engine.state;
      this.#setState();
      if (step.kind !== 'turn') return;
      this.#published = engine.state;
      this.#turns += 1;
      onTurn?.(step.turn, step.mark);
    }
  }

  async #whenPublished(): Promise<void> {
    const { publisher } = this.#options;
    if (publisher?.isPublishing !== true) return;
    await new Promise<void>((resolve) => publisher.onceFinished(resolve));
  }
}
