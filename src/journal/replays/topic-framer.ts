import type { JournalMoment } from '../../contract/journal-source.js';
import type { ReplayTopic } from '../../contract/replay-source.js';
import type { Timers } from '../../contract/timers.js';
import type { JournalStep } from '../../engine/journal-reader.js';
import { REPLAY_HEARTBEAT_MS } from '../model/limits.js';
import type { JournalPlayer } from '../store/journal-player.js';
import type { SegmentInfo } from '../store/segment-info.js';
import type { Outbox } from './outbox.js';
import { marketNotThere } from './replay-failure.js';
import { TopicMarks } from './topic-marks.js';

type TurnStep = Extract<JournalStep, { readonly kind: 'turn' }>;

/** The head of a snapshot. */
export interface SnapshotHead {
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  readonly isReset: boolean;
}

/** The dependencies of a framer. */
export interface TopicFramerParts {
  readonly topic: ReplayTopic;
  readonly outbox: Outbox;
  readonly timers: Timers;
}

/** Renders the frames of one topic from the book of a player. Times are monotonic milliseconds. */
export class TopicFramer {
  readonly #topic: ReplayTopic;
  readonly #player: JournalPlayer;
  readonly #outbox: Outbox;
  readonly #timers: Timers;
  #market: number | undefined;
  #marks: TopicMarks | undefined;
  /** Epoch and state of the book. */
  #stamp = '';
  /** The handle of the topic in the engine; undefined before its first frame. */
  #handle: number | undefined;
  #seq = -1;
  #framedAtMs = 0;
  #isMarked = false;

  constructor({ topic, outbox, timers }: TopicFramerParts, player: JournalPlayer) {
    this.#topic = topic;
    this.#player = player;
    this.#outbox = outbox;
    this.#timers = timers;
  }

  /** Whether it has seen no book yet. */
  get isNew(): boolean {
    return this.#stamp === '';
  }

  get hasMarket(): boolean {
    return this.#marks !== undefined;
  }

  /** The last frame's; -1 before the first. */
  get seq(): number {
    return this.#seq;
  }

  /** Whether the frames reach up to the last mark, as those of the live topic do. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** The market's sequence number in the book; undefined when the book has no such market. */
  get marketSeq(): number | undefined {
    const market = this.#market;
    return market === undefined ? undefined : this.#player.engine.version(market).seq;
  }

  /**
   * Returns the market's sequence number at the start of another segment of this epoch; 0 for none.
   */
  seqIn({ seqs }: Pick<SegmentInfo, 'seqs'>): number {
    return this.#market === undefined ? 0 : (seqs[this.#market] ?? 0);
  }

  /** Call this when the book was restored from a checkpoint. */
  noteCheckpoint(): void {
    this.#stamp = this.#stampNow();
    this.#findMarket(this.#player.moment);
  }

  /** Renders the frame that the topic published after an applied turn, if any. */
  addTurn({ turn, mark }: TurnStep, nowMs: number): void {
    const stamp = this.#stampNow();
    const isAllChanged = stamp !== this.#stamp;
    this.#stamp = stamp;
    if (this.#marks === undefined) this.#findMarket(this.#player.moment);
    const isPublished = this.#marks?.addTurn({ turn, isAllChanged, mark }) ?? false;
    if (this.#handle === undefined) return;
    if (isPublished) this.#publishDelta(this.#handle, nowMs);
    this.#isMarked ||= this.canBegin();
  }

  /**
   * Returns whether the book has the market, and the topic had published all its changes, at the
   * end of the last turn.
   */
  canBegin(): boolean {
    return this.#marks?.isPublished(this.#player.moment.ts) ?? false;
  }

  /**
   * Opens the topic for its first frame. Throws a ReplayFailure when there is no such market, or
   * the market had another name.
   */
  openTopic(): void {
    const { spec, name } = this.#topic;
    const { engine } = this.#player;
    const market = this.#market;
    if (market === undefined || engine.topicName({ ...spec, market }) !== name) {
      throw marketNotThere();
    }
    this.#handle = engine.topics.openTopic({ ...spec, market });
    this.#seq = engine.version(market).seq;
    this.#isMarked = this.canBegin();
  }

  sendSnapshot({ id, isReset }: SnapshotHead, nowMs: number): void {
    if (this.#handle === undefined) throw new Error('Invariant: the topic is open');
    const { engine } = this.#player;
    const request = { id, reset: isReset, sendNs: this.#sendNs() };
    this.#sendFrame(engine.topics.renderSnapshot(this.#handle, request), nowMs);
  }

  /** Sends a heartbeat after a second without output. */
  sendHeartbeat(nowMs: number): void {
    if (this.#handle === undefined || nowMs < this.#framedAtMs + REPLAY_HEARTBEAT_MS) return;
    this.#sendFrame(this.#player.engine.topics.renderHeartbeat(this.#handle), nowMs);
  }

  #publishDelta(handle: number, nowMs: number): void {
    // The journal has no receipt times, so recvNs is 0.
    const delta = this.#player.engine.topics.renderDelta(handle, {
      recvNs: 0n,
      sendNs: this.#sendNs(),
    });
    if (delta === null) return;
    this.#seq = delta.seq;
    this.#sendFrame(delta.frame, nowMs);
  }

  #sendFrame(frame: Uint8Array, nowMs: number): void {
    this.#outbox.addFrame(frame);
    this.#framedAtMs = nowMs;
  }

  #findMarket({ ts }: JournalMoment): void {
    this.#market = this.#player.findMarket(this.#topic.key)?.id;
    if (this.#market !== undefined) this.#marks = new TopicMarks(this.#topic, this.#market, ts);
  }

  #sendNs(): bigint {
    return this.#timers.unixNs(this.#timers.nowMs());
  }

  #stampNow(): string {
    const { epoch, state } = this.#player.engine;
    return `${epoch} ${state}`;
  }
}
