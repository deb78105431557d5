/**
 * Limits the total backlog of all WebSockets. Each socket has a limit of its own, but thousands of
 * clients that read nothing would still exhaust the memory: beyond the total, the sockets with the
 * largest backlogs are cut.
 *
 * The transport reports the backlog of a socket only on request, so all sockets are polled.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { repeatCall } from './repeated-call.js';

/** A socket whose bytes count. */
export interface WaitingSocket {
  bufferedBytes(): number;
  /** Cuts the connection and discards its backlog; the socket removes itself. */
  shed(): void;
}

/** The sockets of a service with their backlogs. */
export class SocketBacklog {
  readonly #timers: Timers;
  readonly #bytesMax: number;
  readonly #sockets = new Set<WaitingSocket>();
  #checks: Timer | undefined;
  #bytes = 0;

  /** `bytesMax` is the maximum total in bytes; by default the service's limit. */
  constructor(timers: Timers, bytesMax: number = LIMITS.socketBacklogMegabytesDefault * MEGABYTE) {
    this.#timers = timers;
    this.#bytesMax = bytesMax;
  }

  /** Total backlog at the last poll. */
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

  /**
   * Polls all sockets; cuts those with the largest backlogs until the remaining sockets are within
   * the total.
   */
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
