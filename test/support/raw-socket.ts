import { createConnection, type Socket } from 'node:net';
import { until } from './until.js';

const KEY = 'AAECAwQFBgcICQoLDA0ODw==';

/** The head of an honest upgrade, without the empty line that ends it. */
export const UPGRADE_HEAD = [
  'GET /ws HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${KEY}`,
  '',
].join('\r\n');

/** A frame as a server may send it. */
interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A TCP connection that sends given bytes, and reads frames like a WebSocket client. */
export class RawSocket {
  readonly frames: ServerFrame[] = [];
  /** Settles when the connection has ended, however it did. */
  readonly ended: Promise<void>;
  #isEnded = false;
  #head = '';
  #rest: Buffer = Buffer.alloc(0);
  #upgraded = false;

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isEnded = true;
        resolve();
      });
    });
  }

  /** A connection on which nothing has been said. */
  static async connect(port: number): Promise<RawSocket> {
    const socket = createConnection({ host: '127.0.0.1', port });
    const raw = new RawSocket(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return raw;
  }

  /** A connection that is a WebSocket. */
  static async open(port: number): Promise<RawSocket> {
    const raw = await RawSocket.connect(port);
    raw.write(`${UPGRADE_HEAD}\r\n`);
    await until(() => raw.#upgraded || raw.#isEnded);
    if (!raw.#upgraded) throw new Error(`no upgrade: ${raw.head}`);
    return raw;
  }

  /** The server's response before the WebSocket handshake ended. */
  get head(): string {
    return this.#head;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  write(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Waits for the end of the connection, or so long; answers whether it has ended. */
  async endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
    return this.#isEnded;
  }

  /** Leaves without a word. */
  destroy(): void {
    this.socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#upgraded) this.#readHead();
    if (this.#upgraded) this.#readFrames();
  }

  #readHead(): void {
    const end = this.#rest.indexOf('\r\n\r\n');
    this.#head = this.#rest.toString('latin1', 0, end < 0 ? undefined : end);
    if (end < 0 || !this.#head.startsWith('HTTP/1.1 101')) return;
    this.#upgraded = true;
    this.#rest = this.#rest.subarray(end + 4);
  }

  #readFrames(): void {
    for (;;) {
      const found = takeFrame(this.#rest);
      if (found === undefined) return;
      this.frames.push(found.frame);
      this.#rest = found.rest;
    }
  }
}

/** The first frame of these bytes; undefined when it is not whole. Throws on a frame no server may send. */
function takeFrame(bytes: Buffer): { frame: ServerFrame; rest: Buffer } | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  if ((first & 0xf0) !== 0x80) throw new Error(`the server sent a frame that begins ${first}`);
  if (second > 127) throw new Error('the server sent a masked frame');
  const at = second < 126 ? 2 : second === 126 ? 4 : 10;
  if (bytes.length < at) return undefined;
  const length =
    second < 126
      ? second
      : second === 126
        ? bytes.readUInt16BE(2)
        : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < at + length) return undefined;
  const payload = bytes.subarray(at, at + length);
  return { frame: { opcode: first & 0x0f, payload }, rest: bytes.subarray(at + length) };
}
