/**
 * What a message of the market data dialect asks for. Symbols are those of the chain, in any case;
 * `resolution` may be a number, as clients know it by its minutes.
 */

import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { quoteValue, SocketError } from '../transport/errors.js';
import { type ClientMessage, kindOf } from './client-message.js';

/** The channels of the dialect. */
export const MARKET_CHANNELS = ['candle', 'trades'] as const;

/** One of them. */
export type MarketChannel = (typeof MARKET_CHANNELS)[number];

/** A subscription that is asked for. */
export interface MarketRequest {
  readonly channel: MarketChannel;
  /** As the chain writes it. */
  readonly symbol: string;
  /** As it was asked for; undefined for trades. */
  readonly resolution: string | undefined;
  /** The topic of the history. */
  readonly topic: string;
  /** What clients know the channel by. */
  readonly name: string;
}

/** The names of resolutions: the day is `1440` in the specification, and `D` elsewhere. */
const resolutions: readonly string[] = ['1', '5', '15', '60', '240', 'D', 'W', 'M', '1440'];

/** Whether a message is of this dialect; one with a channel of the book is not. */
export function isMarketRequest(message: ClientMessage): boolean {
  if (message.hasMember('channel') || message.hasMember('topic')) return false;
  return (
    message.hasMember('channelType') ||
    (message.hasMember('symbol') && message.hasMember('resolution'))
  );
}

/** Reads a message. Throws a SocketError that says what is wrong with it. */
export function readMarketRequest(message: ClientMessage, book: BookSource): MarketRequest {
  const channel = channelOf(message);
  const { symbol, marketType, marketIndex } = marketNamed(message, book);
  const market = `${marketType}_${marketIndex}`;
  if (channel === 'trades') {
    const [topic, name] = [`trades:${market}`, `trades:${symbol}`];
    return { channel, symbol, resolution: undefined, topic, name };
  }
  const resolution = resolutionOf(message);
  const topic = `candle:${market}:${resolution}`;
  return { channel, symbol, resolution, topic, name: `candle:${symbol}:${resolution}` };
}

/** The shorter form names none: it means candles. */
function channelOf(message: ClientMessage): MarketChannel {
  if (!message.hasMember('channelType')) return 'candle';
  const asked = message.requireText('channelType').toLowerCase();
  const channel = MARKET_CHANNELS.find((name) => name === asked);
  if (channel !== undefined) return channel;
  const names = MARKET_CHANNELS.join(' and ');
  const text = `there is no channelType ${message.quoteMember('channelType')}, there are ${names}`;
  throw new SocketError('UNKNOWN_CHANNEL', text);
}

/** Perp before spot, and the lowest index, where a name was given twice. */
function marketNamed(message: ClientMessage, book: BookSource): MarketInfo {
  const name = message.requireText('symbol').toLowerCase();
  const named = book.markets().filter(({ symbol }) => symbol.toLowerCase() === name);
  const [found] = named.sort(
    (a, b) => a.marketType.localeCompare(b.marketType) || a.marketIndex - b.marketIndex,
  );
  if (found !== undefined) return found;
  throw new SocketError('UNKNOWN_MARKET', `there is no market ${message.quoteMember('symbol')}`);
}

function resolutionOf(message: ClientMessage): string {
  const sent = message.getValue('resolution');
  if (sent === undefined) throw new SocketError('MISSING_PARAM', 'resolution is missing');
  const asked = typeof sent === 'number' ? String(sent) : sent;
  const names = resolutions.join(', ');
  if (typeof asked !== 'string') {
    const text = `resolution was ${kindOf(sent)}, must be one of ${names}`;
    throw new SocketError('INVALID_PARAM', text);
  }
  const name = asked.toUpperCase();
  if (resolutions.includes(name)) return name;
  const text = `resolution was "${quoteValue(asked)}", must be one of ${names}`;
  throw new SocketError('INVALID_PARAM', text);
}
