/** One socket of the transport, kept from being touched after it has closed; and what all may do. */
import { LIMITS } from '../../config/limits.js';
import type { ClientSocket, CloseCause } from './client-socket.js';

/** The transport's settings of all sockets. */
export const socketOptions = {
  maxPayloadLength: LIMITS.socketMessageBytesMax,
  maxBackpressure: LIMITS.socketBufferBytesMax,
  // A reader that falls behind is told of: what was left out is made good, see `ws-delivery.ts`.
  closeOnBackpressureLimit: 0,
  idleTimeout: LIMITS.socketIdleSecondsMax,
  sendPingsAutomatically: true,
} as const;

/** What is used of the transport's own socket. */
interface NativeSocket {
  /** 2 when the message was left out. */
  send(message: string | Uint8Array): number;
  cork(run: () => void): unknown;
  subscribe(topic: string): unknown;
  unsubscribe(topic: string): unknown;
  end(code: number, reason: string): void;
  close(): void;
  getBufferedAmount(): number;
}

/** A socket of the transport, which throws when it is touched after its close. */
export class TransportSocket implements ClientSocket {
  #open = true;
  #closing = false;

  constructor(
    private readonly native: NativeSocket,
    readonly ip: string,
  ) {}

  send(text: string | Uint8Array): boolean {
    return this.#open && this.native.send(text) !== droppedStatus;
  }

  sendTogether(run: () => void): void {
    if (this.#open) this.native.cork(run);
  }

  joinTopic(topic: string): void {
    if (this.#open) this.native.subscribe(topic);
  }

  leaveTopic(topic: string): void {
    if (this.#open) this.native.unsubscribe(topic);
  }

  close(code: number, reason: string): void {
    if (!this.#open) return;
    // The transport sends no close frame to a socket that is full, and keeps what waits for one that
    // was ended until the client has read it or is gone.
    if (this.bufferedBytes() > LIMITS.socketBacklogBytesMax) {
      this.terminate();
      return;
    }
    this.#closing = true;
    this.native.end(code, reason);
  }

  terminate(): void {
    if (!this.#open) return;
    this.#closing = true;
    this.native.close();
  }

  bufferedBytes(): number {
    return this.#open ? this.native.getBufferedAmount() : 0;
  }

  /** The socket has closed; answers why, as far as the transport tells. */
  markClosed(code: number, message: string): CloseCause {
    this.#open = false;
    if (this.#closing) return 'server';
    if (code !== abnormalCloseCode) return 'client';
    return causeByMessage[message] ?? 'lost';
  }
}

/** What the transport answers for a message that it left out. */
const droppedStatus = 2;

const abnormalCloseCode = 1006;

const causeByMessage: Readonly<Record<string, CloseCause>> = {
  'WebSocket timed out from inactivity': 'idle',
  'Received too big message': 'tooLarge',
  'Received invalid UTF-8': 'notUtf8',
};
