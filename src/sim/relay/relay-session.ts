import { WebSocket } from 'ws';
import { type Network, Pipe } from './network.js';
import { isAcknowledgement } from './slot-correction.js';

/**
 * What a slow client may leave unread before it is cut, as a Solana node does with a client that
 * lags behind.
 */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
/**
 * How long an acknowledgement is held, and all behind it. Surfpool acknowledges a subscription first
 * and registers it then, and of a single account takes what it sees first for the beginning; it looks
 * every 20 to 40 ms. A write meanwhile is never notified: 3 of 60 that came at once were lost.
 */
export const ACKNOWLEDGEMENT_HOLD_MS = 100;
/**
 * Close codes that a peer may send; the others are made up by the library for a connection that
 * just broke.
 */
const SENDABLE_CODES: ReadonlySet<number> = new Set([
  1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011,
]);

/** What a session needs from its relay. */
export interface SessionContext {
  readonly network: Network;
  /**
   * Sees a message of the chain; returns what the client gets, which is nothing when it is lost on
   * the way.
   */
  readonly onDown: (message: Buffer) => readonly Buffer[];
  readonly onUp: (message: Buffer) => void;
  readonly onLagged: () => void;
  readonly onEnd: (session: RelaySession) => void;
}

/**
 * One client's WebSocket and its twin to the chain. Pings pass through, so a stalled chain does not
 * answer them.
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

    // The client is not read before its twin is open, so nothing it says is lost.
    client.pause();
    this.#chain.once('open', () => client.resume());
    client.on('message', (data: Buffer) => {
      context.onUp(data);
      up.push(data);
    });
    client.on('ping', (data: Buffer) => pings.push(data));
    this.#chain.on('pong', (data: Buffer) => pongs.push(data));
    this.#chain.on('message', (data: Buffer) => {
      const holdMs = isAcknowledgement(data) ? ACKNOWLEDGEMENT_HOLD_MS : 0;
      for (const message of context.onDown(data)) down.push(message, holdMs);
    });
    for (const socket of [client, this.#chain]) {
      // An error is always followed by a close, and the close is what this class acts on.
      socket.on('error', () => {});
      socket.on('close', (code: number) => this.#end(code));
    }
  }

  /** Breaks both connections without a closing handshake, as a network failure does. */
  cut(): void {
    this.#end(1006);
  }

  #createPipe(deliver: (message: Buffer) => void): Pipe {
    return new Pipe(
      this.#context.network,
      (message) => {
        if (!this.#ended) deliver(message);
      },
      () => this.#lag(),
    );
  }

  #sendDown(message: Buffer): void {
    this.#client.send(message, { binary: false });
    if (this.#client.bufferedAmount > UNREAD_BYTES_MAX) this.#lag();
  }

  #lag(): void {
    this.#context.onLagged();
    this.cut();
  }

  #end(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const pipe of this.#pipes) pipe.close();
    for (const socket of [this.#client, this.#chain]) {
      // A paused socket would never read the peer's part of the closing handshake.
      socket.resume();
      if (SENDABLE_CODES.has(code)) socket.close(code);
      else socket.terminate();
    }
    this.#context.onEnd(this);
  }
}
