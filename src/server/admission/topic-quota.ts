/**
 * Limits the topics with subscribers, because a topic costs work in every turn in which its market
 * changes.
 *
 * The common topics, which most clients share, are bounded by the markets and can always be opened.
 * Topics with client-chosen parameters share quotas that other clients can exhaust.
 */
import { LIMITS } from '../../config/limits.js';
import { SocketError } from '../transport/errors.js';
import { changeCount } from './admission.js';
import { ClientAddresses } from './client-addresses.js';

/**
 * The quota of a topic: the common ones of its market, those with a client-chosen depth, grouping,
 * time or maker, or those of makers without an account, which anyone can invent.
 */
export type QuotaClass = 'common' | 'chosen' | 'unknownMaker';

/** Options of a {@link TopicQuota}. */
interface TopicQuotaOptions {
  /** Topics of one address, in all classes; 0 for no limit. */
  readonly topicsPerIp: number;
  /** Client-chosen topics, in total. */
  readonly topicsMax: number;
  readonly addresses?: ClientAddresses;
}

/** A subscription to count. */
interface CountedTopic {
  readonly ip: string;
  readonly key: string;
  readonly quotaClass: QuotaClass;
}

interface OpenTopic {
  /** The class of its first subscriber. */
  readonly quotaClass: QuotaClass;
  subscriptions: number;
}

/** Counts the topics with subscribers, by class and by address. */
export class TopicQuota {
  readonly #topicsPerIp: number;
  readonly #classSizes: Readonly<Record<QuotaClass, number>>;
  readonly #addresses: ClientAddresses;
  readonly #open = new Map<string, OpenTopic>();
  readonly #counts: Record<QuotaClass, number> = { common: 0, chosen: 0, unknownMaker: 0 };
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor({ topicsPerIp, topicsMax, addresses }: TopicQuotaOptions) {
    this.#topicsPerIp = topicsPerIp;
    this.#classSizes = {
      common: Number.POSITIVE_INFINITY,
      chosen: topicsMax,
      unknownMaker: LIMITS.unknownMakerTopicsMax,
    };
    this.#addresses = addresses ?? new ClientAddresses();
  }

  get topicCount(): number {
    return this.#open.size;
  }

  /** Counts a subscription. Throws LIMIT_EXCEEDED beyond a limit. */
  acquireTopic({ ip, key, quotaClass }: CountedTopic): void {
    const known = this.#open.get(key);
    if (known === undefined) this.#requireQuota(quotaClass);
    const address = this.#addresses.limitKey(ip);
    if (address !== undefined) this.#acquireForAddress(address, key);
    if (known !== undefined) {
      known.subscriptions += 1;
      return;
    }
    this.#open.set(key, { quotaClass, subscriptions: 1 });
    this.#counts[quotaClass] += 1;
  }

  /** Reverts {@link TopicQuota.acquireTopic}. */
  releaseTopic(ip: string, key: string): void {
    const topic = this.#open.get(key);
    if (topic === undefined) return;
    topic.subscriptions -= 1;
    if (topic.subscriptions === 0) {
      this.#open.delete(key);
      this.#counts[topic.quotaClass] -= 1;
    }
    const address = this.#addresses.limitKey(ip);
    const own = address === undefined ? undefined : this.#byAddress.get(address);
    if (address === undefined || own === undefined) return;
    changeCount(own, key, -1);
    if (own.size === 0) this.#byAddress.delete(address);
  }

  #requireQuota(quotaClass: QuotaClass): void {
    const most = this.#classSizes[quotaClass];
    if (this.#counts[quotaClass] < most) return;
    const what = quotaClass === 'chosen' ? 'topics' : 'topics of makers without an account';
    const message = `the service has ${most} ${what} with subscribers, which is its limit`;
    throw new SocketError('LIMIT_EXCEEDED', message);
  }

  #acquireForAddress(address: string, key: string): void {
    const own = this.#byAddress.get(address) ?? new Map<string, number>();
    const isFull = this.#topicsPerIp > 0 && own.size >= this.#topicsPerIp;
    if (isFull && !own.has(key)) {
      const message = `one address may have ${this.#topicsPerIp} topics`;
      throw new SocketError('LIMIT_EXCEEDED', message);
    }
    changeCount(own, key, 1);
    this.#byAddress.set(address, own);
  }
}
