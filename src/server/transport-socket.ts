/** One socket of the transport, kept from being touched after it has closed; and what all may do. */
import { LIMITS } from '../limits.js';
import type { ClientSocket, CloseCause } from './ws-socket.js';

/** The transport's settings of all sockets. */
export const socketOptions = {
  maxPayloadLength: LIMITS.socketMessageBytesMax,
  maxBackpressure: LIMITS.socketBufferBytesMax,
  // A reader that falls behind is closed: a message left out unseen would be a hole.
  closeOnBackpressureLimit: 1,
  idleTimeout: LIMITS.socketIdleSecondsMax,
  sendPingsAutomatically: true,
} as const;

/** What is used of the transport's own socket. */
interface NativeSocket {
  send(message: string | Uint8Array): unknown;
  subscribe(topic: string): unknown;
  unsubscribe(topic: string): unknown;
  end(code: number, reason: string): void;
  getBufferedAmount(): number;
}

/** A socket of the transport, which throws when it is touched after its close. */
export class TransportSocket implements ClientSocket {
  #open = true;
  #overflowed = false;
  #closing = false;

  constructor(
    private readonly native: NativeSocket,
    readonly ip: string,
  ) {}

  send(text: string | Uint8Array): void {
    if (this.#open) this.native.send(text);
  }

  join(topic: string): void {
    if (this.#open) this.native.subscribe(topic);
  }

  leave(topic: string): void {
    if (this.#open) this.native.unsubscribe(topic);
  }

  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.#closing = true;
    this.native.end(code, reason);
  }

  bufferedBytes(): number {
    return this.#open ? this.native.getBufferedAmount() : 0;
  }

  /** The transport has left a message out, and will close the socket. */
  overflow(): void {
    this.#overflowed = true;
  }

  get hasOverflowed(): boolean {
    return this.#overflowed;
  }

  /** The socket has closed; answers why, as far as the transport tells. */
  ended(code: number, message: string): CloseCause {
    this.#open = false;
    if (this.#closing) return 'server';
    if (this.#overflowed) return 'backpressure';
    if (code !== abnormalCloseCode) return 'client';
    return causeByMessage[message] ?? 'lost';
  }
}

const abnormalCloseCode = 1006;

const causeByMessage: Readonly<Record<string, CloseCause>> = {
  'WebSocket timed out from inactivity': 'idle',
  'Received too big message': 'tooLarge',
  'Received invalid UTF-8': 'notUtf8',
};
