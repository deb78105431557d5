/**
 * The streaming channels of a service: books over one socket, verified at every frame by the
 * service's checksum, and repaired automatically.
 *
 * ```ts
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080' });
 * for await (const { bids, asks } of stream.subscribe({ channel: 'book', market: 'SOL-PERP' })) draw(bids, asks);
 * ```
 */
import { ClientError } from '../error.js';
import type { Message } from '../fields.js';
import type { Level, RestingOrder } from '../generated/rows.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { OpenSubscriptions, SharedEntries } from '../subscription-core.js';
import type { Connection, ConnectionState } from './connection.js';
import type { FrameChecks } from './followed-book.js';
import {
  type EncodingOptions,
  isTransient,
  ServiceSocket,
  type SocketOptions,
} from './service-socket.js';
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
import { ProtocolViolation } from './violation.js';

/** How a stream is followed. */
export interface StreamOptions extends SocketOptions, EncodingOptions {
  /**
   * Time without a frame of a topic after which the connection counts as dead, milliseconds; 3,000
   * by default.
   */
  readonly silenceMsMax?: number;
  /** Additional checks: `strictChecks`. None by default. */
  readonly checks?: FrameChecks;
  /** Called with every frame before it is validated. */
  readonly onFrame?: (frame: Message) => void;
  /** Called with every frame that broke a rule of docs/streaming-rules.md, before its book is repaired. */
  readonly onRepair?: (violation: ProtocolViolation) => void;
}

/** How one topic is followed. */
export interface SubscribeOptions {
  /**
   * The key of the service's signed log: each second the book is proven, or the subscription ends
   * with PROOF_FAILED. For `l3` and `book` of depth 500, without other options, at an address of
   * HTTP; any other topic ends with INVALID_OPTION.
   */
  readonly prove?: string;
  /** Ends the subscription; loops throw ABORTED. */
  readonly signal?: AbortSignal;
}

/**
 * A client of one service. It connects while there is a subscription.
 *
 * @example
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080' });
 * const book = stream.subscribe({ channel: 'book', market: 'SOL-PERP', depth: 20 });
 * book.onUpdate(({ bestBidPrice, bestAskPrice }) => console.log(bestBidPrice, bestAskPrice));
 */
export class StreamClient {
  readonly #options: StreamOptions;
  readonly #connection: Connection;
  readonly #topicConnection: TopicConnection;
  readonly #frames = new Listeners<Message>();
  readonly #readers = new SharedEntries<TopicReader>();
  /** The reader of each topic, by the topic's name in its frames. */
  readonly #named = new Map<unknown, TopicReader>();
  readonly #subscriptions = new OpenSubscriptions<Subscription<never>>();
  #lastId = 0;
  #isWatching = false;

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(options: StreamOptions) {
    this.#options = options;
    const repairs = new Listeners<ProtocolViolation>();
    if (options.onRepair !== undefined) repairs.add(options.onRepair);
    if (options.onFrame !== undefined) this.#frames.add(options.onFrame);
    const socket = new ServiceSocket(options, {
      onOpen: () => this.#readers.eachEntry((reader) => reader.subscribe()),
      onMessage: (message) => this.#handleMessage(message),
      onError: (error, message) => this.#handleError(error, message),
      onDisconnect: () => this.#readers.eachEntry((reader) => reader.handleDisconnect()),
      onRetry: (error) => this.#readers.eachEntry(({ retries }) => retries.emit(error)),
      onUnreadable: (error) => repairs.emit(new ProtocolViolation('malformed', `${error}`)),
    });
    const { connection } = socket;
    this.#connection = connection;
    this.#topicConnection = {
      clock: connection.clock,
      silenceMsMax: options.silenceMsMax ?? limits.SILENCE_MS_MAX,
      checks: options.checks,
      nextId: () => {
        this.#lastId += 1;
        return this.#lastId;
      },
      sendMessage: (message) => socket.sendTopic(message),
      restart: () => connection.restart(),
      resetBackoff: () => connection.resetBackoff(),
      reportViolation: (violation) => repairs.emit(violation),
    };
  }

  /** The connection state. */
  get connection(): ConnectionState {
    return this.#connection.state;
  }

  /** Registers a listener for changes of the connection's state. Returns its unsubscribe function. */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.states.add(listener);
  }

  /**
   * Follows a topic. Equal topics of one client share one subscription at the service; one that
   * names its market otherwise (`perp_0`) ends with INVALID_OPTION. Throws CLOSED after `close`,
   * INVALID_OPTION for all markets at once, and WEBSOCKET_NOT_FOUND.
   */
  subscribe(topic: BookTopic, options?: SubscribeOptions): Subscription<Level>;
  subscribe(topic: OrdersTopic, options?: SubscribeOptions): Subscription<RestingOrder>;
  subscribe(topic: BestTopic, options?: SubscribeOptions): Subscription<Best>;
  subscribe(topic: Topic, options?: SubscribeOptions): Subscription<Best>;
  subscribe(topic: Topic, options: SubscribeOptions = {}): Subscription<never> {
    this.#subscriptions.checkOpen();
    if (topic.market === '*') throw new ClientError('INVALID_OPTION', 'market was *');
    const key = topicKeyOf(topic);
    const { prove } = options;
    const reader = this.#readers.joinEntry(key) ?? this.#addReader(key, topic);
    const subscription = this.#subscriptions.add(
      // The overloads guarantee that the rows match the topic.
      (onClose) => new Subscription<never>(reader, onClose, options.signal),
      () =>
        this.#readers.leaveEntry(key, reader, () => {
          reader.unsubscribe();
          this.#named.delete(reader.name);
        }),
    );
    // The module is loaded when it is needed, and gets the class of errors, which it does not load.
    if (prove !== undefined) {
      const { clock } = this.#connection;
      import('../proof/book-proof.js').then(
        ({ proveBooks }) =>
          proveBooks({ ...this.#options, clock, topic, key: prove, ClientError }, subscription),
        (cause) => subscription.failWith(new ClientError('PROOF_FAILED', `${cause}`)),
      );
    }
    return subscription;
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#subscriptions.closeAll();
    this.#connection.close();
  }

  #addReader(key: string, topic: Topic): TopicReader {
    this.#connection.open();
    const reader = new TopicReader(this.#topicConnection, { ...topic });
    this.#readers.addEntry(key, reader);
    // A subscription after the end is another one.
    reader.ends.add(() => {
      this.#readers.deleteEntry(key);
      this.#named.delete(reader.name);
    });
    this.#watchSilence();
    if (this.#connection.state === 'open') reader.subscribe();
    return reader;
  }

  #handleMessage(message: Message): void {
    const { type, id, topic } = message;
    if (type === 'subscribed') {
      this.#readers.eachEntry((reader) => {
        if (reader.id !== id) return;
        const first = this.#named.get(topic) ?? reader;
        this.#named.set(topic, first);
        if (first === reader) reader.handleSubscribed(String(topic));
        // The two names are of one market.
        else reader.handleRefusal(new ClientError('INVALID_OPTION', `market was in ${topic}`));
      });
    } else if (type === 'snapshot' || type === 'delta' || type === 'heartbeat') {
      this.#frames.emit(message);
      this.#named.get(topic)?.applyFrame(message);
    }
  }

  /**
   * An error without `id` and `topic` concerns a message that the service could not read: one of
   * the last messages.
   */
  #handleError(error: ClientError, { id, topic }: Message): void {
    const isLimit = error.code === 'RATE_LIMITED';
    this.#readers.eachEntry((reader) => {
      const isMeant =
        id !== undefined
          ? reader.id === id
          : topic !== undefined
            ? reader.name === topic
            : isLimit && reader.phase === 'subscribing';
      if (!isMeant) return;
      if (isTransient(error, this.#readers.size)) reader.handleTransientError(error);
      else reader.handleRefusal(error);
    });
  }

  /**
   * Checks periodically whether a topic is silent, and closes a connection that is no longer
   * needed.
   */
  #watchSilence(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { clock } = this.#connection;
    const checkedAtMs = clock.monotonicMs();
    clock.after(limits.WATCH_MS, () => {
      this.#isWatching = false;
      if (this.#readers.size === 0) {
        this.#connection.close();
        return;
      }
      const nowMs = clock.monotonicMs();
      // After a pause of the process, the frames of that time are still queued and are read before
      // silence is judged.
      const isLate = nowMs - checkedAtMs > limits.WATCH_LATE_MS_MAX;
      if (!isLate) this.#readers.eachEntry((reader) => reader.checkSilence(nowMs));
      this.#watchSilence();
    });
  }
}
