/** Stands in for the package `ws`: the client's end of a WebSocket of the model network. */
import { currentMachine } from '../globals.js';
import { afterTravel, type HostSocket, hostOf, type NetworkHost } from '../network.js';
import { WORLD } from '../virtual-time.js';

/** A message as it is received. */
export type RawData = string;

type Handler = (...values: never[]) => void;

const ABNORMAL_CLOSE = 1006;

const sockets = new Set<WebSocket>();

/** A process was killed: its system closes its sockets. */
export function closeSocketsOf(isEnded: (owner: number) => boolean): void {
  for (const socket of [...sockets]) if (isEnded(socket.owner)) socket.lose();
}

/** The client's end. Both directions keep their order, as TCP does. */
export class WebSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState = WebSocket.CONNECTING;
  readonly #handlers = new Map<string, Handler>();
  readonly #host: NetworkHost | null;
  readonly owner: number;
  readonly #server: ServerEnd;
  /** When the last message of each direction arrives. */
  #sentUntilMs = 0;
  #receivedUntilMs = 0;

  constructor(url: string, options: { readonly handshakeTimeout?: number } = {}) {
    const { time } = currentMachine();
    this.owner = time.owner;
    this.#host = hostOf(url);
    this.#server = new ServerEnd(this);
    sockets.add(this);
    const { handshakeTimeout } = options;
    if (handshakeTimeout !== undefined) {
      time.plan(handshakeTimeout, () => {
        if (this.readyState === WebSocket.CONNECTING) this.#fail('Opening handshake has timed out');
      });
    }
    this.#connect();
  }

  on(event: string, handler: Handler): this {
    this.#handlers.set(event, handler);
    return this;
  }

  send(text: string): void {
    this.#travelToHost((host) => host.handleMessage(this.#server, text));
  }

  ping(): void {
    this.#travelToHost((host) => {
      if (host.answersPings()) this.deliver(() => this.#emit('pong'));
    });
  }

  terminate(): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.#travelToHost((host) => this.#server.endQuietly(host));
    this.readyState = WebSocket.CLOSING;
    // The package calls its handlers later.
    currentMachine().time.plan(0, () => this.#close(ABNORMAL_CLOSE), this.owner);
  }

  close(): void {
    this.terminate();
  }

  /** The process is gone; nothing of it runs any more. */
  lose(): void {
    sockets.delete(this);
    const host = this.#host;
    if (host !== null) afterTravel(host, () => this.#server.endQuietly(host));
  }

  /** Called by the server's end: runs at the client after the way there, in order. */
  deliver(run: () => void): void {
    const { time } = currentMachine();
    const atMs = Math.max(this.#receivedUntilMs, time.nowMs + (this.#host?.delayMs() ?? 0));
    this.#receivedUntilMs = atMs;
    time.plan(atMs - time.nowMs, run, this.owner);
  }

  /** Called by the server's end. */
  receiveMessage(text: string): void {
    if (this.readyState === WebSocket.OPEN) this.#emit('message', text);
  }

  /** Called by the server's end: the connection is gone. */
  receiveCut(): void {
    this.#close(ABNORMAL_CLOSE);
  }

  #connect(): void {
    const host = this.#host;
    if (host === null) {
      currentMachine().time.plan(1, () => this.#fail('getaddrinfo ENOTFOUND'));
      return;
    }
    afterTravel(host, () => {
      const outcome = host.handleUpgrade();
      if (outcome === 'hang') return;
      this.deliver(() => {
        if (this.readyState !== WebSocket.CONNECTING) return;
        if (outcome === 'refuse') this.#fail('connect ECONNREFUSED');
        else if (outcome === 'open') this.#open(host);
        else this.#refuse(outcome.status);
      });
    });
  }

  #open(host: NetworkHost): void {
    this.readyState = WebSocket.OPEN;
    this.#server.isOpen = true;
    currentMachine().time.plan(0, () => host.handleOpen(this.#server), WORLD);
    this.#emit('open');
  }

  #refuse(statusCode: number): void {
    const response = { statusCode, headers: {}, destroy: () => undefined };
    this.#emit('unexpected-response', null, response);
  }

  #fail(message: string): void {
    this.#emit('error', new Error(message));
    this.#close(ABNORMAL_CLOSE);
  }

  #close(code: number): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    sockets.delete(this);
    this.#emit('close', code);
  }

  #travelToHost(run: (host: NetworkHost) => void): void {
    const host = this.#host;
    if (host === null || this.readyState !== WebSocket.OPEN) return;
    const { time } = currentMachine();
    const atMs = Math.max(this.#sentUntilMs, time.nowMs + host.delayMs());
    this.#sentUntilMs = atMs;
    time.plan(atMs - time.nowMs, () => run(host), WORLD);
  }

  #emit(event: string, ...values: unknown[]): void {
    (this.#handlers.get(event) as ((...given: unknown[]) => void) | undefined)?.(...values);
  }
}

/** The server's end of the same connection. */
class ServerEnd implements HostSocket {
  isOpen = false;
  readonly #client: WebSocket;

  constructor(client: WebSocket) {
    this.#client = client;
  }

  send(text: string): void {
    if (this.isOpen) this.#client.deliver(() => this.#client.receiveMessage(text));
  }

  cut(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#client.deliver(() => this.#client.receiveCut());
  }

  endQuietly(host: NetworkHost): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    host.handleClose(this);
  }
}
