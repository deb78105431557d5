/** Replay clients over a scene's sockets and journal, and the expected frames. */
import { expect } from 'vitest';
import type { AsOfMoment } from '../../src/contract/as-of-source.js';
import type { ReplayRequest } from '../../src/contract/replay-source.js';
import type { TopicSpec } from '../../src/contract/topics.js';
import type { Frame } from './model-book.js';
import type { ModelClient } from './model-client.js';
import type { Answer } from './stream-follower.js';
import type { StreamScene } from './stream-scene.js';
import { until } from './until.js';

/** The topic that most replays are of. */
export const sol = { channel: 'book', market: 'SOL-PERP', depth: 20 };

/** A client with all frames that it was sent, but heartbeats. */
export class Tape {
  readonly frames: Frame[] = [];

  private constructor(
    readonly client: ModelClient,
    readonly scene: StreamScene,
  ) {
    client.follower.linkedBy = 'any';
    client.follower.onFrame = (frame) => {
      if (frame.type !== 'heartbeat') this.frames.push(frame);
    };
  }

  static async open(scene: StreamScene): Promise<Tape> {
    return new Tape(await scene.open(), scene);
  }

  /** Subscribes, and lets turns go by until the first frame. */
  async follow(request: object): Promise<string> {
    const topic = await this.client.subscribe(request);
    await until(`a frame of ${topic}`, () => {
      this.scene.live(1);
      return this.client.books.has(topic);
    });
    return topic;
  }

  async answer(type: string): Promise<Answer> {
    const find = () => this.client.answers.find((answer) => answer.type === type);
    await until(`${type} (${JSON.stringify(this.client.answers)})`, () => find() !== undefined);
    return find() as Answer;
  }
}

/** A frame without the members that differ between processes or readers. */
export function textOf({ prev: _, recvNs: _r, sendNs: _s, ...frame }: Frame): string {
  return JSON.stringify(frame);
}

/** Lets so many turns go by, in parts between which a client hears of them. */
export async function playTurns(
  scene: StreamScene,
  turns: number,
  client: ModelClient,
): Promise<void> {
  for (let at = 0; at < turns; at += 10) {
    scene.live(Math.min(10, turns - at));
    await client.settle();
  }
}

/** All frames of a replay are those that were sent live, from the one that its snapshot shows. */
export function expectSame(past: Tape, sent: readonly Frame[]): void {
  expect(past.client.faults).toEqual([]);
  const [snapshot, ...others] = past.frames;
  expect(snapshot).toMatchObject({ type: 'snapshot', reset: false });
  const began = sent.findLastIndex(({ seq }) => seq <= (snapshot?.seq ?? 0));
  expect(snapshot?.['crc']).toBe(sent[began]?.['crc']);
  const deltas = others.filter(({ type }) => type === 'delta');
  expect(deltas.map(textOf)).toEqual(sent.slice(began + 1).map(textOf));
}

/** Sends a message about a topic, and waits for its answer. */
export async function ask(client: ModelClient, message: object): Promise<Answer> {
  const id = `ask ${client.order.length}`;
  client.send({ ...message, id });
  const find = () => client.answers.find((answer) => answer['id'] === id);
  await until(`the answer to ${JSON.stringify(message)}`, () => find() !== undefined);
  return find() as Answer;
}

/** The request of a replay as sockets make it. */
export function requestOf(scene: StreamScene, spec: Omit<TopicSpec, 'market'>): ReplayRequest {
  const market = scene.engine.findMarket('SOL-PERP');
  if (market === undefined) throw new Error('there is a market');
  const own = { ...spec, market: market.id };
  const topic = { key: market, spec: own, name: scene.engine.topicName(own), classIndex: 0 };
  const until: AsOfMoment = { by: 'ts', value: scene.nowMs };
  return { topic, from: { by: 'ts', value: scene.nowMs - 39_000 }, until, speed: 1000, id: '' };
}
