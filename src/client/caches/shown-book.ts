import type { ClientError } from '../error.js';
import type { Level } from '../row-shapes.js';
import type { StreamClient } from '../stream/client.js';
import type { Subscription } from '../stream/subscription.js';
import type { Best, BookTopic, BookView } from '../stream/topic.js';

/** Who hears of a shown book. */
export interface ComposedBookOwner {
  updated(): void;
  failed(error: ClientError): void;
  troubled(error: ClientError): void;
}

/**
 * A book as somebody wants to see it, with the best prices of the market. Levels that are grouped do
 * not tell them: the first group stands at the price of the group.
 */
export class ComposedBook {
  readonly #levels: Subscription<Level>;
  readonly #best: Subscription<Best> | undefined;

  constructor(
    stream: StreamClient,
    readonly topic: BookTopic,
  ) {
    const { market, grouping = 1, includeVamm = false, includeIndicative = false } = topic;
    const best = { channel: 'bbo', market, includeVamm, includeIndicative } as const;
    this.#levels = stream.subscribe(topic);
    this.#best = grouping === 1 ? undefined : stream.subscribe(best);
  }

  /** The newest book; undefined before everything of it is there. */
  get view(): BookView<Level> | undefined {
    const levels = this.#levels.view;
    if (this.#best === undefined || levels === undefined) return levels;
    const best = this.#best.view;
    if (best === undefined) return undefined;
    const { bestBidPrice, bestAskPrice } = best;
    const isFollowing = levels.isFollowing && best.isFollowing;
    return { ...levels, bestBidPrice, bestAskPrice, isFollowing };
  }

  /** Tells from now on, and at once what is there. */
  notifyOwner(owner: ComposedBookOwner): void {
    for (const part of [this.#levels, this.#best]) {
      part?.onError((error) => owner.failed(error));
      part?.onRetry((error) => owner.troubled(error));
      part?.onUpdate(() => owner.updated());
    }
  }

  close(): void {
    this.#levels.close();
    this.#best?.close();
  }
}
