/**
 * Sends frames to one socket and repairs gaps. A subscriber joins its topic right after sending the
 * snapshot, so the topic's next frame continues that snapshot. When the transport drops a frame,
 * the socket leaves all its topics and sends new snapshots once the client has read its backlog.
 *
 * A repeated subscription replaces the earlier subscription once its own snapshot is sent; if the
 * snapshot fails, the earlier subscription stays.
 *
 * A socket's backlog is bounded: by the transport for frames, and by a maximum number for replies.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { SocketCounts } from '../metrics/socket-metrics.js';
import type { ClientSocket } from '../transport/client-socket.js';
import type { FrameSink, SendOutcome, SnapshotKind, Subscriber } from './subscription.js';

/** The dependencies of a delivery. */
interface DeliveryParts {
  readonly socket: ClientSocket;
  readonly counts: SocketCounts;
  readonly timers: Timers;
  /** Called when a message was dropped. The socket must leave its topics as soon as possible. */
  readonly onBehind: () => void;
  /** Called when the client reads too slowly. */
  readonly onTooSlow: () => void;
  /** Called when the client sends too many messages without reading the replies. */
  readonly onTooManyReplies: () => void;
  /** Called when a subscriber's snapshot failed; the subscription has ended. */
  readonly onFailed: (error: unknown, subscriber: Subscriber) => void;
}

/** A subscriber and its pending snapshot; the snapshot is null once the subscriber has joined its topic. */
interface Subscription {
  readonly subscriber: Subscriber;
  pending: SnapshotKind | null;
  /** Whether the subscriber waits for its source; the client is not slow in that case. */
  awaitsSource: boolean;
  /** The subscription that this subscription replaces once its snapshot is sent; null for none. */
  replaces: Subscription | null;
}

/** The frames and replies of one socket. */
export class Delivery implements FrameSink {
  readonly #parts: DeliveryParts;
  readonly #subscriptions = new Map<string, Subscription>();
  #replies: string[] = [];
  #isFull = false;
  /** Whether a frame was dropped after the socket joined its topics, so that it must leave them. */
  #mustLeave = false;
  #deadline: Timer | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  hasSubscription(key: string): boolean {
    return this.#subscriptions.has(key);
  }

  /** The members of errors about a subscription. */
  errorMembersOf(key: string): object {
    return this.#subscriptions.get(key)?.subscriber.errorMembers ?? {};
  }

  /** Sends a reply, after waiting replies. */
  sendReply(text: string): void {
    if (!this.#isFull && this.#replies.length === 0 && this.#parts.socket.send(text)) return;
    this.#replies.push(text);
    if (this.#replies.length > LIMITS.socketRepliesMax) this.#parts.onTooManyReplies();
  }

  /**
   * Starts or restarts a subscription. When the subscriber throws, the subscription ends and the
   * error is rethrown.
   */
  beginSubscription(subscriber: Subscriber): void {
    // A snapshot that is sent immediately replaces the earlier subscription without an overlap.
    const isAtOnce = subscriber.attachCallbacks === undefined;
    const last = this.#subscriptions.get(subscriber.key)?.subscriber;
    if (isAtOnce || subscriber.isAlone === true || last?.isAlone === true) {
      this.endSubscription(subscriber.key);
    }
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
    this.#armDeadline([subscription]);
  }

  /**
   * Ends a subscription; returns false when there is none. A subscription with a pending snapshot
   * is acknowledged now, because every message gets a reply.
   */
  endSubscription(key: string): boolean {
    const chain = this.#chainOfKey(key);
    this.#subscriptions.delete(key);
    this.#endAll(chain);
    return chain.length > 0;
  }

  /** The transport has dropped a message. */
  handleDropped(): void {
    this.#parts.counts.dropped += 1;
    if (this.#isFull) return;
    this.#isFull = true;
    this.#mustLeave = true;
    this.#parts.counts.slow += 1;
    this.#armDeadline([]);
    this.#parts.onBehind();
  }

  /**
   * Leaves the topics after {@link Delivery.handleDropped}, as soon as the transport allows that.
   */
  leaveTopics(): void {
    if (!this.#mustLeave) return;
    this.#mustLeave = false;
    for (const subscription of this.#allSubscriptions()) {
      if (subscription.pending !== null) continue;
      this.#parts.socket.leaveTopic(subscription.subscriber.key);
      subscription.pending = 'reset';
    }
  }

  /** Called when the client has read data: sends waiting frames while there is room. */
  handleDrain(): void {
    this.leaveTopics();
    if (this.isBehind()) return;
    this.#isFull = false;
    this.#parts.socket.sendTogether(() => this.#sendPending());
    this.#deadline?.cancel();
    this.#deadline = undefined;
    this.#armDeadline(this.#allSubscriptions());
  }

  /** Stops sending and leaves all topics. Returns the keys of the topics. */
  close(): readonly string[] {
    this.#deadline?.cancel();
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
      this.#sendPendingSnapshot(subscription);
    }
  }

  #sendPendingSnapshot(subscription: Subscription): void {
    try {
      this.#sendSnapshot(subscription);
    } catch (error) {
      this.#parts.onFailed(error, subscription.subscriber);
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
    // Sending may have filled the socket again, so that snapshots are pending.
    if (shown !== true || this.#isFull) return;
    if (pending === 'reset') this.#parts.counts.resets += 1;
    this.#endAll(chainOf(subscription.replaces));
    subscription.replaces = null;
    subscription.pending = null;
    this.#parts.socket.joinTopic(subscriber.key);
  }

  /**
   * Handles a subscriber whose snapshot is ready. If the socket is full, the subscriber requests a
   * new snapshot later.
   */
  #handleReady(subscription: Subscription): void {
    if (!this.#isLive(subscription)) return;
    if (this.#isFull || this.isBehind()) subscription.awaitsSource = false;
    else this.#parts.socket.sendTogether(() => this.#sendPendingSnapshot(subscription));
    this.#armDeadline([subscription]);
  }

  #handleFailed(subscription: Subscription, error: Error): void {
    if (!this.#isLive(subscription)) return;
    this.#removeSubscription(subscription);
    this.#parts.onFailed(error, subscription.subscriber);
  }

  /** The subscriptions of a topic, oldest first. */
  #chainOfKey(key: string): readonly Subscription[] {
    return chainOf(this.#subscriptions.get(key) ?? null);
  }

  #allSubscriptions(): readonly Subscription[] {
    return [...this.#subscriptions.keys()].flatMap((key) => this.#chainOfKey(key));
  }

  #isLive(subscription: Subscription): boolean {
    return this.#chainOfKey(subscription.subscriber.key).includes(subscription);
  }

  /** Removes one of a topic's subscriptions. */
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
    if (pending === null) this.#parts.socket.leaveTopic(subscriber.key);
    subscriber.leaveTopic();
  }

  /**
   * Sets the deadline by which the client must have read most of its backlog. Only the changed
   * subscriptions are checked, because checking all of them would be quadratic in a burst.
   */
  #armDeadline(changed: readonly Subscription[]): void {
    if (this.#deadline !== undefined) return;
    const isPending = changed.some(
      ({ pending, awaitsSource }) => pending !== null && !awaitsSource,
    );
    if (!this.#isFull && this.#replies.length === 0 && !isPending) return;
    const { timers, onTooSlow } = this.#parts;
    this.#deadline = timers.after(LIMITS.slowMsMax, onTooSlow);
  }
}

function chainOf(last: Subscription | null): Subscription[] {
  const chain: Subscription[] = [];
  for (let one = last; one !== null; one = one.replaces) chain.push(one);
  return chain.reverse();
}
