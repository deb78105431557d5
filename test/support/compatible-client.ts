import { WebSocket } from 'ws';
import { until } from './until.js';

const DEADLINE_MS = 60_000;

/** A level of a body, as the specification writes it. */
interface Level {
  readonly price: string;
  readonly size: string;
  readonly sources: Readonly<Record<string, string>>;
}

/** The members of an /l2 body that tests read. */
export interface SceneBook {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly seq: number;
  readonly slot: number;
  readonly [member: string]: unknown;
}

/** One refreshed book as it came: the name of its channel, the book of its text, and when. */
interface ChannelFrame {
  readonly channel: string;
  readonly book: SceneBook;
  readonly atMs: number;
}

/** An error message of the socket; errors of subscriptions have a channel and a text. */
interface ChannelError {
  readonly channel?: string;
  readonly error?: string;
  readonly code: string;
  readonly message: string;
}

/** The members of a subscription besides type and channel. */
interface Wish {
  readonly market: string;
  readonly marketType?: string;
  readonly grouping?: unknown;
  readonly [member: string]: unknown;
}

/**
 * A subscriber of the compatible channels that records its messages, in order. Books are parsed
 * twice, like existing clients do.
 */
export class CompatibleClient {
  readonly frames: ChannelFrame[] = [];
  readonly acks: string[] = [];
  readonly errors: ChannelError[] = [];
  readonly heartbeatsMs: number[] = [];
  /** Messages of no kind that the interface names. */
  readonly strange: string[] = [];
  /** Settles when the socket has closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary) => this.#hear(data.toString(), isBinary));
  }

  static async open(url: string): Promise<CompatibleClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new CompatibleClient(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return client;
  }

  /** Subscribes to an orderbook channel, and waits for the acknowledgement and a first book. */
  async subscribe(request: Wish): Promise<SceneBook> {
    const [acks, frames] = [this.acks.length, this.frames.length];
    this.send({ type: 'subscribe', channel: 'orderbook', marketType: 'perp', ...request });
    await until(() => this.acks.length > acks && this.frames.length > frames);
    return this.frames[frames]?.book as SceneBook;
  }

  /** Sends a message as JSON text. */
  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** The first frame from `from` on for which something holds; fails after a deadline. */
  async frame(
    holds: (book: SceneBook) => boolean,
    options: {
      readonly from?: number;
      readonly channel?: string;
      readonly deadlineMs?: number;
    } = {},
  ): Promise<ChannelFrame> {
    const { from = 0, channel, deadlineMs = DEADLINE_MS } = options;
    let found: ChannelFrame | undefined;
    await until(() => {
      const heard = this.frames.slice(from);
      found = heard.find((one) => (channel ?? one.channel) === one.channel && holds(one.book));
      return found !== undefined;
    }, deadlineMs);
    return found as ChannelFrame;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  #hear(text: string, isBinary: boolean): void {
    const atMs = performance.now();
    const message: unknown = JSON.parse(text);
    if (isBinary || typeof message !== 'object' || message === null) this.strange.push(text);
    else if ('code' in message) this.errors.push(message as ChannelError);
    else if ('message' in message) this.acks.push(String(message.message));
    else if (!('channel' in message)) this.strange.push(text);
    else if (message.channel === 'heartbeat') this.heartbeatsMs.push(atMs);
    else if ('data' in message && typeof message.data === 'string') {
      this.frames.push({
        channel: String(message.channel),
        book: JSON.parse(message.data),
        atMs,
      });
    } else this.strange.push(text);
  }
}
