import { ClientError } from '../error.js';
import type { Message } from '../fields.js';
import { REPLAY_SILENCE_MS_MAX, SILENCE_MS_MAX } from '../limits.js';
import { LatestValues, Listeners } from '../listeners.js';
import type { Connection } from '../stream/connection.js';
import { FollowedBook, type FrameChecks } from '../stream/followed-book.js';
import {
  type EncodingOptions,
  isTransient,
  ServiceSocket,
  type SocketOptions,
} from '../stream/service-socket.js';
import type { Best, BookView, Topic } from '../stream/topic.js';
import { SubscriptionCore } from '../subscription-core.js';
import type { PastMoment, ReplayEvent, ReplayOptions } from './moment.js';

/** The types that are events. */
const EVENTS = ['hole', 'ended', 'live'];
/** The types that answer a message. */
const ANSWERS = ['paused', 'resumed', 'sought'];

/** How the past is reached. */
export interface PastBookOptions extends SocketOptions, EncodingOptions {
  /** Additional checks: `strictChecks`. None by default. */
  readonly checks?: FrameChecks;
}

/** A call that waits for the reply to its message. */
interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: ClientError) => void;
}

/**
 * The books of a topic from a past moment on. Listeners get each book; a slow `for await` loop
 * skips to the newest. After a lost connection the replay resumes at its position. The service ends
 * a replay that is paused for ten minutes.
 *
 * @example
 * const replay = book.replay({ from: { ts: Date.now() - 60_000 }, speed: 10 });
 * replay.onEvent(({ type }) => console.log(type));
 * replay.onUpdate(({ ts, bestBidPrice }) => console.log(ts, bestBidPrice));
 */
export class Replay<Row extends Best> implements AsyncIterable<BookView<Row>> {
  readonly #topic: Topic;
  readonly #socket: ServiceSocket;
  readonly #connection: Connection;
  readonly #core: SubscriptionCore<LatestValues<BookView<Row>>>;
  readonly #updates = new Listeners<BookView<Row>>();
  readonly #events = new Listeners<ReplayEvent>();
  readonly #book: FollowedBook;
  readonly #waiting = new Map<unknown, Waiting>();
  #lastId = 0;
  /** How to resume after a lost connection: `from` is the last book, or the target of a seek. */
  readonly #past: { from: PastMoment; until: PastMoment | undefined; speed: number };
  #isPaused = false;
  #isLive = false;
  /** Whether no other book follows without a seek. */
  #isAtEnd = false;
  /** Of the last subscription. */
  #subscribeId = 0;
  #name: unknown;
  #view: BookView<Row> | undefined;
  #cancelSilence: () => void = () => {};

  /** Created by {@link PastBook.replay}. */
  constructor(
    options: PastBookOptions,
    topic: Topic,
    { from, until, speed = 1, signal }: ReplayOptions,
  ) {
    this.#topic = { ...topic };
    this.#past = { from, until, speed };
    this.#book = new FollowedBook(this.#topic, options.checks);
    this.#socket = new ServiceSocket(options, {
      onOpen: () => this.#beginReplay(),
      onMessage: (message) => this.#handleMessage(message),
      onError: (error, message) => this.#handleError(error, message),
      onDisconnect: () => this.#handleDisconnect(),
    });
    this.#connection = this.#socket.connection;
    this.#core = new SubscriptionCore(() => {
      this.#cancelSilence();
      this.#rejectAll(this.error ?? new ClientError('CLOSED', 'the replay was closed'));
      this.#connection.close();
    });
    this.#connection.open();
    this.#core.watchSignal(signal);
  }

  /** The newest book; undefined before the first. */
  get view(): BookView<Row> | undefined {
    return this.#view;
  }

  /** Whether the replay has caught up and delivers live books. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** The error that ended the replay; undefined while it is open, and after `close`. */
  get error(): ClientError | undefined {
    return this.#core.error;
  }

  /**
   * Registers a listener for books, and calls it immediately with the newest. Returns its
   * unsubscribe function.
   */
  onUpdate(listener: (view: BookView<Row>) => void): () => void {
    const remove = this.#core.addCleanup(this.#updates.add(listener));
    if (this.#view !== undefined && this.#core.isOpen) listener(this.#view);
    return remove;
  }

  /** Registers a listener for events between books. Returns its unsubscribe function. */
  onEvent(listener: (event: ReplayEvent) => void): () => void {
    return this.#core.addCleanup(this.#events.add(listener));
  }

  /**
   * Registers a listener that is called once, when the service refuses the replay or it is aborted.
   * Returns its unsubscribe function.
   */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#core.onError(listener);
  }

  /**
   * Pauses the replay. Rejects with NOT_SUBSCRIBED when it is live, with UNREACHABLE without a
   * connection, and otherwise with CLOSED or the error that ended the replay.
   */
  async pause(): Promise<void> {
    await this.#askService({ type: 'pause' });
    this.#isPaused = true;
  }

  /** Resumes the replay, optionally at another speed. Rejects like {@link Replay.pause}. */
  async resume(speed?: number): Promise<void> {
    await this.#askService({ type: 'resume', speed });
    this.#isPaused = false;
    this.#past.speed = speed ?? this.#past.speed;
  }

  /**
   * Moves the replay to another moment. Rejects with MOMENT_NOT_KEPT, in which case the position
   * stays, and like {@link Replay.pause}.
   */
  async seek(from: PastMoment): Promise<void> {
    await this.#askService({ type: 'seek', from });
    this.#past.from = from;
  }

  /** Ends the replay: no listener is called any more, and loops end. */
  close(): void {
    this.#core.end(undefined);
  }

  /** The loop ends where the replay does. Its end closes the replay, as leaving it does. */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Row>> {
    const loop = this.#core.addLoop((onLeave) => new LatestValues<BookView<Row>>(onLeave));
    if (this.#view !== undefined) loop.push(this.#view);
    if (this.#isAtEnd) loop.end();
    return loop;
  }

  #beginReplay(): void {
    this.#subscribeId = this.#nextId();
    this.#watchSilence();
    const { resumePoint: resume } = this.#book;
    const members = this.#isLive ? { resume } : this.#past;
    this.#socket.sendTopic({
      type: 'subscribe',
      id: this.#subscribeId,
      ...this.#topic,
      ...members,
    });
  }

  #askService(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#core.isOpen) {
        reject(new ClientError('CLOSED', 'the replay has ended'));
        return;
      }
      if (this.#name === undefined) {
        reject(new ClientError('UNREACHABLE', 'there is no connection to the replay now'));
        return;
      }
      const id = this.#nextId();
      this.#waiting.set(id, { resolve, reject });
      this.#connection.sendMessage({ ...message, id, topic: this.#name });
    });
  }

  #handleMessage(message: Message): void {
    const { type, id } = message;
    this.#isLive ||= type === 'live';
    this.#watchSilence();
    if (type === 'subscribed') {
      this.#name = message['topic'];
      // A new subscription plays.
      if (this.#isPaused) this.#connection.sendMessage({ type: 'pause', topic: this.#name });
    } else if (ANSWERS.includes(String(type))) {
      this.#isAtEnd &&= type !== 'sought';
      this.#waiting.get(id)?.resolve();
      this.#waiting.delete(id);
    } else if (EVENTS.includes(String(type))) this.#handleEvent(message);
    else if (type === 'snapshot' || type === 'delta' || type === 'heartbeat')
      this.#applyFrame(message);
  }

  #handleEvent(message: Message): void {
    const { topic: _, ...event } = message;
    this.#events.emit(event as unknown as ReplayEvent);
    if (message['type'] !== 'ended') return;
    this.#isAtEnd = true;
    for (const loop of [...this.#core.loops]) loop.end();
  }

  /**
   * Applies a frame. A frame that breaks a rule causes a reconnect, which starts with a whole book.
   */
  #applyFrame(frame: Message): void {
    try {
      this.#book.applyFrame(frame);
    } catch {
      this.#book.invalidate();
      this.#connection.restart();
      return;
    }
    this.#connection.resetBackoff();
    const view = this.#book.viewOf(true) as BookView<Row> | undefined;
    const isSame = frame['type'] === 'heartbeat' && this.#view?.isFollowing === true;
    if (view === undefined || isSame) return;
    this.#past.from = { epoch: view.epoch, seq: view.seq };
    this.#isAtEnd = false;
    this.#emitView(view);
  }

  #emitView(view: BookView<Row>): void {
    this.#view = view;
    this.#updates.emit(view);
    for (const loop of this.#core.loops) loop.push(view);
  }

  #handleError(error: ClientError, { id, topic }: Message): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) waiting.reject(error);
    else if (topic !== undefined) this.#core.end(error);
    else if (id === this.#subscribeId) this.#handleRefusal(error);
  }

  /**
   * After a lost connection, the service may still count the previous replay, so a refusal can be
   * temporary.
   */
  #handleRefusal(error: ClientError): void {
    if (this.#view !== undefined && isTransient(error, 1)) this.#connection.restart();
    else this.#core.end(error);
  }

  #handleDisconnect(): void {
    this.#cancelSilence();
    this.#name = undefined;
    // A book of the past is no older without a connection.
    if (this.#isLive && this.#view !== undefined) {
      this.#emitView({ ...this.#view, isFollowing: false });
    }
    this.#rejectAll(new ClientError('UNREACHABLE', 'the connection broke'));
  }

  #rejectAll(error: ClientError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #watchSilence(): void {
    this.#cancelSilence();
    const { clock } = this.#connection;
    const liveMs = SILENCE_MS_MAX + (this.#topic.intervalMs ?? 0);
    const silenceMs = this.#isLive ? liveMs : REPLAY_SILENCE_MS_MAX;
    this.#cancelSilence = clock.after(silenceMs, () => this.#connection.restart());
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}
