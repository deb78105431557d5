/** Counts the topics of one socket's subscriptions. */
import type { TopicQuota } from '../admission/topic-quota.js';
import { SocketError } from '../transport/errors.js';
import type { Delivery } from './delivery.js';
import type { SubscriptionRequest } from './subscription.js';

/** The counters of a {@link SocketTopics}. */
interface SocketTopicsParts {
  readonly delivery: Pick<Delivery, 'size' | 'hasSubscription' | 'endSubscription' | 'close'>;
  readonly quota: TopicQuota;
  readonly ip: string;
  readonly topicsPerSocket: number;
}

/** Counts the topics of one socket. */
export class SocketTopics {
  readonly #parts: SocketTopicsParts;

  constructor(parts: SocketTopicsParts) {
    this.#parts = parts;
  }

  hasTopic(key: string): boolean {
    return this.#parts.delivery.hasSubscription(key);
  }

  /**
   * Counts a new topic; `others` is the number of topics that start together with it. Throws
   * LIMIT_EXCEEDED.
   */
  acquireTopic(
    { key, quotaClass }: Pick<SubscriptionRequest, 'key' | 'quotaClass'>,
    others = 0,
  ): void {
    const { delivery, quota, ip, topicsPerSocket } = this.#parts;
    if (delivery.size + others >= topicsPerSocket) {
      const message = `a socket may have ${topicsPerSocket} subscriptions`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    quota.acquireTopic({ ip, key, quotaClass });
  }

  /** Releases the count of a topic whose subscription did not start or has ended. */
  releaseUnused(key: string): void {
    if (!this.hasTopic(key)) this.#releaseTopic(key);
  }

  /** Ends a subscription. Returns false when there is none. */
  endTopic(key: string): boolean {
    if (!this.#parts.delivery.endSubscription(key)) return false;
    this.#releaseTopic(key);
    return true;
  }

  /** Ends all topics. */
  endAll(): void {
    for (const key of this.#parts.delivery.close()) this.#releaseTopic(key);
  }

  #releaseTopic(key: string): void {
    const { quota, ip } = this.#parts;
    quota.releaseTopic(ip, key);
  }
}
