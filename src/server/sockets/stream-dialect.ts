/** The streaming channels: what a client may ask of them, read from its message. */
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { TopicSpec } from '../../contract/topics.js';
import { SocketError } from '../transport/errors.js';
import type { ClientMessage } from './client-message.js';

/** A topic by its name, and what it shows. */
export interface StreamRequest {
  readonly key: string;
  readonly spec: TopicSpec;
}

/** Where a reader was when it went away. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

type ChannelFields = (message: ClientMessage) => Partial<TopicSpec>;

const fieldsByChannel: Readonly<Record<TopicSpec['channel'], ChannelFields>> = {
  book: (message) => ({ depth: depthOf(message), ...groupingOf(message) }),
  bbo: () => ({}),
  l3: (message) => ({ depth: depthOf(message), ...makerOf(message) }),
};

/** Whether a channel, in lower case, is one of these. */
export function isStreamChannel(name: string): name is TopicSpec['channel'] {
  return Object.hasOwn(fieldsByChannel, name);
}

/** The topic that a message names. Throws a SocketError that says what is wrong. */
export function readStreamRequest(message: ClientMessage, book: BookSource): StreamRequest {
  const channel = message.requireText('channel').toLowerCase();
  if (!isStreamChannel(channel)) throw new Error(`${channel} is no streaming channel`);
  const market = marketOf(message, book).id;
  const spec: TopicSpec = {
    channel,
    market,
    ...fieldsByChannel[channel](message),
    ...(message.readFlag('includeVamm') ? { vamm: true } : {}),
    ...(message.readFlag('includeIndicative') ? { indicative: true } : {}),
    ...(message.readFlag('timing') ? { timing: true } : {}),
  };
  return { key: nameOf(spec, message, book), spec };
}

/** Where to resume; undefined when that was not asked. */
export function readResumePoint(message: ClientMessage): ResumePoint | undefined {
  if (!message.hasMember('resume')) return undefined;
  const resume = message.requireObject('resume');
  const seq = resume.readInteger('seq', { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (seq === undefined) throw new SocketError('MISSING_PARAM', 'resume.seq is missing');
  return { epoch: resume.requireText('epoch'), seq };
}

function marketOf(message: ClientMessage, book: BookSource): MarketInfo {
  const row = book.findMarket(message.requireText('market'));
  if (row !== undefined) return row;
  throw new SocketError('UNKNOWN_MARKET', `there is no market ${message.quoteMember('market')}`);
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

/** The book knows whether a maker's key is one. */
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
