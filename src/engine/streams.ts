import type { Core, TopicOptions } from '#addon';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSpec,
} from '../contract/topics.js';
import { EngineError } from './errors.js';
import { sourcesOf } from './sources.js';

/** By the channel codes of the core. */
const CHANNELS = ['book', 'bbo', 'l3'] as const satisfies TopicSpec['channel'][];

/** The first size of the frame buffer: nearly every frame fits. */
const FRAME_BYTES_START = 64 << 10;

/** No frame may be larger: a snapshot of 500 orders a side is about 400 KB. */
const FRAME_BYTES_MAX = 16 << 20;

/** What is asked where nobody reads it. */
const TIMES_UNKNOWN: FrameTimes = { recvNs: 0n, sendNs: 0n };

/** What the core answers in place of a handle. */
const INVALID_MAKER = -2;
const TOPICS_EXCEEDED = -3;

/** What the core answers in place of a length. */
const UNKNOWN_TOPIC = -(2 ** 31);

/** Opens topics in the core and asks for their frames, into one buffer that grows as needed. */
export class Streams {
  readonly #core: Core;
  /** In: receipt and making of a frame. Out: prev, seq and reset. */
  readonly #exchange = new BigUint64Array(3);
  readonly #exchangeBytes = Buffer.from(this.#exchange.buffer);
  #frame = Buffer.allocUnsafeSlow(FRAME_BYTES_START);

  constructor(core: Core) {
    this.#core = core;
  }

  name(spec: TopicSpec): string {
    const name = this.#core.topicName(optionsOf(spec));
    if (name !== null) return name;
    const { market } = spec;
    // A name depends on nothing else but the maker.
    if (this.#core.topicName(optionsOf({ channel: 'bbo', market })) === null) {
      throw marketNotFound(market);
    }
    throw invalidMaker(market);
  }

  open(spec: TopicSpec, recvNs = 0n): number {
    this.#exchange[0] = recvNs;
    const handle = this.#core.openTopic(optionsOf(spec), this.#exchangeBytes);
    if (handle >= 0) return handle;
    if (handle === INVALID_MAKER) throw invalidMaker(spec.market);
    if (handle !== TOPICS_EXCEEDED) throw marketNotFound(spec.market);
    const topics = this.#core.topicCount;
    throw new EngineError('TOPICS_EXCEEDED', `${topics} topics are open, which is the most`, {
      topics,
    });
  }

  close(handle: number): void {
    if (!this.#core.closeTopic(handle)) throw topicNotFound(handle);
  }

  delta(handle: number, times: FrameTimes = TIMES_UNKNOWN): TopicDelta | null {
    const exchange = this.#exchange;
    const length = this.#render((out) => {
      exchange[0] = times.recvNs;
      exchange[1] = times.sendNs;
      return this.#core.topicFrame(handle, this.#exchangeBytes, out);
    });
    if (length === UNKNOWN_TOPIC) throw topicNotFound(handle);
    if (length === 0) return null;
    const [prev = 0n, seq = 0n, reset = 0n] = exchange;
    return {
      frame: this.#frame.subarray(0, length),
      prev: Number(prev),
      seq: Number(seq),
      reset: reset !== 0n,
    };
  }

  snapshot(handle: number, { id, reset, sendNs = 0n }: TopicSnapshotRequest): Uint8Array {
    this.#exchange[1] = sendNs;
    return this.#whole(handle, (out) =>
      this.#core.topicSnapshot(handle, id, reset, this.#exchangeBytes, out),
    );
  }

  heartbeat(handle: number): Uint8Array {
    return this.#whole(handle, (out) => this.#core.topicHeartbeat(handle, out));
  }

  /** A frame that every topic has at any time. */
  #whole(handle: number, render: (out: Buffer) => number): Uint8Array {
    const length = this.#render(render);
    if (length === 0) throw topicNotFound(handle);
    return this.#frame.subarray(0, length);
  }

  #render(render: (out: Buffer) => number): number {
    const length = render(this.#frame);
    if (length >= 0 || length === UNKNOWN_TOPIC) return length;
    this.#grow(-length);
    return render(this.#frame);
  }

  #grow(bytes: number): void {
    if (bytes > FRAME_BYTES_MAX) {
      const message = `frame was ${bytes} bytes, must be at most ${FRAME_BYTES_MAX}`;
      throw new EngineError('BODY_BYTES_EXCEEDED', message, { bytes });
    }
    this.#frame = Buffer.allocUnsafeSlow(Math.min(FRAME_BYTES_MAX, Math.ceil(bytes * 1.5)));
  }
}

function optionsOf(spec: TopicSpec): TopicOptions {
  return {
    channel: CHANNELS.indexOf(spec.channel),
    market: spec.market,
    depth: spec.depth ?? 1,
    grouping: spec.grouping ?? 0,
    sources: sourcesOf(spec),
    maker: spec.maker ?? '',
    timing: spec.timing ?? false,
  };
}

function marketNotFound(market: number): EngineError {
  return new EngineError('MARKET_NOT_FOUND', `market id was ${market}, no such market`, { market });
}

function invalidMaker(market: number): EngineError {
  return new EngineError('INVALID_MAKER', 'maker was no base58 of 32 bytes', { market });
}

function topicNotFound(handle: number): EngineError {
  return new EngineError('TOPIC_NOT_FOUND', `topic handle was ${handle}, no such topic`, {
    handle,
  });
}
