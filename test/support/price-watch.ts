import { WebSocket } from 'ws';

/** When a frame was made and when it came, unix milliseconds with fractions. */
interface WatchedFrame {
  readonly sentMs: number;
  readonly receivedMs: number;
}

interface Message {
  readonly type: string;
  readonly bid?: readonly [string, string] | null;
  readonly sendNs?: string;
}

/** A client that notes the first frame with each best bid of a market. */
export class PriceWatch {
  /** By price. */
  readonly frames = new Map<string, WatchedFrame>();

  private constructor(private readonly socket: WebSocket) {}

  static async open(url: string, market: string): Promise<PriceWatch> {
    const socket = new WebSocket(url);
    const watch = new PriceWatch(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const first = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        if (watch.#note(JSON.parse(data.toString()) as Message) === 'snapshot') resolve();
      });
    });
    socket.send(JSON.stringify({ type: 'subscribe', id: 1, channel: 'bbo', market, timing: true }));
    await first;
    return watch;
  }

  close(): void {
    this.socket.terminate();
  }

  #note({ type, bid, sendNs }: Message): string {
    const receivedMs = performance.timeOrigin + performance.now();
    if (bid == null || sendNs === undefined || this.frames.has(bid[0])) return type;
    this.frames.set(bid[0], { sentMs: Number(sendNs) / 1e6, receivedMs });
    return type;
  }
}
