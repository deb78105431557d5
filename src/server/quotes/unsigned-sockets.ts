/**
 * The sockets of makers that are still to sign. Everybody who knows a maker's key can open them, so they
 * are few, and apart from those that have signed: they cannot keep a maker out.
 */
import { LIMITS } from '../../config/limits.js';
import { changeCount } from '../admission/admission.js';
import type { ClientAddresses } from '../admission/client-addresses.js';
import { ServerError } from '../transport/errors.js';
import type { QuoteSession } from './quote-session.js';

/** What {@link UnsignedSockets} go by. */
export interface UnsignedSocketsOptions {
  readonly addresses: ClientAddresses;
  /** In all. */
  readonly socketsMax: number;
}

/** Who opens a socket. */
export interface SocketOrigin {
  readonly ip: string;
  /** The maker's key (base58) that it names. */
  readonly maker: string;
}

/** Counts unsigned sockets, of each address and of each key from it; in all the oldest gives way. */
export class UnsignedSockets {
  readonly #options: UnsignedSocketsOptions;
  /** The oldest first. */
  readonly #sessions = new Set<QuoteSession>();
  readonly #byAddress = new Map<string, number>();
  readonly #byKey = new Map<string, number>();

  constructor(options: UnsignedSocketsOptions) {
    this.#options = options;
  }

  /** Throws RATE_LIMITED when an address has too many of them. */
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

  /** Adds a session. The oldest one is closed when there are too many: a maker signs at once. */
  addSession(session: QuoteSession): void {
    this.#sessions.add(session);
    this.#count(session, 1);
    if (this.#sessions.size <= this.#options.socketsMax) return;
    const [oldest] = this.#sessions;
    if (oldest !== undefined) oldest.closeAsCrowdedOut();
  }

  /** The session has signed, or its socket has closed. */
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
