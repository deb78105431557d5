import { WebSocket } from 'ws';

/** The topics of readers, in turn: many readers share a topic. */
const WISHES = [
  { channel: 'book', depth: 50 },
  { channel: 'book', depth: 20 },
  { channel: 'book', depth: 100, grouping: 10 },
  { channel: 'bbo' },
  { channel: 'l3', depth: 50 },
];
const MARKETS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP'];

/** One of this many readers resumes. */
const RESUMES_EACH = 4;

/** A reader that comes, goes, and comes again; of frames it looks at where they stand only. */
export class Returner {
  #socket: WebSocket | undefined;
  #last: { readonly epoch: string; readonly seq: number } | undefined;

  constructor(
    private readonly url: string,
    private readonly number: number,
  ) {}

  /** Connects and subscribes; answers how many milliseconds it took until it was in step. */
  async come(msMax: number): Promise<number> {
    const startMs = performance.now();
    const socket = new WebSocket(this.url, { perMessageDeflate: false });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`nothing within ${msMax} ms`)), msMax);
      socket.on('error', reject);
      socket.on('close', () => clearTimeout(late));
      socket.on('open', () => socket.send(JSON.stringify(this.#request())));
      socket.on('message', (data: Buffer) => {
        if (!this.#hear(data)) return;
        clearTimeout(late);
        resolve();
      });
    });
    return performance.now() - startMs;
  }

  /** Leaves without a word. */
  leave(): void {
    this.#socket?.removeAllListeners('error').on('error', () => {});
    this.#socket?.terminate();
  }

  /** Whether it is in step with this message. */
  #hear(data: Buffer): boolean {
    const head = data.toString('latin1', 0, 400);
    if (head.startsWith('{"type":"error"')) throw new Error(head);
    const stands = /"epoch":"([^"]+)",(?:"prev":\d+,)?"seq":(\d+)/.exec(head);
    if (stands === null) return false;
    this.#last = { epoch: stands[1] ?? '', seq: Number(stands[2]) };
    return true;
  }

  #request(): object {
    const { number } = this;
    const request = WISHES[number % WISHES.length];
    const market = MARKETS[number % MARKETS.length];
    const resumes = this.#last !== undefined && number % RESUMES_EACH === 0;
    const resume = resumes ? { resume: this.#last } : {};
    return { type: 'subscribe', id: number, market, ...request, ...resume };
  }
}
