/** How many topics there may be: each is work in every turn in which its market changes. */
import { LIMITS } from '../../config/limits.js';
import { SocketError } from '../transport/ws-error.js';
import { addressKey, isLoopback } from './client-address.js';

/** Subscriptions by topic. */
type Subscriptions = Map<string, number>;

/** The topics with subscribers, of the service and of each address. */
export class TopicQuota {
  readonly #all: Subscriptions = new Map();
  readonly #byAddress = new Map<string, Subscriptions>();

  constructor(private readonly topicsPerIp: number) {}

  /** Topics with subscribers. */
  get topicCount(): number {
    return this.#all.size;
  }

  /** Counts a subscription. Throws LIMIT_EXCEEDED when it is one topic too many. */
  acquireTopic(ip: string, key: string): void {
    const { topicsMax } = LIMITS;
    if (this.#all.size >= topicsMax && !this.#all.has(key)) {
      const message = `the service has ${topicsMax} topics with subscribers, which is its most`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    if (!isLoopback(ip)) this.#acquireForAddress(addressKey(ip), key);
    changeCount(this.#all, key, 1);
  }

  /** Gives back what was taken. */
  releaseTopic(ip: string, key: string): void {
    changeCount(this.#all, key, -1);
    if (isLoopback(ip)) return;
    const address = addressKey(ip);
    const own = this.#byAddress.get(address);
    if (own === undefined) return;
    changeCount(own, key, -1);
    if (own.size === 0) this.#byAddress.delete(address);
  }

  #acquireForAddress(address: string, key: string): void {
    const own = this.#byAddress.get(address) ?? new Map<string, number>();
    if (own.size >= this.topicsPerIp && !own.has(key)) {
      const message = `one address may have ${this.topicsPerIp} topics`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    changeCount(own, key, 1);
    this.#byAddress.set(address, own);
  }
}

function changeCount(subscriptions: Subscriptions, key: string, change: 1 | -1): void {
  const count = (subscriptions.get(key) ?? 0) + change;
  if (count === 0) subscriptions.delete(key);
  else subscriptions.set(key, count);
}
