import { setMaxListeners } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { BATCH_CALLS_MAX, joinBatch, splitBatch } from './batch.js';
import { RelaySession } from './relay-session.js';
import { contextSlot, isAccountNotification, withContextSlot } from './slot-correction.js';
import { SlotStream } from './slot-stream.js';

/** Tries for two adjacent free ports. */
const PORT_TRIES_MAX = 20;

/** The chain's addresses. */
interface Upstream {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/**
 * A proxy between clients and a local chain, on a fixed port that survives restarts of the chain.
 * It corrects the slot of account and program notifications, which Surfpool freezes at the slot of
 * the subscription; it delays acknowledgements until the subscription is active; and it degrades
 * the network on demand: cuts and lost notifications.
 *
 * A corrected slot is the newest that the relay knows: from its own slot subscription, from
 * `noteSlot`, and from responses. A slot that is too high is corrected by the next notification; a
 * slot that is too low would make a client drop the account as older than its snapshot.
 *
 * It does not interpret other JSON-RPC, and it keeps no subscriptions: a cut client subscribes
 * again.
 */
export class Relay {
  readonly #http: Server;
  /** The server on the next port, where clients expect the WebSocket of a node. */
  readonly #next: Server;
  readonly #ws = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sessions = new Set<RelaySession>();
  #upstream: Upstream;
  #slots: SlotStream;
  #downUntilMs = 0;
  #isDropped: (notification: Buffer) => boolean = () => false;

  private constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#slots = new SlotStream(upstream.wsUrl);
    this.#http = this.#createServer();
    this.#next = this.#createServer();
  }

  /**
   * Opens the relay on a loopback port and the next port, which both serve HTTP and WebSocket; 0
   * chooses free ports.
   */
  static async start(upstream: Upstream, { port = 0 }: { port?: number } = {}): Promise<Relay> {
    const relay = new Relay(upstream);
    try {
      await relay.#listen(port);
    } catch (error) {
      relay.#slots.close();
      throw error;
    }
    return relay;
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** The newest known slot of the chain; undefined before the first. */
  get latestSlot(): number | undefined {
    return this.#slots.latest;
  }

  /** Tells the relay a slot, earlier than its own subscription does. */
  noteSlot(slot: number): void {
    this.#slots.noteSlot(slot);
  }

  /** Breaks every connection, and for `downMs` every new connection. */
  cutSessions({ downMs = 0 }: { downMs?: number } = {}): void {
    this.#downUntilMs = performance.now() + downMs;
    for (const session of this.#sessions) session.cut();
    for (const server of [this.#http, this.#next]) server.closeAllConnections();
  }

  /** Drops the account and program notifications of which this returns true. */
  dropNotifications(isDropped: (notification: Buffer) => boolean): void {
    this.#isDropped = isDropped;
  }

  /** Switches to another chain, such as a restarted one, and breaks every connection. */
  retarget(upstream: Upstream): void {
    this.#slots.close();
    this.#upstream = upstream;
    this.#slots = new SlotStream(upstream.wsUrl);
    this.cutSessions();
  }

  /** Breaks every connection and releases the port. */
  async stop(): Promise<void> {
    this.#slots.close();
    const closed = Promise.all([closeServer(this.#http), closeServer(this.#next)]);
    this.cutSessions();
    this.#agent.destroy();
    await closed;
  }

  get #port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  #createServer(): Server {
    const server = createServer((incoming, outgoing) => {
      this.#onRequest(incoming, outgoing).catch(() => {
        // The chain or the client has gone, so the connection is broken as it would be without a
        // relay.
        outgoing.destroy();
      });
    });
    server.on('connection', (socket) => {
      if (performance.now() < this.#downUntilMs) socket.destroy();
    });
    server.on('upgrade', (incoming, socket, head) => {
      this.#ws.handleUpgrade(incoming, socket, head, (client) => this.#onClient(client));
    });
    return server;
  }

  async #listen(port: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await listenOn(this.#http, port);
      try {
        await listenOn(this.#next, this.#port + 1);
        return;
      } catch (error) {
        await closeServer(this.#http);
        if (port !== 0 || tries === PORT_TRIES_MAX) throw error;
      }
    }
  }

  #onClient(client: WebSocket): void {
    const session = new RelaySession(client, this.#upstream.wsUrl, {
      onDown: (message) => this.#onDown(message),
      onEnd: (ended) => this.#sessions.delete(ended),
    });
    this.#sessions.add(session);
  }

  #onDown(message: Buffer): Buffer | undefined {
    if (!isAccountNotification(message)) return message;
    if (this.#isDropped(message)) return undefined;
    const slot = this.#slots.latest;
    if (slot === undefined || contextSlot(message) === slot) return message;
    return withContextSlot(message, slot);
  }

  async #onRequest(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const left = new AbortController();
    setMaxListeners(BATCH_CALLS_MAX + 1, left.signal);
    outgoing.once('close', () => left.abort());
    const body = await buffer(incoming);
    const calls = splitBatch(body);
    if (calls === undefined) {
      const response = await this.#forward(incoming, body, left.signal);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.once('data', (head: Buffer) => this.#noteSlotOf(head));
      response.on('error', () => outgoing.destroy());
      response.pipe(outgoing);
      return;
    }
    const responses = calls.map(async (call) => {
      const response = await buffer(await this.#forward(incoming, call, left.signal));
      this.#noteSlotOf(response);
      return response;
    });
    const joined = joinBatch(await Promise.all(responses));
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.end(joined);
  }

  /** Sends one call to the chain. */
  #forward(
    { method = 'POST', url = '/', headers }: IncomingMessage,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { 'transfer-encoding': _, ...others } = headers;
    const { host } = new URL(this.#upstream.rpcUrl);
    return new Promise((resolve, reject) => {
      const forwarded = request(this.#upstream.rpcUrl, {
        agent: this.#agent,
        method,
        path: url,
        signal,
        headers: { ...others, host, 'content-length': body.length },
      });
      forwarded.on('response', resolve);
      forwarded.on('error', reject);
      forwarded.end(body);
    });
  }

  #noteSlotOf(head: Buffer): void {
    const slot = contextSlot(head);
    if (slot !== undefined) this.#slots.noteSlot(slot);
  }
}

async function listenOn(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
