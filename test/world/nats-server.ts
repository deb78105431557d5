/**
 * Stands in for a NATS server with JetStream: its protocol over the streams of a world, its store in memory. What it
 * does is what a real one does in `test/support/log-contract.ts`.
 */
import { currentMachine } from '../simulation/globals.js';
import type { PlannedEvent } from '../simulation/virtual-time.js';
import { JetStream } from './nats-jetstream.js';
import { headersOf, isOfSubject, type NatsMessage } from './nats-protocol.js';
import { Server, type Socket } from './net.js';

export const natsMissing = undefined;

interface Subscription {
  readonly subject: string;
  readonly id: string;
  /** Messages that it takes before it ends. */
  left: number;
}

interface ConnectOptions {
  readonly user?: string;
  readonly pass?: string;
  readonly echo?: boolean;
}

/** A server on a port of its own. */
export class NatsServer {
  readonly #jetStream: JetStream;
  readonly #denied: readonly string[];
  readonly #clients = new Set<Client>();
  /** What waits for a server that stands still. */
  readonly #late: (() => void)[] = [];
  #listener = new Server();
  #isPaused = false;
  port = 0;

  private constructor(denied: readonly string[]) {
    this.#denied = denied;
    this.#jetStream = new JetStream({
      publish: (message, to) => void this.#deliver(message, null, to),
      hasInterest: (subject) => [...this.#clients].some((client) => client.wants(subject)),
      after: (delayMs, run) => this.#after(delayMs, run),
    });
  }

  static async start(denied: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer(denied);
    await server.startAgain();
    return server;
  }

  get url(): string {
    return this.urlOf('slotbook', 'secret');
  }

  urlOf(user: string, password: string): string {
    return `nats://${user}:${password}@127.0.0.1:${this.port}`;
  }

  /** Starts it on its port with what it has stored, after a kill. */
  async startAgain(): Promise<void> {
    this.#listener = new Server((socket: Socket) => this.#whenRunning(() => this.#accept(socket)));
    await new Promise<void>((resolve) => this.#listener.listen(this.port, '127.0.0.1', resolve));
    this.port = this.#listener.address()?.port ?? 0;
  }

  /** Ends it as a power cut ends it: consumers of memory are gone. */
  async kill(): Promise<void> {
    this.#listener.close();
    this.#listener.closeAllConnections();
    this.#clients.clear();
    this.#jetStream.forgetConsumers();
  }

  /** Connections stay, and nothing is answered. */
  async pause(): Promise<void> {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const run of this.#late.splice(0)) run();
  }

  async stop(): Promise<void> {
    this.resume();
    await this.kill();
  }

  #whenRunning(run: () => void): void {
    if (this.#isPaused) this.#late.push(run);
    else run();
  }

  #after(delayMs: number, run: () => void): PlannedEvent {
    return currentMachine().time.plan(delayMs, () => this.#whenRunning(run));
  }

  #accept(socket: Socket): void {
    const client = new Client(socket, this.#denied, {
      onData: (read) => this.#whenRunning(read),
      onMessage: (message) => this.#takeMessage(message, client),
      onSubscribed: () => this.#jetStream.deliverAll(),
      onEnd: () => void this.#clients.delete(client),
    });
    this.#clients.add(client);
  }

  #takeMessage(message: NatsMessage, from: Client): void {
    const isTaken = this.#deliver(message, from) || this.#jetStream.takeMessage(message);
    if (isTaken || message.reply === '') return;
    const none = { reply: '', headers: headersOf('503'), data: Buffer.alloc(0) };
    from.deliver({ subject: message.reply, ...none });
  }

  /** Whether anybody got it who listens to its subject, or to another one. */
  #deliver(message: NatsMessage, from: Client | null, to = message.subject): boolean {
    let count = 0;
    for (const client of [...this.#clients]) {
      if (client !== from || client.hasEcho) count += client.deliver(message, to);
    }
    return count > 0;
  }
}

interface ClientParts {
  /** Something has come that is to be read. */
  onData(read: () => void): void;
  onMessage(message: NatsMessage): void;
  onSubscribed(): void;
  onEnd(): void;
}

const INFO = {
  ...{ server_id: 'WORLD', server_name: 'world', version: '2.9.10', proto: 1, headers: true },
  ...{ host: '127.0.0.1', max_payload: 1_048_576, jetstream: true, auth_required: true },
};
const LINE_END = '\r\n';

/** One connection. */
class Client {
  readonly #socket: Socket;
  readonly #denied: readonly string[];
  readonly #parts: ClientParts;
  readonly #subscriptions = new Map<string, Subscription>();
  #unread: Buffer = Buffer.alloc(0);
  hasEcho = true;

  constructor(socket: Socket, denied: readonly string[], parts: ClientParts) {
    this.#socket = socket;
    this.#denied = denied;
    this.#parts = parts;
    socket.on('error', () => undefined);
    socket.on('close', () => parts.onEnd());
    socket.on('data', (chunk: Buffer) => parts.onData(() => this.#read(chunk)));
    this.#send(`INFO ${JSON.stringify(INFO)}`);
  }

  wants(subject: string): boolean {
    return [...this.#subscriptions.values()].some((one) => isOfSubject(subject, one.subject));
  }

  /** Returns how many subscriptions got it. */
  deliver({ subject, reply, headers, data }: NatsMessage, to = subject): number {
    let count = 0;
    for (const one of [...this.#subscriptions.values()]) {
      if (!isOfSubject(to, one.subject)) continue;
      count += 1;
      one.left -= 1;
      if (one.left === 0) this.#subscriptions.delete(one.id);
      const names = `${subject} ${one.id}${reply === '' ? '' : ` ${reply}`}`;
      const length = (headers?.length ?? 0) + data.length;
      const line =
        headers === null ? `MSG ${names} ${length}` : `HMSG ${names} ${headers.length} ${length}`;
      this.#send(line, Buffer.concat([headers ?? Buffer.alloc(0), data]));
    }
    return count;
  }

  #send(line: string, payload?: Buffer): void {
    if (this.#socket.destroyed) return;
    const parts: Buffer[] = [Buffer.from(line + LINE_END)];
    if (payload !== undefined) parts.push(payload, Buffer.from(LINE_END));
    this.#socket.write(Buffer.concat(parts));
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const end = this.#unread.indexOf(LINE_END);
      if (end < 0) return;
      const [verb = '', ...words] = this.#unread.subarray(0, end).toString().split(' ');
      const from = end + LINE_END.length;
      const size = /^H?PUB$/i.test(verb) ? Number(words.at(-1)) + LINE_END.length : 0;
      if (this.#unread.length < from + size) return;
      const payload = this.#unread.subarray(from, from + size - LINE_END.length);
      this.#unread = this.#unread.subarray(from + size);
      this.#handle(verb.toUpperCase(), words, payload);
    }
  }

  #handle(verb: string, words: readonly string[], payload: Buffer): void {
    const [first = '', second = ''] = words;
    if (verb === 'PING') this.#send('PONG');
    else if (verb === 'CONNECT') this.#connect(JSON.parse(words.join(' ')) as ConnectOptions);
    else if (verb === 'SUB') this.#subscribe(first, words.at(-1) ?? '');
    else if (verb === 'UNSUB') this.#unsubscribe(first, second);
    else if (verb === 'PUB') {
      const reply = words.length > 2 ? second : '';
      this.#parts.onMessage({ subject: first, reply, headers: null, data: payload });
    } else if (verb === 'HPUB') {
      const reply = words.length > 3 ? second : '';
      const length = Number(words.at(-2));
      const [headers, data] = [payload.subarray(0, length), payload.subarray(length)];
      this.#parts.onMessage({ subject: first, reply, headers, data });
    }
  }

  #connect({ user, pass, echo = true }: ConnectOptions): void {
    this.hasEcho = echo;
    if (user === 'slotbook' && pass === 'secret') return;
    this.#send("-ERR 'Authorization Violation'");
    this.#socket.end();
  }

  #subscribe(subject: string, id: string): void {
    if (this.#denied.includes(subject)) {
      this.#send(`-ERR 'Permissions Violation for Subscription to "${subject}"'`);
      return;
    }
    this.#subscriptions.set(id, { subject, id, left: Number.POSITIVE_INFINITY });
    this.#parts.onSubscribed();
  }

  #unsubscribe(id: string, max: string): void {
    const one = this.#subscriptions.get(id);
    if (one === undefined) return;
    if (max === '') this.#subscriptions.delete(id);
    else one.left = Number(max);
  }
}
