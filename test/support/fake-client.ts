import { LIMITS } from '../../src/config/limits.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { SocketServer, type SocketServerOptions } from '../../src/server/sockets/socket-server.js';
import { FakeBook } from '../../src/server/testing/running-server.js';
import type { ClientSocket, SocketSession } from '../../src/server/transport/client-socket.js';

/** A client's socket without a network. It records messages and can hold them back. */
export class FakeClient implements ClientSocket {
  readonly sent: string[] = [];
  readonly topics = new Set<string>();
  session: SocketSession | undefined;
  /** Bytes that wait for the client. */
  buffered = 0;
  /** Whether the transport drops messages. */
  isFull = false;
  closedWith: number | undefined;

  constructor(readonly ip: string) {}

  /** The messages since the last call. */
  taken(): readonly Record<string, unknown>[] {
    return this.sent.splice(0).map((text) => JSON.parse(text) as Record<string, unknown>);
  }

  say(message: object): void {
    this.session?.onMessage(JSON.stringify(message));
  }

  /** Sends a message and returns the replies. */
  ask(message: object): readonly Record<string, unknown>[] {
    this.taken();
    this.say(message);
    return this.taken();
  }

  /** It reads nothing any more. */
  fill(): void {
    this.isFull = true;
    this.buffered = LIMITS.socketBufferBytesMax + 1;
  }

  /** It has read all but so many bytes. */
  drainTo(bytes: number): void {
    this.isFull = false;
    this.buffered = bytes;
    this.session?.onDrain();
  }

  send(text: string | Uint8Array): boolean {
    if (this.isFull) {
      this.session?.onDropped();
      return false;
    }
    this.sent.push(text.toString());
    return true;
  }

  sendTogether(run: () => void): void {
    run();
  }

  joinTopic(topic: string): void {
    this.topics.add(topic);
  }

  leaveTopic(topic: string): void {
    this.topics.delete(topic);
  }

  close(code: number): void {
    this.closedWith = code;
    this.session?.onClose('server');
  }

  terminate(): void {
    this.close(1006);
  }

  bufferedBytes(): number {
    return this.buffered;
  }
}

/** The WebSockets of a fake book, of which each address may have two sockets and five topics. */
export function newServer({
  book = new FakeBook(),
  ...options
}: Partial<Omit<SocketServerOptions, 'book' | 'directory'>> & {
  readonly book?: FakeBook;
} = {}): SocketServer {
  return new SocketServer({
    timers: systemTimers,
    book,
    directory: book,
    readiness: () => ({ everLive: true, state: 'live', reason: null, slot: 1 }),
    publishIntervalMs: 50,
    ...{ topicsPerSocket: 64, topicsMax: 2_000, messageBurst: 1 },
    topicsPerIp: 5,
    socketsPerIp: 2,
    messagesPerSecond: 50,
    // Handles messages immediately, even on a busy machine.
    messageSliceMs: 60_000,
    onFault: (error) => {
      throw error;
    },
    ...options,
  });
}

const clientsOf = new WeakMap<SocketServer, FakeClient[]>();

/** Connects a client to the server. */
export function openOn(server: SocketServer, ip = '203.0.113.7'): FakeClient {
  const client = new FakeClient(ip);
  clientsOf.set(server, [...(clientsOf.get(server) ?? []), client]);
  client.session = server.openSession(client);
  client.session.onOpen?.();
  return client;
}

/** Publishes topics to the clients of a server, without the heartbeat of the compatible channels. */
export function startOn(server: SocketServer): void {
  const publish = (topic: string, bytes: string | Uint8Array): void => {
    if (topic.startsWith('heartbeat ')) return;
    for (const client of clientsOf.get(server) ?? [])
      if (client.topics.has(topic)) client.send(bytes);
  };
  server.start({ publish });
}
