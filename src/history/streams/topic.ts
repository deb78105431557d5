/** Names of topics between the threads: `candle:perp_0:1`, `trades:perp_0`, `channel:perp_0`. */

import type { MarketKey } from '../../contract/markets.js';
import type { ResolutionName } from '../../contract/resolutions.js';
import { isResolutionName } from '../candles/resolution.js';

/** The candles of a market, with the trades that move them. */
export interface CandleTopicName {
  readonly kind: 'candle';
  readonly market: MarketKey;
  readonly resolution: ResolutionName;
}

/** The trades of a market in the market data dialect. */
export interface TradesTopicName {
  readonly kind: 'trades';
  readonly market: MarketKey;
}

/** The trades of a market in the book's compatible channel. */
export interface ChannelTopicName {
  readonly kind: 'channel';
  readonly market: MarketKey;
}

/** A topic. */
export type TopicName = CandleTopicName | TradesTopicName | ChannelTopicName;

const marketPattern = /^(?:perp|spot)_(?:0|[1-9]\d{0,4})$/;

/** Parses a topic; undefined for an invalid name. */
export function readTopic(text: string): TopicName | undefined {
  const [kind, market = '', resolution, ...rest] = text.split(':');
  if (!isMarketKey(market) || rest.length > 0) return undefined;
  if (kind === 'candle') {
    if (resolution === undefined || !isResolutionName(resolution)) return undefined;
    return { kind, market, resolution };
  }
  if (resolution !== undefined) return undefined;
  return kind === 'trades' || kind === 'channel' ? { kind, market } : undefined;
}

function isMarketKey(text: string): text is MarketKey {
  return marketPattern.test(text);
}
