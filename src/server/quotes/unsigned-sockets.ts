/**
 * The sockets of makers that have not signed yet. Anyone who knows a maker's key can open such a
 * socket, so they have limits of their own: they cannot lock out a maker that signs.
 */
import { LIMITS } from '../../config/limits.js';
import { changeCount } from '../admission/admission.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { ServerError } from '../transport/errors.js';
import type { QuoteSession } from './quote-session.js';

/** Options of {@link UnsignedSockets}. */
interface UnsignedSocketsOptions {
  readonly addresses: ClientAddresses;
  readonly socketsMax: number;
}

/** The origin of a socket. */
interface SocketOrigin {
  readonly ip: string;
  /** The maker's key (base58) in its query. */
  readonly maker: string;
}

/**
 * Counts unsigned sockets by address, and by key and address. When the total is reached, the oldest
 * socket is closed.
 */
export class UnsignedSockets {
  readonly #options: UnsignedSocketsOptions;
  /** Oldest first. */
  readonly #sessions = new Set<QuoteSession>();
  readonly #byAddress = new Map<string, number>();
  readonly #byKey = new Map<string, number>();

  constructor(options: UnsignedSocketsOptions) {
    this.#options = options;
  }

  /** Throws RATE_LIMITED when an address has too many unsigned sockets. */
  requireRoom({ ip, maker }: SocketOrigin): void {
    const address = this.#options.addresses.limitKey(ip);
    if (address === undefined) return;
    const { quoteUnsignedPerAddressMax: max, quoteUnsignedPerKeyMax: perKeyMax } = LIMITS;
    const count = this.#byAddress.get(address) ?? 0;
    const ofKey = this.#byKey.get(`${address} ${maker}`) ?? 0;
    if (count < max && ofKey < perKeyMax) return;
    const message = `one address may have ${perKeyMax} sockets of a key, and ${max} in all, that have not signed`;
    throw new ServerError('RATE_LIMITED', message);
  }

  /**
   * Adds a session. Beyond the total, the oldest session is closed: a real maker signs without
   * delay.
   */
  addSession(session: QuoteSession): void {
    this.#sessions.add(session);
    this.#count(session, 1);
    if (this.#sessions.size <= this.#options.socketsMax) return;
    const [oldest] = this.#sessions;
    if (oldest !== undefined) oldest.closeAsCrowdedOut();
  }

  removeSession(session: QuoteSession): void {
    if (this.#sessions.delete(session)) this.#count(session, -1);
  }

  #count({ socket, maker }: QuoteSession, change: 1 | -1): void {
    const address = this.#options.addresses.limitKey(socket.ip);
    if (address === undefined) return;
    changeCount(this.#byAddress, address, change);
    changeCount(this.#byKey, `${address} ${maker}`, change);
  }
}
