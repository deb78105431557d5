/** The topics of a stream, and the types of their rows. */
import type { Base, Price } from '../amounts.js';
import type { BookState, Level } from '../generated/rows.js';

/** The liquidity of a topic besides orders. */
interface Sources {
  readonly includeVamm?: boolean;
  readonly includeIndicative?: boolean;
  /** Whether frames contain the time of their creation: {@link BookView.timing}. */
  readonly timing?: boolean;
  /**
   * Minimum interval between two frames, milliseconds; by default the service's own, usually 10.
   */
  readonly intervalMs?: StreamInterval;
}

/** Minimum interval between two frames of a topic, milliseconds. */
export type StreamInterval = 10 | 50 | 100 | 250 | 500 | 1_000 | 5_000;

/** Rows a side of a topic. */
export type StreamDepth = 10 | 20 | 50 | 100 | 500;

/** Price levels, as /l2. */
export interface BookTopic extends Sources {
  readonly channel: 'book';
  /** In any case. */
  readonly market: string;
  /** Levels a side, 50 by default. */
  readonly depth?: StreamDepth;
  /** Ticks a group, 1 by default. */
  readonly grouping?: number;
}

/** The best bid and the best ask. */
export interface BestTopic extends Sources {
  readonly channel: 'bbo';
  readonly market: string;
}

/** Single orders, as /l3. */
export interface OrdersTopic extends Sources {
  readonly channel: 'l3';
  readonly market: string;
  /** Orders a side, 50 by default. */
  readonly depth?: StreamDepth;
  /** Only the orders of this user account. */
  readonly maker?: string;
}

/** Anything that a stream can show. */
export type Topic = BookTopic | BestTopic | OrdersTopic;

/** A best price. */
export interface Best {
  readonly price: Price;
  readonly size: Base;
}

/** A book at one moment; the object never changes, so it can be stored. */
export interface BookView<Row extends Best = Level> {
  /** The market's name in the service's list. */
  readonly market: string;
  /** The epoch: one run of the service on one chain. */
  readonly epoch: string;
  /** The sequence number of this state of the market, the same as in /l2. */
  readonly seq: number;
  readonly slot: number;
  /** Unix milliseconds of the service. */
  readonly ts: number;
  /** The freshness of the book, according to the service. */
  readonly state: BookState;
  /**
   * False while the connection is lost or the book is being repaired: the rows are then the last
   * known ones.
   */
  readonly isFollowing: boolean;
  /** Best first. */
  readonly bids: readonly Row[];
  /** Best first. */
  readonly asks: readonly Row[];
  /** Null where the side is empty. */
  readonly bestBidPrice: Price | null;
  readonly bestAskPrice: Price | null;
  /**
   * The times of receipt and of sending in the service, Unix nanoseconds; null unless the topic has
   * `timing`.
   */
  readonly timing: { readonly recvNs: bigint; readonly sendNs: bigint } | null;
}

/** The newest book that the service's signed log proved. */
export interface ProvenBook {
  /** The market of the entry: that its index is the market's is for the caller to know. */
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  readonly seq: number;
  readonly slot: number;
  /** Unix milliseconds of the service. */
  readonly ts: number;
  /** The number of leaves of the log. */
  readonly size: number;
}

/** Equal for topics that show the same. */
export function topicKeyOf(topic: Topic): string {
  const { channel, market, includeVamm, includeIndicative, timing, intervalMs } = topic;
  const { depth, grouping, maker } = { depth: 50, grouping: 1, maker: '', ...topic };
  const shown = channel === 'bbo' ? [] : [depth, channel === 'book' ? grouping : maker];
  const flags = [includeVamm, includeIndicative, timing].map((is) => is === true);
  return JSON.stringify([channel, market.toLowerCase(), ...shown, ...flags, intervalMs]);
}
