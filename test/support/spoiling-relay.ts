/** A relay to a service that changes messages, to test the clients' checks. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** Changes a relayed text. */
export interface Spoiling {
  /** The body of a request's response. */
  readonly body?: (path: string, body: string) => string;
  /** A message of the service on a WebSocket. */
  readonly message?: (message: string) => string;
}

/** Passes requests and WebSockets on. */
export class SpoilingRelay {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #served = new WeakSet<WebSocket>();

  private constructor(
    private readonly upstream: string,
    private readonly spoiling: Spoiling,
  ) {
    this.#server = createServer(async ({ url = '' }, reply) => {
      const response = await fetch(`${this.upstream}${url}`);
      const body = await response.text();
      reply.writeHead(response.status, { 'content-type': 'application/json' });
      reply.end(this.spoiling.body?.(url, body) ?? body);
    });
    this.#sockets = new WebSocketServer({ server: this.#server });
    this.#sockets.on('connection', (client, { url = '' }) => this.#relay(client, url));
  }

  static async start(upstream: string, spoiling: Spoiling): Promise<SpoilingRelay> {
    const relay = new SpoilingRelay(upstream, spoiling);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** WebSockets that have received something. */
  get clients(): number {
    return [...this.#sockets.clients].filter((client) => this.#served.has(client)).length;
  }

  cutAll(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  stop(): void {
    this.cutAll();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #relay(client: WebSocket, path: string): void {
    const service = new WebSocket(`${this.upstream.replace(/^http/, 'ws')}${path}`);
    const early: string[] = [];
    client.on('message', (data: Buffer) => {
      if (service.readyState === WebSocket.OPEN) service.send(data.toString());
      else early.push(data.toString());
    });
    service.on('open', () => {
      for (const message of early) service.send(message);
    });
    service.on('message', (data: Buffer) => {
      const message = data.toString();
      this.#served.add(client);
      client.send(this.spoiling.message?.(message) ?? message);
    });
    client.on('close', () => service.terminate());
    service.on('close', () => client.terminate());
    service.on('error', () => client.terminate());
  }
}
