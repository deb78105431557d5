/**
 * How many requests one address may make: a bucket of tokens for each address that fills by the
 * second. Loopback is exempt.
 *
 * Behind a proxy all clients have its address, and the proxy is the place for such a limit.
 */
import { LIMITS } from '../../config/limits.js';
import { ServerError } from '../transport/errors.js';
import { errorReply, type Reply } from '../transport/reply.js';
import { addressKey, isLoopback } from './client-address.js';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Counts requests by address. */
export class RequestLimiter {
  /** The address that was quiet longest stands first. */
  private readonly buckets = new Map<string, Bucket>();

  /** `perSecond` is both the lasting rate and the burst; at least 1. */
  constructor(
    private readonly perSecond: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Undefined when the request may go on; else the answer that refuses it. */
  checkRequest(ip: string): Reply | undefined {
    if (isLoopback(ip)) return undefined;
    const bucket = this.refillBucket(addressKey(ip));
    if (bucket.tokens < 1) return this.buildRefusal(bucket);
    bucket.tokens -= 1;
    return undefined;
  }

  /** The bucket of an address as of now, moved to the end of the line. */
  private refillBucket(key: string): Bucket {
    const nowMs = this.nowMs();
    const bucket = this.buckets.get(key) ?? { tokens: this.perSecond, filledAtMs: nowMs };
    const gained = ((nowMs - bucket.filledAtMs) / 1_000) * this.perSecond;
    bucket.tokens = Math.min(this.perSecond, bucket.tokens + gained);
    bucket.filledAtMs = nowMs;
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > LIMITS.rateLimitedAddressesMax) {
      const oldest = this.buckets.keys().next();
      if (oldest.done === false) this.buckets.delete(oldest.value);
    }
    return bucket;
  }

  private buildRefusal({ tokens }: Bucket): Reply {
    const { perSecond } = this;
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
