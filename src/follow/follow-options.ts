/** The command line of `follow`, checked. The service checks the market and the values once more. */
import { FollowError } from './error.js';
import { SECONDS_MAX } from './limits.js';
import type { FollowedTopic } from './topic.js';

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

const CHANNELS = ['book', 'bbo', 'l3'] as const;
const DEPTHS = [10, 20, 50, 100, 500];
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
  if (known === undefined) throw invalid(`--channel was ${channel}, must be book, bbo or l3`);
  const rows = depth === undefined ? DEPTH_DEFAULT : numberOf('depth', depth, 500);
  if (!DEPTHS.includes(rows)) throw invalid(`--depth was ${rows}, must be ${DEPTHS.join(', ')}`);
  const ticks = grouping === undefined ? undefined : numberOf('grouping', grouping, GROUPING_MAX);
  const shown = { depth: rows, grouping: ticks, maker, vamm, indicative };
  return {
    url: socketUrl(given.url),
    topic: { channel: known, market: given.market, ...shown },
    seconds: seconds === undefined ? undefined : numberOf('seconds', seconds, SECONDS_MAX),
    isPlain: plain,
  };
}

/** The address of the WebSocket: that of a service is enough. */
function socketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw invalid('the URL must begin with http://, https://, ws:// or wss://');
  }
  url.protocol = url.protocol.replace('http', 'ws');
  if (url.pathname === '/') url.pathname = '/ws';
  url.hash = '';
  return url.href;
}

function numberOf(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw invalid(`--${name} was ${text}, must be 1 to ${max}`);
}

function invalid(message: string): FollowError {
  return new FollowError('INVALID_FOLLOW_OPTION', message);
}
