/**
 * Names of topics between the threads: `candle:perp_0:1`, `trades:perp_0`, `channel:perp_0`; the
 * first two with the suffix `:binary` for bytes.
 */

import type { MarketKey } from '../../contract/markets.js';
import { isResolutionName, type ResolutionName } from '../candles/resolution.js';

/** The encoding of a topic's messages. */
export type Encoding = 'json' | 'binary';

/** The candles of a market, with the trades that move them. */
export interface CandleTopicName {
  readonly kind: 'candle';
  readonly market: MarketKey;
  readonly resolution: ResolutionName;
  readonly encoding: Encoding;
}

/** The trades of a market in the market data dialect. */
export interface TradesTopicName {
  readonly kind: 'trades';
  readonly market: MarketKey;
  readonly encoding: Encoding;
}

/** The trades of a market in the book's compatible channel. */
export interface ChannelTopicName {
  readonly kind: 'channel';
  readonly market: MarketKey;
}

/** A topic. */
export type TopicName = CandleTopicName | TradesTopicName | ChannelTopicName;

const BINARY = ':binary';

const marketPattern = /^(?:perp|spot)_(?:0|[1-9]\d{0,4})$/;

/** Parses a topic; undefined for an invalid name. */
export function readTopic(text: string): TopicName | undefined {
  const encoding = text.endsWith(BINARY) ? 'binary' : 'json';
  const json = encoding === 'binary' ? text.slice(0, -BINARY.length) : text;
  const [kind, market = '', resolution, ...rest] = json.split(':');
  if (!isMarketKey(market) || rest.length > 0) return undefined;
  if (kind === 'candle') {
    if (resolution === undefined || !isResolutionName(resolution)) return undefined;
    return { kind, market, resolution, encoding };
  }
  if (resolution !== undefined) return undefined;
  if (kind === 'trades') return { kind, market, encoding };
  return kind === 'channel' && encoding === 'json' ? { kind, market } : undefined;
}

function isMarketKey(text: string): text is MarketKey {
  return marketPattern.test(text);
}
