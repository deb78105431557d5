/**
 * The WebSockets of the service: who may come in, the beat, and the orderly end. Hand it to `listen`
 * as its sockets, then `start` it with the listener.
 *
 * ```ts
 * const sockets = new SocketServer({ book, readiness, ... });
 * const listener = await listen({ host, port, handler, sockets, onFault });
 * sockets.start(listener);
 * ```
 */
import { LIMITS } from '../limits.js';
import type { BookSource, Readiness } from './book-source.js';
import { addressKey, isLoopback } from './client-address.js';
import { type ErrorCode, ServerError } from './errors.js';
import { FanOut } from './fan-out.js';
import { errorReply, type Reply } from './reply.js';
import type { HttpRequest, Listener } from './uws.js';
import { SocketCounts, type SocketFigures } from './ws-figures.js';
import { HEARTBEAT_TOPIC, Session } from './ws-session.js';
import type { ClientSocket, SocketHandlers, SocketSession } from './ws-socket.js';

/** The parts and settings of the WebSockets. */
export interface SocketServerOptions {
  readonly book: BookSource;
  readonly readiness: () => Readiness;
  /** Between two frames of a topic. */
  readonly publishIntervalMs: number;
  /** Sockets of one address, loopback excepted. */
  readonly socketsPerIp: number;
  readonly messagesPerSecond: number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Told of every published frame how long its oldest change had waited. */
  readonly onPublished?: (seconds: number) => void;
  /** Sockets in all; the limit of the service by default. */
  readonly socketsMax?: number;
}

const heartbeat = '{"channel":"heartbeat"}';

/** All WebSockets of one listener. */
export class SocketServer implements SocketHandlers {
  readonly paths = ['/ws', '/v1/ws', '/dlob/ws'];
  readonly #options: SocketServerOptions;
  readonly #fanOut: FanOut;
  readonly #counts = new SocketCounts();
  readonly #sessions = new Set<Session>();
  readonly #byAddress = new Map<string, number>();
  #publisher: Pick<Listener, 'publish'> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(options: SocketServerOptions) {
    const { book, publishIntervalMs, onFault, onPublished } = options;
    this.#options = options;
    this.#fanOut = new FanOut({
      book,
      publish: (topic, bytes) => this.#publisher?.publish(topic, bytes),
      intervalMs: publishIntervalMs,
      onFault,
      ...(onPublished === undefined ? {} : { onPublished }),
    });
  }

  /** Begins to publish through a listener. */
  start(listener: Pick<Listener, 'publish'>): void {
    this.#publisher = listener;
    this.#heartbeat = setInterval(() => {
      listener.publish(HEARTBEAT_TOPIC, heartbeat);
    }, LIMITS.heartbeatIntervalMs).unref();
  }

  /** After each turn of the engine, with the ids of the markets whose book has changed. */
  turn(dirty: readonly number[]): void {
    if (!this.#closing) this.#fanOut.turn(dirty);
  }

  figures(): SocketFigures {
    return this.#counts.figures(this.#sessions.size, this.#fanOut.figures());
  }

  upgrade(request: HttpRequest): Reply | null {
    const refusal = this.#refusal(request);
    if (refusal === undefined) return null;
    const [code, message] = refusal;
    this.#counts.refused(code);
    return errorReply(new ServerError(code, message));
  }

  opened(socket: ClientSocket): SocketSession {
    const { book, readiness, messagesPerSecond, onFault } = this.#options;
    const session = new Session(socket, {
      book,
      readiness,
      fanOut: this.#fanOut,
      counts: this.#counts,
      messagesPerSecond,
      onFault,
      onClosed: (closed) => this.#closed(closed),
    });
    this.#sessions.add(session);
    this.#count(socket.ip, 1);
    return session;
  }

  /**
   * Tells every client when to come again, sends what waits for it, and closes it. Resolves when all
   * have closed, or a second later with those cut that do not read.
   */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#heartbeat);
    this.#fanOut.stop();
    if (this.#sessions.size === 0) return;
    for (const session of this.#sessions) session.announceEnd(reconnectAfterMs());
    const deadlineMs = performance.now() + LIMITS.socketDrainMsMax;
    while (this.#sessions.size > 0) {
      const late = performance.now() >= deadlineMs;
      for (const session of this.#sessions) {
        if (late || session.socket.bufferedBytes() === 0) session.end();
      }
      // Also after the last one: the clients answer the close, and cutting them would lose it.
      await wait(LIMITS.socketDrainPollMs);
    }
  }

  #refusal(request: HttpRequest): readonly [ErrorCode, string] | undefined {
    const { socketsPerIp, socketsMax = LIMITS.socketsMax } = this.#options;
    const isUpgrade = request.header('upgrade').toLowerCase() === 'websocket';
    if (!isUpgrade || request.header('sec-websocket-version') !== '13') {
      return ['UPGRADE_REQUIRED', 'this path speaks WebSocket (RFC 6455, version 13)'];
    }
    if (this.#closing) return ['NOT_READY', 'the service is stopping'];
    if (this.#sessions.size >= socketsMax) {
      return ['LIMIT_EXCEEDED', `the service has ${socketsMax} WebSockets, which is its most`];
    }
    if (isLoopback(request.ip)) return undefined;
    if ((this.#byAddress.get(addressKey(request.ip)) ?? 0) < socketsPerIp) return undefined;
    return ['RATE_LIMITED', `one address may have ${socketsPerIp} WebSockets`];
  }

  #closed(session: Session): void {
    this.#sessions.delete(session);
    this.#count(session.socket.ip, -1);
  }

  #count(ip: string, change: 1 | -1): void {
    const key = addressKey(ip);
    const count = (this.#byAddress.get(key) ?? 0) + change;
    if (count === 0) this.#byAddress.delete(key);
    else this.#byAddress.set(key, count);
  }
}

/** Spread over time, so that the clients do not come back all at once. */
function reconnectAfterMs(): number {
  const { reconnectAfterMsMin: min, reconnectAfterMsMax: max } = LIMITS;
  return Math.round(min + Math.random() * (max - min));
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
