/**
 * Stands in for the package `uWebSockets.js` on the streams of a world: the part of it that the transport uses,
 * with its order of events and its bounds of what waits for a client.
 */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { currentMachine } from '../simulation/globals.js';
import type { PlannedEvent } from '../simulation/virtual-time.js';
import { Server, type Socket } from './net.js';

export const LIBUS_LISTEN_EXCLUSIVE_PORT = 1;

const HEAD_BYTES_MAX = 64 * 1024;
const ABNORMAL_CLOSE = 1006;

interface Behavior {
  readonly maxPayloadLength: number;
  readonly maxBackpressure: number;
  /** Seconds. */
  readonly idleTimeout: number;
  upgrade(response: Response, request: Request, context: UpgradeContext): void;
  open(socket: ServerSocket): void;
  message(socket: ServerSocket, bytes: ArrayBuffer, isBinary: boolean): void;
  ping(socket: ServerSocket): void;
  drain(socket: ServerSocket): void;
  dropped(socket: ServerSocket): void;
  close(socket: ServerSocket, code: number, message: ArrayBuffer): void;
}

interface UpgradeContext {
  readonly head: Head;
  readonly rest: Buffer;
  readonly behavior: Behavior;
}

type Handle = (response: Response, request: Request) => void;

/** What a request line and its header lines say. */
interface Head {
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A request as the package has it. */
class Request {
  constructor(readonly head: Head) {}

  getMethod(): string {
    return this.head.method.toLowerCase();
  }

  getUrl(): string {
    return this.head.path;
  }

  getQuery(): string | undefined {
    return this.head.query;
  }

  getHeader(name: string): string {
    return this.head.headers.find(([one]) => one === name)?.[1] ?? '';
  }

  forEach(each: (name: string, value: string) => void): void {
    for (const [name, value] of this.head.headers) each(name, value);
  }
}

/** A response as the package has it. */
class Response {
  readonly #socket: Socket;
  readonly #onEnd: () => void;
  #lines: string[] = [];
  #status = '200 OK';
  #isHeadSent = false;
  #isEnded = false;
  /** Bytes of the body that were written. */
  #offset = 0;
  #whenWritable: ((offset: number) => boolean) | null = null;

  constructor(
    socket: Socket,
    readonly connection: Connection,
    onEnd: () => void,
  ) {
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  cork(run: () => void): this {
    run();
    return this;
  }

  writeStatus(line: string): this {
    this.#status = line;
    return this;
  }

  writeHeader(name: string, value: string): this {
    this.#lines.push(`${name}: ${value}`);
    return this;
  }

  endWithoutBody(): this {
    this.#sendHead();
    this.#finish();
    return this;
  }

  tryEnd(rest: Uint8Array | string, bytesInAll: number): [boolean, boolean] {
    const bytes = typeof rest === 'string' ? Buffer.from(rest) : rest;
    if (!this.#isHeadSent) this.writeHeader('Content-Length', String(bytesInAll));
    this.#sendHead();
    const from = this.#offset - (bytesInAll - bytes.length);
    const isTaken = this.#socket.write(bytes.subarray(from));
    this.#offset = bytesInAll;
    if (isTaken) {
      this.#finish();
      return [true, true];
    }
    this.#socket.once('drain', () => {
      this.#finish();
      this.#whenWritable?.(bytesInAll);
    });
    return [false, false];
  }

  onWritable(handler: (offset: number) => boolean): this {
    this.#whenWritable = handler;
    return this;
  }

  onAborted(handler: () => void): this {
    this.#socket.once('close', () => {
      if (!this.#isEnded) handler();
    });
    return this;
  }

  close(): this {
    // What was written goes out first, as far as the client takes it.
    if (!this.#isHeadSent && this.#lines.length > 0) this.#sendHead();
    this.#isEnded = true;
    this.#socket.destroySoon();
    return this;
  }

  upgrade(data: object, key: string, protocol: string, _: string, context: UpgradeContext): void {
    this.#isEnded = true;
    this.connection.upgrade({ data, key, protocol }, context);
  }

  getRemoteAddressAsText(): ArrayBuffer {
    return bytesOf(this.#socket.remoteAddress);
  }

  getProxiedRemoteAddressAsText(): ArrayBuffer {
    return bytesOf('');
  }

  #sendHead(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    this.#socket.write(`HTTP/1.1 ${this.#status}\r\n${this.#lines.join('\r\n')}\r\n\r\n`);
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd();
  }
}

function bytesOf(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text)).buffer;
}

/** Reads the requests of one connection, one after the other. */
class Connection {
  readonly #socket: Socket;
  readonly #app: TemplatedApp;
  #buffer: Buffer = Buffer.alloc(0);
  #isBusy = false;
  #isUpgraded = false;
  /** Bytes of a body, which nobody reads. */
  #bodyBytes = 0;

  constructor(socket: Socket, app: TemplatedApp) {
    this.#socket = socket;
    this.#app = app;
    socket.on('error', () => socket.destroy());
    socket.on('data', this.#take);
  }

  upgrade(
    wanted: { readonly data: object; readonly key: string; readonly protocol: string },
    { head, rest, behavior }: UpgradeContext,
  ): void {
    this.#isUpgraded = true;
    this.#socket.off('data', this.#take);
    const [first = ''] = wanted.protocol.split(',');
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: behavior.maxPayloadLength,
      perMessageDeflate: false,
      handleProtocols: () => first.trim() || false,
    });
    const headers = Object.fromEntries(head.headers);
    const request = { method: 'GET', url: head.path, headers } as unknown as IncomingMessage;
    server.handleUpgrade(request, this.#socket, rest, (socket) => {
      new ServerSocket({ socket, stream: this.#socket, app: this.#app, behavior }, wanted.data);
    });
  }

  readonly #take = (chunk: Buffer): void => {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    this.#handleNext();
  };

  #handleNext(): void {
    while (!this.#isBusy && !this.#isUpgraded) {
      const dropped = Math.min(this.#bodyBytes, this.#buffer.length);
      this.#bodyBytes -= dropped;
      this.#buffer = this.#buffer.subarray(dropped);
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) {
        if (this.#buffer.length > HEAD_BYTES_MAX) this.#socket.destroy();
        return;
      }
      const head = readHead(this.#buffer.subarray(0, end).toString('latin1'));
      this.#buffer = this.#buffer.subarray(end + 4);
      if (head === null) {
        this.#socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#bodyBytes = Number(head.headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
      this.#isBusy = true;
      this.#handle(head);
    }
  }

  #handle(head: Head): void {
    const request = new Request(head);
    const isClosing = request.getHeader('connection').toLowerCase() === 'close';
    const response = new Response(this.#socket, this, () => {
      this.#isBusy = false;
      if (isClosing) this.#socket.destroySoon();
      else currentMachine().time.planImmediate(() => this.#handleNext());
    });
    const behavior = this.#app.behaviorOf(head);
    if (behavior === null) this.#app.handlerOf(head)(response, request);
    else behavior.upgrade(response, request, { head, rest: this.#buffer, behavior });
  }
}

function readHead(text: string): Head | null {
  const [first = '', ...lines] = text.split('\r\n');
  const [, method, target] = /^([A-Za-z]+) (\S+) HTTP\/1\.1$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return null;
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)];
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, path, query, headers };
}

interface SocketParts {
  readonly socket: WebSocket;
  readonly stream: Socket;
  readonly app: TemplatedApp;
  readonly behavior: Behavior;
}

/** How the package words what ended a connection, by the code of `ws`. */
const ENDS: Readonly<Record<string, string>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'Received too big message',
  WS_ERR_INVALID_UTF8: 'Received invalid UTF-8',
};
const IDLE_MESSAGE = 'WebSocket timed out from inactivity';

/** The native side of one WebSocket. */
class ServerSocket {
  readonly #parts: SocketParts;
  readonly #data: object;
  #isOpen = true;
  #wasBuffered = false;
  #end: { readonly code: number; readonly message: string } | null = null;
  #idle: PlannedEvent | null = null;
  #ping: PlannedEvent | null = null;

  constructor(parts: SocketParts, data: object) {
    this.#parts = parts;
    this.#data = data;
    const { socket, stream, behavior } = parts;
    socket.on('message', (bytes: Buffer, isBinary: boolean) => {
      this.#noteUse();
      if (!this.#isOpen) return;
      behavior.message(this, new Uint8Array(bytes).buffer, isBinary);
    });
    socket.on('ping', () => {
      this.#noteUse();
      behavior.ping(this);
    });
    socket.on('pong', () => this.#noteUse());
    // The package cuts a connection without a close frame: the stream ends before `ws` can write one.
    const { _receiver: receiver } = socket as unknown as { readonly _receiver: EventEmitter };
    receiver.prependListener('error', (error: Error & { readonly code?: string }) => {
      this.#end ??= { code: ABNORMAL_CLOSE, message: ENDS[error.code ?? ''] ?? '' };
      stream.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      const { code: ended, message } = this.#end ?? { code, message: reason.toString() };
      this.#close(ended, message);
    });
    stream.on('drain', () => this.#noteDrained());
    parts.app.sockets.add(this);
    behavior.open(this);
    this.#noteUse();
  }

  getUserData(): object {
    return this.#data;
  }

  send(message: string | Uint8Array, isBinary: boolean): number {
    const { socket, behavior } = this.#parts;
    if (!this.#isOpen) return 0;
    if (this.getBufferedAmount() > behavior.maxBackpressure) {
      behavior.dropped(this);
      return 2;
    }
    socket.send(typeof message === 'string' ? message : Buffer.from(message), { binary: isBinary });
    this.#wasBuffered ||= this.getBufferedAmount() > 0;
    return this.#wasBuffered ? 0 : 1;
  }

  cork(run: () => void): this {
    run();
    return this;
  }

  subscribe(topic: string): boolean {
    const { topics } = this.#parts.app;
    const joined = topics.get(topic) ?? new Set();
    topics.set(topic, joined.add(this));
    return true;
  }

  unsubscribe(topic: string): boolean {
    return this.#parts.app.topics.get(topic)?.delete(this) ?? false;
  }

  getBufferedAmount(): number {
    return this.#parts.socket.bufferedAmount;
  }

  end(code = 1000, reason = ''): void {
    this.#end ??= { code, message: reason };
    const { socket } = this.#parts;
    socket.close(code, reason);
    this.#close(code, reason);
  }

  close(): void {
    this.#parts.socket.terminate();
    this.#close(ABNORMAL_CLOSE, '');
  }

  #close(code: number, message: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#idle?.cancel();
    this.#ping?.cancel();
    const { app, behavior } = this.#parts;
    app.sockets.delete(this);
    for (const joined of app.topics.values()) joined.delete(this);
    behavior.close(this, code, bytesOf(message));
  }

  #noteDrained(): void {
    if (!this.#isOpen || !this.#wasBuffered) return;
    this.#wasBuffered = this.getBufferedAmount() > 0;
    this.#parts.behavior.drain(this);
  }

  /** The package pings a client that is silent, and gives up one that stays so. */
  #noteUse(): void {
    this.#idle?.cancel();
    this.#ping?.cancel();
    const { time } = currentMachine();
    const idleMs = this.#parts.behavior.idleTimeout * 1_000;
    this.#ping = time.plan(idleMs / 2, () => this.#parts.socket.ping());
    this.#idle = time.plan(idleMs, () => {
      this.#end = { code: ABNORMAL_CLOSE, message: IDLE_MESSAGE };
      this.#parts.socket.terminate();
      this.#close(ABNORMAL_CLOSE, IDLE_MESSAGE);
    });
  }
}

/** The app: its paths, its sockets and their topics. */
class TemplatedApp {
  readonly sockets = new Set<ServerSocket>();
  readonly topics = new Map<string, Set<ServerSocket>>();
  readonly #behaviors = new Map<string, Behavior>();
  readonly #handlers = new Map<string, Handle>();
  readonly #server = new Server((socket: Socket) => void new Connection(socket, this));

  ws(path: string, behavior: Behavior): this {
    this.#behaviors.set(path, behavior);
    return this;
  }

  get(_path: string, handle: Handle): this {
    this.#handlers.set('GET', handle);
    return this;
  }

  any(_path: string, handle: Handle): this {
    this.#handlers.set('any', handle);
    return this;
  }

  listen(host: string, port: number, _options: number, onListen: (socket: unknown) => void): this {
    this.#server.once('error', () => undefined);
    this.#server.listen(port, host);
    // The package says so within this call.
    onListen(this.#server.listening && this.#server);
    return this;
  }

  publish(topic: string, message: string | Uint8Array, isBinary: boolean): boolean {
    const joined = this.topics.get(topic);
    if (joined === undefined || joined.size === 0) return false;
    for (const socket of [...joined]) socket.send(message, isBinary);
    return true;
  }

  close(): this {
    this.#server.close();
    for (const socket of [...this.sockets]) socket.close();
    this.#server.closeAllConnections();
    return this;
  }

  /** The behaviour of the WebSockets of a path, for a request that wants one. */
  behaviorOf({ path, headers }: Head): Behavior | null {
    const behavior = this.#behaviors.get(path) ?? null;
    const hasKey = headers.some(([name]) => name === 'sec-websocket-key');
    return behavior !== null && hasKey ? behavior : null;
  }

  handlerOf({ method }: Head): Handle {
    const handle = (method === 'GET' && this.#handlers.get('GET')) || this.#handlers.get('any');
    if (handle === undefined) throw new Error('Invariant: the app has handlers');
    return handle;
  }
}

export function App(): TemplatedApp {
  return new TemplatedApp();
}

export function us_socket_local_port(server: Server): number {
  return server.address()?.port ?? 0;
}

// biome-ignore lint/style/noDefaultExport: the package has one.
export default { App, us_socket_local_port, LIBUS_LISTEN_EXCLUSIVE_PORT };
