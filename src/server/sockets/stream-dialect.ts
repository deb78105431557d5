/**
 * The streaming dialect: reads a subscription, and starts it with a snapshot or with the deltas
 * after the client's last frame.
 */

import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { TopicSpec } from '../../contract/topics.js';
import type { QuotaClass } from '../admission/topic-quota.js';
import { SocketError } from '../transport/errors.js';
import {
  asksForBytes,
  type ClientMessage,
  type MessageId,
  marketIn,
  textOfId,
} from './client-message.js';
import { StreamSubscriber } from './stream-subscriber.js';
import type { ResumePoint, StreamRequest } from './stream-topic.js';
import type {
  ChannelParts,
  Dialect,
  Subscriber,
  SubscriptionRequest,
  WildcardRequest,
} from './subscription.js';
import { isUserChannel, readUserKey, readUserRequest, readUserWildcard } from './user-channel.js';

/** The dialect of the streaming channels. */
export const streaming: Dialect = {
  readRequest: (message, parts) => {
    if (isUserChannel(message)) return readUserRequest(message, parts, readResumePoint(message));
    const request = readStreamRequest(message, parts);
    return subscriptionTo(request, parts, { id: message.id, resume: readResumePoint(message) });
  },
  readWildcard: (message, parts, ip) => {
    if (isUserChannel(message)) return readUserWildcard(message, parts, ip);
    if (!isWildcard(message)) return undefined;
    if (message.hasMember('resume')) {
      throw new SocketError('INVALID_PARAM', 'resume needs a topic of one market, market was "*"');
    }
    const listRequests: WildcardRequest['listRequests'] = (id) =>
      listTopics(message, parts).map((request) => subscriptionTo(request, parts, { id }));
    return { key: wildcardKeyOf(message, parts), listRequests };
  },
  readKey: (message, parts) => {
    if (message.hasMember('topic')) return message.requireText('topic');
    if (isUserChannel(message)) return readUserKey(message);
    if (isWildcard(message)) return wildcardKeyOf(message, parts);
    return readStreamRequest(message, parts).key;
  },
  buildAcknowledgement: (action, { id }, { key: topic }) => ({ type: `${action}d`, id, topic }),
  buildErrorMembers: () => ({}),
};

/** The first frames of a subscription. */
interface FirstFrame {
  readonly id: MessageId | undefined;
  readonly resume?: ResumePoint | undefined;
}

/** A topic of a message, and its market. */
interface NamedRequest extends StreamRequest {
  readonly market: MarketInfo;
}

function subscriptionTo(
  request: NamedRequest,
  { streams, book }: Pick<ChannelParts, 'streams' | 'book'>,
  { id, resume }: FirstFrame,
): SubscriptionRequest {
  const idText = textOfId(id);
  const openSubscriber = (): Subscriber => {
    const topic = streams.addSubscriber(request);
    return new StreamSubscriber({ streams, topic, id: idText, resume });
  };
  const { key, market, spec } = request;
  return { key, market, quotaClass: quotaClassOf(spec, book), openSubscriber };
}

type ChannelFields = (message: ClientMessage) => Partial<TopicSpec>;

const fieldsByChannel: Readonly<Record<TopicSpec['channel'], ChannelFields>> = {
  book: (message) => ({ depth: depthOf(message), ...groupingOf(message) }),
  bbo: () => ({}),
  l3: (message) => ({ depth: depthOf(message), ...makerOf(message) }),
};

/** The channels of the dialect. */
export const STREAM_CHANNELS = Object.keys(fieldsByChannel) as readonly TopicSpec['channel'][];

/** Returns whether a channel name, in lower case, is a streaming channel. */
export function isStreamChannel(name: string): name is TopicSpec['channel'] {
  return Object.hasOwn(fieldsByChannel, name);
}

/** The name that means all markets, in messages and in wildcard keys. */
const ANY_MARKET = '*';

/** Whether a message names all markets. */
export function isWildcard(message: ClientMessage): boolean {
  return message.getValue('market') === ANY_MARKET;
}

/** Returns a request for each market that a wildcard message covers. */
function listTopics(
  message: ClientMessage,
  { book, directory }: Pick<ChannelParts, 'book' | 'directory'>,
): readonly NamedRequest[] {
  return directory.markets().map((market) => {
    const spec = readSpec(message, market.id);
    return { key: nameOf(spec, message, book), market, spec };
  });
}

/** Returns the key of a wildcard: a topic key with `*` in place of the market. */
function wildcardKeyOf(
  message: ClientMessage,
  parts: Pick<ChannelParts, 'book' | 'directory'>,
): string {
  const [first] = listTopics(message, parts);
  if (first === undefined) throw new SocketError('UNKNOWN_MARKET', 'no market is served');
  return first.key.replace(/^(\w+):[^:]*/, `$1:${ANY_MARKET}`);
}

/** Reads the topic from a message. Throws a SocketError that describes the invalid member. */
export function readStreamRequest(
  message: ClientMessage,
  { book, directory }: Pick<ChannelParts, 'book' | 'directory'>,
): NamedRequest {
  const market = marketIn(message, 'market', directory);
  const spec = readSpec(message, market.id);
  return { key: nameOf(spec, message, book), market, spec };
}

function readSpec(message: ClientMessage, market: number): TopicSpec {
  const channel = message.requireText('channel').toLowerCase();
  if (!isStreamChannel(channel)) throw new Error(`${channel} is not a streaming channel`);
  return {
    channel,
    market,
    ...fieldsByChannel[channel](message),
    ...(message.readFlag('includeVamm') ? { vamm: true } : {}),
    ...(message.readFlag('includeIndicative') ? { indicative: true } : {}),
    ...(message.readFlag('timing') ? { timing: true } : {}),
    ...intervalOf(message),
    ...(asksForBytes(message) ? { binary: true } : {}),
  };
}

/**
 * Returns the topic's quota. A topic is common when it specifies only market, sources, encoding and
 * a common depth.
 */
export function quotaClassOf(spec: TopicSpec, book: BookSource): QuotaClass {
  const { maker, depth, grouping, timing, intervalMs } = spec;
  if (maker !== undefined) return book.hasUser(maker) ? 'chosen' : 'unknownMaker';
  const isUsual = depth === undefined || LIMITS.streamDepthsCommon.includes(depth);
  const isPlain = [grouping, timing, intervalMs].every((chosen) => chosen === undefined);
  return isUsual && isPlain ? 'common' : 'chosen';
}

/** Reads the frame after which to resume; undefined when the message does not resume. */
function readResumePoint(message: ClientMessage): ResumePoint | undefined {
  if (!message.hasMember('resume')) return undefined;
  const resume = message.requireObject('resume');
  const seq = resume.readInteger('seq', { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (seq === undefined) throw new SocketError('MISSING_PARAM', 'resume.seq is missing');
  return { epoch: resume.requireText('epoch'), seq };
}

function intervalOf(message: ClientMessage): Partial<TopicSpec> {
  const { streamIntervals } = LIMITS;
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const intervalMs = message.readInteger('intervalMs', range);
  if (intervalMs === undefined) return {};
  if (streamIntervals.some((allowed) => allowed === intervalMs)) return { intervalMs };
  const text = `intervalMs was ${intervalMs}, must be one of ${streamIntervals.join(', ')}`;
  throw new SocketError('OUT_OF_RANGE', text);
}

function depthOf(message: ClientMessage): number {
  const { streamDepths, streamDepthDefault } = LIMITS;
  const depth = message.readInteger('depth', { min: LIMITS.depthMin, max: LIMITS.depthMax });
  if (depth === undefined) return streamDepthDefault;
  if (streamDepths.some((allowed) => allowed === depth)) return depth;
  const text = `depth was ${depth}, must be one of ${streamDepths.join(', ')}`;
  throw new SocketError('OUT_OF_RANGE', text);
}

function groupingOf(message: ClientMessage): Partial<TopicSpec> {
  const { groupingMin: min, groupingMax: max } = LIMITS;
  const grouping = message.readInteger('grouping', { min, max }) ?? 1;
  return grouping === 1 ? {} : { grouping };
}

function makerOf(message: ClientMessage): Partial<TopicSpec> {
  if (!message.hasMember('maker')) return {};
  const maker = message.requireText('maker');
  if (maker === '') throw notKey(message);
  return { maker };
}

/** Returns the name of a topic. The book validates the maker's key. */
function nameOf(spec: TopicSpec, message: ClientMessage, book: BookSource): string {
  try {
    return book.topicName(spec);
  } catch (error) {
    if (spec.maker === undefined || (error as { code?: unknown }).code !== 'INVALID_MAKER') {
      throw error;
    }
    throw notKey(message);
  }
}

function notKey(message: ClientMessage): SocketError {
  const text = `maker was "${message.quoteMember('maker')}", must be a base58 key of 32 bytes`;
  return new SocketError('INVALID_PARAM', text);
}
