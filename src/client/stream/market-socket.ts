/**
 * The socket that the candles or the trades of one service share: subscribes after each connection,
 * hands errors to the subscriptions that they are about, and checks that the socket lives.
 */
import type { ClientError } from '../error.js';
import type { Message } from '../fields.js';
import * as limits from '../limits.js';
import { SharedEntries } from '../subscription-core.js';
import type { Connection } from './connection.js';
import type { MarketSubscription } from './market-subscription.js';
import { isTransient, ServiceSocket, type SocketOptions } from './service-socket.js';

/** What has one subscription on the socket. */
interface Subscribed {
  readonly subscription: MarketSubscription;
}

/** A message or a request that names what is followed. */
export interface Named {
  readonly symbol?: unknown;
  readonly resolution?: unknown;
}

/** The parts that differ between candles and trades. */
interface MarketSocketParts {
  readonly keyOf: (named: Named) => string;
  readonly onMessage: (message: Message) => void;
  /** Parses a message; JSON.parse by default. */
  readonly parse?: (text: string) => unknown;
}

/** One socket. It connects while there is a subscription. */
export class MarketSocket<Live extends Subscribed> {
  readonly connection: Connection;
  readonly #live = new SharedEntries<Live>();
  readonly #keyOf: MarketSocketParts['keyOf'];
  #receivedAtMs = 0;
  #cancelWatch: (() => void) | undefined;

  /** Throws INVALID_OPTION for a malformed URL. */
  constructor(options: SocketOptions, { keyOf, onMessage, parse }: MarketSocketParts) {
    this.#keyOf = keyOf;
    const owner = {
      onOpen: () => {
        this.#noteReceived();
        this.#live.eachEntry(({ subscription }) => subscription.subscribe());
      },
      onMessage: (message: Message) => {
        this.#noteReceived();
        onMessage(message);
      },
      onError: (error: ClientError, message: Message) => this.#handleError(error, message),
      onDisconnect: () => {
        this.#live.eachEntry(({ subscription }) => subscription.handleDisconnect());
      },
    };
    this.connection = new ServiceSocket({ ...options, encoding: 'json' }, owner, parse).connection;
  }

  /** Joins what has the name, and makes it for its first user; {@link MarketSocket.leaveEntry} leaves it. */
  joinEntry(name: Named, make: (connection: Connection) => Live): Live {
    const key = this.#keyOf(name);
    const known = this.#live.joinEntry(key);
    if (known !== undefined) return known;
    const { connection } = this;
    const made = make(connection);
    connection.open();
    this.#live.addEntry(key, made);
    const { subscription } = made;
    // A subscription after the end is another one.
    subscription.ends.add(() => this.#live.deleteEntry(key));
    if (connection.state === 'open') subscription.subscribe();
    this.#startWatch();
    return made;
  }

  /** Leaves it; its subscription ends with its last user. */
  leaveEntry(name: Named, live: Live): void {
    this.#live.leaveEntry(this.#keyOf(name), live, ({ subscription }) =>
      subscription.unsubscribe(),
    );
  }

  /** Returns what has the name; undefined when it is not followed. */
  findEntry(name: Named): Live | undefined {
    return this.#live.findEntry(this.#keyOf(name));
  }

  /** Ends all subscriptions and the connection. */
  close(): void {
    this.#live.eachEntry(({ subscription }) => subscription.unsubscribe());
    this.#live.deleteAll();
    this.#cancelWatch?.();
    this.connection.close();
  }

  /** Handles an error; an error without a symbol is about all pending subscriptions. */
  #handleError(error: ClientError, message: Message): void {
    this.#noteReceived();
    // It answers an unsubscription, and its name may be that of a later subscription.
    if (error.code === 'NOT_SUBSCRIBED') return;
    const named = this.findEntry(message);
    const transience = isTransient(error, this.#live.size) ? 'transient' : 'final';
    this.#live.eachEntry((live) => {
      const { subscription } = live;
      const isMeant = message['symbol'] === undefined ? subscription.isSubscribing : live === named;
      if (isMeant) subscription.handleError(error, transience);
    });
  }

  /** Pings a silent socket, and restarts it when no reply comes, for as long as it is needed. */
  #startWatch(): void {
    if (this.#cancelWatch !== undefined) return;
    const { connection } = this;
    const { clock } = connection;
    const startedAtMs = clock.monotonicMs();
    this.#cancelWatch = clock.after(limits.PONG_MS_MAX, () => {
      this.#cancelWatch = undefined;
      if (this.#live.size === 0) {
        connection.close();
        return;
      }
      const nowMs = clock.monotonicMs();
      const isLate = nowMs - startedAtMs > limits.PONG_MS_MAX + limits.WATCH_LATE_MS_MAX;
      if (connection.state === 'open' && !isLate) this.#checkSilence(nowMs - this.#receivedAtMs);
      this.#startWatch();
    });
  }

  #checkSilence(silenceMs: number): void {
    if (silenceMs >= limits.PING_MS + limits.PONG_MS_MAX) this.connection.restart();
    else if (silenceMs >= limits.PING_MS) {
      this.connection.sendMessage({ type: 'ping', id: 'alive' });
    }
  }

  /** Records a received message, or an opened connection. */
  #noteReceived(): void {
    this.#receivedAtMs = this.connection.clock.monotonicMs();
  }
}
