/** The command line of `follow`, checked. The service checks the market and the values once more. */

import type { StreamDepth, Topic } from '../client/stream/topic.js';
import { CodedError } from '../contract/coded-error.js';
import { SECONDS_MAX } from './limits.js';

/** Why a stream could not be followed at all; codes are never renamed. */
export type FollowErrorCode =
  | 'STREAM_UNREACHABLE'
  | 'SUBSCRIPTION_REFUSED'
  | 'SNAPSHOT_NOT_FOUND'
  | 'INVALID_FOLLOW_OPTION';

/** The one error class of this room. */
export class FollowError extends CodedError<FollowErrorCode> {
  override readonly name = 'FollowError';
}

/** Flags as the command line gives them. */
export interface FollowFlags {
  readonly channel?: string;
  readonly depth?: string;
  readonly grouping?: string;
  readonly maker?: string;
  readonly vamm?: boolean;
  readonly indicative?: boolean;
  readonly seconds?: string;
  readonly plain?: boolean;
}

/** What is to be followed, and how. */
export interface FollowOptions {
  readonly url: string;
  readonly topic: FollowedTopic;
  /** How long; undefined until it is stopped. */
  readonly seconds: number | undefined;
  /** Lines instead of a screen. */
  readonly isPlain: boolean;
}

/** A topic by its flags, whatever the channel. */
export interface FollowedTopic {
  readonly channel: Topic['channel'];
  /** A name, in any case. */
  readonly market: string;
  /** Levels or orders of a side; `bbo` has one level. */
  readonly depth: number;
  /** Ticks a group, for `book`; 1 for every level. */
  readonly grouping?: number | undefined;
  /** Only the orders of this user account, for `l3`. */
  readonly maker?: string | undefined;
  /** The levels of the market's AMM as well; `l3` has none. */
  readonly vamm?: boolean | undefined;
  /** Indicative quotes as well. */
  readonly indicative?: boolean | undefined;
  /** When the service received and sent each change as well. */
  readonly timing?: boolean | undefined;
}

const CHANNELS = ['book', 'bbo', 'l3'] as const;
/** Levels or orders of a side that a stream may have. */
export const STREAM_DEPTHS: readonly StreamDepth[] = [10, 20, 50, 100, 500];
const DEPTH_DEFAULT = 20;
const GROUPING_MAX = 1_000_000;

/** Reads the command line. Throws a FollowError that says what is wrong with it. */
export function followOptions(given: {
  readonly url: string;
  readonly market: string;
  readonly flags: FollowFlags;
}): FollowOptions {
  const { channel = 'book', depth, grouping, seconds, plain = false } = given.flags;
  const { maker, vamm, indicative } = given.flags;
  const known = CHANNELS.find((name) => name === channel);
  if (known === undefined) throw invalidOption(`--channel was ${channel}, must be book, bbo or l3`);
  const rows = depth === undefined ? DEPTH_DEFAULT : numberOf('depth', depth, 500);
  if (!STREAM_DEPTHS.some((known) => known === rows)) {
    throw invalidOption(`--depth was ${rows}, must be ${STREAM_DEPTHS.join(', ')}`);
  }
  const ticks = grouping === undefined ? undefined : numberOf('grouping', grouping, GROUPING_MAX);
  return {
    url: socketUrl(given.url),
    topic: {
      ...{ channel: known, market: given.market },
      ...{ depth: rows, grouping: ticks, maker, vamm, indicative },
    },
    seconds: seconds === undefined ? undefined : numberOf('seconds', seconds, SECONDS_MAX),
    isPlain: plain,
  };
}

/** The topic as the client library takes it: with the members that its channel has. */
export function topicOf(followed: FollowedTopic): Topic {
  const { channel, market, grouping, maker, vamm, indicative, timing } = followed;
  // The depths of the service are those that the command line takes.
  const depth = followed.depth as StreamDepth;
  const includeVamm = vamm === true ? { includeVamm: true } : {};
  const sources = {
    ...(indicative === true ? { includeIndicative: true } : {}),
    ...(timing === true ? { timing } : {}),
  };
  if (channel === 'bbo') return { channel, market, ...includeVamm, ...sources };
  if (channel === 'l3') {
    return { channel, market, depth, ...sources, ...(maker === undefined ? {} : { maker }) };
  }
  const grouped = grouping === undefined ? {} : { grouping };
  return { channel, market, depth, ...grouped, ...includeVamm, ...sources };
}

/** The address of the WebSocket: that of a service is enough. */
function socketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw invalidOption('the URL must begin with http://, https://, ws:// or wss://');
  }
  url.hash = '';
  return url.href;
}

function numberOf(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw invalidOption(`--${name} was ${text}, must be 1 to ${max}`);
}

function invalidOption(message: string): FollowError {
  return new FollowError('INVALID_FOLLOW_OPTION', message);
}
