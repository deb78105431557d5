/**
 * A book that lists and serves some of its markets only. The others are kept up to date all the same,
 * because a market's name is known only after its account has been read.
 */

import type {
  AuctionsRequest,
  L2Request,
  L3Request,
  MatchRequest,
  OrderbookFrameRequest,
  TopMakersRequest,
} from '../../contract/book-requests.js';
import type { BookSource, BookStats, MarketVersion } from '../../contract/book-source.js';
import type { FeedState } from '../../contract/feed-status.js';
import type { ChainStats, MarketInfo } from '../../contract/markets.js';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSpec,
} from '../../contract/topics.js';

/** Only the markets of these names, in any case; all of them when no name is given. */
export function filterMarkets(book: BookSource, names: readonly string[]): BookSource {
  return names.length === 0 ? book : new FilteredBook(book, names);
}

class FilteredBook implements BookSource {
  private readonly names: ReadonlySet<string>;
  private all: readonly MarketInfo[] = [];
  private listed: readonly MarketInfo[] = [];

  constructor(
    private readonly book: BookSource,
    names: readonly string[],
  ) {
    this.names = new Set(names.map((name) => name.toUpperCase()));
  }

  get epoch(): string {
    return this.book.epoch;
  }

  get turn(): number {
    return this.book.turn;
  }

  get state(): FeedState {
    return this.book.state;
  }

  markets(): readonly MarketInfo[] {
    const all = this.book.markets();
    if (all !== this.all) {
      this.all = all;
      this.listed = all.filter((row) => this.lists(row));
    }
    return this.listed;
  }

  findMarket(name: string): MarketInfo | undefined {
    const row = this.book.findMarket(name);
    return row !== undefined && this.lists(row) ? row : undefined;
  }

  readChainStats(): readonly ChainStats[] {
    return this.book.readChainStats();
  }

  l2(request: L2Request): Uint8Array {
    return this.book.l2(request);
  }

  l3(request: L3Request): Uint8Array {
    return this.book.l3(request);
  }

  auctions(request: AuctionsRequest): Uint8Array {
    return this.book.auctions(request);
  }

  match(request: MatchRequest): Uint8Array {
    return this.book.match(request);
  }

  orderbookFrame(request: OrderbookFrameRequest): Uint8Array {
    return this.book.orderbookFrame(request);
  }

  topMakers(request: TopMakersRequest): readonly string[] {
    return this.book.topMakers(request);
  }

  topicName(spec: TopicSpec): string {
    return this.book.topicName(spec);
  }

  openTopic(spec: TopicSpec, recvNs?: bigint): number {
    return this.book.openTopic(spec, recvNs);
  }

  closeTopic(handle: number): void {
    this.book.closeTopic(handle);
  }

  topicDelta(handle: number, times?: FrameTimes): TopicDelta | null {
    return this.book.topicDelta(handle, times);
  }

  topicSnapshot(handle: number, answer: TopicSnapshotRequest): Uint8Array {
    return this.book.topicSnapshot(handle, answer);
  }

  topicHeartbeat(handle: number): Uint8Array {
    return this.book.topicHeartbeat(handle);
  }

  version(market: number): MarketVersion {
    return this.book.version(market);
  }

  stats(): BookStats {
    return this.book.stats();
  }

  private lists({ symbol }: MarketInfo): boolean {
    return this.names.has(symbol.toUpperCase());
  }
}
