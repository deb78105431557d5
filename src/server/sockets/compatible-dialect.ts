/** The compatible dialect of the book channels: reads subscriptions, and sends whole books. */

import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { findNamed } from '../api/market-directory.js';
import { keyOf } from '../api/market-params.js';
import { SocketError } from '../transport/errors.js';
import type { BookTopicSpec } from './book-topics.js';
import type { ClientMessage } from './client-message.js';
import { historySubscription } from './market-dialect.js';
import type {
  ChannelParts,
  Dialect,
  SubscriptionAction,
  SubscriptionRequest,
} from './subscription.js';
import { leastChangeOf } from './unmarked-changes.js';
import { WholeSubscriber } from './whole-subscriber.js';

/** The error texts that existing clients know. */
const errorTexts: Readonly<Record<SubscriptionAction, string>> = {
  subscribe: 'Error subscribing to channel',
  unsubscribe: 'Error unsubscribing from channel',
};

/** The dialect of the compatible channels: complete books, and trades of the history. */
export const compatible: Dialect = {
  readRequest: (message, parts) => {
    if (isTrades(message)) return tradesRequest(message, parts);
    const { directory, books } = parts;
    const spec = topicSpec(message, directory);
    const quotaClass = spec.isCommon ? 'common' : 'chosen';
    const errorMembers = compatibleErrorMembers('subscribe', message);
    const openSubscriber = () => new WholeSubscriber(books.join(spec), { errorMembers });
    return { key: spec.key, market: spec.market, quotaClass, openSubscriber };
  },
  readKey: (message, { directory }) =>
    isTrades(message)
      ? tradesTopic(marketOf(message, directory))
      : topicSpec(message, directory).key,
  buildAcknowledgement: (action, message) => {
    const what = action === 'subscribe' ? 'Subscribe' : 'Unsubscribe';
    const [channel, market, marketType] = ['channel', 'market', 'marketType'].map((name) =>
      message.quoteMember(name),
    );
    const about = `channel: ${channel}, market: ${market}, marketType: ${marketType}`;
    return { message: `${what} received for ${about}` };
  },
  buildErrorMembers: compatibleErrorMembers,
};

function compatibleErrorMembers(action: SubscriptionAction, message: ClientMessage): object {
  return { channel: message.quoteMember('channel'), error: errorTexts[action] };
}

function isTrades(message: ClientMessage): boolean {
  return message.getWord('channel') === 'trades';
}

function tradesTopic(market: MarketInfo): string {
  return `channel:${keyOf(market)}`;
}

/** The trades channel has no snapshot; clients get a reset when trades are missing. */
function tradesRequest(
  message: ClientMessage,
  { directory, market }: ChannelParts,
): SubscriptionRequest {
  const row = marketOf(message, directory);
  return historySubscription(tradesTopic(row), {
    topics: market,
    market: row,
    errorMembers: { ...compatibleErrorMembers('subscribe', message), id: message.id },
  });
}

function topicSpec(message: ClientMessage, directory: MarketDirectory): BookTopicSpec {
  const channel = channels.get(message.requireText('channel').toLowerCase());
  if (channel !== undefined) return channel.topicOf(message, directory);
  throw new SocketError('UNKNOWN_CHANNEL', `there is no channel ${message.quoteMember('channel')}`);
}

/** One channel. */
interface Channel {
  /** Reads the topic from a message. Throws a SocketError that describes the invalid member. */
  readonly topicOf: (message: ClientMessage, directory: MarketDirectory) => BookTopicSpec;
}

/** The channels of books by name, in lower case. */
const channels: ReadonlyMap<string, Channel> = new Map([
  ['orderbook', orderbookChannel({ indicative: false })],
  ['orderbook_indicative', orderbookChannel({ indicative: true })],
]);

/** The channels of the dialect. */
export const COMPATIBLE_CHANNELS: readonly string[] = [...channels.keys(), 'trades'];

const groupingRange = { min: LIMITS.groupingMin, max: LIMITS.groupingMax };
const depthRange = { min: LIMITS.depthMin, max: LIMITS.depthMax };

function orderbookChannel({ indicative }: { readonly indicative: boolean }): Channel {
  return {
    topicOf: (message, directory) => {
      const market = marketOf(message, directory);
      const grouping = message.readInteger('grouping', groupingRange);
      const depth = message.readInteger('depth', depthRange) ?? LIMITS.channelDepthDefault;
      const vamm = !message.isFalse('includeVamm');
      const shape = { depth, ...(grouping === undefined ? {} : { grouping }), vamm, indicative };
      return {
        key: `orderbook ${market.id} ${JSON.stringify(shape)}`,
        market,
        isCommon: depth === LIMITS.channelDepthDefault && (grouping ?? 1) === 1,
        leastChange: leastChangeOf(shape),
        render: (source, id) => source.orderbookFrame({ market: id, ...shape }),
      };
    },
  };
}

/** Finds a market by name and type. */
function marketOf(message: ClientMessage, directory: MarketDirectory): MarketInfo {
  const type = message.requireText('marketType').toLowerCase();
  if (type !== 'perp' && type !== 'spot') {
    const was = message.quoteMember('marketType');
    throw new SocketError('INVALID_PARAM', `marketType was "${was}", must be perp or spot`);
  }
  const found = findNamed(directory, { name: message.requireText('market'), type });
  if (found !== undefined) return found;
  const text = `there is no ${type} market ${message.quoteMember('market')}`;
  throw new SocketError('UNKNOWN_MARKET', text);
}
