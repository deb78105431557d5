/**
 * The WebSocket of one client: the interfaces between a session of the service and the transport.
 */
import { LIMITS } from '../../config/limits.js';
import type { HttpRequest, Reply } from './reply.js';
import type { WaitingSocket } from './socket-backlog.js';

/** One client's WebSocket. After it has closed, calls have no effect. */
export interface ClientSocket {
  /** The client's address as text. */
  readonly ip: string;
  /**
   * Sends one message, which is binary by {@link isBinaryMessage}. Returns false when the message
   * was dropped because the backlog is full.
   */
  send(text: string | Uint8Array): boolean;
  /** Runs `run` and sends all its messages in one packet. */
  sendTogether(run: () => void): void;
  /** Subscribes the socket to the publications of a topic. */
  joinTopic(topic: string): void;
  leaveTopic(topic: string): void;
  /** Queues a close frame after the backlog, and ends the connection. */
  close(code: number, reason: string): void;
  /** Ends the connection without a close frame, and discards the backlog. */
  terminate(): void;
  bufferedBytes(): number;
}

/**
 * Why a socket closed: by the client or the service, lost or a protocol violation, idle too long, a
 * too large message, a message of invalid UTF-8, or cut as one of the largest backlogs when all
 * backlogs together exceeded their limit.
 */
export type CloseCause = 'client' | 'server' | 'lost' | 'idle' | 'tooLarge' | 'notUtf8' | 'backlog';

/** Receives the events of one socket. */
export interface SocketSession {
  /** The first event. */
  onOpen?(): void;
  /** Handles a message: the text of a text frame, or null for a binary frame. */
  onMessage(text: string | null): void;
  /** Handles a ping frame, which the transport has already answered. */
  onPing(): void;
  /** Called when the client has read a part of its backlog. */
  onDrain(): void;
  /**
   * Called when a message was dropped because the backlog is full; all publications are then
   * dropped until the client has read. The session must not join or leave topics in this call,
   * because the transport is iterating over them.
   */
  onDropped(): void;
  /** The last event. */
  onClose(cause: CloseCause): void;
}

/** Admits the WebSockets of a listener, and opens their sessions. */
export interface SocketHandlers {
  readonly paths: readonly string[];
  /** Maximum bytes of a client's message; by default the limit of the book channels. */
  readonly messageBytesMax?: number;
  /** Returns the reply that rejects the upgrade; null admits the socket. */
  checkUpgrade(request: HttpRequest): Reply | null;
  /**
   * Opens the session of a socket; `query` is the raw query of the upgrade request, without `?`.
   */
  openSession(socket: ClientSocket, query: string): SocketSession;
}

/** Sends one message to all sockets that have joined a topic. */
export type Publish = (topic: string, bytes: string | Uint8Array) => void;

/**
 * Whether a message is binary: the highest bit of its first byte is set, see docs/binary.md. All
 * other messages are UTF-8; JSON text begins with a lower byte.
 */
export function isBinaryMessage(message: string | Uint8Array): boolean {
  return typeof message !== 'string' && (message[0] ?? 0) >= 0x80;
}

/** The transport's settings of all sockets. */
export const socketOptions = {
  maxPayloadLength: LIMITS.socketMessageBytesMax,
  maxBackpressure: LIMITS.socketBufferBytesMax,
  // Slow clients stay connected: `delivery.ts` sends the dropped content again.
  closeOnBackpressureLimit: 0,
  idleTimeout: LIMITS.socketIdleSecondsMax,
  sendPingsAutomatically: true,
} as const;

/** The members of the transport's socket that this file uses. */
interface NativeSocket {
  /** 2 when the message was dropped. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  cork(run: () => void): unknown;
  subscribe(topic: string): unknown;
  unsubscribe(topic: string): unknown;
  end(code: number, reason: string): void;
  close(): void;
  getBufferedAmount(): number;
}

/**
 * A socket of the transport. The transport's methods throw after the socket has closed; the methods
 * of this class do nothing then.
 */
export class TransportSocket implements ClientSocket, WaitingSocket {
  readonly #native: NativeSocket;
  #isOpen = true;
  #isClosing = false;
  #isShed = false;

  constructor(
    native: NativeSocket,
    readonly ip: string,
  ) {
    this.#native = native;
  }

  send(text: string | Uint8Array): boolean {
    return this.#isOpen && this.#native.send(text, isBinaryMessage(text)) !== droppedStatus;
  }

  sendTogether(run: () => void): void {
    if (this.#isOpen) this.#native.cork(run);
  }

  joinTopic(topic: string): void {
    if (this.#isOpen) this.#native.subscribe(topic);
  }

  leaveTopic(topic: string): void {
    if (this.#isOpen) this.#native.unsubscribe(topic);
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return;
    // The transport sends no close frame on a full socket, and keeps the backlog of an ended socket
    // until the client has read it or has gone.
    if (this.bufferedBytes() > LIMITS.socketBacklogBytesMax) {
      this.terminate();
      return;
    }
    this.#isClosing = true;
    this.#native.end(code, reason);
  }

  terminate(): void {
    if (!this.#isOpen) return;
    this.#isClosing = true;
    this.#native.close();
  }

  shed(): void {
    this.#isShed = true;
    this.terminate();
  }

  bufferedBytes(): number {
    return this.#isOpen ? this.#native.getBufferedAmount() : 0;
  }

  /** Records that the socket has closed. Returns the cause, as far as the transport reports it. */
  markClosed(code: number, message: string): CloseCause {
    this.#isOpen = false;
    if (this.#isShed) return 'backlog';
    if (this.#isClosing) return 'server';
    if (code !== abnormalCloseCode) return 'client';
    return causeByMessage[message] ?? 'lost';
  }
}

/** The value that the transport returns for a dropped message. */
const droppedStatus = 2;

const abnormalCloseCode = 1006;

const causeByMessage: Readonly<Record<string, CloseCause>> = {
  'WebSocket timed out from inactivity': 'idle',
  'Received too big message': 'tooLarge',
  'Received invalid UTF-8': 'notUtf8',
};
