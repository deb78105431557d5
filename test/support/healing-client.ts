/** A follower of one topic over real sockets, which comes back when its connection is lost. */
import { WebSocket } from 'ws';
import { type Fault, ModelBook } from './model-book.js';
import { type Followed, StreamFollower, type StreamRequest } from './stream-follower.js';

const RECONNECT_MS = 20;

/** One topic, followed whatever happens. */
export class HealingClient {
  /** The number of faults by kind; a lost connection is `cut`. */
  readonly seen = new Map<Fault | 'cut', number>();
  /** Errors of the service. */
  readonly errors: string[] = [];
  readonly #follower = new StreamFollower();
  readonly #followed: Followed;
  #socket: WebSocket;
  #isClosed = false;

  constructor(
    private readonly url: string,
    request: StreamRequest,
  ) {
    this.#follower.onFault = (_, { fault }) => this.#note(fault);
    this.#followed = this.#follower.follow(request);
    this.#socket = this.#connect();
  }

  /** Whether the book can be used now. */
  get isFollowing(): boolean {
    return this.#followed.isFollowing;
  }

  get book(): ModelBook {
    return this.#followed.book ?? new ModelBook('book::0');
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.terminate();
  }

  #connect(): WebSocket {
    const socket = new WebSocket(this.url);
    socket.on('error', () => {});
    socket.on('open', () => this.#follower.connect((text) => socket.send(text)));
    socket.on('message', (data: Buffer) => {
      if (socket !== this.#socket) return;
      const message = this.#follower.take(data.toString());
      if (message.type === 'error') this.errors.push(JSON.stringify(message));
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

  #note(kind: Fault | 'cut'): void {
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1);
  }
}
