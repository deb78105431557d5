/**
 * The bytes that wait for all WebSockets together. Each socket has a bound of its own, but thousands of
 * clients that read nothing would fill the memory with it: beyond a total, those are cut for which most waits.
 *
 * The transport reports what waits for a socket only when it is asked, so all are asked again and again.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { repeatCall } from './repeated-call.js';

/** A socket whose bytes count. */
export interface WaitingSocket {
  /** Bytes that the client has not taken yet. */
  bufferedBytes(): number;
  /** Cuts the connection and discards what waits; the socket removes itself. */
  shed(): void;
}

/** The sockets of a service, and what waits for them. */
export class SocketBacklog {
  readonly #timers: Timers;
  readonly #bytesMax: number;
  readonly #sockets = new Set<WaitingSocket>();
  #checks: Timer | undefined;
  #bytes = 0;

  /** `bytesMax` is the total, in bytes; that of the service by default. */
  constructor(timers: Timers, bytesMax: number = LIMITS.socketBacklogMegabytesDefault * MEGABYTE) {
    this.#timers = timers;
    this.#bytesMax = bytesMax;
  }

  /** Bytes that waited for all sockets when they were asked last. */
  get bytes(): number {
    return this.#bytes;
  }

  addSocket(socket: WaitingSocket): void {
    this.#sockets.add(socket);
    this.#checks ??= repeatCall(this.#timers, LIMITS.socketBacklogCheckMs, () => this.check());
  }

  removeSocket(socket: WaitingSocket): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    this.#checks?.cancel();
    this.#checks = undefined;
    this.#bytes = 0;
  }

  /** Asks all sockets, and cuts the greediest ones until what waits for the others is within the total. */
  check(): void {
    const waiting: { readonly socket: WaitingSocket; readonly bytes: number }[] = [];
    this.#bytes = 0;
    for (const socket of this.#sockets) {
      const bytes = socket.bufferedBytes();
      if (bytes === 0) continue;
      waiting.push({ socket, bytes });
      this.#bytes += bytes;
    }
    if (this.#bytes <= this.#bytesMax) return;
    waiting.sort((left, right) => right.bytes - left.bytes);
    for (const { socket, bytes } of waiting) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#bytes -= bytes;
      socket.shed();
    }
  }
}

const MEGABYTE = 1024 * 1024;
