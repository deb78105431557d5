/** A world for clients of the library: a clock that is turned by hand, and sockets that a test speaks on. */
import type { Clock, SocketLike } from '../../src/client/environment.js';

const START_UNIX_MS = 1_750_000_000_000;
/** How often the other end of a living socket says something. */
const ALIVE_MS = 5_000;

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

/** Time that passes when a test says so. */
export class ManualClock implements Clock {
  /** The result of the random generator. */
  chance = 0.5;
  /** Every wait that was begun. */
  readonly waits: number[] = [];
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  unixMs(): number {
    return START_UNIX_MS + this.#nowMs;
  }

  random(): number {
    return this.chance;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, call };
    this.waits.push(ms);
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Lets time pass; promises that a timer settles are seen to before the next timer. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs);
      const next = due.sort((one, other) => one.atMs - other.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.call();
    }
    this.#nowMs = endMs;
    await settle();
  }
}

/** Lets everything happen that is only waiting for its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

type SocketEvent = 'open' | 'message' | 'close' | 'error';

/** A socket whose server is the test. */
export class FakeSocket implements SocketLike {
  readonly sent: Record<string, unknown>[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, ((event: { readonly data: unknown }) => void)[]>();

  constructor(readonly url: string) {}

  addEventListener(type: SocketEvent, call: (event: { readonly data: unknown }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), call]);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.#tell('open');
  }

  /** The service says something. */
  say(...messages: readonly (object | string)[]): void {
    for (const message of messages) {
      this.#tell('message', typeof message === 'string' ? message : JSON.stringify(message));
    }
  }

  /** Sends a binary message, in the form of the socket class. */
  sayBytes(data: object): void {
    this.#tell('message', data);
  }

  /** The connection is lost. */
  lose(): void {
    this.isClosed = true;
    this.#tell('close');
  }

  #tell(type: SocketEvent, data?: unknown): void {
    for (const call of this.#listeners.get(type) ?? []) call({ data });
  }
}

/** A clock and sockets. */
export class ClientWorld {
  readonly clock = new ManualClock();
  readonly sockets: FakeSocket[] = [];
  /** Tests use JSON, without which the client loads its binary reader before it subscribes. */
  readonly encoding = 'json';
  readonly WebSocket: new (
    url: string,
  ) => SocketLike;

  constructor() {
    const { sockets } = this;
    this.WebSocket = class extends FakeSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    };
  }

  /** Lets time pass on an open socket with a responsive server. */
  async passAlive(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= ALIVE_MS) {
      await this.clock.pass(Math.min(left, ALIVE_MS));
      this.socket.say({ type: 'pong', id: 'alive', ts: 1 });
    }
  }

  /** Lets time pass until the client tries to connect, and lets it. */
  async reconnect(): Promise<void> {
    while (this.socket.isClosed) await this.clock.pass(50);
    this.socket.open();
  }

  /** The newest socket. */
  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('nothing has connected yet');
    return socket;
  }
}
