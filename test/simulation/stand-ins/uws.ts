/**
 * Stands in for the transport over uWebSockets.js: sockets and requests of clients in memory, with the
 * bytes that wait for a client that does not read. What is above the native socket is the real code.
 */

import type { SocketHandlers, SocketSession } from '../../../src/server/transport/client-socket.js';
import { socketOptions, TransportSocket } from '../../../src/server/transport/client-socket.js';
import type { HttpRequest, Reply } from '../../../src/server/transport/reply.js';
import type { Listener, ListenOptions } from '../../../src/server/transport/uws.js';
import { currentMachine } from '../globals.js';
import { type PlannedEvent, WORLD } from '../virtual-time.js';

/** What the systems of both ends take before anything waits in the process. */
const KERNEL_BYTES = 64 * 1024;
/** One way between a client and the service. */
const DELAY_MS = 10;
/** How often a client that has vanished is checked. */
const IDLE_MS = socketOptions.idleTimeout * 1_000;

const ABNORMAL_CLOSE = 1006;
const DROPPED = 2;

/** A client's end. */
export interface ClientEnd {
  readonly ip: string;
  receiveMessage(text: string): void;
  /** The connection is over. */
  receiveClose(code: number): void;
}

/** A connection as its client sees it. */
export interface ClientConnection {
  sendMessage(text: string): void;
  /** From now on nothing is read, or everything. */
  setReading(isReading: boolean): void;
  close(): void;
  /** Nothing is sent or read any more, and nobody says so. */
  vanish(): void;
}

let opened: VirtualPort | null = null;

/** The port of the service that listens; null while none does. */
export function openPort(): VirtualPort | null {
  return opened;
}

/** Binds the port of the service. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const port = new VirtualPort(options, currentMachine().time.owner);
  opened = port;
  return {
    port: 8080,
    publish: (topic, bytes) => port.publish(topic, bytes),
    close: () => port.close(),
  };
}

/** The listening port of one run of the service. */
class VirtualPort {
  readonly #options: ListenOptions;
  readonly #owner: number;
  readonly #sockets = new Set<VirtualSocket>();
  readonly #topics = new Map<string, Set<VirtualSocket>>();

  constructor(options: ListenOptions, owner: number) {
    this.#options = options;
    this.#owner = owner;
  }

  /** Bytes that wait in the process for all clients. */
  get waitingBytes(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.getBufferedAmount(), 0);
  }

  /** Most bytes that wait for one client. */
  get waitingBytesMax(): number {
    return [...this.#sockets].reduce((max, socket) => Math.max(max, socket.getBufferedAmount()), 0);
  }

  /** Connects a client to /ws; it is closed at once when it is refused. */
  connect(client: ClientEnd): ClientConnection {
    const handlers = this.#options.sockets?.find(({ paths }) => paths.includes('/ws'));
    if (handlers === undefined) throw new Error('Invariant: the service has /ws');
    const socket = new VirtualSocket({ client, topics: this.#topics, owner: this.#owner });
    // From here on the system has it, though a process that is stopped has not accepted it yet.
    this.#sockets.add(socket);
    currentMachine().time.plan(DELAY_MS, () => this.#openSocket(socket, handlers), this.#owner);
    return socket;
  }

  /** Sends a request; the reply is received later, or never when the service dies meanwhile. */
  request(request: { path: string; query?: string; ip: string }, receive: (reply: Reply) => void) {
    const { time } = currentMachine();
    time.plan(
      DELAY_MS,
      () => {
        const answer = async (): Promise<Reply> => this.#options.handler(requestOf(request));
        answer().then(
          (reply) => void time.plan(DELAY_MS, () => receive(reply), WORLD),
          (error: unknown) => this.#options.onFault(error, request.path),
        );
      },
      this.#owner,
    );
  }

  /** Sends to all sockets of a topic. */
  publish(topic: string, bytes: string | Uint8Array): void {
    const sockets = this.#topics.get(topic);
    if (sockets === undefined) return;
    const text = textOf(bytes);
    for (const socket of [...sockets]) socket.sendText(text);
  }

  /** The service closes the port. */
  close(): void {
    for (const socket of [...this.#sockets]) socket.end(1001);
    if (opened === this) opened = null;
  }

  /** The process of the service was killed: the system closes its sockets. */
  destroy(): void {
    for (const socket of this.#sockets) socket.lose();
    if (opened === this) opened = null;
  }

  #openSocket(socket: VirtualSocket, handlers: SocketHandlers): void {
    const refusal = handlers.checkUpgrade(requestOf({ path: '/ws', ip: socket.client.ip }));
    if (refusal !== null) {
      this.#sockets.delete(socket);
      socket.lose();
      return;
    }
    socket.open(handlers, () => this.#sockets.delete(socket));
  }
}

/** Both ends of one WebSocket. */
class VirtualSocket implements ClientConnection {
  readonly client: ClientEnd;
  readonly #topics: Map<string, Set<VirtualSocket>>;
  readonly #owner: number;
  readonly #joined = new Set<string>();
  #transport: TransportSocket | null = null;
  #session: SocketSession | null = null;
  #forget: () => void = () => undefined;
  #isOpen = true;
  #isReading = true;
  #hasVanished = false;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #delivery: PlannedEvent | null = null;

  constructor(parts: {
    client: ClientEnd;
    topics: Map<string, Set<VirtualSocket>>;
    owner: number;
  }) {
    this.client = parts.client;
    this.#topics = parts.topics;
    this.#owner = parts.owner;
  }

  open(handlers: SocketHandlers, forget: () => void): void {
    if (!this.#isOpen) return;
    this.#forget = forget;
    this.#transport = new TransportSocket(this, this.client.ip);
    this.#session = handlers.openSession(this.#transport, '');
    this.#session.onOpen?.();
  }

  // The client's side.

  sendMessage(text: string): void {
    this.#planAtService(() => this.#session?.onMessage(text));
  }

  setReading(isReading: boolean): void {
    this.#isReading = isReading;
    if (isReading) this.#planDelivery();
  }

  close(): void {
    this.#planAtService(() => this.#closeSession(1000, ''));
  }

  vanish(): void {
    this.#hasVanished = true;
    this.#isReading = false;
    currentMachine().time.plan(
      IDLE_MS,
      () => this.#closeSession(ABNORMAL_CLOSE, 'WebSocket timed out from inactivity'),
      this.#owner,
    );
  }

  // The native side, as the transport's socket uses it.

  send(message: string | Uint8Array): number {
    return this.sendText(textOf(message));
  }

  sendText(text: string): number {
    if (!this.#isOpen) return 0;
    if (this.getBufferedAmount() > socketOptions.maxBackpressure) {
      this.#session?.onDropped();
      return DROPPED;
    }
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    this.#planDelivery();
    return this.getBufferedAmount() > 0 ? 0 : 1;
  }

  cork(run: () => void): void {
    run();
  }

  subscribe(topic: string): void {
    this.#joined.add(topic);
    const sockets = this.#topics.get(topic) ?? new Set();
    sockets.add(this);
    this.#topics.set(topic, sockets);
  }

  unsubscribe(topic: string): void {
    this.#joined.delete(topic);
    const sockets = this.#topics.get(topic);
    sockets?.delete(this);
    if (sockets?.size === 0) this.#topics.delete(topic);
  }

  getBufferedAmount(): number {
    return Math.max(0, this.#waitingBytes - KERNEL_BYTES);
  }

  end(code: number, _reason = ''): void {
    this.#closeSession(code, '');
    this.#closeClient(code);
  }

  /** Ends the connection without a close frame; what waits is discarded. */
  lose(): void {
    this.#isOpen = false;
    this.#leaveTopics();
    this.#closeClient(ABNORMAL_CLOSE);
  }

  #closeSession(code: number, message: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leaveTopics();
    const cause = this.#transport?.markClosed(code, message) ?? 'lost';
    this.#forget();
    this.#session?.onClose(cause);
  }

  #closeClient(code: number): void {
    if (this.#hasVanished) return;
    currentMachine().time.plan(DELAY_MS, () => this.client.receiveClose(code), WORLD);
  }

  #leaveTopics(): void {
    for (const topic of [...this.#joined]) this.unsubscribe(topic);
  }

  #planAtService(run: () => void): void {
    const atService = (): void => {
      if (this.#isOpen && !this.#hasVanished) run();
    };
    currentMachine().time.plan(DELAY_MS, atService, this.#owner);
  }

  /** One packet for all that is sent in one turn. */
  #planDelivery(): void {
    if (this.#delivery !== null || !this.#isReading || this.#waiting.length === 0) return;
    this.#delivery = currentMachine().time.plan(DELAY_MS, () => this.#deliver(), WORLD);
  }

  #deliver(): void {
    this.#delivery = null;
    if (!this.#isReading) return;
    const wasBuffered = this.getBufferedAmount() > 0;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (wasBuffered && this.#isOpen) {
      currentMachine().time.plan(0, () => this.#isOpen && this.#session?.onDrain(), this.#owner);
    }
    for (const text of messages) this.client.receiveMessage(text);
  }
}

const UPGRADE_HEADERS: Readonly<Record<string, string>> = {
  upgrade: 'websocket',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-version': '13',
};

const decoder = new TextDecoder();

function textOf(bytes: string | Uint8Array): string {
  return typeof bytes === 'string' ? bytes : decoder.decode(bytes);
}

function requestOf({ path, query = '', ip }: { path: string; query?: string; ip: string }) {
  const request: HttpRequest = {
    method: 'get',
    path,
    query,
    ip,
    getHeader: (name) => (path === '/ws' ? (UPGRADE_HEADERS[name] ?? '') : ''),
    countHeaderBytes: () => 100,
    announcesBody: () => false,
    isGone: false,
  };
  return request;
}
