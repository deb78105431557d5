/**
 * The market data dialect: candles and trades by symbol. The first message of a subscription is what it
 * goes on from, and then comes the acknowledgement; so an `init` behind it says that something may have
 * been left out.
 */

import type { BookSource } from '../../contract/book-source.js';
import { SocketError } from '../transport/errors.js';
import type { ClientMessage } from './client-message.js';
import type { MarketFanOut } from './market-fan-out.js';
import { type MarketRequest, readMarketRequest } from './market-request.js';
import { MarketSubscriber, type SnapshotFormat } from './market-subscriber.js';
import type { Action, SubscriptionRequest } from './subscription.js';

/** What the dialect is made of. */
export interface MarketParts {
  readonly book: BookSource;
  /** Null where the service has no history. */
  readonly market: MarketFanOut | null;
}

/** What is to begin. Throws a SocketError that says what is wrong with the message. */
export function readMarketSubscription(
  message: ClientMessage,
  { book, market }: MarketParts,
): SubscriptionRequest {
  const request = readMarketRequest(message, book);
  const acknowledgement = JSON.stringify(marketAcknowledgement('subscribe', message, request));
  const show = (text: string): readonly string[] => [text];
  const format = { acknowledgement, formatFirst: show, formatReset: show };
  const errorMembers = { ...marketErrorMembers(message), id: message.id };
  return historySubscription(request.topic, { market, format, hasHeartbeat: false, errorMembers });
}

/** A subscription to a topic of the history, in whatever dialect. */
export function historySubscription(
  topic: string,
  parts: {
    readonly market: MarketFanOut | null;
    readonly format: SnapshotFormat;
    readonly hasHeartbeat: boolean;
    readonly errorMembers: object;
  },
): SubscriptionRequest {
  const { market: fanOut, ...rest } = parts;
  if (fanOut === null) {
    throw new SocketError('NOT_READY', 'there are no candles and trades: there is no history');
  }
  fanOut.requireHistory();
  return {
    key: topic,
    openSubscriber: () =>
      new MarketSubscriber({ ...rest, fanOut, topic: fanOut.addSubscriber(topic) }),
  };
}

/** The topic that is to end. */
export function marketKeyOf(message: ClientMessage, { book }: MarketParts): string {
  return readMarketRequest(message, book).topic;
}

/** The answer to a message that was taken. */
export function marketAcknowledgement(
  action: Action,
  { id }: ClientMessage,
  { channel, symbol, resolution, name }: MarketRequest,
): object {
  const about = `${symbol} ${resolution ?? channel}`;
  const [type, message] =
    action === 'subscribe'
      ? ['subscription', `Subscribed to ${about}`]
      : ['unsubscription', `Unsubscribed from ${about}`];
  return { type, message, channelType: channel, channel: name, symbol, resolution, id };
}

/** What an error says about the subscription that a message was about. */
export function marketErrorMembers(message: ClientMessage): object {
  const [channelType, symbol, resolution] = ['channelType', 'symbol', 'resolution'].map((name) =>
    message.quoteMember(name),
  );
  return { channelType: channelType ?? 'candle', symbol, resolution };
}
