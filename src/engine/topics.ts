/** The topics of a core: their options, names and frames, and the errors of calls about topics. */
import type { Core, TopicOptions } from '@slotbook/core/native';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSource,
  TopicSpec,
} from '../contract/topics.js';
import { EngineError } from './errors.js';
import { OutputBuffer } from './output-buffer.js';
import { optionBits } from './sources.js';

/** Indexed by the core's channel codes. */
const CHANNELS = ['book', 'bbo', 'l3'] as const satisfies TopicSpec['channel'][];

/** The value that the core returns instead of a handle for an invalid maker. */
const INVALID_MAKER = -2;
const TOPICS_EXCEEDED = -3;

/** Encodes a topic for the core. */
function topicOptions(spec: TopicSpec): TopicOptions {
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
function errorOfHandle(core: Core, handle: number, market: number): EngineError {
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
function topicNotFound(handle: number): EngineError {
  const message = `there is no topic with the handle ${handle}`;
  return new EngineError('TOPIC_NOT_FOUND', message, { handle });
}

function invalidMaker(market: number): EngineError {
  return new EngineError('INVALID_MAKER', 'maker was not a base58 key of 32 bytes', { market });
}

const TIMES_UNKNOWN: FrameTimes = { recvNs: 0n, sendNs: 0n };

/** The core returns this for an unknown topic instead of a length. */
const UNKNOWN_TOPIC = -(2 ** 31);

/** The topics of a core and their frames. */
export class TopicFrames implements TopicSource {
  readonly #core: Core;
  readonly #frame = new OutputBuffer('frame');
  /** Words of a call: the times of receipt and rendering go in; prev, seq and reset come out. */
  readonly #callWords = new BigUint64Array(3);
  readonly #callBytes = Buffer.from(this.#callWords.buffer);

  constructor(core: Core) {
    this.#core = core;
  }

  openTopic(spec: TopicSpec, recvNs = 0n): number {
    this.#callWords[0] = recvNs;
    const handle = this.#core.openTopic(topicOptions(spec), this.#callBytes);
    if (handle < 0) throw errorOfHandle(this.#core, handle, spec.market);
    return handle;
  }

  closeTopic(handle: number): void {
    if (!this.#core.closeTopic(handle)) throw topicNotFound(handle);
  }

  renderDelta(handle: number, times: FrameTimes = TIMES_UNKNOWN): TopicDelta | null {
    const words = this.#callWords;
    const frame = this.#renderFrame(handle, (out) => {
      words[0] = times.recvNs;
      words[1] = times.sendNs;
      return this.#core.topicFrame(handle, this.#callBytes, out);
    });
    if (frame.length === 0) return null;
    const [prev = 0n, seq = 0n, reset = 0n] = words;
    return { frame, prev: Number(prev), seq: Number(seq), reset: reset !== 0n };
  }

  renderSnapshot(handle: number, { id, reset, sendNs = 0n }: TopicSnapshotRequest): Uint8Array {
    this.#callWords[1] = sendNs;
    const frame = this.#renderFrame(handle, (out) =>
      this.#core.topicSnapshot(handle, id, reset, this.#callBytes, out),
    );
    if (frame.length === 0) throw topicNotFound(handle);
    return frame;
  }

  renderHeartbeat(handle: number): Uint8Array {
    const frame = this.#renderFrame(handle, (out) => this.#core.topicHeartbeat(handle, out));
    if (frame.length === 0) throw topicNotFound(handle);
    return frame;
  }

  #renderFrame(handle: number, write: (out: Buffer) => number): Uint8Array {
    return this.#frame.renderView((out) => {
      const length = write(out);
      if (length === UNKNOWN_TOPIC) throw topicNotFound(handle);
      return length;
    });
  }
}
