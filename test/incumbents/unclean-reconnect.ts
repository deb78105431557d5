import { WebSocket } from 'ws';

/** The pause before a client connects again. */
const PAUSE_MS = 100;

/**
 * The connection of a client that reconnects as those in use do: only where a connection ended without
 * a close frame. On every connection it sends the same subscriptions once, and it never sends them again.
 */
export class UncleanReconnect {
  /** Connections that were opened. */
  opens = 0;
  /** The message of the last error; null without one. */
  lastError: string | null = null;
  heartbeats = 0;
  /** A connection ended with a close frame: this client stays where it is for ever. */
  isFrozen = false;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly url: string,
    private readonly subscriptions: readonly object[],
    private readonly client: {
      onConnected(): void;
      onMessage(message: Readonly<Record<string, unknown>>): void;
    },
  ) {
    this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  #connect(): void {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => {
      this.opens += 1;
      this.client.onConnected();
      for (const subscription of this.subscriptions) socket.send(JSON.stringify(subscription));
    };
    socket.onmessage = ({ data }) => this.#handleMessage(JSON.parse(String(data)));
    // A close follows each error.
    socket.onerror = () => {};
    socket.onclose = ({ wasClean }) => {
      this.isFrozen = wasClean;
      if (wasClean || this.#isStopped) return;
      this.#timer = setTimeout(() => this.#connect(), PAUSE_MS);
    };
  }

  #handleMessage(message: Readonly<Record<string, unknown>>): void {
    if (message['type'] === 'error') this.lastError = JSON.stringify(message);
    else if (message['channel'] === 'heartbeat') this.heartbeats += 1;
    else this.client.onMessage(message);
  }
}
