/**
 * The market data dialect: candles and trades by symbol, books in decimals, and the statistics of
 * all markets. Symbols are those of the chain, in any case; `resolution` may be a number of
 * minutes.
 *
 * A subscription begins with the snapshot of its topic, followed by the acknowledgement. An `init`
 * after the acknowledgement means that updates may be missing. The book channel has no such
 * snapshot, because each of its messages is a whole book.
 */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import { RESOLUTION_NAMES } from '../../contract/resolutions.js';
import { keyOf } from '../api/market-params.js';
import { NO_HISTORY_TEXT, quoteValue, SocketError } from '../transport/errors.js';
import { asksForBytes, type ClientMessage, kindOf, marketIn, replyText } from './client-message.js';
import { dataBookSpec } from './data-book.js';
import type { HistoryTopic, HistoryTopics, PendingSubscriber } from './history-topics.js';
import type {
  ChannelParts,
  Dialect,
  FrameSink,
  SendOutcome,
  SnapshotCallbacks,
  SnapshotKind,
  Subscriber,
  SubscriptionAction,
  SubscriptionRequest,
} from './subscription.js';
import { isSummaryChannel, SUMMARY_CHANNELS, summaryName } from './summary-topics.js';
import { WholeSubscriber } from './whole-subscriber.js';

/** The dialect of market data. */
export const marketData: Dialect = {
  readRequest: readMarketSubscription,
  readKey: (message, { directory }) => readMarketRequest(message, directory).topic,
  buildAcknowledgement: (action, message, { parts }) => {
    const request = readMarketRequest(message, parts.directory);
    if (action === 'subscribe' && request.channel !== 'orderbook') return undefined;
    return marketAcknowledgement(action, message, request);
  },
  buildErrorMembers: (_, message) => marketErrorMembers(message),
};

function readMarketSubscription(message: ClientMessage, parts: ChannelParts): SubscriptionRequest {
  const { directory, market: topics, books, summaries } = parts;
  const request = readMarketRequest(message, directory);
  const { channel, topic, row } = request;
  const errorMembers = { ...marketErrorMembers(message), id: message.id };
  if (row !== undefined && channel === 'orderbook') {
    const spec = dataBookSpec(row);
    return {
      key: topic,
      market: row,
      quotaClass: 'common',
      openSubscriber: () => new WholeSubscriber(books.join(spec), { errorMembers }),
    };
  }
  const acknowledgement = replyText(marketAcknowledgement('subscribe', message, request));
  if (isSummaryChannel(channel)) {
    if (summaries === null) throw unknownChannel(message);
    const texts = { acknowledgement, errorMembers };
    const openSubscriber = () => new WholeSubscriber(summaries[channel].join(), texts);
    return { key: topic, quotaClass: 'common', openSubscriber };
  }
  return historySubscription(topic, { topics, market: row, acknowledgement, errorMembers });
}

/**
 * Returns a subscription to a topic of the history, in any dialect. Throws NO_HISTORY when there is
 * no history.
 */
export function historySubscription(
  topic: string,
  parts: {
    readonly topics: HistoryTopics | null;
    readonly market: MarketInfo | undefined;
    readonly acknowledgement?: string;
    readonly errorMembers: object;
  },
): SubscriptionRequest {
  const { topics, market, ...rest } = parts;
  if (topics === null) {
    throw new SocketError('NO_HISTORY', NO_HISTORY_TEXT);
  }
  topics.requireHistory();
  return {
    key: topic,
    market,
    quotaClass: 'common',
    openSubscriber: () =>
      new MarketSubscriber({ ...rest, topics, topic: topics.addSubscriber(topic) }),
  };
}

/** The reply to a message that was accepted. */
function marketAcknowledgement(
  action: SubscriptionAction,
  { id }: ClientMessage,
  { channel, row, resolution, name }: MarketRequest,
): object {
  const symbol = row?.symbol;
  const about = symbol === undefined ? `${channel} updates` : `${symbol} ${resolution ?? channel}`;
  const [type, message] =
    action === 'subscribe'
      ? ['subscription', `Subscribed to ${about}`]
      : ['unsubscription', `Unsubscribed from ${about}`];
  return { type, message, channelType: channel, channel: name, symbol, resolution, id };
}

/** Returns the members with which an error describes the subscription of a message. */
function marketErrorMembers(message: ClientMessage): object {
  const [channelType, symbol, resolution] = ['channelType', 'symbol', 'resolution'].map((name) =>
    message.quoteMember(name),
  );
  return { channelType: channelType ?? 'candle', symbol, resolution };
}

/** The dependencies of a subscriber. */
interface MarketSubscriberParts {
  readonly topics: HistoryTopics;
  /** The subscriber is already counted in the topic. */
  readonly topic: HistoryTopic;
  /**
   * The reply that follows the first snapshot; absent when the reply was already sent and there is
   * no first snapshot.
   */
  readonly acknowledgement?: string;
  readonly errorMembers: object;
}

/** Requests the snapshot of its topic from the history, and receives updates after the snapshot. */
class MarketSubscriber implements Subscriber, PendingSubscriber {
  readonly errorMembers: object;
  readonly #parts: MarketSubscriberParts;
  #callbacks: SnapshotCallbacks | undefined;
  /** The snapshot during the history's call; it is outdated after this turn. */
  #message: string | undefined;

  constructor(parts: MarketSubscriberParts) {
    this.#parts = parts;
    this.errorMembers = parts.errorMembers;
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get acknowledgement(): string | undefined {
    return this.#parts.acknowledgement;
  }

  attachCallbacks(callbacks: SnapshotCallbacks): void {
    this.#callbacks = callbacks;
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome {
    const { topics, topic, acknowledgement } = this.#parts;
    if (this.#message === undefined) {
      topics.requestSnapshot(topic, this);
      return 'later';
    }
    if (showing === 'first' && acknowledgement === undefined) return true;
    const reply = showing === 'first' ? acknowledgement : undefined;
    const messages = [this.#message, reply ?? ''];
    return messages.every((message) => message === '' || sink.send(Buffer.from(message)));
  }

  onSnapshot(message: string): void {
    this.#message = message;
    this.#callbacks?.onReady();
    this.#message = undefined;
  }

  onRefused(error: SocketError): void {
    this.#callbacks?.onFailed(error);
  }

  leaveTopic(): void {
    const { topics, topic } = this.#parts;
    topic.pendingSubscribers.delete(this);
    topics.removeSubscriber(topic);
  }
}

/** The channels of the dialect. */
export const MARKET_CHANNELS = ['candle', 'trades', 'orderbook', ...SUMMARY_CHANNELS] as const;

/** A kind of change. */
export type MarketChannel = (typeof MARKET_CHANNELS)[number];

/** What a message requests. */
interface MarketRequest {
  readonly channel: MarketChannel;
  /** Undefined for the channels of all markets. */
  readonly row: MarketInfo | undefined;
  /** The resolution as the message spells it; undefined for channels other than candles. */
  readonly resolution: string | undefined;
  /** The topic; for candles and trades, the topic's name in the history. */
  readonly topic: string;
  /** The name of the channel in replies. */
  readonly name: string;
}

/**
 * Returns whether a message belongs to this dialect; a message with a book channel does not. One
 * member of this dialect is enough, so that the error can name the missing member.
 */
export function isMarketRequest(message: ClientMessage): boolean {
  if (message.hasMember('channel') || message.hasMember('topic')) return false;
  return ['channelType', 'symbol', 'resolution'].some((name) => message.hasMember(name));
}

/** Reads a message. Throws a SocketError that describes the invalid member. */
function readMarketRequest(message: ClientMessage, directory: MarketDirectory): MarketRequest {
  const channel = channelOf(message);
  if (isSummaryChannel(channel)) {
    const name = summaryName(channel);
    return { channel, ...NOTHING, topic: name, name };
  }
  const row = marketIn(message, 'symbol', directory);
  const { symbol } = row;
  if (channel === 'orderbook') {
    const name = `${channel}:${symbol}`;
    return { channel, ...NOTHING, row, topic: dataBookSpec(row).key, name };
  }
  const resolution = channel === 'candle' ? resolutionOf(message) : undefined;
  if (asksForBytes(message)) {
    throw new SocketError('INVALID_PARAM', 'encoding binary is of the channels book, bbo and l3');
  }
  const nameWith = (market: string): string =>
    [channel, market, resolution].filter((part) => part !== undefined).join(':');
  const topic = nameWith(keyOf(row));
  const name = nameWith(symbol);
  return { channel, row, resolution, topic, name };
}

/** What not every channel has. */
const NOTHING = { row: undefined, resolution: undefined } as const;

/** A message in the short form names no channel and means candles. */
function channelOf(message: ClientMessage): MarketChannel {
  if (!message.hasMember('channelType')) return 'candle';
  const asked = message.requireText('channelType').toLowerCase();
  const channel = MARKET_CHANNELS.find((name) => name === asked);
  if (channel !== undefined) return channel;
  throw unknownChannel(message);
}

function unknownChannel(message: ClientMessage): SocketError {
  const names = MARKET_CHANNELS.join(' or ');
  const text = `there is no channelType ${message.quoteMember('channelType')}: it must be ${names}`;
  return new SocketError('UNKNOWN_CHANNEL', text);
}

function resolutionOf(message: ClientMessage): string {
  const sent = message.getValue('resolution');
  if (sent === undefined) throw new SocketError('MISSING_PARAM', 'resolution is missing');
  const asked = typeof sent === 'number' ? String(sent) : sent;
  const names = RESOLUTION_NAMES.join(', ');
  if (typeof asked !== 'string') {
    const text = `resolution was ${kindOf(sent)}, must be one of ${names}`;
    throw new SocketError('INVALID_PARAM', text);
  }
  const name = asked.toUpperCase();
  if (RESOLUTION_NAMES.some((known) => known === name)) return name;
  const text = `resolution was "${quoteValue(asked)}", must be one of ${names}`;
  throw new SocketError('INVALID_PARAM', text);
}
