import { beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { changes } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { BookTopic, BookTopicSpec } from './compatible-fan-out.js';
import { BookFanOut } from './compatible-fan-out.js';

const INTERVAL_MS = 50;
const perp = { marketType: 'perp', marketIndex: 0 } as const;
const spot = { marketType: 'spot', marketIndex: 1 } as const;

/** A book whose frame is its number of changes. */
class Scene {
  readonly book = new FakeBook();
  readonly published: [topic: string, frame: string][] = [];
  readonly faults: unknown[] = [];
  readonly waits: number[] = [];
  /** How long the making of one frame takes. */
  frameMs = 0;
  broken = false;
  change = 0;
  rendered = 0;

  readonly fanOut: BookFanOut;

  constructor(intervalMs = INTERVAL_MS) {
    this.fanOut = new BookFanOut({
      timers: systemTimers,
      book: this.book,
      directory: this.book,
      publish: (topic, bytes) => this.published.push([topic, bytes.toString()]),
      intervalMs,
      onFault: (error) => this.faults.push(error),
      onPublished: (seconds) => this.waits.push(seconds),
    });
  }

  join(key: string, shape: Partial<BookTopicSpec> = perp): BookTopic {
    const render = (): Uint8Array => {
      this.rendered += 1;
      if (this.broken) throw new Error('deliberate');
      if (this.frameMs > 0) vi.advanceTimersByTime(this.frameMs);
      return Buffer.from(`${this.change}`);
    };
    return this.fanOut.addSubscriber({
      key,
      ...perp,
      isCommon: true,
      hasQuotes: false,
      hasIndicative: false,
      ...shape,
      render,
    });
  }

  /** Changes markets in a turn of the engine. */
  turn(...markets: readonly number[]): void {
    this.change += 1;
    this.fanOut.publishTurn(changes({ dirty: markets }));
  }

  /** What was published since the last time this was asked. */
  taken(): readonly string[] {
    return this.published.splice(0).map(([topic, frame]) => `${topic} ${frame}`);
  }
}

let scene: Scene;

beforeEach(() => {
  vi.advanceTimersByTime(1_000);
  scene = new Scene();
});

describe('one topic', () => {
  test('the first change goes out in its own turn', () => {
    scene.join('a');
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1']);
  });

  test('a turn without a change sends nothing', () => {
    scene.join('a');
    scene.turn();
    scene.turn(1);
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual([]);
  });

  test('changes within the interval are one frame at its end, of the newest book', () => {
    scene.join('a');
    scene.turn(0);
    for (let change = 0; change < 5; change += 1) {
      vi.advanceTimersByTime(9);
      scene.turn(0);
    }
    expect(scene.taken()).toEqual(['a 1']);
    vi.advanceTimersByTime(4);
    expect(scene.taken()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(scene.taken()).toEqual(['a 6']);
  });

  test('the last change is never lost, and nothing follows it', () => {
    scene.join('a');
    scene.turn(0);
    scene.turn(0);
    vi.advanceTimersByTime(10_000);
    expect(scene.taken()).toEqual(['a 1', 'a 2']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('under changes without end there is one frame an interval', () => {
    scene.join('a');
    for (let ms = 1; ms < 1_000; ms += 1) {
      scene.turn(0);
      vi.advanceTimersByTime(1);
    }
    expect(scene.taken()).toHaveLength(1_000 / INTERVAL_MS);
  });

  test('after a quiet interval the next change goes out at once', () => {
    scene.join('a');
    scene.turn(0);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1', 'a 2']);
  });

  test('an interval of 0 sends every turn', () => {
    scene = new Scene(0);
    scene.join('a');
    scene.turn(0);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1', 'a 2']);
  });

  test('the time that a change waited is told', () => {
    scene.join('a');
    scene.turn(0);
    vi.advanceTimersByTime(20);
    scene.turn(0);
    vi.advanceTimersByTime(20);
    scene.turn(0);
    vi.advanceTimersByTime(10);
    expect(scene.waits).toEqual([0, 0.03]);
  });

  test('many readers are one frame, counted for each', () => {
    for (let reader = 0; reader < 500; reader += 1) scene.join('a');
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1']);
    expect(scene.rendered).toBe(1);
    expect(scene.fanOut.readStats()).toMatchObject({ published: 1, delivered: 500 });
    expect(scene.fanOut.readStats().deliveredBytes).toBe(500);
  });

  test('with its last reader a topic goes, and what waited with it', () => {
    const topic = scene.join('a');
    scene.join('a');
    scene.fanOut.removeSubscriber(topic);
    scene.turn(0);
    scene.turn(0);
    expect(scene.taken()).toEqual(['a 1']);
    scene.fanOut.removeSubscriber(topic);
    vi.advanceTimersByTime(1_000);
    scene.turn(0);
    expect(scene.taken()).toEqual([]);
  });
});

describe('several topics', () => {
  test('only those of a changed market are sent', () => {
    scene.join('perp');
    scene.join('spot', spot);
    scene.turn(1);
    expect(scene.taken()).toEqual(['spot 1']);
    scene.turn(0, 1);
    expect(scene.taken()).toEqual(['perp 2']);
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual(['spot 2']);
  });

  test('a turn that changed quotes alone goes to those who are shown quotes', () => {
    scene.join('orders');
    scene.join('all', { hasQuotes: true });
    scene.join('indicative', { hasQuotes: true, hasIndicative: true });
    scene.join('all spot', { ...spot, hasQuotes: true });
    scene.fanOut.publishTurn(changes({ indicated: [0] }));
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual(['indicative 0']);
    scene.fanOut.publishTurn(changes({ requoted: [0] }));
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual(['all 0', 'indicative 0']);
    scene.turn(0);
    expect(scene.taken()).toEqual(['orders 1', 'all 1', 'indicative 1']);
  });

  test('each has its own interval', () => {
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

  test('a new state of the feed refreshes all of them', () => {
    scene.join('perp');
    scene.join('spot', spot);
    scene.book.current = { ...scene.book.current, state: 'stale' };
    scene.turn();
    expect(scene.taken()).toEqual(['perp 1', 'spot 1']);
    scene.turn();
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual([]);
  });

  test('a new epoch refreshes all of them', () => {
    scene.join('perp');
    scene.join('spot', spot);
    scene.book.epoch = 'epoch-2';
    scene.turn();
    expect(scene.taken()).toEqual(['perp 1', 'spot 1']);
  });

  test('a state that changed while nobody read is no change to the first reader', () => {
    const topic = scene.join('perp');
    scene.fanOut.removeSubscriber(topic);
    scene.book.current = { ...scene.book.current, state: 'stale' };
    scene.turn();
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
    expect(first).toHaveLength(LIMITS.fanOutSliceMs / scene.frameMs + 0.5);
    scene.frameMs = 0;
    vi.advanceTimersByTime(2);
    expect([...first, ...scene.taken()]).toEqual(keys.map((key) => `${key} 1`));
  });
});

describe('trouble', () => {
  test('a frame that cannot be made is told once, and the others go out', () => {
    scene.join('perp');
    const other = scene.join('other');
    scene.broken = true;
    scene.turn(0);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect(scene.faults).toHaveLength(2);
    expect(scene.fanOut.readStats().failed).toBe(4);
    scene.broken = false;
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.turn(0);
    expect(scene.taken()).toEqual(['perp 3', 'other 3']);
    scene.fanOut.removeSubscriber(other);
  });

  test('a market that is no longer served falls silent, and speaks when it is back', () => {
    const { rows } = scene.book;
    scene.join('perp');
    scene.turn(0);
    scene.turn(0);
    scene.book.rows = rows.slice(1);
    scene.turn(0);
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual(['perp 1']);
    expect(() => scene.fanOut.renderFrame(scene.join('perp'))).toThrow('no longer served');
    scene.book.rows = [...rows];
    scene.turn(0);
    expect(scene.taken()).toEqual(['perp 4']);
    expect(scene.faults).toEqual([]);
  });

  test('a market that has another id is followed', () => {
    scene.join('perp');
    scene.book.rows = scene.book.rows.map((row) => ({ ...row, id: row.id + 10 }));
    scene.turn(0);
    expect(scene.taken()).toEqual([]);
    scene.turn(10);
    expect(scene.taken()).toEqual(['perp 2']);
  });

  test('after the stop nothing is sent', () => {
    scene.join('perp');
    scene.turn(0);
    scene.turn(0);
    scene.fanOut.stop();
    vi.advanceTimersByTime(1_000);
    expect(scene.taken()).toEqual(['perp 1']);
  });
});
