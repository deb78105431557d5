import { beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import { systemTimers } from '../../rpc/timers.js';
import { changes } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import { type BookTopicSpec, BookTopics } from './book-topics.js';
import { Publisher, type WholeTopic } from './publisher.js';
import { CHANGE } from './unmarked-changes.js';

const INTERVAL_MS = 50;
const [perp, spot] = new FakeBook().rows.map((market) => ({ market })) as [
  Pick<BookTopicSpec, 'market'>,
  Pick<BookTopicSpec, 'market'>,
];

/** A book that renders its number of changes as a frame. */
class Scene {
  readonly book = new FakeBook();
  readonly published: [topic: string, frame: string][] = [];
  readonly faults: unknown[] = [];
  readonly waits: number[] = [];
  /** The duration of one rendering. */
  frameMs = 0;
  broken = false;
  change = 0;
  rendered = 0;

  readonly publisher = new Publisher({
    timers: systemTimers,
    publish: (topic, bytes) => this.published.push([topic, bytes.toString()]),
    onFault: (error) => this.faults.push(error),
    onPublished: (seconds) => this.waits.push(seconds),
  });
  readonly topics: BookTopics;

  constructor(publishIntervalMs = INTERVAL_MS) {
    const { book, publisher } = this;
    this.topics = new BookTopics({ book, publisher, publishIntervalMs });
  }

  join(key: string, shape: Partial<BookTopicSpec> = perp): WholeTopic {
    const render = (): Uint8Array => {
      this.rendered += 1;
      if (this.broken) throw new Error('deliberate');
      if (this.frameMs > 0) vi.advanceTimersByTime(this.frameMs);
      return Buffer.from(`${this.change}`);
    };
    const { frameMs, broken } = this;
    this.frameMs = 0;
    this.broken = false;
    const leastChange = CHANGE.book;
    const topic = this.topics.join({ key, ...perp, isCommon: true, leastChange, ...shape, render });
    Object.assign(this, { frameMs, broken, rendered: 0 });
    return topic;
  }

  /** Changes markets in a turn of the engine. */
  turn(...markets: readonly number[]): void {
    this.change += 1;
    this.publish({ dirty: markets });
  }

  publish(changed: Partial<MarketChanges>): void {
    this.topics.addTurn(changes(changed));
    this.publisher.publishDue();
  }

  /** The frames published since the last call. */
  taken(): readonly string[] {
    return this.published.splice(0).map(([topic, frame]) => `${topic} ${frame}`);
  }
}

let scene: Scene;

beforeEach(() => {
  scene = new Scene();
});

describe('one topic', () => {
  beforeEach(() => void scene.join('a'));

  test('a turn without a change sends nothing', () => {
    scene.turn();
    scene.turn(1);
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual([]);
  });

  // Specification: ws-cadence, order-changed.
  test('the first change goes out at once, those after it as one at the end of the interval', () => {
    scene.turn(0);
    for (let change = 0; change < 5; change += 1) {
      vi.advanceTimersByTime(9);
      scene.turn(0);
    }
    vi.advanceTimersByTime(4);
    expect(scene.taken()).toEqual(['a 1']);
    vi.advanceTimersByTime(1);
    expect(scene.taken()).toEqual(['a 6']);
    // The first frame's wait is reported; the last frame has no successor.
    expect(scene.waits).toEqual([0, 0.041]);
    vi.advanceTimersByTime(10_000);
    expect([scene.taken(), vi.getTimerCount()]).toEqual([[], 0]);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 7']);
  });

  test('under changes without end there is one frame an interval', () => {
    for (let ms = 1; ms < 1_000; ms += 1) {
      scene.turn(0);
      vi.advanceTimersByTime(1);
    }
    expect(scene.taken()).toHaveLength(1_000 / INTERVAL_MS);
  });

  test('an interval of 0 sends every turn', () => {
    scene = new Scene(0);
    scene.join('a');
    scene.turn(0);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1', 'a 2']);
  });

  test('many readers are one frame, counted for each', () => {
    for (let reader = 1; reader < 500; reader += 1) scene.join('a');
    scene.turn(0);
    expect([scene.taken(), scene.rendered]).toEqual([['a 1'], 1]);
    const figures = { delivered: 500, deliveredBytes: 500 };
    expect(scene.publisher.readStats()).toMatchObject(figures);
  });

  test('with its last reader a topic goes, and what waited with it', () => {
    const topic = scene.join('a');
    topic.leave();
    scene.turn(0);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1']);
    topic.leave();
    vi.advanceTimersByTime(1_000);
    scene.turn(0);
    expect(scene.taken()).toEqual([]);
  });
});

describe('several topics', () => {
  test('only those of a changed market are sent, each at its own interval', () => {
    scene.join('perp');
    scene.join('spot', spot);
    scene.turn(0);
    vi.advanceTimersByTime(30);
    scene.turn(0, 1);
    scene.turn(0, 1);
    expect(scene.taken()).toEqual(['perp 1', 'spot 2']);
    vi.advanceTimersByTime(20);
    expect(scene.taken()).toEqual(['perp 3']);
    vi.advanceTimersByTime(30);
    expect(scene.taken()).toEqual(['spot 3']);
  });

  test('a turn that changed quotes alone goes to those who are shown quotes', () => {
    scene.join('orders');
    scene.join('all', { leastChange: CHANGE.quotes });
    scene.join('indicative', { leastChange: CHANGE.indicative });
    scene.join('all spot', { ...spot, leastChange: CHANGE.quotes });
    scene.publish({ indicated: [0] });
    expect(scene.taken()).toEqual(['indicative 0']);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.publish({ requoted: [0] });
    expect(scene.taken()).toEqual(['all 0', 'indicative 0']);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect(scene.taken()).toEqual(['orders 1', 'all 1', 'indicative 1']);
  });

  test('a new state or epoch refreshes all of them, but for one that was opened since', () => {
    const topic = scene.join('perp');
    scene.join('spot', spot);
    scene.change += 1;
    scene.publish({ allChanged: true });
    expect(scene.taken()).toEqual(['perp 1', 'spot 1']);
    topic.leave();
    vi.advanceTimersByTime(1_000);
    scene.join('perp');
    scene.turn();
    expect(scene.taken()).toEqual([]);
  });

  test('a turn of the loop is not held for long: the rest waits, in order', () => {
    scene.frameMs = 2;
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const key of keys) scene.join(key);
    scene.turn(0);
    const first = scene.taken();
    expect(first).toHaveLength(Math.floor(LIMITS.publishSliceMs / scene.frameMs) + 1);
    scene.frameMs = 0;
    vi.advanceTimersByTime(2);
    expect([...first, ...scene.taken()]).toEqual(keys.map((key) => `${key} 1`));
  });
});

describe('trouble', () => {
  beforeEach(() => void scene.join('perp'));

  test('a frame that cannot be made is told once, and the others go out', () => {
    scene.join('other');
    scene.broken = true;
    scene.turn(0);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect([scene.faults.length, scene.publisher.readStats().failed]).toEqual([2, 4]);
    scene.broken = false;
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect(scene.taken()).toEqual(['perp 3', 'other 3']);
  });

  test('after the stop nothing is sent', () => {
    scene.turn(0);
    scene.turn(0);
    scene.publisher.stop();
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual(['perp 1']);
  });
});
