/** A scripted service, which can send messages that the real service never sends. */
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A client's message. */
export interface Subscription {
  readonly id: number;
  readonly resume?: { readonly epoch: string; readonly seq: number };
  readonly [member: string]: unknown;
}

/** Answers the n-th subscription, counted from 0 over all connections. */
export type Script = (count: number, subscription: Subscription, client: WebSocket) => void;

/** The service, on a loopback port. */
export class ScriptedStream {
  readonly subscriptions: Subscription[] = [];
  connections = 0;

  private constructor(
    private readonly server: WebSocketServer,
    script: Script,
  ) {
    server.on('connection', (client) => {
      this.connections += 1;
      client.on('error', () => {});
      client.on('message', (data: Buffer) => {
        const subscription = JSON.parse(data.toString()) as Subscription;
        this.subscriptions.push(subscription);
        script(this.subscriptions.length - 1, subscription, client);
      });
    });
  }

  static async start(script: Script): Promise<ScriptedStream> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => server.once('listening', resolve));
    return new ScriptedStream(server, script);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends a frame on every connection. */
  sendToAll(frame: string): void {
    for (const client of this.server.clients) client.send(frame);
  }

  async stop(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Acknowledges a subscription and then sends the frames of a recorded stream. */
export function answer(client: WebSocket, { id }: Subscription, frames: readonly string[]): void {
  if (client.readyState !== WebSocket.OPEN) return;
  const [first = '{}'] = frames;
  client.send(JSON.stringify({ type: 'subscribed', id, topic: JSON.parse(first).topic }));
  for (const frame of frames) client.send(frame);
}
