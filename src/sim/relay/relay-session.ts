import { WebSocket } from 'ws';
import { Pipe } from './pipe.js';
import { isAcknowledgement } from './slot-correction.js';

/** Unread bytes of a slow client after which it is cut, as a Solana node does. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Delay of an acknowledgement, and of the messages after it, milliseconds. Surfpool acknowledges a
 * subscription before it registers it, and takes the first observed state of an account as its
 * baseline; it polls every 20 to 40 ms. A write before that is never notified: 3 of 60 immediate
 * writes were lost.
 */
export const ACKNOWLEDGEMENT_HOLD_MS = 100;
/** Close codes that a peer may send; the library generates the others for broken connections. */
const SENDABLE_CODES: ReadonlySet<number> = new Set([
  1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011,
]);

/** Dependencies of a session. */
interface SessionContext {
  /** Handles a message of the chain; returns the message for the client, or undefined to lose it. */
  readonly onDown: (message: Buffer) => Buffer | undefined;
  readonly onEnd: (session: RelaySession) => void;
}

/**
 * The WebSocket of one client, and the relay's WebSocket to the chain. Pings pass through, so a
 * stalled chain does not answer them.
 */
export class RelaySession {
  readonly #client: WebSocket;
  readonly #chain: WebSocket;
  readonly #context: SessionContext;
  readonly #down: Pipe;
  #ended = false;

  constructor(client: WebSocket, wsUrl: string, context: SessionContext) {
    this.#client = client;
    this.#chain = new WebSocket(wsUrl);
    this.#context = context;
    this.#down = new Pipe(
      (message) => this.#sendDown(message),
      () => this.cut(),
    );

    // The client is not read before the connection to the chain is open, so that no message is
    // lost.
    client.pause();
    this.#chain.once('open', () => client.resume());
    client.on('message', (data: Buffer) => this.#chain.send(data, { binary: false }));
    client.on('ping', (data: Buffer) => this.#chain.ping(data));
    this.#chain.on('pong', (data: Buffer) => client.pong(data));
    this.#chain.on('message', (data: Buffer) => {
      const holdMs = isAcknowledgement(data) ? ACKNOWLEDGEMENT_HOLD_MS : 0;
      const message = context.onDown(data);
      if (message !== undefined) this.#down.push(message, holdMs);
    });
    for (const socket of [client, this.#chain]) {
      // An error is always followed by a close, which this class handles.
      socket.on('error', () => {});
      socket.on('close', (code: number) => this.#end(code));
    }
  }

  /** Breaks both connections without a close handshake, like a network failure. */
  cut(): void {
    this.#end(1006);
  }

  #sendDown(message: Buffer): void {
    if (this.#ended) return;
    this.#client.send(message, { binary: false });
    if (this.#client.bufferedAmount > UNREAD_BYTES_MAX) this.cut();
  }

  #end(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#down.close();
    for (const socket of [this.#client, this.#chain]) {
      // A paused socket would never read the peer's close frame.
      socket.resume();
      if (SENDABLE_CODES.has(code)) socket.close(code);
      else socket.terminate();
    }
    this.#context.onEnd(this);
  }
}
