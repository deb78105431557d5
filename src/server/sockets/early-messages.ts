/**
 * Messages that wait, each socket's in their order: subscriptions that come before the first live book, which has
 * the names of the markets, and all that come when the messages of a turn of the event loop have used up its
 * time. They are kept as texts.
 *
 * This file does not know what a message says.
 */
import { LIMITS } from '../../config/limits.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { changeCount } from '../admission/admission.js';
import { ClientAddresses } from '../admission/client-addresses.js';
import type { ClientSocket } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';

/** A session whose messages may come too early. */
export interface EarlySession {
  readonly socket: Pick<ClientSocket, 'ip' | 'bufferedBytes'>;
  /** Handles a message that was kept. */
  handleEarly(text: string): void;
}

/** What early messages go by. */
export interface EarlyMessagesOptions {
  readonly readiness: () => Pick<Readiness, 'everLive'>;
  readonly timers: Timers;
  /** Topics of one socket, and messages that are kept for it. */
  readonly topicsPerSocket: number;
  /** Topics of one address, and messages that are kept for it; 0 for no limit. */
  readonly topicsPerIp: number;
  readonly addresses?: ClientAddresses;
  /** Messages that a socket may send at once, and that are kept for it after the first live book. */
  readonly messageBurst: number;
  /** Of a socket; at least as many may come at once. */
  readonly messagesPerSecond: number;
  /** Bytes of all messages that are kept; the limit of the service by default. */
  readonly earlyBytesMax?: number;
  /** Time of a turn for messages that are handled as they come; the limit of the service by default. */
  readonly messageSliceMs?: number;
}

/** The messages of all sessions that wait. */
export class EarlyMessages {
  readonly #options: EarlyMessagesOptions;
  readonly #addresses: ClientAddresses;
  /** Only sessions with any; each has them in the order in which they came. */
  readonly #kept = new Map<EarlySession, string[]>();
  readonly #byAddress = new Map<string, number>();
  #bytes = 0;
  #usedMs = 0;
  #turnEnd: Timer | undefined;
  #turn: Timer | undefined;

  constructor(options: EarlyMessagesOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? new ClientAddresses();
  }

  /** Whether a subscription would be too early. */
  get isEarly(): boolean {
    return !this.#options.readiness().everLive;
  }

  /** Whether a message of the session must wait for a later turn: behind others, or as this one is used up. */
  mustWait(session: EarlySession): boolean {
    if (this.isEarly) return false;
    const { messageSliceMs = LIMITS.messageSliceMs } = this.#options;
    return this.#kept.has(session) || this.#usedMs > messageSliceMs;
  }

  /** Handles a message now, and counts its time. */
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

  /** Keeps a message. Throws LIMIT_EXCEEDED when it is one too many. */
  keepMessage(session: EarlySession, text: string): void {
    const texts = this.#kept.get(session) ?? [];
    this.#requireRoom(session, texts.length, text);
    texts.push(text);
    this.#kept.set(session, texts);
    this.#bytes += text.length;
    const address = this.#addresses.limitKey(session.socket.ip);
    if (address !== undefined) changeCount(this.#byAddress, address, 1);
    this.resume(session);
  }

  /** Forgets what is kept for a session. */
  removeSession(session: EarlySession): void {
    while (this.#takeMessage(session) !== undefined);
  }

  /**
   * Handles what is kept, once there is a first book: some messages in each turn of the event loop. Those of
   * a client that has much to read wait for {@link EarlyMessages.resume}.
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

  /** The client of a session has read something, or sent something that waits. */
  resume(session: EarlySession): void {
    if (!this.#kept.has(session) || this.isEarly) return;
    this.#turn ??= this.#options.timers.soon(() => this.handleAll());
  }

  /** Handles nothing more. */
  stop(): void {
    this.#turn?.cancel();
    this.#turnEnd?.cancel();
  }

  #requireRoom({ socket }: EarlySession, kept: number, text: string): void {
    const { topicsPerSocket, topicsPerIp, earlyBytesMax = LIMITS.earlyBytesMax } = this.#options;
    const address = this.#addresses.limitKey(socket.ip);
    const ofAddress = address === undefined ? 0 : (this.#byAddress.get(address) ?? 0);
    if (this.#bytes + text.length > earlyBytesMax) {
      throw tooMany(`the service has room for ${earlyBytesMax} bytes of waiting messages`);
    }
    if (!this.isEarly) {
      this.#requireBurst(kept);
      return;
    }
    if (kept >= topicsPerSocket) throw tooMany(`a socket may have ${topicsPerSocket} ${EARLY}`);
    if (topicsPerIp > 0 && ofAddress >= topicsPerIp) {
      throw tooMany(`one address may have ${topicsPerIp} ${EARLY}`);
    }
  }

  /** More come only from a client that sends on and reads nothing. */
  #requireBurst(kept: number): void {
    const { messageBurst, messagesPerSecond } = this.#options;
    const most = Math.max(messageBurst, messagesPerSecond);
    if (kept >= most) throw tooMany(`a socket may have ${most} waiting messages`);
  }

  /** Takes the oldest message of a session; undefined when there is none. */
  #takeMessage(session: EarlySession): string | undefined {
    const texts = this.#kept.get(session);
    const text = texts?.shift();
    if (texts === undefined || text === undefined) return undefined;
    if (texts.length === 0) this.#kept.delete(session);
    this.#bytes -= text.length;
    const address = this.#addresses.limitKey(session.socket.ip);
    if (address !== undefined) changeCount(this.#byAddress, address, -1);
    return text;
  }
}

const EARLY = 'subscriptions before the first live book';

function tooMany(message: string): SocketError {
  return new SocketError('LIMIT_EXCEEDED', message);
}
