/**
 * Limits the replays of one address, because each replay occupies one of the few slots of the
 * replay thread.
 */
import { LIMITS } from '../../config/limits.js';
import { FairShare } from '../../contract/fair-share.js';
import { SocketError } from '../transport/errors.js';
import { ClientAddresses } from './client-addresses.js';

/** Counts the replays of each address. */
export class ReplayQuota {
  readonly #addresses: ClientAddresses;
  readonly #share = new FairShare(2 * LIMITS.replaysPerIpMax);

  constructor(addresses = new ClientAddresses()) {
    this.#addresses = addresses;
  }

  /** Counts a replay. Throws LIMIT_EXCEEDED when the address has too many replays. */
  acquireReplay(ip: string): void {
    if (this.#share.take(this.#addresses.limitKey(ip))) return;
    const message = `one address may have ${LIMITS.replaysPerIpMax} replays, and no more than are free`;
    throw new SocketError('LIMIT_EXCEEDED', message);
  }

  /** Reverts {@link ReplayQuota.acquireReplay}. */
  releaseReplay(ip: string): void {
    this.#share.give(this.#addresses.limitKey(ip));
  }
}
