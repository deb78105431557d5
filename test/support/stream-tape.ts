/** The frames of one topic as the service sends them, in the order of their coming, as text. */
import { WebSocket } from 'ws';
import type { ResumePoint } from '../../src/client/stream/followed-book.js';

const DEADLINE_MS = 60_000;

/** A socket that records frames. Heartbeats depend on the clock and are recorded on request. */
export class StreamTape {
  readonly frames: string[] = [];
  readonly heartbeats: string[] = [];
  readonly #wanted = new Map<string, () => void>();
  #pings = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.#take(data.toString()));
  }

  static async open(url: string, request: object, resume?: ResumePoint): Promise<StreamTape> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const tape = new StreamTape(socket);
    socket.send(JSON.stringify({ type: 'subscribe', ...request, resume }));
    await tape.settle();
    return tape;
  }

  /** Waits until all that was published has come. */
  async settle(): Promise<void> {
    this.#pings += 1;
    const id = `ping ${this.#pings}`;
    const answered = this.#waitFor(id);
    this.socket.send(JSON.stringify({ type: 'ping', id }));
    await answered;
  }

  /** Waits for the next heartbeat. */
  async heartbeat(): Promise<string> {
    await this.#waitFor('heartbeat');
    return this.heartbeats.at(-1) ?? '';
  }

  close(): void {
    this.socket.terminate();
  }

  #waitFor(what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${what}`)), DEADLINE_MS);
      this.#wanted.set(what, () => resolve(clearTimeout(late)));
    });
  }

  #take(text: string): void {
    const { type, id } = JSON.parse(text) as { type: string; id?: string };
    if (type === 'snapshot' || type === 'delta') this.frames.push(text);
    if (type === 'heartbeat') this.heartbeats.push(text);
    if (type === 'error') throw new Error(text);
    this.#wanted.get(type === 'pong' ? String(id) : type)?.();
  }
}
