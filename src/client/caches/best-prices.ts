import type { Price } from '../amounts.js';
import type { StreamClient } from '../stream/client.js';
import type { Subscription } from '../stream/subscription.js';
import { type Best, type BestTopic, type BookTopic, keyOf } from '../stream/topic.js';

/**
 * The best prices beside a book whose levels are grouped, which does not tell them: its first group
 * stands at the price of the group.
 */
export class BestPrices {
  #key = '';
  #subscription: Subscription<Best> | undefined;

  constructor(
    private readonly stream: StreamClient,
    private readonly onUpdate: () => void,
  ) {}

  /** The best prices; nothing where the book's own are right, and before there are some. */
  get prices(): { readonly bestBidPrice?: Price | null; readonly bestAskPrice?: Price | null } {
    const view = this.#subscription?.view;
    if (view?.isFollowing !== true) return {};
    const { bestBidPrice, bestAskPrice } = view;
    return { bestBidPrice, bestAskPrice };
  }

  /** Follows what belongs to a book from now on. */
  follow({
    market,
    grouping = 1,
    includeVamm = false,
    includeIndicative = false,
  }: BookTopic): void {
    const topic: BestTopic = { channel: 'bbo', market, includeVamm, includeIndicative };
    const key = grouping === 1 ? '' : keyOf(topic);
    if (key === this.#key) return;
    this.close();
    if (key === '') return;
    this.#key = key;
    this.#subscription = this.stream.subscribe(topic);
    this.#subscription.onUpdate(() => this.onUpdate());
  }

  close(): void {
    this.#key = '';
    this.#subscription?.close();
    this.#subscription = undefined;
  }
}
