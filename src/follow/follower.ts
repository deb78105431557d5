/**
 * Follows one topic over a WebSocket and heals itself: the state machine of docs/streaming.md.
 *
 * ```ts
 * const follower = new Follower({ url: 'ws://127.0.0.1:8080/ws', topic, onFrame: draw });
 * follower.start();
 * const error = await Promise.race([follower.failed, stopped]);
 * await follower.stop();
 * ```
 *
 * It does not draw, and does not decide how long it runs.
 */
import { WebSocket } from 'ws';
import { Breach } from './breach.js';
import { FollowError } from './error.js';
import { FollowedBook, type ResumePoint } from './followed-book.js';
import { frameOf, isFrame } from './frame.js';
import * as limits from './limits.js';
import { Members } from './members.js';
import { Reconnect } from './reconnect.js';
import { Tally } from './tally.js';
import { type FollowedTopic, membersOf } from './topic.js';

/** What a client is doing. */
export type Phase = 'connecting' | 'subscribing' | 'waiting' | 'following' | 'pausing' | 'stopped';

/** What is followed, and who is told. */
export interface FollowerOptions {
  /** Of the WebSocket. */
  readonly url: string;
  readonly topic: FollowedTopic;
  /** Called after every frame that was taken. */
  readonly onFrame?: () => void;
  /** Silence after which a stream is broken; the limit of this room by default. */
  readonly silenceMsMax?: number;
}

/** Errors after which the same subscription may be asked for again. */
const PASSING = ['NOT_READY', 'RATE_LIMITED', 'INTERNAL', 'LIMIT_EXCEEDED'];

/** Breaches before which the book is as good as it was. */
const HARMLESS: readonly string[] = ['gap', 'repeated', 'silence'];

/** A client of one topic. */
export class Follower {
  readonly book: FollowedBook;
  readonly tally = new Tally();
  /** Resolves with the error when the topic cannot be followed. */
  readonly failed: Promise<FollowError>;
  readonly #options: FollowerOptions;
  readonly #reconnect = new Reconnect();
  #fail: (error: FollowError) => void = () => {};
  #socket: WebSocket | undefined;
  #phase: Phase = 'pausing';
  #name: string | undefined;
  #id = 0;
  #lateAtMs = Number.POSITIVE_INFINITY;
  #healedAtMs = Number.NEGATIVE_INFINITY;
  #watch: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.book = new FollowedBook(options.topic);
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The name of the topic, once it is subscribed to. */
  get topicName(): string | undefined {
    return this.#name;
  }

  start(): void {
    this.#watch = setInterval(() => this.#look(), limits.WATCH_MS);
    this.#connect();
  }

  /** Closes the connection; resolves when it is closed. */
  async stop(): Promise<void> {
    this.#enter('stopped');
    clearInterval(this.#watch);
    clearTimeout(this.#pause);
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    await new Promise((resolve) => {
      const cut = setTimeout(() => socket.terminate(), limits.CLOSE_MS_MAX);
      socket.once('close', () => resolve(clearTimeout(cut)));
      socket.close();
    });
  }

  #connect(): void {
    this.#enter('connecting');
    const socket = new WebSocket(this.#options.url, {
      handshakeTimeout: limits.CONNECT_MS_MAX,
      maxPayload: limits.MESSAGE_BYTES_MAX,
    });
    let reason = 'it was closed';
    this.#socket = socket;
    socket.on('open', () => this.#subscribe(this.#resumePoint()));
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => this.#closed(reason));
    socket.on('message', (data, isBinary) => this.#take(data.toString(), isBinary));
  }

  /** Where to go on; undefined when the book is broken, or when there is none. */
  #resumePoint(): ResumePoint | undefined {
    return this.book.intact ? this.book.point : undefined;
  }

  #subscribe(resume: ResumePoint | undefined): void {
    if (this.#phase === 'stopped') return;
    this.#enter('subscribing', limits.ANSWER_MS_MAX);
    this.#id += 1;
    const message = { type: 'subscribe', id: this.#id, ...membersOf(this.#options.topic), resume };
    this.#socket?.send(JSON.stringify(message));
  }

  #take(text: string, isBinary: boolean): void {
    if (this.#phase === 'stopped' || this.#phase === 'pausing') return;
    this.tally.bytes += text.length;
    try {
      if (isBinary) throw new Breach('malformed', 'a frame is binary');
      const message = Members.parse(text);
      const type = message.text('type');
      if (isFrame(type)) this.#frame(message);
      else this.#answer(type, message);
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      this.#heal(error);
    }
  }

  /** What comes before the answer to the last subscription belongs to the one before. */
  #frame(message: Members): void {
    if (this.#phase !== 'waiting' && this.#phase !== 'following') return;
    if (message.text('topic') !== this.#name) {
      throw new Breach('malformed', 'a frame is of another topic');
    }
    const frame = frameOf(message, this.#options.topic.channel);
    this.tally.frames[frame.type] += 1;
    if (frame.type === 'snapshot' && frame.reset) this.tally.resets += 1;
    this.book.apply(frame);
    if (this.#phase === 'waiting' && frame.type !== 'snapshot') this.tally.resumes += 1;
    this.#reconnect.succeeded();
    if (this.book.crossed) this.tally.crossed += 1;
    this.#enter('following', this.#options.silenceMsMax ?? limits.SILENCE_MS_MAX);
    this.#options.onFrame?.();
  }

  #answer(type: string, message: Members): void {
    if (type === 'closing') this.#reconnect.asked(message.count('reconnectAfterMs'));
    if (type === 'error') this.#refused(message);
    if (type !== 'subscribed' || message.get('id') !== this.#id) return;
    this.#name = message.text('topic');
    this.#enter('waiting', this.#options.silenceMsMax ?? limits.SILENCE_MS_MAX);
  }

  #refused(message: Members): void {
    const code = message.text('code');
    if (PASSING.includes(code)) {
      this.#lateAtMs = Number.POSITIVE_INFINITY;
      clearTimeout(this.#pause);
      const again = (): void => this.#subscribe(this.#resumePoint());
      this.#pause = setTimeout(again, limits.ASK_AGAIN_MS);
      return;
    }
    const text = message.text('message').slice(0, limits.TEXT_CHARS_MAX);
    this.#fail(new FollowError('SUBSCRIPTION_REFUSED', `${code}: ${text}`));
  }

  /** Asks for what was missed or for all of it; when that was in vain a moment ago, comes again. */
  #heal(breach: Breach): void {
    this.tally.breach(breach);
    const nowMs = performance.now();
    const isAgain = nowMs - this.#healedAtMs < limits.ASK_AGAIN_MS;
    this.#healedAtMs = nowMs;
    if (isAgain || breach.rule === 'silence') {
      if (isAgain) this.book.forget();
      // What has come already is not heard any more.
      this.#enter('pausing');
      this.#socket?.terminate();
      return;
    }
    if (!HARMLESS.includes(breach.rule)) this.book.forget();
    this.#subscribe(this.#resumePoint());
  }

  #closed(reason: string): void {
    if (this.#phase === 'stopped') return;
    if (this.#phase === 'connecting' && this.#name === undefined) {
      const { host } = new URL(this.#options.url);
      this.#fail(new FollowError('STREAM_UNREACHABLE', `no stream at ${host}: ${reason}`));
      return;
    }
    this.#enter('pausing');
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.tally.reconnects += 1;
      this.#connect();
    }, this.#reconnect.nextMs(Math.random()));
  }

  #enter(phase: Phase, patienceMs = Number.POSITIVE_INFINITY): void {
    this.#phase = phase;
    this.#lateAtMs = performance.now() + patienceMs;
  }

  #look(): void {
    if (performance.now() < this.#lateAtMs) return;
    const what = `${this.#phase} without a word for too long`;
    this.#lateAtMs = Number.POSITIVE_INFINITY;
    this.#heal(new Breach('silence', what));
  }
}
