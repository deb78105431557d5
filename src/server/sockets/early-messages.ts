/**
 * Queues the messages of each socket, in order: subscriptions until the first live book, which
 * provides the market names, and all messages once an event loop turn has used its time budget.
 * Messages are queued as texts.
 *
 * This file does not know the content of messages.
 */
import { LIMITS } from '../../config/limits.js';
import { FairShare } from '../../contract/fair-share.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import type { ClientSocket } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';

/** A session whose messages may have to wait. */
export interface EarlySession {
  readonly socket: Pick<ClientSocket, 'ip' | 'bufferedBytes'>;
  /** Handles a queued message. */
  handleEarly(text: string): void;
}

/** The limits of the queues. */
interface EarlyMessagesOptions {
  readonly readiness: () => Pick<Readiness, 'everLive'>;
  readonly timers: Timers;
  /** Maximum number of a socket's topics and queued messages together. */
  readonly topicsPerSocket: number;
  readonly addresses?: ClientAddresses;
  /**
   * Number of messages that a socket may send in a burst; also the maximum queue length after the
   * first live book.
   */
  readonly messageBurst: number;
  /** A socket's message rate; also the minimum burst. */
  readonly messagesPerSecond: number;
  /** Maximum bytes of all queued messages; by default the service's limit. */
  readonly earlyBytesMax?: number;
  /** A turn's time budget for messages; by default the service's limit. */
  readonly messageSliceMs?: number;
}

/** The queued messages of all sessions. */
export class EarlyMessages {
  readonly #options: EarlyMessagesOptions;
  readonly #addresses: ClientAddresses;
  /** The queued messages; contains only sessions with messages, in the order of arrival. */
  readonly #kept = new Map<EarlySession, string[]>();
  /** The bytes that may still wait. */
  readonly #share: FairShare;
  #usedMs = 0;
  #turnEnd: Timer | undefined;
  #turn: Timer | undefined;

  constructor(options: EarlyMessagesOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? new ClientAddresses();
    this.#share = new FairShare(options.earlyBytesMax ?? LIMITS.earlyBytesMax);
  }

  /** Whether subscriptions must wait for the first live book. */
  get isEarly(): boolean {
    return !this.#options.readiness().everLive;
  }

  /**
   * Whether a message of the session must wait for a later turn, because earlier messages are
   * queued or the time budget is used up.
   */
  mustWait(session: EarlySession): boolean {
    if (this.isEarly) return false;
    const { messageSliceMs = LIMITS.messageSliceMs } = this.#options;
    return this.#kept.has(session) || this.#usedMs > messageSliceMs;
  }

  /** Handles a message immediately and counts its time. */
  runNow(handle: () => void): void {
    const { timers } = this.#options;
    const startMs = timers.nowMs();
    handle();
    this.#usedMs += timers.nowMs() - startMs;
    this.#turnEnd ??= timers.soon(() => {
      this.#turnEnd = undefined;
      this.#usedMs = 0;
    });
  }

  /** Queues a message. Throws LIMIT_EXCEEDED when the queue is full. */
  keepMessage(session: EarlySession, text: string): void {
    const texts = this.#kept.get(session) ?? [];
    this.#requireRoom(session, texts.length, text);
    texts.push(text);
    this.#kept.set(session, texts);
    this.resume(session);
  }

  /** Drops a session's queued messages. */
  removeSession(session: EarlySession): void {
    while (this.#takeMessage(session) !== undefined);
  }

  /**
   * Handles queued messages after the first live book, some in each turn of the event loop. A
   * session with a large backlog waits for {@link EarlyMessages.resume}.
   */
  handleAll(): void {
    const { timers } = this.#options;
    this.#turn = undefined;
    const endMs = timers.nowMs() + LIMITS.earlySliceMs;
    for (const session of this.#kept.keys()) {
      while (session.socket.bufferedBytes() <= LIMITS.socketBacklogBytesMax) {
        const text = this.#takeMessage(session);
        if (text === undefined) break;
        session.handleEarly(text);
        if (timers.nowMs() < endMs) continue;
        this.#turn = timers.soon(() => this.handleAll());
        return;
      }
    }
  }

  /** Called when the session's client has read data, or a waiting frame was sent. */
  resume(session: EarlySession): void {
    if (!this.#kept.has(session) || this.isEarly) return;
    this.#turn ??= this.#options.timers.soon(() => this.handleAll());
  }

  /** Stops handling messages. */
  stop(): void {
    this.#turn?.cancel();
    this.#turnEnd?.cancel();
  }

  #requireRoom({ socket }: EarlySession, kept: number, text: string): void {
    const { topicsPerSocket: most } = this.#options;
    if (!this.isEarly) this.#requireBurst(kept);
    else if (kept >= most)
      throw tooMany(`a socket may have ${most} subscriptions before the first live book`);
    if (this.#share.take(this.#addresses.limitKey(socket.ip), text.length)) return;
    const { free } = this.#share;
    throw tooMany(`messages of ${free} bytes may wait, and of no address more than that`);
  }

  /** Only a client that sends without reading replies exceeds this number. */
  #requireBurst(kept: number): void {
    const { messageBurst, messagesPerSecond } = this.#options;
    const most = Math.max(messageBurst, messagesPerSecond);
    if (kept >= most) throw tooMany(`a socket may have ${most} waiting messages`);
  }

  /** Removes and returns a session's oldest message; undefined when there is none. */
  #takeMessage(session: EarlySession): string | undefined {
    const texts = this.#kept.get(session);
    const text = texts?.shift();
    if (texts === undefined || text === undefined) return undefined;
    if (texts.length === 0) this.#kept.delete(session);
    this.#share.give(this.#addresses.limitKey(session.socket.ip), text.length);
    return text;
  }
}

function tooMany(message: string): SocketError {
  return new SocketError('LIMIT_EXCEEDED', message);
}
