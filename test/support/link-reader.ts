import { WebSocket } from 'ws';

/** The members that link a frame to the one before are in the first bytes; rows follow. */
const HEAD_BYTES = 400;
const LINK =
  /^\{"type":"(snapshot|delta|heartbeat)".*?"topic":"([^"]+)".*?"epoch":"([^"]+)",(?:"prev":(\d+),)?"seq":(\d+)/;

/**
 * A reader of streams that looks only at how frames link, which is cheap enough for a crowd: a hole
 * in any topic is in its list.
 */
export class LinkReader {
  /** Frames that do not continue the frame before, with the topic. */
  readonly holes: string[] = [];
  readonly closed: Promise<number>;
  frames = 0;
  /** Snapshots with `reset`. */
  resets = 0;
  readonly #stands = new Map<string, string>();

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => this.#hear(data.toString('latin1', 0, HEAD_BYTES)));
  }

  /** Connects and subscribes; frames come when they come. */
  static async open(url: string, requests: readonly object[]): Promise<LinkReader> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const reader = new LinkReader(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    for (const request of requests) socket.send(JSON.stringify({ type: 'subscribe', ...request }));
    return reader;
  }

  close(): void {
    this.socket.terminate();
  }

  #hear(head: string): void {
    const [, type, topic = '', epoch, prev, seq] = LINK.exec(head) ?? [];
    if (type === undefined) return;
    this.frames += 1;
    if (head.includes('"reset":true')) this.resets += 1;
    const from = type === 'delta' ? prev : seq;
    if (type !== 'snapshot' && this.#stands.get(topic) !== `${epoch} ${from}`) {
      this.holes.push(`${type} of ${topic} from ${from} behind ${this.#stands.get(topic)}`);
    }
    this.#stands.set(topic, `${epoch} ${seq}`);
  }
}
