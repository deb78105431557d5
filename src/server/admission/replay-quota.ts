/** How many replays one address may have: each has one of the few places of the thread that plays them all. */
import { LIMITS } from '../../config/limits.js';
import { SocketError } from '../transport/errors.js';
import { changeCount } from './admission.js';
import { ClientAddresses } from './client-addresses.js';

/** Counts the replays of each address. */
export class ReplayQuota {
  readonly #addresses: ClientAddresses;
  readonly #byAddress = new Map<string, number>();

  constructor(addresses = new ClientAddresses()) {
    this.#addresses = addresses;
  }

  /** Counts a replay. Throws LIMIT_EXCEEDED when it would be one too many. */
  acquireReplay(ip: string): void {
    const address = this.#addresses.limitKey(ip);
    if (address === undefined) return;
    const { replaysPerIpMax: most } = LIMITS;
    if ((this.#byAddress.get(address) ?? 0) >= most) {
      throw new SocketError('LIMIT_EXCEEDED', `one address may have ${most} replays`);
    }
    changeCount(this.#byAddress, address, 1);
  }

  /** Takes back what {@link ReplayQuota.acquireReplay} counted. */
  releaseReplay(ip: string): void {
    const address = this.#addresses.limitKey(ip);
    if (address !== undefined) changeCount(this.#byAddress, address, -1);
  }
}
