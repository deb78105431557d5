/** A WebSocket that asks for frames as bytes, and gives them as the messages that they are. */
import { type SocketClass, type SocketLike, socketClass } from '../environment.js';
import { FrameDecoder } from './frame-decoder.js';

interface BytesSocket extends SocketLike {
  binaryType: string;
}

/**
 * The class of sockets to pass to a `StreamClient`, a `CandleClient` or a `TradesClient`, which then follows its topics
 * by bytes where the service offers them, and by JSON where it does not. `WebSocket` is the class that it uses, the global one by default.
 *
 * @example
 * const stream = new StreamClient({ url: 'http://127.0.0.1:8080', WebSocket: binarySocket() });
 */
export function binarySocket(WebSocket?: SocketClass): SocketClass {
  const Socket = socketClass({ WebSocket });
  // Of all connections: a stream that is resumed on another one has no snapshot there.
  const decoder = new FrameDecoder();
  return class extends BinarySocket {
    constructor(url: string) {
      super(new Socket(url) as BytesSocket, decoder);
    }
  };
}

class BinarySocket implements SocketLike {
  readonly #socket: BytesSocket;
  readonly #decoder: FrameDecoder;

  constructor(socket: BytesSocket, decoder: FrameDecoder) {
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#decoder = decoder;
  }

  addEventListener(type: string, listener: (event: { readonly data: unknown }) => void): void {
    this.#socket.addEventListener(type as 'message', (event) => {
      listener(type === 'message' ? { data: this.#read(event.data) } : event);
    });
  }

  /** A subscription asks for bytes; a service that has none leaves out what it does not know. */
  send(text: string): void {
    const message = JSON.parse(text);
    const isAbout = message.type === 'subscribe' || message.type === 'unsubscribe';
    this.#socket.send(isAbout ? JSON.stringify({ ...message, encoding: 'binary' }) : text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Bytes are decoded where texts are parsed, so that what is wrong with them is reported as of any message. */
  #read(data: unknown): unknown {
    if (!(data instanceof ArrayBuffer)) return data;
    return () => this.#decoder.decodeFrame(new Uint8Array(data));
  }
}
