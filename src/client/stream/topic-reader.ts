/**
 * Follows one topic over a connection and mends its book: the states of "A correct client" in
 * docs/streaming.md. The connection is shared by all topics of a client.
 */
import type { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Clock } from '../surroundings.js';
import { Breach } from './breach.js';
import { FollowedBook, type Message } from './followed-book.js';
import type { Best, BookView, Topic } from './topic.js';

/** The connection as a reader sees it. */
export interface Line {
  readonly clock: Clock;
  readonly silenceMsMax: number;
  /** A number that no message had yet. */
  nextId(): number;
  send(message: object): void;
  /** The connection is of no use: another one, after a pause. */
  restart(): void;
  /** The connection leads to books. */
  succeeded(): void;
  /** Tells of what had to be mended. */
  healed(breach: Breach): void;
}

/** `off` while there is no connection, and while it is waited before asking again. */
type Phase = 'off' | 'subscribing' | 'waiting' | 'following' | 'ended';

/** A reader of one topic. */
export class TopicReader {
  readonly updates = new Listeners<BookView<Best>>();
  /** The service refuses the topic for good. */
  readonly ends = new Listeners<ClientError>();
  /** The service cannot do it now; it is asked again. */
  readonly troubles = new Listeners<ClientError>();
  readonly #book: FollowedBook;
  #phase: Phase = 'off';
  #view: BookView<Best> | undefined;
  #name: string | undefined;
  #id = 0;
  #lateAtMs = 0;
  #healedAtMs = Number.NEGATIVE_INFINITY;
  #cancelAgain: () => void = () => {};

  constructor(
    private readonly line: Line,
    private readonly topic: Topic,
  ) {
    this.#book = new FollowedBook(topic);
  }

  /** The newest book that was right; undefined before the first. */
  get view(): BookView<Best> | undefined {
    return this.#view;
  }

  /** The topic's name, which frames repeat; undefined before it is known. */
  get name(): string | undefined {
    return this.#name;
  }

  /** The number of the last subscription. */
  get id(): number {
    return this.#id;
  }

  get isSubscribing(): boolean {
    return this.#phase === 'subscribing';
  }

  /** Subscribes, anew where it was subscribed before. */
  subscribe(): void {
    if (this.#phase === 'ended') return;
    this.#cancelAgain();
    this.#enter('subscribing', limits.ANSWER_MS_MAX);
    this.#id = this.line.nextId();
    const resume = this.#book.resumePoint;
    this.line.send({ type: 'subscribe', id: this.#id, ...this.topic, resume });
  }

  /** Ends the subscription for good. */
  unsubscribe(): void {
    const wasOn = this.#phase !== 'off' && this.#phase !== 'ended';
    this.#cancelAgain();
    this.#enter('ended');
    if (!wasOn) return;
    const what = this.#name === undefined ? this.topic : { topic: this.#name };
    this.line.send({ type: 'unsubscribe', ...what });
  }

  /** The connection is lost. The book is whole if it was. */
  lost(): void {
    if (this.#phase === 'ended') return;
    this.#cancelAgain();
    this.#enter('off');
    this.#interrupt();
  }

  /** What comes until the first frame belongs to this subscription. */
  subscribed(name: string): void {
    if (this.#phase !== 'subscribing') return;
    this.#name = name;
    this.#enter('waiting', this.line.silenceMsMax);
  }

  /** Takes a frame of this topic; what comes before the answer belongs to the subscription before. */
  take(message: Message): void {
    if (this.#phase !== 'waiting' && this.#phase !== 'following') return;
    try {
      this.#book.take(message);
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      this.#heal(error);
      return;
    }
    this.line.succeeded();
    this.#enter('following', this.line.silenceMsMax);
    this.#tell(this.#book.view(true));
  }

  /** The service cannot do it now. */
  postponed(error: ClientError): void {
    if (this.#phase === 'ended') return;
    this.#enter('off');
    this.#cancelAgain();
    this.#cancelAgain = this.line.clock.after(limits.ASK_AGAIN_MS, () => this.subscribe());
    this.#interrupt();
    this.troubles.tell(error);
  }

  /** The service never does it. */
  refused(error: ClientError): void {
    if (this.#phase === 'ended') return;
    this.#enter('ended');
    this.#interrupt();
    this.ends.tell(error);
  }

  /** Looks whether something is late. */
  look(nowMs: number): void {
    if (nowMs < this.#lateAtMs || this.#phase === 'off' || this.#phase === 'ended') return;
    this.#heal(new Breach('silence', `${this.#phase} without a word for too long`));
  }

  /** Asks for what was missed or for all of it; when that was in vain a moment ago, comes again. */
  #heal(breach: Breach): void {
    const nowMs = this.line.clock.monotonicMs();
    const isAgain = nowMs - this.#healedAtMs < limits.ASK_AGAIN_MS;
    this.#healedAtMs = nowMs;
    if (isAgain || !breach.isHarmless) this.#book.forget();
    this.#interrupt();
    this.line.healed(breach);
    if (isAgain || breach.rule === 'silence') this.line.restart();
    else this.subscribe();
  }

  /** The last right book stays in sight, marked as not followed. */
  #interrupt(): void {
    if (this.#view?.isFollowing === true) this.#tell({ ...this.#view, isFollowing: false });
  }

  #tell(view: BookView<Best> | undefined): void {
    if (view === undefined) return;
    this.#view = view;
    this.updates.tell(view);
  }

  #enter(phase: Phase, patienceMs = 0): void {
    this.#phase = phase;
    this.#lateAtMs = this.line.clock.monotonicMs() + patienceMs;
  }
}
