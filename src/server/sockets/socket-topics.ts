/** Counts the topics of one socket's subscriptions. */
import type { MarketInfo } from '../../contract/markets.js';
import type { TopicQuota } from '../admission/topic-quota.js';
import { SocketError } from '../transport/errors.js';
import type { Delivery } from './delivery.js';
import type { SubscriptionRequest } from './subscription.js';

/** The counters of a {@link SocketTopics}. */
interface SocketTopicsParts {
  readonly delivery: Pick<
    Delivery,
    'size' | 'hasSubscription' | 'errorMembersOf' | 'endSubscription' | 'close'
  >;
  readonly quota: TopicQuota;
  readonly ip: string;
  readonly topicsPerSocket: number;
}

/** A topic that ended with the name of its market. */
interface RenamedTopic {
  readonly market: MarketInfo;
  /** The members of an error about it. */
  readonly members: object;
}

/** Counts the topics of one socket. */
export class SocketTopics {
  readonly #parts: SocketTopicsParts;
  /** The counted topics, and their markets as they were when these began. */
  readonly #markets = new Map<string, MarketInfo | undefined>();

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
    { key, market, quotaClass }: Omit<SubscriptionRequest, 'openSubscriber'>,
    others = 0,
  ): void {
    const { delivery, quota, ip, topicsPerSocket } = this.#parts;
    if (delivery.size + others >= topicsPerSocket) {
      const message = `a socket may have ${topicsPerSocket} subscriptions`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    quota.acquireTopic({ ip, key, quotaClass });
    this.#markets.set(key, market);
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

  /** Ends the topics whose markets have other names in these rows. Returns the markets, and the members of errors. */
  endRenamed(rows: ReadonlyMap<number, MarketInfo>): readonly RenamedTopic[] {
    return [...this.#markets].flatMap(([key, market]) => {
      if (market === undefined || rows.get(market.id)?.symbol === market.symbol) return [];
      const members = this.#parts.delivery.errorMembersOf(key);
      this.endTopic(key);
      return [{ market, members }];
    });
  }

  /** Ends all topics. */
  endAll(): void {
    for (const key of this.#parts.delivery.close()) this.#releaseTopic(key);
  }

  #releaseTopic(key: string): void {
    const { quota, ip } = this.#parts;
    if (this.#markets.delete(key)) quota.releaseTopic(ip, key);
  }
}
