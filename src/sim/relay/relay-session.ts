import { WebSocket } from 'ws';
import { type Network, Pipe } from './network.js';
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
  readonly network: Network;
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
  readonly #pipes: readonly Pipe[];
  #ended = false;

  constructor(client: WebSocket, wsUrl: string, context: SessionContext) {
    this.#client = client;
    this.#chain = new WebSocket(wsUrl);
    this.#context = context;
    const up = this.#createPipe((message) => this.#chain.send(message, { binary: false }));
    const down = this.#createPipe((message) => this.#sendDown(message));
    const pings = this.#createPipe((data) => this.#chain.ping(data));
    const pongs = this.#createPipe((data) => this.#client.pong(data));
    this.#pipes = [up, down, pings, pongs];

    // The client is not read before the connection to the chain is open, so that no message is
    // lost.
    client.pause();
    this.#chain.once('open', () => client.resume());
    client.on('message', (data: Buffer) => up.push(data));
    client.on('ping', (data: Buffer) => pings.push(data));
    this.#chain.on('pong', (data: Buffer) => pongs.push(data));
    this.#chain.on('message', (data: Buffer) => {
      const holdMs = isAcknowledgement(data) ? ACKNOWLEDGEMENT_HOLD_MS : 0;
      const message = context.onDown(data);
      if (message !== undefined) down.push(message, holdMs);
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

  #createPipe(deliver: (message: Buffer) => void): Pipe {
    return new Pipe(
      this.#context.network,
      (message) => {
        if (!this.#ended) deliver(message);
      },
      () => this.cut(),
    );
  }

  #sendDown(message: Buffer): void {
    this.#client.send(message, { binary: false });
    if (this.#client.bufferedAmount > UNREAD_BYTES_MAX) this.cut();
  }

  #end(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const pipe of this.#pipes) pipe.close();
    for (const socket of [this.#client, this.#chain]) {
      // A paused socket would never read the peer's close frame.
      socket.resume();
      if (SENDABLE_CODES.has(code)) socket.close(code);
      else socket.terminate();
    }
    this.#context.onEnd(this);
  }
}
