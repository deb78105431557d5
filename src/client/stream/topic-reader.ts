/**
 * Follows one topic over a connection and mends its book: the states of "A correct client" in
 * docs/streaming.md. The connection is shared by all topics of a client.
 */

import type { Clock } from '../environment.js';
import type { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { FollowedBook, type Message } from './followed-book.js';
import type { Best, BookView, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** The connection as a reader sees it. */
export interface TopicConnection {
  readonly clock: Clock;
  readonly silenceMsMax: number;
  /** A number that no message had yet. */
  nextId(): number;
  sendMessage(message: object): void;
  /** The connection is of no use: another one, after a pause. */
  restart(): void;
  /** The connection leads to books. */
  resetBackoff(): void;
  /** Tells of what had to be mended. */
  reportViolation(breach: ProtocolViolation): void;
}

/** `off` while there is no connection, and while it is waited before asking again. */
type TopicPhase = 'off' | 'subscribing' | 'waiting' | 'following' | 'ended';

/** A reader of one topic. */
export class TopicReader {
  readonly updates = new Listeners<BookView<Best>>();
  /** The service refuses the topic for good. */
  readonly ends = new Listeners<ClientError>();
  /** The service cannot do it now; it is asked again. */
  readonly retries = new Listeners<ClientError>();
  readonly #book: FollowedBook;
  #phase: TopicPhase = 'off';
  #view: BookView<Best> | undefined;
  #name: string | undefined;
  #id = 0;
  #deadlineMs = 0;
  #repairedAtMs = Number.NEGATIVE_INFINITY;
  #cancelRetry: () => void = () => {};

  constructor(
    private readonly connection: TopicConnection,
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
    this.#cancelRetry();
    this.#setPhase('subscribing', limits.ANSWER_MS_MAX);
    this.#id = this.connection.nextId();
    const resume = this.#book.resumePoint;
    this.connection.sendMessage({ type: 'subscribe', id: this.#id, ...this.topic, resume });
  }

  /** Ends the subscription for good. */
  unsubscribe(): void {
    const wasOn = this.#phase !== 'off' && this.#phase !== 'ended';
    this.#cancelRetry();
    this.#setPhase('ended');
    if (!wasOn) return;
    const what = this.#name === undefined ? this.topic : { topic: this.#name };
    this.connection.sendMessage({ type: 'unsubscribe', ...what });
  }

  /** The connection is lost. The book is whole if it was. */
  handleDisconnect(): void {
    if (this.#phase === 'ended') return;
    this.#cancelRetry();
    this.#setPhase('off');
    this.#markInterrupted();
  }

  /** What comes until the first frame belongs to this subscription. */
  handleSubscribed(name: string): void {
    if (this.#phase !== 'subscribing') return;
    this.#name = name;
    this.#setPhase('waiting', this.connection.silenceMsMax);
  }

  /** Takes a frame of this topic; what comes before the answer belongs to the subscription before. */
  applyFrame(message: Message): void {
    if (this.#phase !== 'waiting' && this.#phase !== 'following') return;
    try {
      this.#book.applyFrame(message);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#repair(error);
      return;
    }
    this.connection.resetBackoff();
    this.#setPhase('following', this.connection.silenceMsMax);
    this.#emitView(this.#book.viewOf(true));
  }

  /** The service cannot do it now. */
  handleTransientError(error: ClientError): void {
    if (this.#phase === 'ended') return;
    this.#setPhase('off');
    this.#cancelRetry();
    this.#cancelRetry = this.connection.clock.after(limits.RESUBSCRIBE_MS, () => this.subscribe());
    this.#markInterrupted();
    this.retries.emit(error);
  }

  /** The service never does it. */
  handleRefusal(error: ClientError): void {
    if (this.#phase === 'ended') return;
    this.#setPhase('ended');
    this.#markInterrupted();
    this.ends.emit(error);
  }

  /** Looks whether something is late. */
  checkSilence(nowMs: number): void {
    if (nowMs < this.#deadlineMs || this.#phase === 'off' || this.#phase === 'ended') return;
    this.#repair(new ProtocolViolation('silence', `${this.#phase} without a word for too long`));
  }

  /** Asks for what was missed or for all of it; when that was in vain a moment ago, comes again. */
  #repair(breach: ProtocolViolation): void {
    const nowMs = this.connection.clock.monotonicMs();
    const isAgain = nowMs - this.#repairedAtMs < limits.RESUBSCRIBE_MS;
    this.#repairedAtMs = nowMs;
    if (isAgain || !breach.isResumable) this.#book.invalidate();
    this.#markInterrupted();
    this.connection.reportViolation(breach);
    if (isAgain || breach.rule === 'silence') this.connection.restart();
    else this.subscribe();
  }

  /** The last right book stays in sight, marked as not followed. */
  #markInterrupted(): void {
    if (this.#view?.isFollowing === true) this.#emitView({ ...this.#view, isFollowing: false });
  }

  #emitView(view: BookView<Best> | undefined): void {
    if (view === undefined) return;
    this.#view = view;
    this.updates.emit(view);
  }

  #setPhase(phase: TopicPhase, patienceMs = 0): void {
    this.#phase = phase;
    this.#deadlineMs = this.connection.clock.monotonicMs() + patienceMs;
  }
}
