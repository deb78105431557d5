import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import type { Timer, Timers } from '../contract/timers.js';
import { Backoff } from './backoff.js';
import { type Endpoint, parseEndpoint } from './endpoint.js';
import { RpcError, shownFailure } from './error.js';
import { parseRetryAfter } from './http-response.js';
import { parseJson } from './json.js';
import {
  SOCKET_BACKOFF_CAP_MS,
  SOCKET_BACKOFF_FIRST_MS,
  SOCKET_CONNECT_TIMEOUT_MS,
  SOCKET_MESSAGE_BYTES_MAX,
  SOCKET_PING_INTERVAL_MS,
  SOCKET_PONG_TIMEOUT_MS,
  SUBSCRIBE_ACK_TIMEOUT_CAP_MS,
  SUBSCRIBE_ACK_TIMEOUT_MS,
} from './limits.js';
import {
  type MessageKind,
  type NotificationHandler,
  type SubscriptionId,
  SubscriptionTable,
} from './subscriptions.js';

/** The server's address, and dependencies that a test may replace. */
export interface RpcSocketOptions {
  /** A ws or wss URL; user info becomes an Authorization header. */
  readonly url: string;
  readonly timers: Timers;
  readonly random?: () => number;
  readonly pingIntervalMs?: number;
  readonly pongTimeoutMs?: number;
  readonly ackTimeoutMs?: number;
}

/** The events of a socket. */
export interface RpcSocketListener {
  /** Called when connected, without subscriptions: the previous ones ended. */
  onOpened(): void;
  /** Called when the connection ended or failed; the next attempt is already scheduled. */
  onClosed(reason: string): void;
  /** Called when a message was malformed, so a notification may be missing. */
  onMalformed(): void;
}

/** A subscription of the current connection. */
export interface RpcSubscription {
  readonly method: string;
  readonly id: SubscriptionId;
}

/** Counters of a socket, for metrics. */
export interface RpcSocketStats {
  readonly connects: number;
  readonly closes: number;
  readonly messages: number;
  readonly malformed: number;
  readonly unknown: number;
  readonly subscriptions: number;
}

interface SocketConnection {
  readonly socket: WebSocket;
  readonly table: SubscriptionTable;
  heartbeat: Timer | null;
  receivedAtMs: number;
  retryAfterMs: number;
  reason: string;
}

/**
 * The subscription socket of a Solana RPC server: connects, pings, detects silence, and reconnects
 * with jittered, capped delays.
 *
 * It never subscribes again by itself: after a reconnect there is a gap, and only the owner knows
 * how to fill it.
 */
export class RpcSocket {
  readonly #options: RpcSocketOptions;
  readonly #endpoint: Endpoint;
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  #listener: RpcSocketListener = noListener;
  #connection: SocketConnection | null = null;
  #retry: Timer | null = null;
  /** Connections since the last working one. */
  #unsettled = 0;
  /** The earliest next connect after a Retry-After. */
  #connectFromMs = Number.NEGATIVE_INFINITY;
  #stats = { connects: 0, closes: 0, messages: 0, malformed: 0, unknown: 0 };

  constructor(options: RpcSocketOptions) {
    this.#options = options;
    this.#endpoint = parseEndpoint(options.url, ['ws:', 'wss:']);
    this.#timers = options.timers;
    this.#backoff = new Backoff({
      firstMs: SOCKET_BACKOFF_FIRST_MS,
      capMs: SOCKET_BACKOFF_CAP_MS,
      random: options.random ?? Math.random,
    });
  }

  get stats(): RpcSocketStats {
    return { ...this.#stats, subscriptions: this.#connection?.table.size ?? 0 };
  }

  /** Connects, and reconnects until `stop`; can be started again. There is one listener. */
  start(listener: RpcSocketListener): void {
    this.#listener = listener;
    const waitMs = this.#connectFromMs - this.#timers.nowMs();
    if (waitMs > 0) this.#planConnect(waitMs);
    else this.#openConnection();
  }

  /** Ends the connection and all retries; the listener is no longer called. */
  stop(): void {
    this.#listener = noListener;
    this.#retry?.cancel();
    const connection = this.#connection;
    this.#connection = null;
    connection?.socket.terminate();
  }

  /** Closes an open but unusable connection; it reconnects after a delay. */
  dropConnection(reason: string): void {
    if (this.#connection === null) return;
    this.#connection.reason = reason;
    this.#connection.socket.terminate();
  }

  /** Resets the reconnect delay, because the connection works. */
  resetBackoff(): void {
    this.#backoff.reset();
    this.#unsettled = 0;
  }

  /**
   * Subscribes on the current connection. The handler may be called before the promise resolves.
   *
   * # Errors
   * Rejects with an RpcError without a connection, when it ends, or when the server refuses.
   */
  async subscribe(
    method: string,
    params: readonly unknown[],
    handler: NotificationHandler,
  ): Promise<RpcSubscription> {
    const connection = this.#connection;
    if (connection === null || connection.socket.readyState !== WebSocket.OPEN) {
      throw new RpcError('RPC_SOCKET_CLOSED', `${method} needs an open socket`, { method });
    }
    const request = connection.table.openRequest(method, handler);
    connection.socket.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, method, params }));
    return { method, id: await request.acknowledged };
  }

  /** Ends a subscription without waiting for the reply; late notifications are dropped. */
  unsubscribe(subscription: RpcSubscription): void {
    const connection = this.#connection;
    if (connection === null || connection.socket.readyState !== WebSocket.OPEN) return;
    connection.table.removeSubscription(subscription.id);
    const method = subscription.method.replace('Subscribe', 'Unsubscribe');
    const id = connection.table.nextId();
    // The id is inserted without quotes, also when it is a text of digits.
    const params = `[${subscription.id}]`;
    connection.socket.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`);
  }

  #planConnect(delayMs: number): void {
    this.#retry = this.#timers.after(delayMs, () => this.#openConnection());
  }

  #openConnection(): void {
    const connection = this.#newConnection();
    this.#connection = connection;
    const { socket } = connection;
    socket.on('open', () => this.#handleOpen(connection));
    socket.on('message', (data) => this.#handleMessage(connection, data));
    socket.on('pong', () => {
      connection.receivedAtMs = this.#timers.nowMs();
    });
    socket.on('error', (error) => {
      if (connection.reason !== '') return;
      connection.reason = `${shownFailure(error)} of ${this.#endpoint.host}`;
    });
    socket.on('unexpected-response', (_request, response) => {
      failUpgrade(connection, response, this.#timers.unixMs());
    });
    socket.on('close', (code) => this.#handleClose(connection, code));
  }

  #newConnection(): SocketConnection {
    const { authorization, url } = this.#endpoint;
    const socket = new WebSocket(url, {
      headers: authorization === null ? {} : { authorization },
      handshakeTimeout: SOCKET_CONNECT_TIMEOUT_MS,
      maxPayload: SOCKET_MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
    });
    const table = new SubscriptionTable({
      timers: this.#timers,
      ackTimeoutMs: this.#ackTimeoutMs(),
    });
    return { socket, table, heartbeat: null, receivedAtMs: 0, retryAfterMs: 0, reason: '' };
  }

  /** Grows after each failed connection. */
  #ackTimeoutMs(): number {
    const firstMs = this.#options.ackTimeoutMs ?? SUBSCRIBE_ACK_TIMEOUT_MS;
    return Math.min(firstMs * 2 ** this.#unsettled, SUBSCRIBE_ACK_TIMEOUT_CAP_MS);
  }

  #handleOpen(connection: SocketConnection): void {
    this.#stats.connects += 1;
    this.#unsettled += 1;
    connection.receivedAtMs = this.#timers.nowMs();
    this.#planPing(connection);
    this.#listener.onOpened();
  }

  /** Any message counts as a sign of life, so that a busy server may answer pings late. */
  #planPing(connection: SocketConnection): void {
    const intervalMs = this.#options.pingIntervalMs ?? SOCKET_PING_INTERVAL_MS;
    const timeoutMs = this.#options.pongTimeoutMs ?? SOCKET_PONG_TIMEOUT_MS;
    connection.heartbeat = this.#timers.after(intervalMs, () => {
      const silentMs = this.#timers.nowMs() - connection.receivedAtMs;
      if (silentMs > intervalMs + timeoutMs) {
        connection.reason = `nothing was received for ${Math.round(silentMs)} ms`;
        connection.socket.terminate();
        return;
      }
      if (connection.socket.readyState === WebSocket.OPEN) connection.socket.ping();
      this.#planPing(connection);
    });
  }

  #handleMessage(connection: SocketConnection, data: RawData): void {
    if (connection !== this.#connection || connection.reason !== '') return;
    connection.receivedAtMs = this.#timers.nowMs();
    this.#stats.messages += 1;
    const message = parseJson(Buffer.isBuffer(data) ? data : Buffer.from(data.toString()));
    if (message === undefined) {
      this.#stats.malformed += 1;
      this.#listener.onMalformed();
      return;
    }
    this.#countMessage(connection.table.handleMessage(message, () => data.toString()));
  }

  #countMessage(received: MessageKind): void {
    if (received === 'unknown') this.#stats.unknown += 1;
    if (received === 'overflow')
      this.dropConnection('too many notifications before an acknowledgement');
  }

  #handleClose(connection: SocketConnection, code: number): void {
    const reason = connection.reason === '' ? `closed with code ${code}` : connection.reason;
    connection.heartbeat?.cancel();
    connection.table.closeAll(
      new RpcError('RPC_SOCKET_CLOSED', `RPC socket ended: ${reason}`, { code }),
    );
    this.#stats.closes += 1;
    // A stopped connection may close after the next one has started.
    if (connection !== this.#connection) return;
    this.#connection = null;
    const delayMs = Math.max(this.#backoff.next(), connection.retryAfterMs);
    this.#connectFromMs = this.#timers.nowMs() + connection.retryAfterMs;
    this.#planConnect(delayMs);
    this.#listener.onClosed(reason);
  }
}

const noListener: RpcSocketListener = {
  onOpened: ignoreEvent,
  onClosed: ignoreEvent,
  onMalformed: ignoreEvent,
};

function ignoreEvent(): void {}

/** Handles an upgrade that the server rejected with a status, and possibly a Retry-After. */
function failUpgrade(
  connection: SocketConnection,
  response: IncomingMessage,
  unixMs: number,
): void {
  connection.reason = `HTTP status ${response.statusCode ?? 0} instead of an upgrade`;
  const header = response.headers['retry-after'] ?? null;
  connection.retryAfterMs = parseRetryAfter(header, unixMs) ?? 0;
  response.destroy();
  connection.socket.terminate();
}
