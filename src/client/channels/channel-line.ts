import { ClientError } from '../error.js';
import { objectOf, text } from '../fields.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { Connection } from '../stream/connection.js';
import { isTransient } from '../stream/passing.js';
import { type SocketOptions, serviceAddress } from '../stream/service-socket.js';

type Message = Readonly<Record<string, unknown>>;

/** Who hears of the channel. */
export interface ChannelOwner {
  /** The JSON text of a frame. Throws for what is none: the connection is given up. */
  onData(json: string): void;
  /** Something may be missing before the next frame: the service says so, or the connection is new. */
  onPossibleGap(): void;
}

/**
 * One compatible channel on a socket of its own: its frames do not name the depth, nor those of trades
 * the market by its name, so that two could not be told from each other on one.
 */
export class ChannelSocket {
  readonly ends = new Listeners<ClientError>();
  readonly connection: Connection;
  #cancelTimer: () => void = () => {};
  #isClosed = false;

  constructor(
    options: SocketOptions,
    private readonly topic: object,
    private readonly owner: ChannelOwner,
  ) {
    this.connection = new Connection(
      { ...options, address: serviceAddress(options) },
      {
        onOpen: () => this.#subscribe(),
        onMessage: (json) => this.#said(json),
        onDisconnect: () => this.#cancelTimer(),
      },
    );
    this.connection.open();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer();
    // The service ends the subscription with the socket.
    this.connection.close();
  }

  #subscribe(): void {
    this.owner.onPossibleGap();
    this.connection.sendMessage({ type: 'subscribe', ...this.topic });
    this.#watchSilence();
  }

  /** The channel beats: what is silent for long is dead. */
  #watchSilence(): void {
    this.#cancelTimer();
    const { clock } = this.connection;
    this.#cancelTimer = clock.after(limits.CHANNEL_SILENCE_MS_MAX, () => this.connection.restart());
  }

  #said(json: string): void {
    this.#watchSilence();
    try {
      this.#take(objectOf(JSON.parse(json), 'a message'));
    } catch {
      // Something that is no message of this interface: the rest cannot be trusted either.
      this.connection.restart();
    }
  }

  #take(message: Message): void {
    if (message['type'] === 'closing') {
      this.connection.setNextPause(Number(message['reconnectAfterMs']) || 0);
    } else if (message['type'] === 'error') this.#handleError(message);
    else if (message['data'] !== undefined) {
      this.connection.resetBackoff();
      this.owner.onData(text(message['data'], 'data'));
    } else if (message['leftOut'] !== undefined) this.owner.onPossibleGap();
  }

  #handleError(message: Message): void {
    const said = String(message['message']).slice(0, limits.TEXT_CHARS_MAX);
    const error = new ClientError(String(message['code'] ?? 'MALFORMED_MESSAGE'), said);
    this.#cancelTimer();
    if (isTransient(error.code, 1)) {
      const { clock } = this.connection;
      this.#cancelTimer = clock.after(limits.RESUBSCRIBE_MS, () => this.#subscribe());
      return;
    }
    this.close();
    this.ends.emit(error);
  }
}
