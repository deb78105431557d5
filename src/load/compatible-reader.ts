/** A reader of whole books on the compatible channel, like clients of the Drift v2 dlob-server. */
import { WebSocket } from 'ws';
import { object, objectOf, parseExact, text } from '../client/fields.js';
import { l2Book } from '../client/generated/books.js';
import { BookCheck } from './book-check.js';
import type { Figures } from './figures.js';
import { FIRST_BOOK_MS_MAX, MESSAGE_BYTES_MAX } from './limits.js';

/** The market and depth of a reader. */
interface CompatibleOptions {
  readonly url: string;
  readonly market: { readonly name: string; readonly type: string };
  readonly figures: Figures;
}

const frame = object({ channel: text, data: text });

/** One socket with one book. */
export class CompatibleReader {
  readonly #socket: WebSocket;
  readonly #figures: Figures;
  readonly #check = new BookCheck();
  #isStopped = false;
  #open: () => void = () => {};
  /** Resolves with the first book; rejects when the socket closes earlier. */
  readonly opened: Promise<void>;

  constructor({ url, market, figures }: CompatibleOptions) {
    this.#figures = figures;
    this.#socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, {
      handshakeTimeout: FIRST_BOOK_MS_MAX,
      maxPayload: MESSAGE_BYTES_MAX,
    });
    this.opened = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#socket.on('error', reject);
      this.#socket.on('close', (code) => {
        reject(new Error(`the socket was closed with ${code}`));
        if (!this.#isStopped) figures.findings.add(`a compatible reader was closed with ${code}`);
      });
    });
    const { name, type } = market;
    const subscription = {
      type: 'subscribe',
      marketType: type,
      channel: 'orderbook',
      market: name,
    };
    this.#socket.on('open', () => this.#socket.send(JSON.stringify(subscription)));
    this.#socket.on('message', (data: Buffer) => this.#read(data.toString()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#socket.terminate();
  }

  #read(json: string): void {
    try {
      const message = objectOf(parseExact(json), 'frame');
      const { error, message: why, data } = message;
      if (error !== undefined) this.#figures.findings.add(`a compatible reader: ${why}`);
      // Acknowledgements and heartbeats have no data.
      if (data === undefined) return;
      this.#readBook(frame(message, 'frame').data);
      this.#figures.frames += 1;
      this.#figures.frameBytes += json.length;
    } catch (error) {
      this.#figures.findings.add(`a compatible frame: ${String(error)}`);
    }
  }

  #readBook(json: string): void {
    const fault = this.#check.findFault(l2Book(parseExact(json), 'data'));
    if (fault !== undefined) this.#figures.findings.add(`a compatible frame: ${fault}`);
    this.#open();
  }
}
