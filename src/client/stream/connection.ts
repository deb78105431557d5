/**
 * A WebSocket that comes again: at random after ever longer pauses, without a last try, until it is
 * closed. What is sent while it is not open is dropped; whoever subscribes does so on each opening.
 *
 * It does not know what is said on it.
 */
import { Backoff } from '../backoff.js';
import {
  type Clock,
  type Environment,
  type SocketClass,
  type SocketLike,
  socketClass,
  systemClock,
} from '../environment.js';
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';

/** How a socket is reached. */
export interface SocketOptions extends Environment {
  /** Where the service answers (`http`, `https`) or its socket (`ws`, `wss`). */
  readonly url: string;
}

/** How a connection is made. */
export interface ConnectionOptions extends Environment {
  /** The address of the socket itself, `ws` or `wss`. */
  readonly address: string;
}

/** What a connection is doing; `idle` is one that nobody needs, or that was closed. */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'pausing';

/** Who hears of it. */
export interface ConnectionOwner {
  onOpen(): void;
  onMessage(text: string): void;
  /** It was open and is not any more; it comes again unless it was closed. */
  onDisconnect(): void;
}

/** A connection to one address. */
export class Connection {
  readonly states = new Listeners<ConnectionState>();
  readonly clock: Clock;
  readonly #address: string;
  readonly #options: Environment;
  #class: SocketClass | undefined;
  readonly #backoff: Backoff;
  #state: ConnectionState = 'idle';
  #socket: SocketLike | undefined;
  #cancelTimer: () => void = () => {};
  #cancelRefill: (() => void) | undefined;
  #sentCount = 0;
  #waiting: string[] = [];

  constructor(
    options: ConnectionOptions,
    private readonly owner: ConnectionOwner,
  ) {
    this.#address = options.address;
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.#backoff = new Backoff(limits.BACKOFF_BOUNDS, () => this.clock.random());
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Connects, unless it does already. Throws WEBSOCKET_NOT_FOUND. */
  open(): void {
    this.#class ??= socketClass(this.#options);
    if (this.#state === 'idle') this.#openSocket(this.#class);
  }

  /** Ends it for now. */
  close(): void {
    this.#dropSocket('idle');
  }

  /** Gives a connection up that may be dead, and comes again after a pause. */
  restart(): void {
    this.#handleClose();
  }

  /** The service asked for this pause before the next connection. */
  setNextPause(pauseMs: number): void {
    this.#backoff.setNextMs(pauseMs);
  }

  /** The connection led to something: the next pause is short again. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  /** Sends a message; those beyond what a service takes in a second wait their turn. */
  sendMessage(message: object): void {
    if (this.#state !== 'open' || this.#waiting.length >= limits.MESSAGES_WAITING_MAX) return;
    this.#waiting.push(JSON.stringify(message));
    this.#sendWaiting();
  }

  #openSocket(Socket: SocketClass): void {
    this.#setState('connecting');
    // Who was told of it may have closed it, and opened it again.
    if (this.#state !== 'connecting' || this.#socket !== undefined) return;
    let socket: SocketLike;
    try {
      socket = new Socket(this.#address);
    } catch {
      // Some classes throw for an address that they cannot reach instead of telling of a close.
      this.#scheduleReconnect();
      return;
    }
    this.#socket = socket;
    const ifCurrent = (call: () => void) => () => {
      if (this.#socket === socket) call();
    };
    socket.addEventListener(
      'open',
      ifCurrent(() => this.#handleOpen()),
    );
    socket.addEventListener(
      'close',
      ifCurrent(() => this.#handleClose()),
    );
    // A close follows; without a listener some classes throw.
    socket.addEventListener('error', () => {});
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket && typeof data === 'string') this.owner.onMessage(data);
    });
    this.#cancelTimer = this.clock.after(limits.CONNECT_MS_MAX, () => this.#handleClose());
  }

  #handleOpen(): void {
    this.#cancelTimer();
    this.#setState('open');
    if (this.#state === 'open') this.owner.onOpen();
  }

  #handleClose(): void {
    if (this.#state !== 'idle' && this.#state !== 'pausing') this.#scheduleReconnect();
  }

  #scheduleReconnect(): void {
    this.#dropSocket('pausing');
    // Who was told of it may have closed it, and opened it again.
    if (this.#state !== 'pausing') return;
    this.#cancelTimer();
    this.#cancelTimer = this.clock.after(this.#backoff.nextMs(), () => {
      if (this.#class !== undefined) this.#openSocket(this.#class);
    });
  }

  /** Hears nothing more of the socket, which may take its time to close. */
  #dropSocket(state: 'idle' | 'pausing'): void {
    const socket = this.#socket;
    const wasOpen = this.#state === 'open';
    this.#cancelTimer();
    this.#cancelRefill?.();
    this.#cancelRefill = undefined;
    this.#socket = undefined;
    this.#waiting = [];
    this.#sentCount = 0;
    this.#setState(state);
    socket?.close();
    if (wasOpen) this.owner.onDisconnect();
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.states.emit(state);
  }

  #sendWaiting(): void {
    const room = limits.MESSAGES_PER_SECOND_MAX - this.#sentCount;
    const texts = this.#waiting.splice(0, room);
    this.#sentCount += texts.length;
    for (const text of texts) this.#socket?.send(text);
    if (this.#sentCount === 0) return;
    this.#cancelRefill ??= this.clock.after(1_000, () => {
      this.#cancelRefill = undefined;
      this.#sentCount = 0;
      this.#sendWaiting();
    });
  }
}

/** The socket of a service, which is `/ws` below its address. Throws INVALID_OPTION. */
export function serviceAddress({ url }: SocketOptions): string {
  const [, tls, rest = ''] = /^(?:http|ws)(s?):\/\/([^/].*?)\/*$/.exec(url) ?? [];
  if (tls === undefined) {
    const message = `url was ${url}, must begin with http://, https://, ws:// or wss://`;
    throw new ClientError('INVALID_OPTION', message);
  }
  return `ws${tls}://${rest.endsWith('/ws') ? rest : `${rest}/ws`}`;
}
