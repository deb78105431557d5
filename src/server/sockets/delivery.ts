/**
 * What one socket is sent, without a silent hole. A reader takes part in its topic once it was shown
 * what the next frame goes on from. When the transport leaves a frame out, the socket is behind: it
 * leaves all its topics, so that nothing goes on half, and is shown each anew when it has read.
 *
 * A subscription that is asked for again stands until the new one is shown: where that fails, it stays.
 *
 * What may wait for a socket is bounded: by the transport for frames, and by a number for answers.
 */
import { LIMITS } from '../../config/limits.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import type { ClientSocket } from '../transport/client-socket.js';
import type { FrameSink, SendOutcome, SnapshotKind, Subscriber } from './subscription.js';

/** What a delivery is made of. */
export interface DeliveryParts {
  readonly socket: ClientSocket;
  readonly counts: SocketCounts;
  /** The topic of the beat of this socket's shard. */
  readonly heartbeatTopic: string;
  /** The socket has left a message out, and is to leave its topics as soon as it may. */
  readonly onBehind: () => void;
  /** The client does not read in time. */
  readonly onTooSlow: () => void;
  /** The client asks on and on without reading the answers. */
  readonly onTooManyReplies: () => void;
  /** A reader that was owed something could not be shown it; it takes part no more. */
  readonly onFailed: (error: unknown, subscriber: Subscriber) => void;
  readonly slowMsMax: number;
}

/** A reader and what it is pending; null once it takes part in its topic. */
interface Subscription {
  readonly subscriber: Subscriber;
  pending: SnapshotKind | null;
  /** The reader has still to get what it shows: that it waits is not the client's fault. */
  awaitsSource: boolean;
  /** The one that this one takes the place of when it is shown; null for none. */
  replaces: Subscription | null;
}

/** The frames and answers of one socket. */
export class Delivery implements FrameSink {
  readonly #parts: DeliveryParts;
  readonly #subscriptions = new Map<string, Subscription>();
  #replies: string[] = [];
  #isFull = false;
  /** It was full since it joined its topics, and must not go on with them. */
  #mustLeave = false;
  #heartbeatCount = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  hasSubscription(key: string): boolean {
    return this.#subscriptions.has(key);
  }

  /** Sends an answer, behind those that wait. */
  sendReply(text: string): void {
    if (!this.#isFull && this.#replies.length === 0 && this.#parts.socket.send(text)) return;
    this.#replies.push(text);
    if (this.#replies.length > LIMITS.socketAnswersMax) this.#parts.onTooManyReplies();
  }

  /** Begins a subscription, or begins it anew. Throws what the reader throws, which takes no part then. */
  beginSubscription(subscriber: Subscriber): void {
    // One that is shown at once needs nothing that stands meanwhile.
    if (subscriber.attachCallbacks === undefined) this.endSubscription(subscriber.key);
    const before = this.#subscriptions.get(subscriber.key) ?? null;
    const subscription: Subscription = {
      subscriber: subscriber,
      pending: 'first',
      awaitsSource: false,
      replaces: before,
    };
    this.#subscriptions.set(subscriber.key, subscription);
    subscriber.attachCallbacks?.({
      onReady: () => this.#handleReady(subscription),
      onFailed: (error) => this.#handleFailed(subscription, error),
    });
    if (!this.#isFull && !this.isBehind()) this.#sendSnapshot(subscription);
    this.#armDeadline();
  }

  /**
   * Ends a subscription; false when there is none. What was asked for and not yet shown is acknowledged
   * now, as every message is answered.
   */
  endSubscription(key: string): boolean {
    const chain = this.#chainOfKey(key);
    this.#subscriptions.delete(key);
    this.#endAll(chain);
    return chain.length > 0;
  }

  /** The transport has left a message out. */
  handleDropped(): void {
    this.#parts.counts.dropped += 1;
    if (this.#isFull) return;
    this.#isFull = true;
    this.#mustLeave = true;
    this.#parts.counts.slow += 1;
    this.#armDeadline();
    this.#parts.onBehind();
  }

  /** Leaves the topics after {@link Delivery.handleDropped}, when the transport allows it. */
  leaveTopics(): void {
    if (!this.#mustLeave) return;
    this.#mustLeave = false;
    for (const subscription of this.#allSubscriptions()) {
      if (subscription.pending !== null) continue;
      this.#leaveTopic(subscription.subscriber);
      subscription.pending = 'reset';
    }
  }

  /** The client has read something: sends what waits, as far as it goes. */
  handleDrain(): void {
    this.leaveTopics();
    if (this.isBehind()) return;
    this.#isFull = false;
    this.#parts.socket.sendTogether(() => this.#sendPending());
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#armDeadline();
  }

  /** Sends nothing more, and gives all topics back. Answers the keys that there were. */
  close(): readonly string[] {
    clearTimeout(this.#deadline);
    const keys = [...this.#subscriptions.keys()];
    for (const subscription of this.#allSubscriptions()) this.#releaseSubscriber(subscription);
    this.#subscriptions.clear();
    this.#replies = [];
    return keys;
  }

  send(frame: Uint8Array): boolean {
    if (!this.#parts.socket.send(frame)) return false;
    this.#parts.counts.countFrame(frame.length);
    return true;
  }

  isBehind(): boolean {
    return this.#parts.socket.bufferedBytes() > LIMITS.socketBacklogBytesMax;
  }

  #sendPending(): void {
    while (!this.#isFull) {
      const [answer] = this.#replies;
      if (answer === undefined) break;
      if (!this.#parts.socket.send(answer)) return;
      this.#replies.shift();
    }
    for (const subscription of this.#allSubscriptions()) {
      if (this.#isFull || this.isBehind()) return;
      try {
        this.#sendSnapshot(subscription);
      } catch (error) {
        this.#parts.onFailed(error, subscription.subscriber);
      }
    }
  }

  #sendSnapshot(subscription: Subscription): void {
    const { subscriber, pending } = subscription;
    if (pending === null || !this.#isLive(subscription)) return;
    let shown: SendOutcome;
    try {
      shown = subscriber.sendSnapshot(this, pending);
    } catch (error) {
      this.#removeSubscription(subscription);
      throw error;
    }
    subscription.awaitsSource = shown === 'later';
    // Sending may have found the socket full: then the rest is owed, or all of it anew.
    if (shown !== true || this.#isFull) return;
    if (pending === 'reset') this.#parts.counts.resets += 1;
    this.#endAll(chainOf(subscription.replaces));
    subscription.replaces = null;
    subscription.pending = null;
    this.#joinTopic(subscriber);
  }

  /** A reader has what it was to show; where there is no room, it gets it anew when there is. */
  #handleReady(subscription: Subscription): void {
    if (!this.#isLive(subscription)) return;
    if (this.#isFull || this.isBehind()) subscription.awaitsSource = false;
    else this.#parts.socket.sendTogether(() => this.#sendSnapshot(subscription));
    this.#armDeadline();
  }

  #handleFailed(subscription: Subscription, error: Error): void {
    if (!this.#isLive(subscription)) return;
    this.#removeSubscription(subscription);
    this.#parts.onFailed(error, subscription.subscriber);
  }

  /** Those of a topic, the first that was asked for first. */
  #chainOfKey(key: string): readonly Subscription[] {
    return chainOf(this.#subscriptions.get(key) ?? null);
  }

  #allSubscriptions(): readonly Subscription[] {
    return [...this.#subscriptions.keys()].flatMap((key) => this.#chainOfKey(key));
  }

  #isLive(subscription: Subscription): boolean {
    return this.#chainOfKey(subscription.subscriber.key).includes(subscription);
  }

  /** Takes one away from its topic, where the others stay. */
  #removeSubscription(subscription: Subscription): void {
    const { key } = subscription.subscriber;
    const after = this.#chainOfKey(key).find(({ replaces }) => replaces === subscription);
    if (after !== undefined) after.replaces = subscription.replaces;
    else if (subscription.replaces !== null) this.#subscriptions.set(key, subscription.replaces);
    else this.#subscriptions.delete(key);
    this.#releaseSubscriber(subscription);
  }

  #endAll(chain: readonly Subscription[]): void {
    for (const subscription of chain) {
      const { subscriber, pending } = subscription;
      const { acknowledgement } = subscriber;
      if (pending === 'first' && acknowledgement !== undefined) this.sendReply(acknowledgement);
      this.#releaseSubscriber(subscription);
    }
  }

  #releaseSubscriber({ subscriber, pending }: Subscription): void {
    if (pending === null) this.#leaveTopic(subscriber);
    subscriber.leaveTopic();
  }

  #joinTopic({ key, hasHeartbeat }: Subscriber): void {
    this.#parts.socket.joinTopic(key);
    if (!hasHeartbeat) return;
    this.#heartbeatCount += 1;
    if (this.#heartbeatCount === 1) this.#parts.socket.joinTopic(this.#parts.heartbeatTopic);
  }

  #leaveTopic({ key, hasHeartbeat }: Subscriber): void {
    this.#parts.socket.leaveTopic(key);
    if (!hasHeartbeat) return;
    this.#heartbeatCount -= 1;
    if (this.#heartbeatCount === 0) this.#parts.socket.leaveTopic(this.#parts.heartbeatTopic);
  }

  /** While something waits, the client must have read most of it before the deadline. */
  #armDeadline(): void {
    if (this.#deadline !== undefined) return;
    const isPending = (): boolean =>
      this.#allSubscriptions().some(
        ({ pending, awaitsSource }) => pending !== null && !awaitsSource,
      );
    if (!this.#isFull && this.#replies.length === 0 && !isPending()) return;
    this.#deadline = setTimeout(this.#parts.onTooSlow, this.#parts.slowMsMax);
    this.#deadline.unref();
  }
}

function chainOf(last: Subscription | null): Subscription[] {
  const chain: Subscription[] = [];
  for (let one = last; one !== null; one = one.replaces) chain.push(one);
  return chain.reverse();
}
