/** The channel `user` of the streaming dialect: an account, or all accounts of a wallet. */

import { isPublicKey } from '../../config/public-key.js';
import type { QuotaClass } from '../admission/topic-quota.js';
import { SocketError } from '../transport/errors.js';
import { type ClientMessage, type MessageId, textOfId } from './client-message.js';
import { StreamSubscriber } from './stream-subscriber.js';
import type { ResumePoint } from './stream-topic.js';
import type { ChannelParts, SubscriptionRequest, WildcardRequest } from './subscription.js';
import { userKeyOf } from './user-topic.js';

/** Whether a message is about an account. */
export function isUserChannel(message: ClientMessage): boolean {
  return message.getWord('channel') === 'user';
}

/** Reads a subscription to an account. Throws a SocketError that describes the invalid member. */
export function readUserRequest(
  message: ClientMessage,
  parts: Pick<ChannelParts, 'users' | 'book'>,
  resume: ResumePoint | undefined,
): SubscriptionRequest {
  const account = keyIn(message, 'account');
  const quotaClass = quotaClassOf(account, parts.book);
  return requestOf(account, parts, { quotaClass, id: message.id, resume });
}

/** Reads a subscription to a wallet; undefined when the message names an account. */
export function readUserWildcard(
  message: ClientMessage,
  { book, users }: Pick<ChannelParts, 'book' | 'users'>,
  ip: string,
): WildcardRequest | undefined {
  if (!message.hasMember('authority')) return undefined;
  const authority = keyIn(message, 'authority');
  const listRequests: WildcardRequest['listRequests'] = (id) =>
    users.listAccounts(authority, ip).map((account) => {
      return requestOf(account, { users }, { id, quotaClass: quotaClassOf(account, book) });
    });
  return { key: wildcardKeyOf(authority), listRequests };
}

/** Reads the key of the topic, or of the wallet's topics. */
export function readUserKey(message: ClientMessage): string {
  if (message.hasMember('authority')) return wildcardKeyOf(keyIn(message, 'authority'));
  return userKeyOf(keyIn(message, 'account'));
}

interface FirstFrame {
  readonly id: MessageId | undefined;
  readonly resume?: ResumePoint | undefined;
  readonly quotaClass: QuotaClass;
}

function quotaClassOf(account: string, { accounts }: ChannelParts['book']): QuotaClass {
  return accounts.holds(account) ? 'chosen' : 'unknownMaker';
}

const wildcardKeyOf = (authority: string): string => `user:*:${authority}`;

function requestOf(
  account: string,
  { users }: Pick<ChannelParts, 'users'>,
  { id, resume, quotaClass }: FirstFrame,
): SubscriptionRequest {
  const openSubscriber = () => {
    const topic = users.addSubscriber(account);
    return new StreamSubscriber({ streams: users, topic, id: textOfId(id), resume });
  };
  return { key: userKeyOf(account), quotaClass, openSubscriber };
}

function keyIn(message: ClientMessage, name: string): string {
  const key = message.requireText(name);
  if (isPublicKey(key)) return key;
  const text = `${name} was "${message.quoteMember(name)}", must be a base58 key of 32 bytes`;
  throw new SocketError('INVALID_PARAM', text);
}
