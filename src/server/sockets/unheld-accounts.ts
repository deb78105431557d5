/**
 * Reads watched accounts that the book does not hold from the node: new ones at once, the others
 * once an interval. One call is open at a time.
 */
import { LIMITS } from '../../config/limits.js';
import type { ReadAccounts } from '../../contract/account-source.js';
import type { Timers } from '../../contract/timers.js';
import { SocketError } from '../transport/errors.js';
import type { UserTopic } from './user-topic.js';

/** The topics of accounts that the book does not hold. */
export class UnheldAccounts {
  readonly #read: ReadAccounts;
  readonly #timers: Pick<Timers, 'nowMs'>;
  /** The time at which each is read next. */
  readonly #dueMs = new Map<UserTopic, number>();
  #isReading = false;

  constructor(read: ReadAccounts, timers: Pick<Timers, 'nowMs'>) {
    this.#read = read;
    this.#timers = timers;
  }

  /** Adds a topic, which is read next. */
  addTopic(topic: UserTopic): void {
    this.#dueMs.set(topic, 0);
  }

  removeTopic(topic: UserTopic): void {
    this.#dueMs.delete(topic);
  }

  /** Reads the topics that are due, unless a call is open. */
  async readDue(): Promise<void> {
    const nowMs = this.#timers.nowMs();
    const isDue = ([, dueMs]: readonly [UserTopic, number]) => dueMs <= nowMs;
    const due = [...this.#dueMs].filter(isDue).slice(0, LIMITS.accountsMax);
    if (this.#isReading || due.length === 0) return;
    this.#isReading = true;
    const topics = due.map(([topic]) => topic);
    for (const topic of topics) {
      // The next call begins with those that have waited longest.
      this.#dueMs.delete(topic);
      this.#dueMs.set(topic, nowMs + LIMITS.userIntervalMs);
    }
    try {
      const read = await this.#read(topics.map(({ account }) => account));
      for (const [index, topic] of topics.entries()) {
        const data = read[index];
        if (data === undefined) refuse(topic);
        else topic.takeRead(data);
        if (topic.isHeld) this.removeTopic(topic);
      }
    } catch {
      topics.forEach(refuse);
    }
    this.#isReading = false;
  }
}

function refuse(topic: UserTopic): void {
  const message = 'the account could not be read from the node';
  topic.refuseSubscribers(new SocketError('NOT_READY', message));
}
