/**
 * The dialects: the compatible one and the streaming one of the book's channels, and that of market
 * data. A dialect reads what a message asks for, and says how it is answered.
 */

import type { BookSource } from '../../contract/book-source.js';
import { SocketError } from '../transport/errors.js';
import { type BookTopicSpec, channels, marketOf } from './book-dialect.js';
import type { BookFanOut } from './book-fan-out.js';
import type { BookTopic } from './book-topics.js';
import type { ClientMessage } from './client-message.js';
import {
  historySubscription,
  type MarketParts,
  marketAcknowledgement,
  marketErrorMembers,
  marketKeyOf,
  readMarketSubscription,
} from './market-dialect.js';
import { isMarketRequest, readMarketRequest } from './market-request.js';
import { isStreamChannel, readResumePoint, readStreamRequest } from './stream-dialect.js';
import type { StreamFanOut } from './stream-fan-out.js';
import { StreamSubscriber } from './stream-subscriber.js';
import type { Action, FrameSink, Subscriber, SubscriptionRequest } from './subscription.js';

/** What the channels are made of. */
export interface ChannelParts extends MarketParts {
  readonly fanOut: BookFanOut;
  readonly streams: StreamFanOut;
}

/** What an acknowledgement is made from beside the message. */
export interface AcknowledgedTopic {
  readonly key: string;
  readonly parts: ChannelParts;
}

/** How messages about one kind of channel are read and answered. */
export interface Dialect {
  /** What is to begin. Throws a SocketError that says what is wrong with the message. */
  readRequest(message: ClientMessage, parts: ChannelParts): SubscriptionRequest;
  /** The topic that is to end. Throws a SocketError that says what is wrong with the message. */
  readKey(message: ClientMessage, parts: ChannelParts): string;
  /** Undefined where the reader says it itself, behind what it shows first. */
  buildAcknowledgement(
    action: Action,
    message: ClientMessage,
    asked: AcknowledgedTopic,
  ): object | undefined;
  /** What an error has beside its code. */
  buildErrorMembers(action: Action, message: ClientMessage): object;
}

/** The dialect of a message that subscribes or unsubscribes; undefined when it names no channel. */
export function dialectOf(message: ClientMessage): Dialect | undefined {
  if (isMarketRequest(message)) return marketData;
  if (!message.hasMember('channel')) return message.hasMember('topic') ? streaming : undefined;
  return isStreamChannel(message.getWord('channel') ?? '') ? streaming : compatible;
}

const streaming: Dialect = {
  readRequest: (message, { book, streams }) => {
    const request = readStreamRequest(message, book);
    const resume = readResumePoint(message);
    const id = JSON.stringify(message.id) ?? '';
    const open = (): Subscriber =>
      new StreamSubscriber({ streams, topic: streams.addSubscriber(request), id, resume });
    return { key: request.key, openSubscriber: open };
  },
  readKey: (message, { book }) =>
    message.hasMember('topic')
      ? message.requireText('topic')
      : readStreamRequest(message, book).key,
  buildAcknowledgement: (action, { id }, { key: topic }) => ({ type: `${action}d`, id, topic }),
  buildErrorMembers: () => ({}),
};

const marketData: Dialect = {
  readRequest: readMarketSubscription,
  readKey: marketKeyOf,
  buildAcknowledgement: (action, message, { parts }) =>
    action === 'subscribe'
      ? undefined
      : marketAcknowledgement(action, message, readMarketRequest(message, parts.book)),
  buildErrorMembers: (_, message) => marketErrorMembers(message),
};

/** The texts of the system that clients in use know. */
const errorTexts: Readonly<Record<Action, string>> = {
  subscribe: 'Error subscribing to channel',
  unsubscribe: 'Error unsubscribing from channel',
};

const compatible: Dialect = {
  readRequest: (message, parts) => {
    if (isTrades(message)) return tradesRequest(message, parts);
    const { book, fanOut } = parts;
    const spec = topicSpec(message, book);
    return { key: spec.key, openSubscriber: () => BookSubscriber.open(fanOut, spec) };
  },
  readKey: (message, { book }) =>
    isTrades(message) ? tradesTopic(message, book) : topicSpec(message, book).key,
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

function compatibleErrorMembers(action: Action, message: ClientMessage): object {
  return { channel: message.quoteMember('channel'), error: errorTexts[action] };
}

function isTrades(message: ClientMessage): boolean {
  return message.getWord('channel') === 'trades';
}

function tradesTopic(message: ClientMessage, book: BookSource): string {
  const { marketType, marketIndex } = marketOf(message, book);
  return `channel:${marketType}_${marketIndex}`;
}

/** This channel has no snapshot. Where trades are missing its clients are told so. */
function tradesRequest(
  message: ClientMessage,
  { book, market }: ChannelParts,
): SubscriptionRequest {
  return historySubscription(tradesTopic(message, book), {
    market,
    format: { acknowledgement: undefined, formatFirst: () => [], formatReset: (text) => [text] },
    hasHeartbeat: true,
    errorMembers: { ...compatibleErrorMembers('subscribe', message), id: message.id },
  });
}

function topicSpec(message: ClientMessage, book: BookSource): BookTopicSpec {
  const channel = channels.get(message.requireText('channel').toLowerCase());
  if (channel !== undefined) return channel.topicOf(message, book);
  throw new SocketError('UNKNOWN_CHANNEL', `there is no channel ${message.quoteMember('channel')}`);
}

/** A reader of whole books: the newest one is all that it needs to go on. */
class BookSubscriber implements Subscriber {
  readonly hasHeartbeat = true;
  readonly errorMembers = {};

  private constructor(
    private readonly fanOut: BookFanOut,
    private readonly topic: BookTopic,
  ) {}

  /** Throws when the book cannot be shown. */
  static open(fanOut: BookFanOut, spec: BookTopicSpec): BookSubscriber {
    const topic = fanOut.addSubscriber(spec);
    try {
      fanOut.renderFrame(topic);
    } catch (error) {
      fanOut.removeSubscriber(topic);
      throw error;
    }
    return new BookSubscriber(fanOut, topic);
  }

  get key(): string {
    return this.topic.spec.key;
  }

  sendSnapshot(sink: FrameSink): boolean {
    return sink.send(this.fanOut.renderFrame(this.topic));
  }

  leaveTopic(): void {
    this.fanOut.removeSubscriber(this.topic);
  }
}
