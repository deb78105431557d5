/** Which dialect a message is of. */
import type { ClientMessage } from './client-message.js';
import { compatible } from './compatible-dialect.js';
import { isMarketRequest, marketData } from './market-dialect.js';
import { isStreamChannel, streaming } from './stream-dialect.js';
import type { Dialect, SubscriptionAction } from './subscription.js';

/** The dialect of a message that subscribes or unsubscribes; undefined when it names no channel. */
export function dialectOf(message: ClientMessage): Dialect | undefined {
  if (isMarketRequest(message)) return marketData;
  if (!message.hasMember('channel')) return message.hasMember('topic') ? streaming : undefined;
  return isStreamChannel(message.getWord('channel') ?? '') ? streaming : compatible;
}

/** The members of an error that describe the subscription of a message. */
export function errorMembersOf(message: ClientMessage | undefined): object {
  const type = message?.getWord('type');
  if (message === undefined || !isAction(type)) return {};
  return dialectOf(message)?.buildErrorMembers(type, message) ?? {};
}

/** Whether a type is that of a message about a subscription. */
export function isAction(type: string | undefined): type is SubscriptionAction {
  return type === 'subscribe' || type === 'unsubscribe';
}
