/** Chooses the dialect of a message. */
import type { ClientMessage } from './client-message.js';
import { compatible } from './compatible-dialect.js';
import { isMarketRequest, marketData } from './market-dialect.js';
import { isStreamChannel, streaming } from './stream-dialect.js';
import type { Dialect, SubscriptionAction } from './subscription.js';
import { isUserChannel } from './user-channel.js';

/**
 * Returns the dialect of a message that subscribes or unsubscribes; undefined for an unknown
 * channel.
 */
export function dialectOf(message: ClientMessage): Dialect | undefined {
  if (isMarketRequest(message)) return marketData;
  if (!message.hasMember('channel')) return message.hasMember('topic') ? streaming : undefined;
  const isStream = isStreamChannel(message.getWord('channel') ?? '') || isUserChannel(message);
  return isStream ? streaming : compatible;
}

/** Returns the members with which an error describes the subscription of a message. */
export function errorMembersOf(message: ClientMessage | undefined): object {
  const type = message?.getWord('type');
  if (message === undefined || !isAction(type)) return {};
  return dialectOf(message)?.buildErrorMembers(type, message) ?? {};
}

/** Whether a message of this type subscribes or unsubscribes. */
export function isAction(type: string | undefined): type is SubscriptionAction {
  return type === 'subscribe' || type === 'unsubscribe';
}
