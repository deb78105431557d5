/** Which topics a turn of the engine has changed. */
import type { BookSource } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';

/** Which quotes the books of a topic include besides orders. */
export interface QuoteContent {
  /** Quotes of the AMM or of makers. */
  readonly hasQuotes: boolean;
  /** Indicative quotes of makers. */
  readonly hasIndicative: boolean;
}

/** The open topics of one kind of channel. */
export interface TopicIndex<Topic extends QuoteContent> {
  allTopics(): Iterable<Topic>;
  ofMarket(id: number): Iterable<Topic>;
}

/**
 * Finds the topics that a turn has changed. Every book carries a version stamp, the state of the feed and
 * the epoch: when the stamp changes, all topics do.
 */
export class ChangedTopics {
  readonly #book: BookSource;
  #epoch = '';
  #state = '';

  constructor(book: BookSource) {
    this.#book = book;
  }

  /** Takes over the current version stamp. Returns whether it has changed. */
  syncVersion(): boolean {
    const { epoch, state } = this.#book;
    if (epoch === this.#epoch && state === this.#state) return false;
    this.#epoch = epoch;
    this.#state = state;
    return true;
  }

  /** Calls `visit` for each changed topic; more than once where its market has several changes. */
  forEachChanged<Topic extends QuoteContent>(
    { dirty, requoted, indicated }: MarketChanges,
    topics: TopicIndex<Topic>,
    visit: (topic: Topic) => void,
  ): void {
    if (this.syncVersion()) {
      for (const topic of topics.allTopics()) visit(topic);
      return;
    }
    for (const id of dirty) for (const topic of topics.ofMarket(id)) visit(topic);
    // Topics that carry orders alone do not change with quotes, nor those without indicative quotes
    // with indicative ones.
    for (const id of requoted) {
      for (const topic of topics.ofMarket(id)) if (topic.hasQuotes) visit(topic);
    }
    for (const id of indicated) {
      for (const topic of topics.ofMarket(id)) if (topic.hasIndicative) visit(topic);
    }
  }
}
