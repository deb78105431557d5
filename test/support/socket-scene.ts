import { type ClientOptions, WebSocket } from 'ws';
import type { BookSource } from '../../src/contract/book-source.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { ClientAddresses } from '../../src/server/admission/client-addresses.js';
import { heartbeatText } from '../../src/server/sockets/heartbeat.js';
import { SocketServer, type SocketServerOptions } from '../../src/server/sockets/socket-server.js';
import { changes, publishAll } from '../../src/server/testing/market-changes.js';
import { FakeBook } from '../../src/server/testing/running-server.js';
import { type Listener, listen } from '../../src/server/transport/uws.js';

const DEADLINE_MS = 60_000;

/** How a client saw its socket close. */
interface Closed {
  readonly code: number;
  readonly reason: string;
}

/** How a client opens its socket. */
export interface ProbeOptions extends Pick<ClientOptions, 'headers' | 'localAddress' | 'ca'> {
  readonly servername?: string;
  readonly protocols?: string[];
}

/** A client that keeps the texts it hears, in order. */
export class Probe {
  readonly texts: string[] = [];
  /** The heartbeats of the compatible channels, kept apart: on a busy machine they come between any two texts. */
  readonly heartbeats: string[] = [];
  readonly closed: Promise<Closed>;
  #heard: () => void = () => {};

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      (text === heartbeatText ? this.heartbeats : this.texts).push(text);
      this.#heard();
    });
  }

  static async open(url: string, options: ProbeOptions = {}): Promise<Probe> {
    const { protocols = [], ...others } = options;
    const socket = new WebSocket(url, protocols, others);
    const probe = new Probe(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return probe;
  }

  /** Sends a text as it is, and anything else as JSON. */
  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Waits until so many messages have come, and answers them all. */
  async hear(count: number): Promise<readonly unknown[]> {
    const late = `${count} messages were waited for, ${this.texts.length} had come`;
    await inTime(late, (resolve) => {
      this.#heard = () => {
        if (this.texts.length >= count) resolve();
      };
      this.#heard();
    });
    return this.texts.map((text) => JSON.parse(text));
  }

  /** All messages until the reply to a ping: replies to earlier messages come before it. */
  async settle(): Promise<readonly unknown[]> {
    const id = `settle ${this.texts.length}`;
    this.send({ type: 'ping', id });
    await inTime('a pong was waited for', (resolve) => {
      this.#heard = () => {
        if (this.texts.some((text) => text.includes(id))) resolve();
      };
      this.#heard();
    });
    const kept = this.texts.filter((text) => !text.includes('"type":"pong"'));
    return kept.map((text) => JSON.parse(text));
  }

  /** Sends a message and returns the replies. */
  async ask(message: unknown): Promise<readonly unknown[]> {
    const before = (await this.settle()).length;
    this.send(message);
    return (await this.settle()).slice(before);
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Topics of one socket of a scene. */
const TOPICS_PER_SOCKET = 64;

/** Topics that a scene may have in all. */
export const TOPICS_MAX = 2_000;

/** The WebSockets of a fake book, on a loopback port. */
export class SocketScene {
  readonly #probes: Probe[] = [];

  private constructor(
    readonly book: FakeBook,
    readonly sockets: SocketServer,
    readonly listener: Listener,
    readonly faults: unknown[],
    readonly feed: { everLive: boolean },
  ) {}

  static async start(options: Partial<SocketServerOptions> = {}): Promise<SocketScene> {
    const book = new FakeBook();
    const faults: unknown[] = [];
    const feed = { everLive: true };
    const onFault = (error: unknown): void => void faults.push(error);
    const sockets = new SocketServer({
      timers: systemTimers,
      book: book as BookSource,
      directory: book,
      readiness: () => ({ ...feed, state: 'live', reason: null, slot: 1 }),
      publishIntervalMs: 0,
      topicsPerSocket: TOPICS_PER_SOCKET,
      topicsPerIp: 500,
      topicsMax: TOPICS_MAX,
      socketsPerIp: 3,
      messagesPerSecond: 10_000,
      messageBurst: 1,
      // On a machine that is held up a frame would come in a later turn of the loop than its own.
      sliceMs: 60_000,
      messageSliceMs: 60_000,
      onFault,
      ...options,
    });
    const handler = () => ({ status: 404, headers: [], body: '{}' });
    const { addresses = new ClientAddresses() } = options;
    const listener = await listen({
      timers: systemTimers,
      findClient: (origin) => addresses.findClient(origin),
      host: '127.0.0.1',
      port: 0,
      handler,
      sockets: [sockets],
      onFault,
    });
    sockets.start(listener);
    return new SocketScene(book, sockets, listener, faults, feed);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.listener.port}`;
  }

  async open(path = '/ws', options: ProbeOptions = {}): Promise<Probe> {
    const probe = await Probe.open(`${this.url}${path}`, options);
    this.#probes.push(probe);
    return probe;
  }

  /** The book has changed, as the engine reports after a turn. */
  change(...markets: readonly number[]): void {
    this.book.current = { ...this.book.current, seq: this.book.current.seq + 1 };
    publishAll(this.sockets, changes({ dirty: markets }));
  }

  async closeProbes(): Promise<void> {
    for (const probe of this.#probes.splice(0)) await probe.close();
  }

  async stop(): Promise<void> {
    await this.closeProbes();
    await this.sockets.close();
    this.listener.close();
  }
}

function inTime(late: string, run: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), DEADLINE_MS);
    run(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
