/** The compatible channels, by what is asked for. */

import { type Of, object } from '../fields.js';
import { tradeFacts } from '../http/record-shapes.js';
import type { MarketType } from '../keys.js';

/** Whole books: the body of /l2 whenever it changes. */
export interface BooksChannel {
  /** `orderbook_indicative` has the indicative quotes as well. */
  readonly channel: 'orderbook' | 'orderbook_indicative';
  readonly marketType: MarketType;
  /** Its name, in any case. */
  readonly market: string;
  /** Ticks a group. */
  readonly grouping?: number;
  /** Levels a side, 1 to 1,000; 20 by default. */
  readonly depth?: number;
  /** True by default. */
  readonly includeVamm?: boolean;
}

/** Trades one by one, from now on. */
export interface TradesChannel {
  readonly channel: 'trades';
  readonly marketType: MarketType;
  readonly market: string;
}

/** A trade as this channel tells it. */
export const channelTrade = object(tradeFacts);

/** A trade as this channel tells it. */
export type ChannelTrade = Of<typeof channelTrade>;
