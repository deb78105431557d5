/** Limits the replays of one address: each occupies one of the replay thread's few slots. */
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

  /** Counts a replay. Throws LIMIT_EXCEEDED beyond the limit. */
  acquireReplay(ip: string): void {
    const address = this.#addresses.limitKey(ip);
    if (address === undefined) return;
    const { replaysPerIpMax: most } = LIMITS;
    if ((this.#byAddress.get(address) ?? 0) >= most) {
      throw new SocketError('LIMIT_EXCEEDED', `one address may have ${most} replays`);
    }
    changeCount(this.#byAddress, address, 1);
  }

  /** Reverts {@link ReplayQuota.acquireReplay}. */
  releaseReplay(ip: string): void {
    const address = this.#addresses.limitKey(ip);
    if (address !== undefined) changeCount(this.#byAddress, address, -1);
  }
}
