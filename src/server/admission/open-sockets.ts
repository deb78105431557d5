/** The open sockets of one kind, and who may open another. */

import type { ErrorCode } from '../transport/errors.js';
import type { HttpRequest } from '../transport/reply.js';
import { addressKey, isLoopback } from './client-address.js';

/** How many there may be. */
export interface SocketQuotaOptions {
  /** What they are called when there are too many. */
  readonly what: string;
  readonly socketsMax: number;
  /** Those of one address, loopback excepted. */
  readonly socketsPerIp: number;
}

/** Counts sockets, in all and by address. */
export class SocketQuota {
  readonly #byAddress = new Map<string, number>();
  #count = 0;

  constructor(private readonly options: SocketQuotaOptions) {}

  /** Why this request may not open one; undefined when it may. */
  refusal(request: HttpRequest, isClosing: boolean): readonly [ErrorCode, string] | undefined {
    const { what, socketsMax, socketsPerIp } = this.options;
    const isUpgrade = request.getHeader('upgrade').toLowerCase() === 'websocket';
    if (!isUpgrade || request.getHeader('sec-websocket-version') !== '13') {
      return ['UPGRADE_REQUIRED', 'this path speaks WebSocket (RFC 6455, version 13)'];
    }
    if (isClosing) return ['NOT_READY', 'the service is stopping'];
    if (this.#count >= socketsMax) {
      return ['LIMIT_EXCEEDED', `the service has ${socketsMax} ${what}, which is its most`];
    }
    if (isLoopback(request.ip)) return undefined;
    if ((this.#byAddress.get(addressKey(request.ip)) ?? 0) < socketsPerIp) return undefined;
    return ['RATE_LIMITED', `one address may have ${socketsPerIp} ${what}`];
  }

  addSocket(ip: string): void {
    this.#changeCount(ip, 1);
  }

  removeSocket(ip: string): void {
    this.#changeCount(ip, -1);
  }

  #changeCount(ip: string, change: 1 | -1): void {
    this.#count += change;
    const key = addressKey(ip);
    const count = (this.#byAddress.get(key) ?? 0) + change;
    if (count === 0) this.#byAddress.delete(key);
    else this.#byAddress.set(key, count);
  }
}
