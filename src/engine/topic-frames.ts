import type { Core } from '@slotbook/core/native';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSource,
  TopicSpec,
} from '../contract/topics.js';
import { OutputBuffer } from './output-buffer.js';
import { errorOfHandle, topicNotFound, topicOptions } from './topics.js';

const TIMES_UNKNOWN: FrameTimes = { recvNs: 0n, sendNs: 0n };

/** The core returns this for an unknown topic instead of a length. */
const UNKNOWN_TOPIC = -(2 ** 31);

/** The topics of a core and their frames. */
export class TopicFrames implements TopicSource {
  readonly #core: Core;
  readonly #frame = OutputBuffer.ofFrames();
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
