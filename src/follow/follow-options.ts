/**
 * Parses and validates the command line of `follow`. The service validates market and values again.
 */

import type { StreamDepth, Topic } from '../client/stream/topic.js';
import { CodedError } from '../contract/coded-error.js';
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
  readonly depth: number;
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
const DEPTH_DEFAULT = 20;
const GROUPING_MAX = 1_000_000;

/** Parses the command line. Throws a FollowError for an invalid option. */
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
      channel: known,
      market: given.market,
      depth: rows,
      grouping: ticks,
      maker,
      vamm,
      indicative,
    },
    seconds: seconds === undefined ? undefined : numberOf('seconds', seconds, SECONDS_MAX),
    isPlain: plain,
  };
}

/** Returns the topic for the client library, with the members of its channel. */
export function topicOf(followed: FollowedTopic): Topic {
  const { channel, market, grouping, maker, vamm, indicative, timing } = followed;
  // The command line accepts exactly the depths of the service.
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

/** Returns the WebSocket address, derived from the service's address if necessary. */
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
