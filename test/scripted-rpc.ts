import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { until } from './support/until.js';

/** What the server does with one HTTP request. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly text: string; readonly chunkBytes?: number }
  | 'hang'
  | 'destroy';

/** What the server does with one subscribe; `early` results are sent before the acknowledgement. */
type SubscribeReply =
  | 'ack'
  | 'silent'
  | { readonly early: readonly unknown[] }
  | { readonly error: { readonly code: number; readonly message: string } };

/** A request as it came in. */
interface SeenRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly authorization: string | undefined;
  readonly path: string;
}

/** A subscription that was acknowledged. */
export interface SeenSubscription {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly socket: WebSocket;
}

type Answer = (params: readonly unknown[], id: number) => Reply | Promise<Reply>;

/**
 * A Solana RPC server, HTTP and WebSocket on one loopback port, that does what a test tells it: it
 * plays what a real chain cannot be made to do.
 */
export class ScriptedRpc {
  readonly requests: SeenRequest[] = [];
  readonly subscriptions: SeenSubscription[] = [];
  /** Decides each subscribe. */
  onSubscribe: (method: string, params: readonly unknown[]) => SubscribeReply = () => 'ack';
  /** Non-zero: an upgrade is refused with this status, and with Retry-After where it is set. */
  refuseUpgradeWith = 0;
  retryAfter: string | null = null;
  /** A server that does not answer pings looks like a half-open connection. */
  autoPong = true;
  upgrades = 0;
  pings = 0;
  readonly #answers = new Map<string, Answer>();
  readonly #http: Server;
  readonly #ws: WebSocketServer;
  readonly #connections = new Set<Socket>();
  #port = 0;
  /** Ids begin again with each connection, as they do on a restarted server. */
  #nextSubscription = 0;

  private constructor() {
    this.#http = createServer((request, response) => {
      this.#onRequest(request, response).catch(() => response.destroy());
    });
    this.#ws = new WebSocketServer({ noServer: true, autoPong: false });
    this.#http.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.on('close', () => this.#connections.delete(socket));
    });
    this.#http.on('upgrade', (request, socket, head) => {
      this.upgrades += 1;
      if (this.refuseUpgradeWith !== 0) {
        // The client may cut the connection as soon as it has read the status.
        socket.on('error', () => socket.destroy());
        const later = this.retryAfter === null ? '' : `Retry-After: ${this.retryAfter}\r\n`;
        socket.end(`HTTP/1.1 ${this.refuseUpgradeWith} No\r\n${later}Content-Length: 0\r\n\r\n`);
        return;
      }
      this.#ws.handleUpgrade(request, socket, head, (client) => this.#onClient(client));
    });
  }

  /** Starts on a free port, or on one that it had before: until that is free again, it tries. */
  static async start(port = 0): Promise<ScriptedRpc> {
    const server = new ScriptedRpc();
    await until(`port ${port} is free`, () => server.#listen(port));
    server.#port = (server.#http.address() as AddressInfo).port;
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get rpcUrl(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}/`;
  }

  /** How this method is answered now; undefined for an error. */
  findAnswer(method: string): Answer | undefined {
    return this.#answers.get(method);
  }

  /** From now on answers this method so. */
  answer(method: string, answer: Answer): void {
    this.#answers.set(method, answer);
  }

  /** Answers this method with these replies, one after the other; the last one stays. */
  answerInTurn(method: string, replies: readonly Reply[]): void {
    let next = 0;
    this.answer(method, () => {
      const reply = replies[Math.min(next, replies.length - 1)] ?? 'hang';
      next += 1;
      return reply;
    });
  }

  /** How often a method was called. */
  count(method: string): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  /** Sends a notification to each subscription that the test picks. */
  notify(picks: (subscription: SeenSubscription) => boolean, result: unknown): number {
    const picked = this.subscriptions.filter(picks);
    for (const subscription of picked) send(subscription, result);
    return picked.length;
  }

  /** Sends a text as it is to every client. */
  sendText(text: string): void {
    for (const client of this.#ws.clients) client.send(text);
  }

  /** Ends every WebSocket without a closing handshake. */
  cut(): void {
    this.subscriptions.length = 0;
    for (const client of this.#ws.clients) client.terminate();
  }

  async stop(): Promise<void> {
    this.cut();
    for (const socket of this.#connections) socket.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Returns false when another socket has the port. */
  #listen(port: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        if (error.code === 'EADDRINUSE') resolve(false);
        else reject(error);
      };
      this.#http.once('error', fail);
      this.#http.listen(port, '127.0.0.1', () => {
        this.#http.off('error', fail);
        resolve(true);
      });
    });
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params: unknown[];
    };
    const { authorization } = request.headers;
    this.requests.push({ method, params, authorization, path: request.url ?? '' });
    const unknown = { error: { code: -32601, message: `no answer for ${method}` } };
    this.#write(response, id, (await this.#answers.get(method)?.(params, id)) ?? unknown);
  }

  #write(response: ServerResponse, id: number, reply: Reply): void {
    if (reply === 'hang') return;
    if (reply === 'destroy') {
      response.destroy();
    } else if ('status' in reply) {
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    } else if ('text' in reply) {
      writeInChunks(response, reply).catch(() => response.destroy());
    } else {
      response.end(JSON.stringify({ jsonrpc: '2.0', ...reply, id }));
    }
  }

  #onClient(client: WebSocket): void {
    this.#nextSubscription = 0;
    client.on('ping', () => {
      this.pings += 1;
      if (this.autoPong) client.pong();
    });
    client.on('error', () => client.terminate());
    client.on('close', () => {
      const left = this.subscriptions.filter(({ socket }) => socket !== client);
      this.subscriptions.splice(0, this.subscriptions.length, ...left);
    });
    client.on('message', (data) => {
      const message = JSON.parse(data.toString()) as {
        id: number;
        method: string;
        params: unknown[];
      };
      this.#onMessage(client, message);
    });
  }

  #onMessage(
    client: WebSocket,
    { id: requestId, method, params = [] }: { id: number; method: string; params?: unknown[] },
  ): void {
    const reply = (body: object): void => {
      client.send(JSON.stringify({ jsonrpc: '2.0', ...body, id: requestId }));
    };
    if (method.endsWith('Unsubscribe')) {
      const at = this.subscriptions.findIndex((one) => one.id === params[0]);
      if (at >= 0) this.subscriptions.splice(at, 1);
      reply({ result: true });
      return;
    }
    const decision = this.onSubscribe(method, params);
    if (decision === 'silent') return;
    if (decision !== 'ack' && 'error' in decision) {
      reply(decision);
      return;
    }
    const id = this.#nextSubscription;
    const subscription = { id, method, params, socket: client };
    this.#nextSubscription += 1;
    if (decision !== 'ack') for (const result of decision.early) send(subscription, result);
    this.subscriptions.push(subscription);
    reply({ result: subscription.id });
  }
}

/** Sends a notification to one subscription. */
export function send({ socket, method, id }: SeenSubscription, result: unknown): void {
  const name = method.replace('Subscribe', 'Notification');
  const params = { result, subscription: id };
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: name, params }));
}

/** Each chunk is a packet of its own, and the loop turns between two of them. */
async function writeInChunks(
  response: ServerResponse,
  { text, chunkBytes = text.length }: { readonly text: string; readonly chunkBytes?: number },
): Promise<void> {
  const body = Buffer.from(text);
  for (let at = 0; at < body.length && !response.destroyed; at += chunkBytes) {
    response.write(body.subarray(at, at + chunkBytes));
    if (at + chunkBytes < body.length) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
