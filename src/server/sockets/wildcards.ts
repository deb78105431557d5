/**
 * The wildcard subscriptions of one socket. A wildcard covers the topics of all markets, including
 * markets that are added later. Its topics start together or not at all.
 */
import { SocketError } from '../transport/errors.js';
import type { MessageId } from './client-message.js';
import type { Delivery } from './delivery.js';
import type { SocketTopics } from './socket-topics.js';
import type { Subscriber, SubscriptionRequest, WildcardRequest } from './subscription.js';

/** The socket as its wildcards use it. */
interface WildcardParts {
  readonly topics: SocketTopics;
  readonly delivery: Pick<Delivery, 'beginSubscription'>;
  /** Maximum number of wildcards of the socket. */
  readonly wildcardsMax: number;
  readonly isClosing: () => boolean;
  readonly sendReply: (reply: object) => void;
  /** Reports a subscription that has ended, or that could not start for a market added later. */
  readonly reportEnd: (error: unknown, members: object) => void;
}

/** Topics that start together. */
interface OpenedTopics {
  readonly subscribers: readonly Subscriber[];
  /** The topics that the socket did not have before. */
  readonly acquired: ReadonlySet<string>;
}

interface OpenWildcard {
  readonly request: WildcardRequest;
  /** The topics at the last listing, and their markets. */
  topics: ReadonlyMap<string, number | undefined>;
}

/** The wildcards of one socket by their keys. */
export class Wildcards {
  readonly #parts: WildcardParts;
  readonly #open = new Map<string, OpenWildcard>();

  constructor(parts: WildcardParts) {
    this.#parts = parts;
  }

  /**
   * Starts all topics of a wildcard and sends one reply. Topics that the socket already has start
   * again.
   */
  addWildcard(request: WildcardRequest, id: MessageId | undefined): void {
    const { key } = request;
    const { wildcardsMax } = this.#parts;
    if (!this.#open.has(key) && this.#open.size >= wildcardsMax) {
      throw new SocketError('LIMIT_EXCEEDED', `a socket may have ${wildcardsMax} wildcards`);
    }
    const requests = request.listRequests(id);
    this.#beginTopics(key, requests, id);
    this.#open.set(key, { request, topics: marketsOf(requests) });
  }

  /** Ends the remaining topics of a wildcard. Returns false when there is no such wildcard. */
  removeWildcard(key: string): boolean {
    const wildcard = this.#open.get(key);
    if (wildcard === undefined) return false;
    this.#open.delete(key);
    for (const topic of wildcard.topics.keys()) this.#parts.topics.endTopic(topic);
    return true;
  }

  /** Starts the topics of markets that are new, or have a new name. */
  addNewMarkets(): void {
    for (const [key, wildcard] of this.#open) {
      const requests = this.#listAgain(key, wildcard);
      const { topics } = wildcard;
      const added = requests.filter(
        ({ key: topic, market }) => !topics.has(topic) || topics.get(topic) !== market?.id,
      );
      wildcard.topics = marketsOf(requests);
      if (added.length === 0) continue;
      try {
        this.#beginTopics(key, added, undefined);
      } catch (error) {
        for (const { key: topic } of added) this.#parts.reportEnd(error, { topic });
      }
    }
  }

  /** Lists the topics of a wildcard, which ends when there can be none. */
  #listAgain(key: string, { request }: OpenWildcard): readonly SubscriptionRequest[] {
    try {
      return request.listRequests(undefined);
    } catch (error) {
      this.#open.delete(key);
      this.#parts.reportEnd(error, { topic: key });
      return [];
    }
  }

  #beginTopics(
    topic: string,
    requests: readonly SubscriptionRequest[],
    id: MessageId | undefined,
  ): void {
    const { topics: counted, delivery, isClosing, sendReply, reportEnd } = this.#parts;
    const { subscribers, acquired } = this.#openSubscribers(requests);
    const topics = subscribers.map(({ key }) => key);
    sendReply({ type: 'subscribed', id, topic, topics });
    for (const subscriber of subscribers) {
      try {
        if (isClosing()) subscriber.leaveTopic();
        else delivery.beginSubscription(subscriber);
      } catch (error) {
        counted.releaseUnused(subscriber.key);
        reportEnd(error, subscriber.errorMembers);
        continue;
      }
      if (acquired.has(subscriber.key)) counted.releaseUnused(subscriber.key);
    }
  }

  /** Opens all topics. When one topic fails, closes the others and rethrows the error. */
  #openSubscribers(requests: readonly SubscriptionRequest[]): OpenedTopics {
    const { topics } = this.#parts;
    const acquired = new Set<string>();
    const subscribers: Subscriber[] = [];
    try {
      for (const request of requests) {
        if (topics.hasTopic(request.key)) continue;
        topics.acquireTopic(request, acquired.size);
        acquired.add(request.key);
      }
      for (const request of requests) subscribers.push(request.openSubscriber());
      return { subscribers, acquired };
    } catch (error) {
      for (const subscriber of subscribers) subscriber.leaveTopic();
      for (const key of acquired) topics.releaseUnused(key);
      if (!(error instanceof SocketError)) throw error;
      const message = `none of ${requests.length} topics was subscribed to: ${error.message}`;
      throw new SocketError(error.code, message);
    }
  }
}

function marketsOf(requests: readonly SubscriptionRequest[]) {
  return new Map(requests.map(({ key, market }) => [key, market?.id]));
}
