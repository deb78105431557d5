/**
 * Stands in for `node:net`: streams between the servers and clients of a world, in memory. Both directions keep
 * their order; beyond the bytes that the systems of both ends take a writer waits for its reader.
 */
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import { currentMachine } from '../simulation/globals.js';
import type { PlannedEvent } from '../simulation/virtual-time.js';

export * from 'node:net';

/** One way between two programs of one machine. */
const DELAY_MS = 0.1;
/** What the systems of both ends take of each direction. */
const KERNEL_BYTES = 256 * 1024;
const FIRST_PORT = 40_000;
const LAST_PORT = 65_535;

/** The bound ports, and the last one that was chosen. */
const servers = new Map<number, Server>();
let lastPort = FIRST_PORT;

/** A new world has no server. */
export function clearPorts(): void {
  servers.clear();
  lastPort = FIRST_PORT;
}

/** A port without a server; after the last one the first ones come again. */
function nextPort(): number {
  do lastPort = lastPort === LAST_PORT ? FIRST_PORT + 1 : lastPort + 1;
  while (servers.has(lastPort));
  return lastPort;
}

/** Binds a port, or one that is free for 0; null when another server has it. */
function bindPort(port: number, server: Server): number | null {
  const bound = port === 0 ? nextPort() : port;
  if (servers.has(bound)) return null;
  servers.set(bound, server);
  return bound;
}

/** Where a client connects to. */
export interface ConnectOptions {
  readonly port: number | string;
  readonly host?: string | null;
  readonly hostname?: string | null;
  readonly localAddress?: string;
  readonly allowHalfOpen?: boolean;
}

function failed(code: string, port: number): Error {
  const [syscall, address] = ['connect', '127.0.0.1'];
  const message = `${syscall} ${code} ${address}:${port}`;
  return Object.assign(new Error(message), { code, syscall, address, port, errno: -1 });
}

/** One end of a connection. */
export class Socket extends Duplex {
  readonly owner = currentMachine().time.owner;
  connecting = false;
  remoteAddress = '127.0.0.1';
  remotePort = 0;
  remoteFamily = 'IPv4';
  localAddress = '127.0.0.1';
  localPort = 0;
  bytesWritten = 0;
  bytesRead = 0;
  #peer: Socket | null = null;
  /** What has arrived and is not read yet; null is the end. */
  readonly #arrived: (Buffer | null)[] = [];
  #isFull = false;
  /** Bytes that the other end has not read. */
  #unread = 0;
  /** Called when there is room again. */
  #whenRoom: (() => void) | null = null;
  /** When the last bytes that were sent arrive. */
  #sentUntilMs = 0;
  #idle: PlannedEvent | null = null;
  #idleMs = 0;

  constructor(options: { readonly allowHalfOpen?: boolean } = {}) {
    super({ allowHalfOpen: options.allowHalfOpen ?? false, emitClose: true });
  }

  /** Joins both ends; each has its own address. */
  static join(client: Socket, server: Socket, port: number): void {
    client.#peer = server;
    server.#peer = client;
    client.remotePort = port;
    server.localPort = port;
    server.remotePort = client.localPort;
    server.remoteAddress = client.localAddress;
  }

  connect(options: ConnectOptions, onConnect?: () => void): this {
    const port = Number(options.port);
    this.connecting = true;
    this.localPort = nextPort();
    this.localAddress = options.localAddress ?? '127.0.0.1';
    if (onConnect !== undefined) this.once('connect', onConnect);
    this.#plan(DELAY_MS, () => this.#arriveAt(port));
    return this;
  }

  get pending(): boolean {
    return this.connecting;
  }

  get readyState(): string {
    if (this.connecting) return 'opening';
    return this.destroyed ? 'closed' : 'open';
  }

  setTimeout(idleMs: number, onTimeout?: () => void): this {
    this.#idleMs = idleMs;
    if (onTimeout !== undefined) this.once('timeout', onTimeout);
    this.#noteUse();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  address(): { address: string; family: string; port: number } {
    return { address: this.localAddress, family: 'IPv4', port: this.localPort };
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    this.#peer?.receiveReset();
    return this.destroy();
  }

  /** Called by the other end. */
  receive(chunk: Buffer | null): void {
    if (this.destroyed) return;
    this.#noteUse();
    this.#arrived.push(chunk);
    this.#pushArrived();
  }

  /** Called by the other end: the connection is gone. */
  receiveReset(): void {
    this.#plan(DELAY_MS, () => {
      if (this.destroyed) return;
      this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    });
  }

  override _read(): void {
    this.#isFull = false;
    this.#pushArrived();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.connecting) {
      this.once('connect', () => this._write(chunk, _encoding, done));
      return;
    }
    const peer = this.#peer;
    if (peer === null || peer.destroyed) {
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      return;
    }
    this.#noteUse();
    this.bytesWritten += chunk.length;
    this.#unread += chunk.length;
    const copy = Buffer.from(chunk);
    this.#travel(() => peer.receive(copy));
    if (this.#unread <= KERNEL_BYTES) done();
    else this.#whenRoom = done;
  }

  override _final(done: (error?: Error | null) => void): void {
    const peer = this.#peer;
    if (this.connecting) this.once('connect', () => this._final(done));
    else {
      if (peer !== null) this.#travel(() => peer.receive(null));
      done();
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#idle?.cancel();
    const peer = this.#peer;
    // What waits unread, or comes later, is answered with a reset; a finished stream just ends.
    if (peer !== null && !peer.destroyed) {
      const isClean = this.writableFinished;
      this.#travel(() => {
        if (peer.destroyed) return;
        if (isClean || this.readableEnded || error === null) peer.receive(null);
        else peer.receiveReset();
        peer.failLaterWrites();
      });
    }
    this.#whenRoom?.();
    this.#whenRoom = null;
    done(error);
  }

  /** The other end is gone: a writer that waits for room must not wait for ever. */
  failLaterWrites(): void {
    const done = this.#whenRoom as ((error?: Error | null) => void) | null;
    this.#whenRoom = null;
    done?.(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }

  #arriveAt(port: number): void {
    if (this.destroyed) return;
    const server = servers.get(port);
    if (server === undefined) {
      this.connecting = false;
      this.destroy(failed('ECONNREFUSED', port));
      return;
    }
    const far = server.accept(this, port);
    if (far === null) return;
    this.#plan(DELAY_MS, () => {
      if (this.destroyed) return;
      this.connecting = false;
      this.emit('connect');
      this.emit('ready');
    });
  }

  #pushArrived(): void {
    while (!this.#isFull && this.#arrived.length > 0) {
      const chunk = this.#arrived.shift() as Buffer | null;
      this.bytesRead += chunk?.length ?? 0;
      this.#isFull = !this.push(chunk);
      if (chunk !== null) this.#peer?.noteRead(chunk.length);
    }
  }

  /** Called by the other end. */
  noteRead(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread > KERNEL_BYTES || this.#whenRoom === null) return;
    const done = this.#whenRoom;
    this.#whenRoom = null;
    this.#plan(DELAY_MS, done);
  }

  /** Runs at the other end after the way there, in order. */
  #travel(run: () => void): void {
    const { time } = currentMachine();
    const atMs = Math.max(this.#sentUntilMs, time.nowMs + DELAY_MS);
    this.#sentUntilMs = atMs;
    time.plan(atMs - time.nowMs, run, this.#peer?.owner ?? this.owner);
  }

  #plan(delayMs: number, run: () => void): PlannedEvent {
    return currentMachine().time.plan(delayMs, run, this.owner);
  }

  #noteUse(): void {
    this.#idle?.cancel();
    this.#idle = null;
    if (this.#idleMs > 0) this.#idle = this.#plan(this.#idleMs, () => this.emit('timeout'));
  }
}

/** A server; one that is closed keeps its connections. */
export class Server extends EventEmitter {
  readonly owner = currentMachine().time.owner;
  listening = false;
  readonly #connections = new Set<Socket>();
  #port = 0;
  #host = '127.0.0.1';

  constructor(...given: readonly unknown[]) {
    super();
    const handler = given.find((one) => typeof one === 'function');
    if (handler !== undefined) this.on('connection', handler as (socket: Socket) => void);
  }

  listen(...given: readonly unknown[]): this {
    const [first] = given;
    const options = typeof first === 'object' && first !== null ? first : {};
    const { port = typeof first === 'number' ? first : 0, host } =
      options as Partial<ConnectOptions>;
    this.#host = host ?? (typeof given[1] === 'string' ? given[1] : '127.0.0.1');
    const onListening = given.find((one) => typeof one === 'function');
    if (onListening !== undefined) this.once('listening', onListening as () => void);
    const bound = bindPort(Number(port), this);
    if (bound === null) {
      const error = Object.assign(
        new Error(`listen EADDRINUSE: address already in use :::${port}`),
        {
          code: 'EADDRINUSE',
          port,
        },
      );
      currentMachine().time.plan(0, () => this.emit('error', error));
      return this;
    }
    this.#port = bound;
    this.listening = true;
    currentMachine().time.plan(0, () => this.emit('listening'));
    return this;
  }

  /** Called by a client's end; null when the server does not answer. */
  accept(client: Socket, port: number): Socket | null {
    const socket = new Socket();
    Object.assign(socket, { owner: this.owner });
    Socket.join(client, socket, port);
    this.#connections.add(socket);
    socket.once('close', () => this.#forget(socket));
    this.emit('connection', socket);
    return socket;
  }

  address(): { address: string; family: string; port: number } | null {
    return this.listening ? { address: this.#host, family: 'IPv4', port: this.#port } : null;
  }

  close(onClose?: (error?: Error) => void): this {
    if (!this.listening) {
      const error = Object.assign(new Error('Server is not running.'), {
        code: 'ERR_SERVER_NOT_RUNNING',
      });
      currentMachine().time.plan(0, () => onClose?.(error));
      return this;
    }
    if (onClose !== undefined) this.once('close', onClose);
    this.listening = false;
    servers.delete(this.#port);
    this.#emitCloseIfDone();
    return this;
  }

  closeAllConnections(): void {
    for (const socket of [...this.#connections]) socket.destroy();
  }

  closeIdleConnections(): void {
    this.closeAllConnections();
  }

  getConnections(receive: (error: Error | null, count: number) => void): void {
    receive(null, this.#connections.size);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #forget(socket: Socket): void {
    this.#connections.delete(socket);
    this.#emitCloseIfDone();
  }

  #emitCloseIfDone(): void {
    if (this.listening || this.#connections.size > 0) return;
    currentMachine().time.plan(0, () => this.emit('close'));
  }
}

export function createServer(...given: readonly unknown[]): Server {
  return new Server(...given);
}

/** Connects as the module does, by options or by port and host. */
export function connect(...given: readonly unknown[]): Socket {
  const [first, second] = given;
  const onConnect = given.find((one) => typeof one === 'function') as (() => void) | undefined;
  const options =
    typeof first === 'object' && first !== null
      ? (first as ConnectOptions)
      : { port: Number(first), host: typeof second === 'string' ? second : '127.0.0.1' };
  return new Socket(options as { allowHalfOpen?: boolean }).connect(options, onConnect);
}

export { connect as createConnection, Socket as Stream };

// biome-ignore lint/style/noDefaultExport: the module has one.
export default { connect, createConnection: connect, createServer, Server, Socket };
