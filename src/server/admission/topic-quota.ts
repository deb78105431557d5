/**
 * Limits the topics that have subscribers, because a topic costs work in every turn in which its
 * market changes.
 *
 * The common topics, which most clients share, can always be opened: their number depends on the
 * markets. Topics with client-chosen parameters share quotas, of which no client takes more than
 * stays free.
 */
import { LIMITS } from '../../config/limits.js';
import { FairShare } from '../../contract/fair-share.js';
import { SocketError } from '../transport/errors.js';
import { changeCount } from './admission.js';
import { ClientAddresses } from './client-addresses.js';

/**
 * The quota of a topic. `common`: the standard topics of a market. `chosen`: topics with a depth,
 * grouping, time or maker that a client chose. `unknownMaker`: topics of makers without an account,
 * whose keys anyone can invent.
 */
export type QuotaClass = 'common' | 'chosen' | 'unknownMaker';

/** Options of a {@link TopicQuota}. */
interface TopicQuotaOptions {
  /** Maximum number of topics of one address, in all classes; 0 for no limit. */
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
  /** The address of the first subscriber, to whose quota the topic counts. */
  readonly holder: string | undefined;
  subscriptions: number;
}

/** Counts the topics with subscribers, by class and by address. */
export class TopicQuota {
  readonly #topicsPerIp: number;
  readonly #shares: Readonly<Record<QuotaClass, FairShare>>;
  readonly #addresses: ClientAddresses;
  readonly #open = new Map<string, OpenTopic>();
  readonly #byAddress = new Map<string, Map<string, number>>();

  constructor({ topicsPerIp, topicsMax, addresses }: TopicQuotaOptions) {
    this.#topicsPerIp = topicsPerIp;
    this.#shares = {
      common: new FairShare(Number.POSITIVE_INFINITY),
      chosen: new FairShare(topicsMax),
      unknownMaker: new FairShare(LIMITS.unknownMakerTopicsMax),
    };
    this.#addresses = addresses ?? new ClientAddresses();
  }

  get topicCount(): number {
    return this.#open.size;
  }

  /** Counts a subscription. Throws LIMIT_EXCEEDED when a quota is exhausted. */
  acquireTopic({ ip, key, quotaClass }: CountedTopic): void {
    const known = this.#open.get(key);
    const holder = this.#addresses.limitKey(ip);
    if (holder !== undefined) this.#requireOwnRoom(holder, key);
    if (known === undefined) this.#takeShare(quotaClass, holder);
    if (holder !== undefined) this.#countForAddress(holder, key);
    if (known !== undefined) known.subscriptions += 1;
    else this.#open.set(key, { quotaClass, holder, subscriptions: 1 });
  }

  /** Reverts {@link TopicQuota.acquireTopic}. */
  releaseTopic(ip: string, key: string): void {
    const topic = this.#open.get(key);
    if (topic === undefined) return;
    topic.subscriptions -= 1;
    if (topic.subscriptions === 0) {
      this.#open.delete(key);
      this.#shares[topic.quotaClass].give(topic.holder);
    }
    const address = this.#addresses.limitKey(ip);
    const own = address === undefined ? undefined : this.#byAddress.get(address);
    if (address === undefined || own === undefined) return;
    changeCount(own, key, -1);
    if (own.size === 0) this.#byAddress.delete(address);
  }

  #takeShare(quotaClass: QuotaClass, holder: string | undefined): void {
    const share = this.#shares[quotaClass];
    if (share.take(holder)) return;
    const what = quotaClass === 'chosen' ? 'topics' : 'topics of makers without an account';
    const message = `${share.free} more ${what} have room, and no address may have more of them than that`;
    throw new SocketError('LIMIT_EXCEEDED', message);
  }

  #requireOwnRoom(address: string, key: string): void {
    const own = this.#byAddress.get(address);
    if (own === undefined || own.has(key)) return;
    if (this.#topicsPerIp === 0 || own.size < this.#topicsPerIp) return;
    const message = `one address may have ${this.#topicsPerIp} topics`;
    throw new SocketError('LIMIT_EXCEEDED', message);
  }

  #countForAddress(address: string, key: string): void {
    const own = this.#byAddress.get(address) ?? new Map<string, number>();
    changeCount(own, key, 1);
    this.#byAddress.set(address, own);
  }
}
