import { WebSocket } from 'ws';
import { announcedSlot } from './slot-correction.js';

/** Delay before a lost slot subscription is opened again. */
const RECONNECT_MS = 250;

/** Follows the newest slot of a chain by slotSubscribe, with reconnects. */
export class SlotStream {
  readonly #wsUrl: string;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #latest: number | undefined;
  #closed = false;

  constructor(wsUrl: string) {
    this.#wsUrl = wsUrl;
    this.#openSocket();
  }

  /** The newest slot known; undefined before the first. */
  get latest(): number | undefined {
    return this.#latest;
  }

  /** Adds a slot from another source; a lower one is ignored. */
  noteSlot(slot: number): void {
    if (this.#latest === undefined || slot > this.#latest) this.#latest = slot;
  }

  /** Ends the subscription for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  #openSocket(): void {
    const socket = new WebSocket(this.#wsUrl);
    this.#socket = socket;
    socket.on('open', () => {
      socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}');
    });
    socket.on('message', (data: Buffer) => {
      const slot = announcedSlot(data);
      if (slot !== undefined) this.noteSlot(slot);
    });
    // An error is always followed by a close, which this class handles.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (!this.#closed) this.#timer = setTimeout(() => this.#openSocket(), RECONNECT_MS);
    });
  }
}
