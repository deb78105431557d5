/**
 * A WebSocket that reconnects after growing random delays until it is closed, with unlimited
 * attempts. Messages sent while it is not open are dropped; its owner subscribes again on each
 * opening.
 *
 * This file does not interpret messages.
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
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';

/** Options of a connection. */
interface ConnectionOptions extends Environment {
  /** The address of the socket itself, `ws` or `wss`. */
  readonly address: string;
}

/** The state of a connection; `idle` means that it is not needed or was closed. */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'pausing';

/** The owner of a connection. */
interface ConnectionOwner {
  /** Starts preparations that `onOpen` needs; undefined for none. The promise never rejects. */
  prepare?(): Promise<void> | undefined;
  onOpen(): void;
  onMessage(data: string | ArrayBuffer): void;
  /** Called when an open connection has ended; it reconnects unless it was closed. */
  onDisconnect(): void;
}

/** A connection to one address. */
export class Connection {
  readonly states = new Listeners<ConnectionState>();
  readonly clock: Clock;
  readonly #options: ConnectionOptions;
  readonly #owner: ConnectionOwner;
  readonly #backoff: Backoff;
  #class: SocketClass | undefined;
  #state: ConnectionState = 'idle';
  #socket: SocketLike | undefined;
  #cancelTimer: () => void = () => {};
  #cancelRefill: (() => void) | undefined;
  #sentCount = 0;
  #waiting: string[] = [];

  constructor(options: ConnectionOptions, owner: ConnectionOwner) {
    this.#options = options;
    this.#owner = owner;
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

  /** Closes the socket; `open` connects again. */
  close(): void {
    this.#dropSocket('idle');
  }

  /** Drops a connection that has ended or may be dead, and reconnects after a pause. */
  restart(): void {
    if (this.#state !== 'idle' && this.#state !== 'pausing') this.#scheduleReconnect();
  }

  /** Sets the pause before the next connection, which the service has requested. */
  setNextPause(pauseMs: number): void {
    this.#backoff.setNextMs(pauseMs);
  }

  /** Resets the reconnect delay, because the connection has worked. */
  resetBackoff(): void {
    this.#backoff.reset();
  }

  /** Sends a message; messages above the service's rate limit wait. */
  sendMessage(message: object): void {
    if (this.#state !== 'open' || this.#waiting.length >= limits.MESSAGES_WAITING_MAX) return;
    this.#waiting.push(JSON.stringify(message));
    this.#sendWaiting();
  }

  #openSocket(Socket: SocketClass): void {
    this.#setState('connecting');
    // A state listener may have closed and reopened the connection.
    if (this.#state !== 'connecting' || this.#socket !== undefined) return;
    const prepared = this.#owner.prepare?.();
    let socket: SocketLike;
    try {
      socket = new Socket(this.#options.address);
    } catch {
      // Some WebSocket classes throw for an unreachable address instead of emitting `close`.
      this.#scheduleReconnect();
      return;
    }
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    const ifCurrent = (call: () => void) => () => {
      if (this.#socket === socket) call();
    };
    const open = ifCurrent(() => this.#handleOpen());
    socket.addEventListener('open', () => {
      if (prepared === undefined) open();
      else void prepared.then(open);
    });
    socket.addEventListener(
      'close',
      ifCurrent(() => this.restart()),
    );
    // A `close` event follows; without an `error` listener some classes throw.
    socket.addEventListener('error', () => {});
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#owner.onMessage(data as string | ArrayBuffer);
    });
    this.#cancelTimer = this.clock.after(limits.CONNECT_MS_MAX, () => this.restart());
  }

  #handleOpen(): void {
    this.#cancelTimer();
    this.#setState('open');
    if (this.#state === 'open') this.#owner.onOpen();
  }

  #scheduleReconnect(): void {
    this.#dropSocket('pausing');
    // A state listener may have closed and reopened the connection.
    if (this.#state !== 'pausing') return;
    this.#cancelTimer();
    this.#cancelTimer = this.clock.after(this.#backoff.nextMs(), () => {
      if (this.#class !== undefined) this.#openSocket(this.#class);
    });
  }

  /** Ignores the current socket from now on; it may close later. */
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
    if (wasOpen) this.#owner.onDisconnect();
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.states.emit(state);
  }

  #sendWaiting(): void {
    const texts = this.#waiting.splice(0, limits.MESSAGE_BURST - this.#sentCount);
    this.#sentCount += texts.length;
    for (const text of texts) this.#socket?.send(text);
    if (this.#sentCount === 0) return;
    this.#cancelRefill ??= this.clock.after(1_000, () => {
      this.#cancelRefill = undefined;
      this.#sentCount = Math.max(0, this.#sentCount - limits.MESSAGES_PER_SECOND_MAX);
      this.#sendWaiting();
    });
  }
}
