import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
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
  /** A topic starts when it is opened, so that no subscriber waits. */
  readonly isUnmarked = false;
  readonly waiting: ReadonlySet<() => void> & Set<() => void> = new Set();
  /** 0, because the topics decide when they are published. */
  readonly readyAtMs = 0;
  /** Null, because frames also follow prices, and not changes of the book alone. */
  readonly changedAtMs = null;
  epoch: string;
  subscribers = 0;
  broken = false;
  /** The time since which the topic has no subscribers. */
  idleSinceMs = 0;
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
  }

  /** Renders the next delta; without changes for a second, a heartbeat. */
  renderFrame(nowMs: number): Uint8Array | null {
    const { book, timers } = this.#parts;
    const delta = book.accounts.renderDelta(this.account, timers.unixMs());
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
    return this.#parts.book.accounts.renderSnapshot(this.account, answer);
  }

  findFirstMissed(point: ResumePoint): number | undefined {
    return point.epoch === this.epoch ? this.ring.findNumberAfter(point.seq) : undefined;
  }

  close(): void {
    this.ring.clear();
    this.#parts.book.accounts.unwatch(this.account);
  }
}
