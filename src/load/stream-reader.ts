/** A reader of the streaming channel, with all checks of `slotbook follow`. */

import type { StreamDepth } from '../client/stream/topic.js';
import { Deferred } from '../contract/deferred.js';
import { Follower } from '../follow/follower.js';
import type { Figures } from './figures.js';

/** The market and depth of a reader. */
interface ReaderOptions {
  readonly url: string;
  readonly market: string;
  readonly depth: StreamDepth;
  readonly figures: Figures;
}

/** One socket with one topic. */
export class StreamReader {
  readonly #follower: Follower;
  readonly #figures: Figures;
  #bytes = 0;
  /** Of the last change. */
  #recvNs: bigint | undefined;
  readonly #followed = new Deferred<void>();
  /** Resolves with the first book; rejects when the topic cannot be followed. */
  readonly opened: Promise<void>;

  constructor({ url, market, depth, figures }: ReaderOptions) {
    this.#figures = figures;
    this.#follower = new Follower({
      url,
      topic: { channel: 'book', market, depth, timing: true },
      onFrame: () => this.#countFrame(),
    });
    const failed = this.#follower.failed.then((error) => Promise.reject(error));
    this.opened = Promise.race([this.#followed.promise, failed]);
    this.#follower.start();
  }

  /** Ends the reader and counts its violations, even when it got no book. */
  stop(): Promise<void> {
    const { messages, broken, reconnects } = this.#follower.tally;
    const { findings } = this.#figures;
    for (const text of messages) findings.add(text);
    findings.count += broken - messages.length;
    if (reconnects > 0) findings.add('a reader lost its connection');
    return this.#follower.stop();
  }

  #countFrame(): void {
    const { tally, view } = this.#follower;
    this.#followed.resolve();
    this.#figures.frames += 1;
    this.#figures.frameBytes += tally.bytes - this.#bytes;
    this.#bytes = tally.bytes;
    this.#countLatency(view?.timing?.recvNs ?? 0n);
  }

  /** Counts the age of a new book; the age of the first book is unknown, and heartbeats have none. */
  #countLatency(recvNs: bigint): void {
    const isNew = this.#recvNs !== undefined && recvNs !== this.#recvNs;
    this.#recvNs = recvNs;
    if (isNew && recvNs > 0n) this.#figures.addDelta(unixMs() - Number(recvNs) / 1e6);
  }
}

/** The wall clock, with sub-millisecond resolution. */
function unixMs(): number {
  return performance.timeOrigin + performance.now();
}
