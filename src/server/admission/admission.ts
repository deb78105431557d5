/**
 * Rate limits and quotas of requests, sockets, messages and topics.
 *
 * Limits are counted by the client keys of `client-addresses.ts`; an address without a key has no
 * limits.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timers } from '../../contract/timers.js';
import { ServerError, SocketError } from '../transport/errors.js';
import { errorReply, type HttpRequest, type Reply } from '../transport/reply.js';
import { ClientAddresses } from './client-addresses.js';

/**
 * Throws INVALID_REQUEST for a request that announces a body: no path takes one, and a proxy may
 * parse its length differently.
 */
export function requireNoBody(request: HttpRequest): void {
  if (!request.announcesBody()) return;
  const message =
    'no path takes a body: a request may have one Content-Length, which is 0, and no Transfer-Encoding';
  throw new ServerError('INVALID_REQUEST', message);
}

/** Throws TOO_LARGE for a request whose path, query or headers are beyond their limits. */
export function requireRequestSize(request: HttpRequest): void {
  const { requestLineBytesMax, headerBytesMax } = LIMITS;
  const line = request.path.length + request.query.length;
  if (line <= requestLineBytesMax && request.countHeaderBytes() <= headerBytesMax) return;
  const message =
    `a request may have ${requestLineBytesMax} bytes of path and query and ` +
    `${headerBytesMax} of headers`;
  throw new ServerError('TOO_LARGE', message);
}

/** A sustained rate (at least 1) and its burst; the burst equals the rate by default. */
interface Rate {
  readonly perSecond: number;
  readonly burst?: number;
}

/** A token bucket: it refills every second, up to the burst, which is at least the rate. */
class TokenBucket {
  tokens: number;
  readonly #perSecond: number;
  readonly #tokensMax: number;
  #filledAtMs: number;

  constructor({ perSecond, burst = perSecond }: Rate, nowMs: number) {
    this.#perSecond = perSecond;
    this.#tokensMax = Math.max(burst, perSecond);
    this.tokens = this.#tokensMax;
    this.#filledAtMs = nowMs;
  }

  refill(nowMs: number): void {
    const gained = ((nowMs - this.#filledAtMs) / 1_000) * this.#perSecond;
    this.tokens = Math.min(this.#tokensMax, this.tokens + gained);
    this.#filledAtMs = nowMs;
  }
}

/** Options of a {@link RequestLimiter}. */
interface RequestLimiterOptions {
  /** The sustained rate, at least 1, and also the burst. */
  readonly perSecond: number;
  readonly addresses?: ClientAddresses | undefined;
  readonly timers: Pick<Timers, 'nowMs'>;
}

/** Limits the requests of each address. */
export class RequestLimiter {
  readonly #perSecond: number;
  readonly #addresses: ClientAddresses;
  readonly #timers: Pick<Timers, 'nowMs'>;
  /** Ordered by last use, oldest first. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ perSecond, addresses, timers }: RequestLimiterOptions) {
    this.#perSecond = perSecond;
    this.#addresses = addresses ?? new ClientAddresses();
    this.#timers = timers;
  }

  /** Returns the reply that rejects the request; undefined when it may proceed. */
  checkRequest(ip: string): Reply | undefined {
    const key = this.#addresses.limitKey(ip);
    if (key === undefined) return undefined;
    const bucket = this.#refilledBucket(key);
    if (bucket.tokens < 1) return this.#buildRefusal(bucket);
    bucket.tokens -= 1;
    return undefined;
  }

  /** Marks the bucket of an address as used, and refills it. */
  #refilledBucket(key: string): TokenBucket {
    const nowMs = this.#timers.nowMs();
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ perSecond: this.#perSecond }, nowMs);
    bucket.refill(nowMs);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > LIMITS.rateLimitedAddressesMax) {
      const oldest = this.#buckets.keys().next();
      if (oldest.done === false) this.#buckets.delete(oldest.value);
    }
    return bucket;
  }

  #buildRefusal({ tokens }: TokenBucket): Reply {
    const perSecond = this.#perSecond;
    const resetSeconds = String(Math.ceil((1 - tokens) / perSecond));
    const message = `this address made more than ${perSecond} requests a second`;
    const reply = errorReply(new ServerError('RATE_LIMITED', message));
    return {
      ...reply,
      headers: [
        ...reply.headers,
        ['RateLimit-Limit', String(perSecond)],
        ['RateLimit-Remaining', '0'],
        ['RateLimit-Reset', resetSeconds],
      ],
    };
  }
}

/** The verdict on a message; after too many refused messages the socket is closed. */
type MessageVerdict = 'allowed' | 'refused' | 'abusive';

/** Callbacks for a refused message. */
interface RefusedMessage {
  refuse(error: SocketError): void;
  close(reason: string): void;
}

/**
 * Limits the messages of one socket. Excess messages accumulate debt, which distinguishes a
 * persistent client from a single burst.
 */
export class MessageLimiter {
  readonly #bucket: TokenBucket;
  readonly #perSecond: number;
  readonly #debtMax: number;

  constructor(rate: Rate, nowMs: number) {
    this.#bucket = new TokenBucket(rate, nowMs);
    const { perSecond } = rate;
    this.#perSecond = perSecond;
    this.#debtMax = perSecond * LIMITS.messageDebtSecondsMax;
  }

  /**
   * Counts a message. Returns whether the message is allowed; otherwise calls `refuse` with the
   * error, or `close` with the reason to close the socket.
   */
  admitMessage(nowMs: number, otherwise: RefusedMessage): boolean {
    const verdict = this.countMessage(nowMs);
    if (verdict === 'allowed') return true;
    const text = `more than ${this.#perSecond} messages a second`;
    if (verdict === 'refused') otherwise.refuse(new SocketError('RATE_LIMITED', text));
    else otherwise.close(text);
    return false;
  }

  countMessage(nowMs: number): MessageVerdict {
    this.#bucket.refill(nowMs);
    this.#bucket.tokens -= 1;
    if (this.#bucket.tokens >= 0) return 'allowed';
    return this.#bucket.tokens >= -this.#debtMax ? 'refused' : 'abusive';
  }
}

/** Throws a ServerError unless the request asks for a WebSocket and the service is not stopping. */
export function requireUpgrade(request: HttpRequest, isClosing: boolean): void {
  requireNoBody(request);
  requireRequestSize(request);
  const isUpgrade = request.getHeader('upgrade').toLowerCase() === 'websocket';
  if (!isUpgrade || request.getHeader('sec-websocket-version') !== '13') {
    const message = 'this path speaks WebSocket (RFC 6455, version 13)';
    throw new ServerError('UPGRADE_REQUIRED', message);
  }
  if (isClosing) throw new ServerError('NOT_READY', 'the service is stopping');
}

/** The limits of the sockets of one kind. */
interface SocketQuotaOptions {
  /** The plural name of the kind of socket, for error messages. */
  readonly what: string;
  readonly socketsMax: number;
  /** Maximum number of sockets of one address; 0 for no limit. */
  readonly socketsPerIp: number;
  readonly addresses?: ClientAddresses | undefined;
}

/** Counts the open sockets of one kind, in total and by address. */
export class SocketQuota {
  readonly #options: SocketQuotaOptions;
  readonly #addresses: ClientAddresses;
  readonly #byAddress = new Map<string, number>();
  #count = 0;

  constructor(options: SocketQuotaOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? new ClientAddresses();
  }

  /** Throws a ServerError when the address may not open another socket. */
  requireRoom(ip: string): void {
    const { what, socketsMax, socketsPerIp } = this.#options;
    if (this.#count >= socketsMax) {
      const message = `the service has ${socketsMax} ${what}, which is its limit`;
      throw new ServerError('LIMIT_EXCEEDED', message);
    }
    const key = socketsPerIp === 0 ? undefined : this.#addresses.limitKey(ip);
    if (key === undefined || (this.#byAddress.get(key) ?? 0) < socketsPerIp) return;
    throw new ServerError('RATE_LIMITED', `one address may have ${socketsPerIp} ${what}`);
  }

  addSocket(ip: string): void {
    this.#count += 1;
    const key = this.#addresses.limitKey(ip);
    if (key !== undefined) changeCount(this.#byAddress, key, 1);
  }

  removeSocket(ip: string): void {
    this.#count -= 1;
    const key = this.#addresses.limitKey(ip);
    if (key !== undefined) changeCount(this.#byAddress, key, -1);
  }
}

/** Changes a count; a count of zero is removed from the map. */
export function changeCount(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
