import type { ClientError } from '../error.js';
import { type Message, text } from '../fields.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import type { Connection } from '../stream/connection.js';
import { isTransient, ServiceSocket, type SocketOptions } from '../stream/service-socket.js';

/** The owner of a channel's socket, which is notified of it. */
export interface ChannelOwner {
  /** The JSON text of a frame. What it throws restarts the socket. */
  onData(json: string): void;
  /** Frames may be missing before the next: the service says so, or the connection is new. */
  onPossibleGap(): void;
}

/**
 * One compatible channel on a socket of its own: its frames do not name the depth, nor those of trades
 * the market by its name, so that two on one socket could not be distinguished.
 */
export class ChannelSocket {
  readonly ends = new Listeners<ClientError>();
  readonly #connection: Connection;
  readonly #topic: object;
  readonly #owner: ChannelOwner;
  #cancelTimer: () => void = () => {};

  /** Throws WEBSOCKET_NOT_FOUND, and INVALID_OPTION for a malformed URL. */
  constructor(options: SocketOptions, topic: object, owner: ChannelOwner) {
    this.#topic = topic;
    this.#owner = owner;
    const asJson = { ...options, encoding: 'json' } as const;
    const { connection } = new ServiceSocket(asJson, {
      onOpen: () => this.#subscribe(),
      onMessage: (message) => this.#handleMessage(message),
      onError: (error) => this.#handleError(error),
      onDisconnect: () => this.#cancelTimer(),
    });
    this.#connection = connection;
    connection.open();
  }

  /** Closes the socket; the service ends the subscription with it. */
  close(): void {
    this.#cancelTimer();
    this.#connection.close();
  }

  #subscribe(): void {
    this.#owner.onPossibleGap();
    this.#connection.sendMessage({ type: 'subscribe', ...this.#topic });
    this.#watchSilence();
  }

  /** The channel has heartbeats: a silent one is dead. */
  #watchSilence(): void {
    this.#schedule(limits.CHANNEL_SILENCE_MS_MAX, () => this.#connection.restart());
  }

  #handleMessage(message: Message): void {
    this.#watchSilence();
    if (message['data'] !== undefined) {
      this.#connection.resetBackoff();
      this.#owner.onData(text(message['data'], 'data'));
    } else if (message['leftOut'] !== undefined) this.#owner.onPossibleGap();
  }

  #handleError(error: ClientError): void {
    if (isTransient(error, 1)) {
      this.#schedule(limits.RESUBSCRIBE_MS, () => this.#subscribe());
      return;
    }
    this.close();
    this.ends.emit(error);
  }

  #schedule(ms: number, call: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#connection.clock.after(ms, call);
  }
}
