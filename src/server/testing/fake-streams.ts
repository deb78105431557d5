/**
 * Streaming topics over a fake book, for tests of delivery: every change of its version, its epoch
 * or its filler is a delta. Sides are empty; the content of frames is tested through the engine.
 */

import type { MarketVersion } from '../../contract/book-source.js';
import type {
  FrameTimes,
  TopicDelta,
  TopicSnapshotRequest,
  TopicSpec,
} from '../../contract/topics.js';

/** The state of the book that the topics show. */
interface FakeVersion {
  readonly epoch: string;
  readonly current: MarketVersion;
  /** Padding of every snapshot and delta. */
  readonly filler: string;
}

interface FakeTopic {
  readonly spec: TopicSpec;
  readonly name: string;
  published: FakeVersion;
  recvNs: bigint;
}

/** The open topics of a fake book. */
export class FakeStreams {
  readonly #topics = new Map<number, FakeTopic>();
  #opened = 0;

  readonly #now: () => FakeVersion;
  readonly #symbolOf: (market: number) => string;

  constructor(now: () => FakeVersion, symbolOf: (market: number) => string) {
    this.#now = now;
    this.#symbolOf = symbolOf;
  }

  get size(): number {
    return this.#topics.size;
  }

  name(spec: TopicSpec): string {
    const parts = [spec.channel, this.#symbolOf(spec.market)];
    if (spec.channel !== 'bbo') parts.push(String(spec.depth));
    if (spec.maker !== undefined) parts.push(spec.maker);
    if ((spec.grouping ?? 1) > 1) parts.push(`g${spec.grouping}`);
    for (const flag of ['vamm', 'indicative', 'timing'] as const) if (spec[flag]) parts.push(flag);
    if (spec.intervalMs !== undefined) parts.push(`${spec.intervalMs}ms`);
    if (spec.binary) parts.push('binary');
    return parts.join(':');
  }

  open(spec: TopicSpec, recvNs = 0n): number {
    this.#opened += 1;
    const published = this.#now();
    this.#topics.set(this.#opened, { spec, name: this.name(spec), published, recvNs });
    return this.#opened;
  }

  close(handle: number): void {
    this.#topic(handle);
    this.#topics.delete(handle);
  }

  delta(handle: number, { recvNs, sendNs }: FrameTimes): TopicDelta | null {
    const topic = this.#topic(handle);
    const was = topic.published;
    const now = this.#now();
    const prev = was.current.seq;
    const { seq, state } = now.current;
    const reset = was.epoch !== now.epoch;
    if (!reset && seq === prev && state === was.current.state) return null;
    topic.published = now;
    topic.recvNs = recvNs;
    const frame = reset
      ? snapshotOf(topic, { id: '', reset: true, sendNs })
      : frameOf(topic, { opening: { type: 'delta' }, link: { prev }, sendNs });
    return { frame, prev, seq, reset };
  }

  snapshot(handle: number, answer: TopicSnapshotRequest): Uint8Array {
    return snapshotOf(this.#topic(handle), answer);
  }

  heartbeat(handle: number): Uint8Array {
    const { name, published } = this.#topic(handle);
    const { slot, state } = this.#now().current;
    const { seq } = published.current;
    const frame = {
      type: 'heartbeat',
      topic: name,
      epoch: published.epoch,
      seq,
      slot,
      ts: 0,
      state,
    };
    return Buffer.from(JSON.stringify(frame));
  }

  #topic(handle: number): FakeTopic {
    const topic = this.#topics.get(handle);
    if (topic === undefined) throw new Error(`there is no topic with the handle ${handle}`);
    return topic;
  }
}

function snapshotOf(
  topic: FakeTopic,
  { id, reset, sendNs = 0n }: TopicSnapshotRequest,
): Uint8Array {
  const frame = frameOf(topic, { opening: { type: 'snapshot' }, reset: { reset }, sendNs });
  const member = id === '' ? '' : `"id":${id},`;
  return Buffer.from(`{${member}${Buffer.from(frame).toString().slice(1)}`);
}

/** The members in which a snapshot and a delta differ. */
interface FrameParts {
  readonly opening: object;
  readonly link?: object;
  readonly reset?: object;
  readonly sendNs: bigint;
}

function frameOf(
  { spec, name, published, recvNs }: FakeTopic,
  { opening, link, reset, sendNs }: FrameParts,
): Uint8Array {
  const { epoch, current, filler } = published;
  const { seq, slot, state } = current;
  const times = spec.timing ? { recvNs: String(recvNs), sendNs: String(sendNs) } : {};
  const sides = spec.channel === 'bbo' ? { bid: null, ask: null } : { bids: [], asks: [] };
  const frame = {
    ...opening,
    topic: name,
    channel: spec.channel,
    market: name.split(':')[1],
    epoch,
    ...link,
    seq,
    slot,
    ts: 0,
    ...times,
    state,
    ...reset,
    ...sides,
    crc: 0,
    ...(filler === '' ? {} : { filler }),
  };
  return Buffer.from(JSON.stringify(frame));
}
