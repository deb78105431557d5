/** Encodes topics for the core, and the errors of calls about topics. */
import type { Core, TopicOptions } from '@slotbook/core/native';
import type { TopicSpec } from '../contract/topics.js';
import { EngineError } from './errors.js';
import { optionBits } from './sources.js';

/** Indexed by the core's channel codes. */
const CHANNELS = ['book', 'bbo', 'l3'] as const satisfies TopicSpec['channel'][];

/** The value that the core returns instead of a handle for an invalid maker. */
const INVALID_MAKER = -2;
const TOPICS_EXCEEDED = -3;

/** Encodes a topic for the core. */
export function topicOptions(spec: TopicSpec): TopicOptions {
  return {
    channel: CHANNELS.indexOf(spec.channel),
    market: spec.market,
    depth: spec.depth ?? 1,
    grouping: spec.grouping ?? 0,
    sources: optionBits(spec),
    maker: spec.maker ?? '',
    timing: spec.timing ?? false,
    intervalMs: spec.intervalMs ?? 0,
    binary: spec.binary ?? false,
  };
}

/** The name of a topic. Throws MARKET_NOT_FOUND and INVALID_MAKER. */
export function topicName(core: Core, spec: TopicSpec): string {
  const name = core.topicName(topicOptions(spec));
  if (name !== null) return name;
  const { market } = spec;
  // A name depends on the market and the maker only.
  if (core.topicName(topicOptions({ channel: 'bbo', market })) === null) {
    throw marketNotFound(market);
  }
  throw invalidMaker(market);
}

/** The error for a negative return value instead of a handle. */
export function errorOfHandle(core: Core, handle: number, market: number): EngineError {
  if (handle === INVALID_MAKER) return invalidMaker(market);
  if (handle !== TOPICS_EXCEEDED) return marketNotFound(market);
  const topics = core.topicCount;
  const message = `${topics} topics are open, which is the limit`;
  return new EngineError('TOPICS_EXCEEDED', message, { topics });
}

/** The error for an unknown market id. */
export function marketNotFound(market: number): EngineError {
  return new EngineError('MARKET_NOT_FOUND', `there is no market with the id ${market}`, {
    market,
  });
}

/** The error for an unknown topic handle. */
export function topicNotFound(handle: number): EngineError {
  const message = `there is no topic with the handle ${handle}`;
  return new EngineError('TOPIC_NOT_FOUND', message, { handle });
}

function invalidMaker(market: number): EngineError {
  return new EngineError('INVALID_MAKER', 'maker was not a base58 key of 32 bytes', { market });
}
