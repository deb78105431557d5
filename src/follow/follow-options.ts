/**
 * Parses and validates the command line of `follow`. The service validates market and values again.
 */

import type { StreamDepth, Topic } from '../client/stream/topic.js';
import { CodedError } from '../contract/coded-error.js';
import { FlagReader } from '../contract/flag-reader.js';
import { SECONDS_MAX } from './limits.js';

/** The reasons why a stream could not be followed; a code is never renamed. */
export type FollowErrorCode =
  | 'STREAM_UNREACHABLE'
  | 'SUBSCRIPTION_REFUSED'
  | 'SNAPSHOT_NOT_FOUND'
  | 'INVALID_FOLLOW_OPTION';

/** The one error class of this room. */
export class FollowError extends CodedError<FollowErrorCode> {
  override readonly name = 'FollowError';
}

/** Flags from the command line. */
export interface FollowFlags {
  readonly channel?: string;
  readonly depth?: string;
  readonly grouping?: string;
  readonly maker?: string;
  readonly vamm?: boolean;
  readonly indicative?: boolean;
  readonly seconds?: string;
  readonly plain?: boolean;
  readonly json?: boolean;
}

/** The options of a run. */
interface FollowOptions {
  readonly url: string;
  readonly topic: FollowedTopic;
  /** Duration; undefined until it is stopped. */
  readonly seconds: number | undefined;
  /** Prints lines instead of a screen. */
  readonly isPlain: boolean;
}

/** The flags that define a topic, for any channel. */
export interface FollowedTopic {
  readonly channel: Topic['channel'];
  /** A name, in any case. */
  readonly market: string;
  /** Levels or orders a side; `bbo` has one level. */
  readonly depth: StreamDepth;
  /** Ticks in each price group, for `book`; 1 shows every level. */
  readonly grouping?: number | undefined;
  /** The user account whose orders alone are included, for `l3`. */
  readonly maker?: string | undefined;
  /** Whether to include the levels of the market's AMM; not for `l3`. */
  readonly vamm?: boolean | undefined;
  /** Whether to include indicative quotes. */
  readonly indicative?: boolean | undefined;
  /** Whether to include the times at which the service received and sent each change. */
  readonly timing?: boolean | undefined;
}

const CHANNELS = ['book', 'bbo', 'l3'] as const;
/** The allowed depths of a stream. */
export const STREAM_DEPTHS: readonly StreamDepth[] = [10, 20, 50, 100, 500];
const DEPTH_DEFAULT = '20';
const GROUPING_MAX = 1_000_000;

/** Parses the command line. Throws a FollowError for an invalid option. */
export function followOptions(given: {
  readonly url: string;
  readonly market: string;
  readonly flags: FollowFlags;
}): FollowOptions {
  const { channel = 'book', depth = DEPTH_DEFAULT, grouping, seconds, plain = false } = given.flags;
  const { maker, vamm, indicative } = given.flags;
  const readWhole = (name: string, text: string | undefined, max: number) =>
    text === undefined ? undefined : reader.readWhole(name, text, [1, max]);
  return {
    url: socketUrl(given.url),
    topic: {
      channel: reader.readChoice('channel', channel, CHANNELS),
      market: given.market,
      depth: reader.readChoice('depth', depth, STREAM_DEPTHS),
      grouping: readWhole('grouping', grouping, GROUPING_MAX),
      maker,
      vamm,
      indicative,
    },
    seconds: readWhole('seconds', seconds, SECONDS_MAX),
    isPlain: plain,
  };
}

/** Returns the topic for the client library, with the members of its channel. */
export function topicOf(followed: FollowedTopic): Topic {
  const { channel, market, depth, grouping, maker, vamm, indicative, timing } = followed;
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

/** Returns the WebSocket address, derived from the service's address if necessary. */
function socketUrl(text: string): string {
  const url = reader.readAddress('the URL', text, ['http:', 'https:', 'ws:', 'wss:']);
  url.hash = '';
  return url.href;
}

const reader = new FlagReader((message) => new FollowError('INVALID_FOLLOW_OPTION', message));
