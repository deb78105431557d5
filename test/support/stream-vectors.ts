/**
 * The streams of test/vectors/stream: recorded from the service with a fixed seed, some of them
 * damaged afterwards. The expected final book is the content of /l2 and /l3 at that moment.
 */
import type { ResumePoint } from '../../src/client/stream/followed-book.js';
import type { Best } from '../../src/client/stream/topic.js';
import { type FollowedTopic, topicOf } from '../../src/follow/follow-options.js';
import type { ModelClient } from './model-client.js';
import { StreamScene } from './stream-scene.js';
import { until } from './until.js';

/** The expected findings of a reader. */
export interface Expectation {
  /** The frames, counted from 0, that break a rule, and which. */
  readonly breaches: readonly { readonly frame: number; readonly rule: string }[];
  /** The reader's final book; null when no book is valid. */
  readonly book: null | {
    readonly epoch: string;
    readonly seq: number;
    readonly slot: number;
    readonly state: string;
    readonly bids: readonly unknown[];
    readonly asks: readonly unknown[];
  };
}

/** A stream and its expected findings. */
export interface Vector {
  readonly name: string;
  readonly about: string;
  readonly topic: FollowedTopic;
  readonly frames: readonly string[];
  readonly expect: Expectation;
}

/** A frame, and the book that it leads to. */
export interface Take {
  readonly text: string;
  readonly book: NonNullable<Expectation['book']>;
}

/** The frames of a topic as text. Heartbeats depend on the clock and are recorded on request. */
export interface StreamTape {
  readonly client: ModelClient;
  readonly topic: FollowedTopic;
  readonly frames: string[];
  readonly heartbeats: string[];
}

/** Turns without a frame of the topic before something is wrong with the scene. */
const TURNS_MAX = 400;

/** Records takes of topics of one scene. */
export class Recorder {
  private constructor(readonly scene: StreamScene) {}

  static async start(): Promise<Recorder> {
    const scene = await StreamScene.start({ seed: 4, makers: 40, socketsPerIp: 100 });
    scene.live(200);
    return new Recorder(scene);
  }

  async tape(topic: FollowedTopic, resume?: ResumePoint): Promise<StreamTape> {
    const client = await this.scene.open();
    const tape: StreamTape = { client, topic, frames: [], heartbeats: [] };
    client.onData = (data, { type }) => {
      if (type === 'snapshot' || type === 'delta') tape.frames.push(data.toString());
      else if (type === 'heartbeat') tape.heartbeats.push(data.toString());
    };
    client.send({ type: 'subscribe', ...topicOf(topic), resume });
    await client.settle();
    return tape;
  }

  /** Takes the tape's next heartbeat. */
  async heartbeat(tape: StreamTape): Promise<Take> {
    const before = tape.heartbeats.length;
    await until('a heartbeat', () => tape.heartbeats.length > before);
    return this.take(tape, tape.heartbeats.at(-1) ?? '');
  }

  /** Takes the tape's new frames, all with the current book. */
  async takes(tape: StreamTape): Promise<readonly Take[]> {
    await tape.client.settle();
    return tape.frames.splice(0).map((text) => this.take(tape, text));
  }

  /** Lets the market live until there are so many more frames. */
  async record(tape: StreamTape, count: number): Promise<readonly Take[]> {
    const taken = [...(await this.takes(tape))];
    for (let turn = 0; taken.length < count && turn < TURNS_MAX; turn += 1) {
      this.scene.live(1);
      taken.push(...(await this.takes(tape)));
    }
    return taken;
  }

  /** A frame with the service's current book. */
  take({ topic }: StreamTape, text: string): Take {
    const { epoch, seq, slot, state } = JSON.parse(text);
    return { text, book: { epoch, seq, slot, state, ...this.#sides(topic) } };
  }

  async stop(): Promise<void> {
    await this.scene.stop();
  }

  #sides({ channel, market, depth, grouping = 1, maker }: FollowedTopic) {
    const { engine } = this.scene;
    const id = engine.findMarket(market)?.id ?? -1;
    const read = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());
    if (channel === 'l3') {
      const { bids, asks } = read(
        engine.l3({ market: id, depth, ...(maker === undefined ? {} : { maker }) }),
      );
      return { bids, asks };
    }
    const levels = channel === 'bbo' ? 1 : depth;
    const { bids, asks } = read(engine.l2({ market: id, depth: levels, grouping }));
    const rowOf = ({ price, size, sources }: { price: string; size: string; sources: object }) =>
      channel === 'bbo' ? [price, size] : [price, size, sources];
    return { bids: bids.map(rowOf), asks: asks.map(rowOf) };
  }
}

/** A vector's file: a header, the recorded frames, and the expectation. */
export function textOf({ name, about, topic, frames, expect }: Vector): string {
  const head = JSON.stringify({ case: name, about, subscribe: topicOf(topic) });
  return `${[head, ...frames, JSON.stringify({ expect })].join('\n')}\n`;
}

/** Reads a file of {@link textOf}. */
export function vectorOf(text: string): Vector {
  const lines = text.trimEnd().split('\n');
  const { case: name, about, subscribe } = JSON.parse(lines[0] ?? '');
  const { expect } = JSON.parse(lines.at(-1) ?? '');
  const topic = { depth: 1, ...subscribe };
  return { name, about, topic, frames: lines.slice(1, -1), expect };
}

/** Rows as frames have them. */
export function sentRows(rows: readonly Best[]): unknown[] {
  const plain = JSON.parse(
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
  return plain.map((row: Record<string, unknown>) => {
    const { price, size, sources } = row;
    if ('orderId' in row) return row;
    return sources === undefined ? [price, size] : [price, size, sources];
  });
}
