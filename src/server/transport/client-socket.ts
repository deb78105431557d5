/**
 * A WebSocket as this room sees it. The transport fits these by shape, and so does a fake in a test.
 */
import type { HttpRequest, Reply } from './reply.js';

/** One client's WebSocket. After it has closed, every call does nothing. */
export interface ClientSocket {
  /** The client's address as text. */
  readonly ip: string;
  /** Sends one text frame; bytes must be UTF-8. False when it was left out, as too much waits. */
  send(text: string | Uint8Array): boolean;
  /** What `run` sends goes out together. */
  sendTogether(run: () => void): void;
  /** From now on the socket gets what is published under the topic. */
  joinTopic(topic: string): void;
  leaveTopic(topic: string): void;
  /** Sends a close frame behind what waits, and ends the connection. */
  close(code: number, reason: string): void;
  /** Ends the connection without a word, and forgets what waits. */
  terminate(): void;
  /** Bytes that the client has not taken yet. */
  bufferedBytes(): number;
}

/**
 * Why a socket closed: the client said so, the service did, the client left without a word or broke
 * the protocol, was silent too long, sent too much at once, or sent no UTF-8.
 */
export type CloseCause = 'client' | 'server' | 'lost' | 'idle' | 'tooLarge' | 'notUtf8';

/** What follows one socket from its opening to its closing. */
export interface SocketSession {
  /** The first call, where a session has something to say or to end before it is spoken to. */
  onOpen?(): void;
  /** A text frame as text; a binary frame as null. */
  onMessage(text: string | null): void;
  /** A ping frame, which the transport has answered. */
  onPing(): void;
  /** The client has taken some of what waited for it. */
  onDrain(): void;
  /**
   * A message was left out because too much waits already. What was published after it is left out as
   * well until the client has read. No topic may be left or joined here: the transport is busy with
   * them.
   */
  onDropped(): void;
  /** The last call. */
  onClose(cause: CloseCause): void;
}

/** Who takes part in the WebSockets of a listener. */
export interface SocketHandlers {
  readonly paths: readonly string[];
  /** Longest message of a client; that of the book's channels by default. */
  readonly messageBytesMax?: number;
  /** A reply refuses the upgrade; null lets the socket in. */
  checkUpgrade(request: HttpRequest): Reply | null;
  /** `query` is that of the upgrade, raw and without `?`. */
  openSession(socket: ClientSocket, query: string): SocketSession;
}

/** Sends one message to all sockets that have joined a topic. */
export type Publish = (topic: string, bytes: string | Uint8Array) => void;
