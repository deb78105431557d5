import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import { SocketError } from '../transport/errors.js';
import type { Topic } from './publisher.js';
import { Ring, type RingMemory } from './stream-ring.js';
import type { ResumableTopic, ResumePoint } from './stream-topic.js';

/** The name of an account's topic. */
export const userKeyOf = (account: string): string => `user:${account}`;

/** The dependencies of a topic. */
interface UserTopicParts {
  readonly book: Pick<BookSource, 'accounts' | 'epoch'>;
  readonly timers: Timers;
  readonly memory: RingMemory;
}

/** The open topic of an account, which is watched in the core. */
export class UserTopic implements Topic, ResumableTopic {
  readonly key: string;
  readonly ring: Ring;
  /** Whether the account is being read from the node, and its subscribers wait. */
  isUnmarked: boolean;
  readonly waiting = new Set<() => void>();
  /** 0, because the topics decide when they are published. */
  readonly readyAtMs = 0;
  /** Null, because frames also follow prices, and not changes of the book alone. */
  readonly changedAtMs = null;
  epoch: string;
  subscribers = 0;
  broken = false;
  /** The time since which the topic has no subscribers. */
  idleSinceMs = 0;
  /** Whether the book holds the account. */
  isHeld: boolean;
  /** Why no subscriber may have the account. */
  refusal: SocketError | undefined;
  /** The node's base64 of an account outside the book: null for no account, undefined until it is read. */
  #data: string | null | undefined;
  #framedAtMs: number;
  readonly #parts: UserTopicParts;

  constructor(
    readonly account: string,
    parts: UserTopicParts,
  ) {
    this.key = userKeyOf(account);
    this.#parts = parts;
    this.ring = new Ring(parts.memory);
    this.epoch = parts.book.epoch;
    this.#framedAtMs = parts.timers.nowMs();
    this.isHeld = this.#watch();
    this.isUnmarked = !this.isHeld;
  }

  /** Notes whether the book holds the account, after a write. */
  noteWrite(): void {
    const isHeld = this.#parts.book.accounts.holds(this.account);
    if (isHeld !== this.isHeld) this.#data = undefined;
    this.isHeld = isHeld;
  }

  /** Takes what the node has of the account: base64, or null for no account. */
  takeRead(data: string | null): void {
    this.#data = data;
    if (!this.isUnmarked) return;
    if (this.#watch()) this.#begin();
    else this.refuseSubscribers(notAccount(this.account, data));
    this.noteWrite();
  }

  /** Refuses the subscribers that wait. */
  refuseSubscribers(refusal: SocketError): void {
    if (!this.isUnmarked) return;
    this.refusal = refusal;
    this.#begin();
  }

  /** Renders the next delta; without changes for a second, a heartbeat. */
  renderFrame(nowMs: number): Uint8Array | null {
    const { book, timers } = this.#parts;
    if (this.isUnmarked) return null;
    const isRead = this.isHeld || this.#data !== undefined;
    const delta = isRead
      ? book.accounts.renderDelta(this.account, timers.unixMs(), this.#bytes)
      : null;
    const isSilent = this.#framedAtMs + LIMITS.streamHeartbeatMs <= nowMs;
    if (delta === null && !isSilent) return null;
    this.#framedAtMs = nowMs;
    if (delta === null) return book.accounts.renderHeartbeat(this.account, timers.unixMs());
    if (delta.reset) {
      this.ring.clear();
      this.epoch = book.epoch;
    } else this.ring.appendDelta(delta, nowMs);
    return delta.frame;
  }

  renderSnapshot(answer: { readonly id: string; readonly reset: boolean }): Uint8Array {
    if (this.refusal !== undefined) throw this.refusal;
    return this.#parts.book.accounts.renderSnapshot(this.account, answer);
  }

  findFirstMissed(point: ResumePoint): number | undefined {
    return point.epoch === this.epoch ? this.ring.findNumberAfter(point.seq) : undefined;
  }

  close(): void {
    this.ring.clear();
    this.#parts.book.accounts.unwatch(this.account);
  }

  get #bytes(): Uint8Array | undefined {
    return typeof this.#data === 'string' ? Buffer.from(this.#data, 'base64') : undefined;
  }

  #watch(): boolean {
    const { book, timers } = this.#parts;
    return book.accounts.watch(this.account, timers.unixMs(), this.#bytes);
  }

  #begin(): void {
    this.isUnmarked = false;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const begin of waiting) begin();
  }
}

function notAccount(account: string, data: string | null): SocketError {
  if (data === null) return new SocketError('UNKNOWN_ACCOUNT', `there is no account ${account}`);
  return new SocketError('INVALID_PARAM', `account ${account} is no user account of the program`);
}
