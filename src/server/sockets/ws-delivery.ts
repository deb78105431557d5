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
import type { ClientSocket } from '../transport/ws-socket.js';
import type { FrameSink, Reader, Showing, Shown } from './ws-reader.js';

/** What a delivery is made of. */
export interface DeliveryParts {
  readonly socket: ClientSocket;
  readonly counts: SocketCounts;
  /** The topic of the beat of this socket's shard. */
  readonly beatTopic: string;
  /** The socket has left a message out, and is to leave its topics as soon as it may. */
  readonly onBehind: () => void;
  /** The client does not read in time. */
  readonly onTooSlow: () => void;
  /** The client asks on and on without reading the answers. */
  readonly onTooMuch: () => void;
  /** A reader that was owed something could not be shown it; it takes part no more. */
  readonly onFailed: (error: unknown, reader: Reader) => void;
  readonly slowMsMax: number;
}

/** A reader and what it is owed; null once it takes part in its topic. */
interface Subscription {
  readonly reader: Reader;
  owed: Showing | null;
  /** The reader has still to get what it shows: that it waits is not the client's fault. */
  isAwaited: boolean;
  /** The one that this one takes the place of when it is shown; null for none. */
  before: Subscription | null;
}

/** The frames and answers of one socket. */
export class Delivery implements FrameSink {
  readonly #parts: DeliveryParts;
  readonly #subscriptions = new Map<string, Subscription>();
  #answers: string[] = [];
  #isFull = false;
  /** It was full since it joined its topics, and must not go on with them. */
  #mustLeave = false;
  #beats = 0;
  #deadline: NodeJS.Timeout | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  has(key: string): boolean {
    return this.#subscriptions.has(key);
  }

  /** Sends an answer, behind those that wait. */
  answer(text: string): void {
    if (!this.#isFull && this.#answers.length === 0 && this.#parts.socket.send(text)) return;
    this.#answers.push(text);
    if (this.#answers.length > LIMITS.socketAnswersMax) this.#parts.onTooMuch();
  }

  /** Begins a subscription, or begins it anew. Throws what the reader throws, which takes no part then. */
  begin(reader: Reader): void {
    // One that is shown at once needs nothing that stands meanwhile.
    if (reader.attach === undefined) this.end(reader.key);
    const before = this.#subscriptions.get(reader.key) ?? null;
    const subscription: Subscription = { reader, owed: 'first', isAwaited: false, before };
    this.#subscriptions.set(reader.key, subscription);
    reader.attach?.({
      ready: () => this.#ready(subscription),
      failed: (error) => this.#failed(subscription, error),
    });
    if (!this.#isFull && !this.isBehind()) this.#show(subscription);
    this.#watch();
  }

  /**
   * Ends a subscription; false when there is none. What was asked for and not yet shown is acknowledged
   * now, as every message is answered.
   */
  end(key: string): boolean {
    const chain = this.#chain(key);
    this.#subscriptions.delete(key);
    this.#endAll(chain);
    return chain.length > 0;
  }

  /** The transport has left a message out. */
  dropped(): void {
    this.#parts.counts.dropped += 1;
    if (this.#isFull) return;
    this.#isFull = true;
    this.#mustLeave = true;
    this.#parts.counts.slow += 1;
    this.#watch();
    this.#parts.onBehind();
  }

  /** Leaves the topics after {@link Delivery.dropped}, when the transport allows it. */
  leaveTopics(): void {
    if (!this.#mustLeave) return;
    this.#mustLeave = false;
    for (const subscription of this.#all()) {
      if (subscription.owed !== null) continue;
      this.#leave(subscription.reader);
      subscription.owed = 'reset';
    }
  }

  /** The client has read something: sends what waits, as far as it goes. */
  drained(): void {
    this.leaveTopics();
    if (this.isBehind()) return;
    this.#isFull = false;
    this.#parts.socket.together(() => this.#sendOwed());
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#watch();
  }

  /** Sends nothing more, and gives all topics back. Answers the keys that there were. */
  close(): readonly string[] {
    clearTimeout(this.#deadline);
    const keys = [...this.#subscriptions.keys()];
    for (const subscription of this.#all()) this.#giveBack(subscription);
    this.#subscriptions.clear();
    this.#answers = [];
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

  #sendOwed(): void {
    while (!this.#isFull) {
      const [answer] = this.#answers;
      if (answer === undefined) break;
      if (!this.#parts.socket.send(answer)) return;
      this.#answers.shift();
    }
    for (const subscription of this.#all()) {
      if (this.#isFull || this.isBehind()) return;
      try {
        this.#show(subscription);
      } catch (error) {
        this.#parts.onFailed(error, subscription.reader);
      }
    }
  }

  #show(subscription: Subscription): void {
    const { reader, owed } = subscription;
    if (owed === null || !this.#isLive(subscription)) return;
    let shown: Shown;
    try {
      shown = reader.show(this, owed);
    } catch (error) {
      this.#drop(subscription);
      throw error;
    }
    subscription.isAwaited = shown === 'later';
    // Sending may have found the socket full: then the rest is owed, or all of it anew.
    if (shown !== true || this.#isFull) return;
    if (owed === 'reset') this.#parts.counts.resets += 1;
    this.#endAll(chainOf(subscription.before));
    subscription.before = null;
    subscription.owed = null;
    this.#join(reader);
  }

  /** A reader has what it was to show; where there is no room, it gets it anew when there is. */
  #ready(subscription: Subscription): void {
    if (!this.#isLive(subscription)) return;
    if (this.#isFull || this.isBehind()) subscription.isAwaited = false;
    else this.#parts.socket.together(() => this.#show(subscription));
    this.#watch();
  }

  #failed(subscription: Subscription, error: Error): void {
    if (!this.#isLive(subscription)) return;
    this.#drop(subscription);
    this.#parts.onFailed(error, subscription.reader);
  }

  /** Those of a topic, the first that was asked for first. */
  #chain(key: string): readonly Subscription[] {
    return chainOf(this.#subscriptions.get(key) ?? null);
  }

  #all(): readonly Subscription[] {
    return [...this.#subscriptions.keys()].flatMap((key) => this.#chain(key));
  }

  #isLive(subscription: Subscription): boolean {
    return this.#chain(subscription.reader.key).includes(subscription);
  }

  /** Takes one away from its topic, where the others stay. */
  #drop(subscription: Subscription): void {
    const { key } = subscription.reader;
    const after = this.#chain(key).find(({ before }) => before === subscription);
    if (after !== undefined) after.before = subscription.before;
    else if (subscription.before !== null) this.#subscriptions.set(key, subscription.before);
    else this.#subscriptions.delete(key);
    this.#giveBack(subscription);
  }

  #endAll(chain: readonly Subscription[]): void {
    for (const subscription of chain) {
      const { reader, owed } = subscription;
      const { acknowledgement } = reader;
      if (owed === 'first' && acknowledgement !== undefined) this.answer(acknowledgement);
      this.#giveBack(subscription);
    }
  }

  #giveBack({ reader, owed }: Subscription): void {
    if (owed === null) this.#leave(reader);
    reader.leave();
  }

  #join({ key, hasBeat }: Reader): void {
    this.#parts.socket.join(key);
    if (!hasBeat) return;
    this.#beats += 1;
    if (this.#beats === 1) this.#parts.socket.join(this.#parts.beatTopic);
  }

  #leave({ key, hasBeat }: Reader): void {
    this.#parts.socket.leave(key);
    if (!hasBeat) return;
    this.#beats -= 1;
    if (this.#beats === 0) this.#parts.socket.leave(this.#parts.beatTopic);
  }

  /** While something waits, the client must have read most of it before the deadline. */
  #watch(): void {
    if (this.#deadline !== undefined) return;
    const isOwed = (): boolean =>
      this.#all().some(({ owed, isAwaited }) => owed !== null && !isAwaited);
    if (!this.#isFull && this.#answers.length === 0 && !isOwed()) return;
    this.#deadline = setTimeout(this.#parts.onTooSlow, this.#parts.slowMsMax);
    this.#deadline.unref();
  }
}

function chainOf(last: Subscription | null): Subscription[] {
  const chain: Subscription[] = [];
  for (let one = last; one !== null; one = one.before) chain.push(one);
  return chain.reverse();
}
