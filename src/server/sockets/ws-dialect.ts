/**
 * The dialects: the compatible one and the streaming one of the book's channels, and that of market
 * data. A dialect reads what a message asks for, and says how it is answered.
 */
import type { BookSource } from '../ports/book-source.js';
import { SocketError } from '../transport/ws-error.js';
import type { FanOut } from './fan-out.js';
import {
  type MarketParts,
  marketAcknowledgement,
  marketErrorMembers,
  marketKeyOf,
  marketWish,
  marketWishOf,
} from './market-dialect.js';
import { isMarketRequest, marketRequest } from './market-request.js';
import type { StreamFanOut } from './stream-fan-out.js';
import { StreamReader } from './stream-reader.js';
import { isStreamChannel, resumePoint, streamRequest } from './stream-request.js';
import { channels, marketOf, type TopicSpec } from './ws-channel.js';
import type { ClientMessage } from './ws-message.js';
import type { Action, FrameSink, Reader, Wish } from './ws-reader.js';
import type { Topic } from './ws-topics.js';

/** What the channels are made of. */
export interface ChannelParts extends MarketParts {
  readonly fanOut: FanOut;
  readonly streams: StreamFanOut;
}

/** What an acknowledgement is made from beside the message. */
export interface Asked {
  readonly key: string;
  readonly parts: ChannelParts;
}

/** How messages about one kind of channel are read and answered. */
export interface Dialect {
  /** What is to begin. Throws a SocketError that says what is wrong with the message. */
  wish(message: ClientMessage, parts: ChannelParts): Wish;
  /** The topic that is to end. Throws a SocketError that says what is wrong with the message. */
  keyOf(message: ClientMessage, parts: ChannelParts): string;
  /** Undefined where the reader says it itself, behind what it shows first. */
  acknowledgement(action: Action, message: ClientMessage, asked: Asked): object | undefined;
  /** What an error has beside its code. */
  errorMembers(action: Action, message: ClientMessage): object;
}

/** The dialect of a message that subscribes or unsubscribes; undefined when it names no channel. */
export function dialectOf(message: ClientMessage): Dialect | undefined {
  if (isMarketRequest(message)) return marketData;
  if (!message.has('channel')) return message.has('topic') ? streaming : undefined;
  return isStreamChannel(message.word('channel') ?? '') ? streaming : compatible;
}

const streaming: Dialect = {
  wish: (message, { book, streams }) => {
    const request = streamRequest(message, book);
    const resume = resumePoint(message);
    const id = JSON.stringify(message.id) ?? '';
    const open = (): Reader =>
      new StreamReader({ streams, topic: streams.join(request), id, resume });
    return { key: request.key, open };
  },
  keyOf: (message, { book }) =>
    message.has('topic') ? message.text('topic') : streamRequest(message, book).key,
  acknowledgement: (action, { id }, { key: topic }) => ({ type: `${action}d`, id, topic }),
  errorMembers: () => ({}),
};

const marketData: Dialect = {
  wish: marketWish,
  keyOf: marketKeyOf,
  acknowledgement: (action, message, { parts }) =>
    action === 'subscribe'
      ? undefined
      : marketAcknowledgement(action, message, marketRequest(message, parts.book)),
  errorMembers: (_, message) => marketErrorMembers(message),
};

/** The texts of the system that clients in use know. */
const errorTexts: Readonly<Record<Action, string>> = {
  subscribe: 'Error subscribing to channel',
  unsubscribe: 'Error unsubscribing from channel',
};

const compatible: Dialect = {
  wish: (message, parts) => {
    if (isTrades(message)) return tradesWish(message, parts);
    const { book, fanOut } = parts;
    const spec = topicSpec(message, book);
    return { key: spec.key, open: () => CompatibleReader.open(fanOut, spec) };
  },
  keyOf: (message, { book }) =>
    isTrades(message) ? tradesTopic(message, book) : topicSpec(message, book).key,
  acknowledgement: (action, message) => {
    const what = action === 'subscribe' ? 'Subscribe' : 'Unsubscribe';
    const [channel, market, marketType] = ['channel', 'market', 'marketType'].map((name) =>
      message.echo(name),
    );
    const about = `channel: ${channel}, market: ${market}, marketType: ${marketType}`;
    return { message: `${what} received for ${about}` };
  },
  errorMembers: compatibleErrorMembers,
};

function compatibleErrorMembers(action: Action, message: ClientMessage): object {
  return { channel: message.echo('channel'), error: errorTexts[action] };
}

function isTrades(message: ClientMessage): boolean {
  return message.word('channel') === 'trades';
}

function tradesTopic(message: ClientMessage, book: BookSource): string {
  const { marketType, marketIndex } = marketOf(message, book);
  return `channel:${marketType}_${marketIndex}`;
}

/** This channel has no snapshot. Where trades are missing its clients are told so. */
function tradesWish(message: ClientMessage, { book, market }: ChannelParts): Wish {
  return marketWishOf(tradesTopic(message, book), {
    market,
    greeting: { acknowledgement: undefined, first: () => [], reset: (text) => [text] },
    hasBeat: true,
    errorMembers: { ...compatibleErrorMembers('subscribe', message), id: message.id },
  });
}

function topicSpec(message: ClientMessage, book: BookSource): TopicSpec {
  const channel = channels.get(message.text('channel').toLowerCase());
  if (channel !== undefined) return channel.topicOf(message, book);
  throw new SocketError('UNKNOWN_CHANNEL', `there is no channel ${message.echo('channel')}`);
}

/** A reader of whole books: the newest one is all that it needs to go on. */
class CompatibleReader implements Reader {
  readonly hasBeat = true;
  readonly errorMembers = {};

  private constructor(
    private readonly fanOut: FanOut,
    private readonly topic: Topic,
  ) {}

  /** Throws when the book cannot be shown. */
  static open(fanOut: FanOut, spec: TopicSpec): CompatibleReader {
    const topic = fanOut.join(spec);
    try {
      fanOut.frame(topic);
    } catch (error) {
      fanOut.leave(topic);
      throw error;
    }
    return new CompatibleReader(fanOut, topic);
  }

  get key(): string {
    return this.topic.spec.key;
  }

  show(sink: FrameSink): boolean {
    return sink.send(this.fanOut.frame(this.topic));
  }

  leave(): void {
    this.fanOut.leave(this.topic);
  }
}
