/** A client as it should be: it follows one topic, sees what is wrong, and asks anew. */
import { WebSocket } from 'ws';
import { type Fault, type Frame, ModelBook, ModelFault } from './model-book.js';

const RECONNECT_MS = 20;

/** These are seen before the book is touched: it can go on from where it is. */
const LEAVE_BOOK_WHOLE: readonly Fault[] = ['gap', 'epoch'];

/** One topic, followed whatever happens. */
export class HealingClient {
  /** What it saw, by kind; a lost connection is `cut`. */
  readonly seen = new Map<Fault | 'cut', number>();
  /** Errors of the service. */
  readonly errors: string[] = [];
  book = new ModelBook('book::0');
  deltas = 0;
  #socket: WebSocket;
  #id = 0;
  /** Until this request is acknowledged, frames are of the time before it. */
  #awaited: number | undefined;
  /** Whether the book is as it was at its seq. */
  #isWhole = false;
  #topic = '';
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly wish: object,
  ) {
    this.#socket = this.#connect();
  }

  /** Whether the book can be used now. */
  get isFollowing(): boolean {
    return this.#awaited === undefined && this.#isWhole;
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.terminate();
  }

  #connect(): WebSocket {
    const socket = new WebSocket(this.url);
    socket.on('error', () => {});
    socket.on('open', () => this.#subscribe());
    socket.on('message', (data: Buffer) => {
      if (socket === this.#socket) this.#take(JSON.parse(data.toString()));
    });
    socket.on('close', () => {
      if (this.#isClosed) return;
      this.#note('cut');
      setTimeout(() => {
        if (!this.#isClosed) this.#socket = this.#connect();
      }, RECONNECT_MS);
    });
    return socket;
  }

  #subscribe(): void {
    this.#id += 1;
    this.#awaited = this.#id;
    const { epoch, seq } = this.book;
    const resume = this.#isWhole ? { resume: { epoch, seq } } : {};
    this.#socket.send(JSON.stringify({ type: 'subscribe', id: this.#id, ...this.wish, ...resume }));
  }

  #take(message: Frame | { type: 'subscribed' | 'error'; id?: number; topic: string }): void {
    switch (message.type) {
      case 'subscribed':
        if (message.id !== this.#awaited) return;
        this.#awaited = undefined;
        this.#topic = message.topic;
        break;
      case 'snapshot':
      case 'delta':
      case 'heartbeat':
        if (this.#awaited === undefined) this.#apply(message);
        break;
      default:
        this.errors.push(JSON.stringify(message));
    }
  }

  #apply(frame: Frame): void {
    if (frame.type === 'snapshot') this.book = new ModelBook(this.#topic);
    try {
      this.book.apply(frame);
      this.#isWhole = true;
      if (frame.type === 'delta') this.deltas += 1;
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      this.#note(error.fault);
      this.#isWhole &&= LEAVE_BOOK_WHOLE.includes(error.fault);
      this.#subscribe();
    }
  }

  #note(kind: Fault | 'cut'): void {
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1);
  }
}
