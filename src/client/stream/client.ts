/**
 * The streaming channels of a service: books that are followed over one socket, checked against the
 * service's checksum at every frame, and mended without being asked.
 *
 * ```ts
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { bids, asks } of stream.subscribe({ channel: 'book', market: 'SOL-PERP' })) draw(bids, asks);
 * ```
 */
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Level, RestingOrder } from '../row-shapes.js';
import {
  Connection,
  type ConnectionState,
  type SocketOptions,
  serviceAddress,
} from './connection.js';
import type { Message } from './followed-book.js';
import { isTransient } from './passing.js';
import { Subscription } from './subscription.js';
import {
  type Best,
  type BestTopic,
  type BookTopic,
  type OrdersTopic,
  type Topic,
  topicKeyOf,
} from './topic.js';
import { type TopicConnection, TopicReader } from './topic-reader.js';
import type { ProtocolViolation, StreamRule } from './violation.js';

/** How a stream is followed. */
export interface StreamOptions extends SocketOptions {
  /** Milliseconds without a frame of a topic after which the connection is taken for dead. */
  readonly silenceMsMax?: number;
  /** Told of every frame that broke a rule of docs/streaming.md, before it is mended. */
  readonly onRepair?: (breach: Healed) => void;
}

/** What had to be mended. */
interface Healed {
  readonly rule: StreamRule;
  readonly message: string;
}

/** How one topic is followed. */
export interface SubscribeOptions {
  /** Ends the subscription; loops are thrown ABORTED. */
  readonly signal?: AbortSignal;
}

interface Followed {
  readonly reader: TopicReader;
  users: number;
}

/** A client of one service. It connects while there is a subscription. */
export class StreamClient {
  readonly #connection: Connection;
  readonly #line: TopicConnection;
  readonly #followed = new Map<string, Followed>();
  readonly #open = new Set<Subscription<never>>();
  #lastId = 0;
  #checkedAtMs = 0;
  #isWatching = false;
  #isClosed = false;

  constructor(options: StreamOptions) {
    this.#connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        onOpen: () => this.#eachReader((reader) => reader.subscribe()),
        onMessage: (text) => this.#said(text),
        onDisconnect: () => this.#eachReader((reader) => reader.handleDisconnect()),
      },
    );
    const connection = this.#connection;
    const heals = new Listeners<Healed>();
    if (options.onRepair !== undefined) heals.add(options.onRepair);
    this.#line = {
      clock: connection.clock,
      silenceMsMax: options.silenceMsMax ?? limits.SILENCE_MS_MAX,
      nextId: () => {
        this.#lastId += 1;
        return this.#lastId;
      },
      sendMessage: (message) => connection.sendMessage(message),
      restart: () => connection.restart(),
      resetBackoff: () => connection.resetBackoff(),
      reportViolation: ({ rule, message }: ProtocolViolation) => heals.emit({ rule, message }),
    };
  }

  /** What the connection is doing. */
  get connection(): ConnectionState {
    return this.#connection.state;
  }

  /** Calls when the connection does something else; answers what ends that. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  /** Follows a topic. Equal topics of one client are one for the service. */
  subscribe(topic: BookTopic, options?: SubscribeOptions): Subscription<Level>;
  subscribe(topic: OrdersTopic, options?: SubscribeOptions): Subscription<RestingOrder>;
  subscribe(topic: BestTopic, options?: SubscribeOptions): Subscription<Best>;
  subscribe(topic: Topic, options: SubscribeOptions = {}): Subscription<never> {
    if (this.#isClosed) throw new ClientError('CLOSED', 'the client was closed');
    const followed = this.#follow(topic);
    followed.users += 1;
    // It may be aborted before it is made.
    let made: Subscription<never> | undefined;
    const onClose = (): void => {
      if (made !== undefined) this.#open.delete(made);
      this.#leave(topic, followed);
    };
    // The rows are those of the topic, which the overloads say.
    const subscription = new Subscription<never>(followed.reader, onClose, options.signal);
    made = subscription;
    if (subscription.isOpen) this.#open.add(subscription);
    return subscription;
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#isClosed = true;
    for (const subscription of [...this.#open]) subscription.close();
    this.#connection.close();
  }

  #follow(topic: Topic): Followed {
    const key = topicKeyOf(topic);
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    this.#connection.open();
    const followed = { reader: new TopicReader(this.#line, { ...topic }), users: 0 };
    this.#followed.set(key, followed);
    this.#watchSilence();
    if (this.#connection.state === 'open') followed.reader.subscribe();
    return followed;
  }

  #leave(topic: Topic, followed: Followed): void {
    followed.users -= 1;
    if (followed.users > 0) return;
    followed.reader.unsubscribe();
    const key = topicKeyOf(topic);
    if (this.#followed.get(key) === followed) this.#followed.delete(key);
  }

  #said(text: string): void {
    const message = messageOf(text);
    const type = message?.['type'];
    if (message === undefined) this.#connection.restart();
    else if (type === 'snapshot' || type === 'delta' || type === 'heartbeat') this.#frame(message);
    else if (type === 'subscribed') this.#subscribed(message);
    else if (type === 'closing')
      this.#connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    else if (type === 'error') this.#handleError(message);
  }

  #frame(message: Message): void {
    const { topic } = message;
    this.#eachReader((reader) => {
      if (reader.name === topic) reader.applyFrame(message);
    });
  }

  #subscribed({ id, topic }: Message): void {
    this.#eachReader((reader) => {
      if (reader.id === id) reader.handleSubscribed(String(topic));
    });
  }

  /** Without `id` and `topic` it is about a message that was not read: about any of the last ones. */
  #handleError({ code, message, id, topic }: Message): void {
    const text = String(message).slice(0, limits.TEXT_CHARS_MAX);
    const error = new ClientError(String(code), text);
    this.#eachReader((reader) => {
      const isMeant =
        id !== undefined
          ? reader.id === id
          : topic !== undefined
            ? reader.name === topic
            : code === 'RATE_LIMITED' && reader.isSubscribing;
      if (!isMeant) return;
      if (isTransient(error.code, this.#followed.size)) reader.handleTransientError(error);
      else reader.handleRefusal(error);
    });
  }

  #eachReader(call: (reader: TopicReader) => void): void {
    for (const { reader } of [...this.#followed.values()]) call(reader);
  }

  /** Looks now and then whether a topic is silent, and closes a connection that nobody needs. */
  #watchSilence(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock } = this.#connection;
    this.#checkedAtMs = clock.monotonicMs();
    clock.after(limits.WATCH_MS, () => {
      this.#isWatching = false;
      if (this.#isClosed) return;
      if (this.#followed.size === 0) {
        this.#connection.close();
        return;
      }
      const nowMs = clock.monotonicMs();
      // After a stand-still the frames of that time are still to come: they are read first.
      const isLate = nowMs - this.#checkedAtMs > limits.WATCH_LATE_MS_MAX;
      if (!isLate) this.#eachReader((reader) => reader.checkSilence(nowMs));
      this.#watchSilence();
    });
  }
}

function messageOf(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}
