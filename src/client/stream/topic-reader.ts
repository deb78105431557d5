/**
 * Follows one topic over a connection and repairs its book, by the states of "A correct client" in
 * docs/streaming-client.md. All topics of a client share the connection.
 */
import type { Clock } from '../environment.js';
import type { ClientError } from '../error.js';
import type { Message } from '../fields.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { FollowedBook, type FrameChecks } from './followed-book.js';
import type { Best, BookView, Topic } from './topic.js';
import { ProtocolViolation } from './violation.js';

/** The connection for topic readers. */
export interface TopicConnection {
  readonly clock: Clock;
  readonly silenceMsMax: number;
  readonly checks: FrameChecks | undefined;
  /** A number that no message had before. */
  nextId(): number;
  sendMessage(message: object): void;
  /** Closes the connection, and reconnects after a delay. */
  restart(): void;
  /** The connection leads to books. */
  resetBackoff(): void;
  reportViolation(violation: ProtocolViolation): void;
}

/**
 * The phase of a subscription, from docs/streaming-client.md; `off` without a connection, and until a
 * retry after a temporary error.
 */
export type TopicPhase = 'off' | 'subscribing' | 'waiting' | 'following' | 'ended';

/** A reader of one topic. */
export class TopicReader {
  readonly updates = new Listeners<BookView<Best>>();
  /** The service refuses the topic for good. */
  readonly ends = new Listeners<ClientError>();
  /** A transient error: the subscription is retried. */
  readonly retries = new Listeners<ClientError>();
  /** The topic's name, which frames repeat; undefined before {@link TopicReader.handleSubscribed}. */
  name: string | undefined;
  readonly #connection: TopicConnection;
  readonly #topic: Topic;
  readonly #book: FollowedBook;
  #phase: TopicPhase = 'off';
  #view: BookView<Best> | undefined;
  #id = 0;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #repairedAtMs = Number.NEGATIVE_INFINITY;
  #cancelRetry: () => void = () => {};

  constructor(connection: TopicConnection, topic: Topic) {
    this.#connection = connection;
    this.#topic = topic;
    this.#book = new FollowedBook(topic, connection.checks);
  }

  /** The newest valid book; undefined before the first. */
  get view(): BookView<Best> | undefined {
    return this.#view;
  }

  /** The number of the last subscription. */
  get id(): number {
    return this.#id;
  }

  get phase(): TopicPhase {
    return this.#phase;
  }

  /** Subscribes, also where it is subscribed already. */
  subscribe(): void {
    if (this.#phase === 'ended') return;
    this.#cancelRetry();
    this.#setPhase('subscribing', limits.RESPONSE_MS_MAX);
    this.#id = this.#connection.nextId();
    const resume = this.#book.resumePoint;
    this.#connection.sendMessage({ type: 'subscribe', id: this.#id, ...this.#topic, resume });
  }

  /** Ends the subscription for good. */
  unsubscribe(): void {
    const wasOn = this.#phase !== 'off' && this.#phase !== 'ended';
    this.#cancelRetry();
    this.#setPhase('ended');
    if (!wasOn) return;
    const topic = this.name ? { topic: this.name } : this.#topic;
    this.#connection.sendMessage({ type: 'unsubscribe', ...topic });
  }

  /** Handles the loss of the connection. A valid book stays valid. */
  handleDisconnect(): void {
    if (this.#phase === 'ended') return;
    this.#cancelRetry();
    this.#setPhase('off');
    this.#markInterrupted();
  }

  /**
   * Handles `subscribed`: later frames belong to this subscription; the first frame may take an
   * interval.
   */
  handleSubscribed(name: string): void {
    this.name = name;
    if (this.#phase !== 'subscribing') return;
    this.#setPhase('waiting', this.#connection.silenceMsMax + (this.#topic.intervalMs ?? 0));
  }

  /**
   * Applies a frame of this topic; a frame before `subscribed` belongs to the previous
   * subscription.
   */
  applyFrame(frame: Message): void {
    if (this.#phase !== 'waiting' && this.#phase !== 'following') return;
    try {
      this.#book.applyFrame(frame);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#repair(error);
      return;
    }
    this.#connection.resetBackoff();
    this.#setPhase('following', this.#connection.silenceMsMax);
    this.#emitView(this.#book.viewOf(true));
  }

  /** Handles a temporary error: the subscription is retried. */
  handleTransientError(error: ClientError): void {
    this.handleDisconnect();
    if (this.#phase === 'ended') return;
    const { clock } = this.#connection;
    this.#cancelRetry = clock.after(limits.RESUBSCRIBE_MS, () => this.subscribe());
    this.retries.emit(error);
  }

  /** Handles a refusal for good. */
  handleRefusal(error: ClientError): void {
    this.#setPhase('ended');
    this.#markInterrupted();
    this.ends.emit(error);
  }

  /** Checks whether a frame or a response is overdue. */
  checkSilence(nowMs: number): void {
    if (nowMs < this.#deadlineMs) return;
    this.#repair(new ProtocolViolation('silence', `${this.#phase} without a message for too long`));
  }

  /** Resumes or fetches the whole book; reconnects when a repair a moment ago had no effect. */
  #repair(violation: ProtocolViolation): void {
    const nowMs = this.#connection.clock.monotonicMs();
    const isRepeated = nowMs - this.#repairedAtMs < limits.RESUBSCRIBE_MS;
    this.#repairedAtMs = nowMs;
    if (isRepeated || !violation.isResumable) this.#book.invalidate();
    this.#markInterrupted();
    this.#connection.reportViolation(violation);
    if (isRepeated || violation.rule === 'silence') this.#connection.restart();
    else this.subscribe();
  }

  /** Keeps the last valid book and marks it as not followed. */
  #markInterrupted(): void {
    if (this.#view?.isFollowing === true) this.#emitView({ ...this.#view, isFollowing: false });
  }

  #emitView(view: BookView<Best> | undefined): void {
    if (view === undefined) return;
    this.#view = view;
    this.updates.emit(view);
  }

  #setPhase(phase: TopicPhase, patienceMs = Number.POSITIVE_INFINITY): void {
    this.#phase = phase;
    this.#deadlineMs = this.#connection.clock.monotonicMs() + patienceMs;
  }
}
