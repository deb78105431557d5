import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { changes } from '../testing/market-changes.js';
import { INTERVAL_MS, TOPICS_MAX, TopicsScene } from '../testing/topics-scene.js';
import { StreamSubscriber } from './stream-subscriber.js';

let scene: TopicsScene;

beforeEach(() => {
  scene = new TopicsScene();
});

afterEach(() => vi.restoreAllMocks());

/** A clock that only advances when it is read. */
function useClock(readingMs: number): { nowMs: number; readingMs: number } {
  const clock = { nowMs: 5_000, readingMs };
  vi.spyOn(performance, 'now').mockImplementation(() => (clock.nowMs += clock.readingMs));
  return clock;
}

const [A, B] = ['book:SOL-PERP:10', 'book:SOL-PERP:20'];

describe('deltas', () => {
  test('the first change goes out in its turn, those after it as one at the end of the interval', () => {
    scene.join(10);
    for (let turn = 0; turn < 4; turn += 1) scene.turn(0);
    expect(scene.taken()).toEqual([`${A} 7-8`]);
    vi.advanceTimersByTime(INTERVAL_MS - 1);
    expect(scene.taken()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(scene.taken()).toEqual([`${A} 8-11`]);
    expect(scene.waits).toEqual([0, INTERVAL_MS / 1_000]);
  });

  test('a turn that changed quotes alone goes to those who are shown quotes', () => {
    scene.join(10);
    scene.join(10, 0, { vamm: true });
    scene.join(10, 0, { indicative: true });
    scene.join(10, 1, { vamm: true });
    scene.change({ requoted: [0] });
    expect(scene.taken()).toEqual([`${A}:vamm 7-8`, `${A}:indicative 7-8`]);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.change({ indicated: [0] });
    expect(scene.taken()).toEqual([`${A}:indicative 8-9`]);
  });

  test('a client may choose a longer interval, of a topic with a chain of its own', () => {
    scene.join(10);
    const slow = scene.join(10, 0, { intervalMs: 250 });
    for (let ms = 0; ms < 1_000; ms += 1) {
      scene.turn(0);
      vi.advanceTimersByTime(1);
    }
    const heard = scene.taken();
    expect(heard.filter((text) => text.startsWith(`${A} `))).toHaveLength(101);
    const own = heard.filter((text) => text.startsWith(`${A}:250ms `));
    const frames = own.map((text) => text.split(' ')[1]?.split('-').map(Number) ?? []);
    expect(frames).toHaveLength(5);
    expect(frames.slice(1).map(([prev]) => prev)).toEqual(
      frames.slice(0, -1).map(([, seq]) => seq),
    );
    const point = { epoch: 'epoch-1', seq: frames[2]?.[1] ?? 0 };
    expect(slow.findFirstMissed(point)).toBe(3);
  });

  test('the last change of a quiet market is not kept beyond the interval', () => {
    scene.join(10, 0, { intervalMs: 5_000 });
    scene.turn(0);
    scene.turn(0);
    scene.taken();
    vi.advanceTimersByTime(5_000);
    expect(scene.taken().filter((text) => !text.includes('heartbeat'))).toEqual([
      `${A}:5000ms 8-9`,
    ]);
  });

  test('all topics of a turn go out in that turn, as long as it is not held for too long', () => {
    scene.joinMany(100);
    const clock = useClock(0.01);
    scene.turn(0);
    expect(scene.taken()).toHaveLength(100);
    // Rendering now takes one or two milliseconds.
    clock.nowMs += INTERVAL_MS;
    clock.readingMs = 1;
    scene.turn(0);
    const first = scene.taken();
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThanOrEqual(LIMITS.publishSliceMs + 1);
    clock.readingMs = 0.01;
    // The book must not change until the remaining frames are rendered.
    let rest = 0;
    scene.publisher.onceFinished(() => {
      rest = scene.published.length;
    });
    expect([scene.publisher.isPublishing, rest]).toEqual([true, 0]);
    vi.advanceTimersByTime(2);
    expect([scene.publisher.isPublishing, first.length + rest]).toEqual([false, 100]);
    const keys = [...first, ...scene.taken()].map((text) => text.split(' ')[0]);
    expect(keys).toEqual(Array.from({ length: 100 }, (_, at) => `book:SOL-PERP:${at + 1}`));
  });

  test('who waits for a mark goes on in a turn of the loop without a slice of it', () => {
    scene.joinMany(4);
    useClock(LIMITS.publishSliceMs);
    scene.turn(0);
    const slices: number[] = [scene.taken().length];
    let isFinished = false;
    scene.publisher.onceFinished(() => {
      isFinished = true;
    });
    while (!isFinished) {
      expect(scene.publisher.isPublishing).toBe(true);
      vi.advanceTimersToNextTimer();
      slices.push(scene.taken().length);
    }
    expect([slices.reduce((sum, frames) => sum + frames), slices.at(-1)]).toEqual([4, 0]);
    expect(scene.publisher.isPublishing).toBe(false);
  });

  test('of those who wait one goes on in each turn of the loop, for each may make frames', () => {
    const publisher = scene.publisher;
    scene.joinMany(3);
    const clock = useClock(LIMITS.publishSliceMs + 1);
    scene.turn(0);
    const went: number[] = [];
    publisher.onceFinished(() => {
      went.push(1);
      clock.nowMs += INTERVAL_MS;
      scene.turn(0);
    });
    publisher.onceFinished(() => went.push(2));
    publisher.onceFinished(() => went.push(3));
    while (went.length === 0) vi.advanceTimersToNextTimer();
    // The frames of the first waiter's turn are rendered before the second waiter resumes.
    expect([went, publisher.isPublishing]).toEqual([[1], true]);
    while (went.length === 1) {
      expect(publisher.isPublishing).toBe(true);
      vi.advanceTimersToNextTimer();
    }
    expect(went).toEqual([1, 2]);
    publisher.onceFinished(() => went.push(4));
    vi.advanceTimersToNextTimer();
    vi.advanceTimersToNextTimer();
    expect(went).toEqual([1, 2, 3, 4]);
  });

  test('nothing is left to be made when the book moves at once, not even of a turn that waited', () => {
    scene.joinMany(20);
    const clock = useClock(LIMITS.publishSliceMs);
    scene.turn(0);
    scene.publisher.onceFinished(() => {
      clock.nowMs += INTERVAL_MS;
      scene.turn(0);
    });
    scene.publisher.finishMark();
    expect(scene.publisher.isPublishing).toBe(false);
    expect(scene.taken()).toHaveLength(40);
  });

  test('the book moves on when the topics that it waits for are closed', () => {
    for (const topic of scene.joinMany(TOPICS_MAX)) scene.topics.removeSubscriber(topic);
    useClock(LIMITS.publishSliceMs + 1);
    scene.turn(0);
    let isFinished = false;
    scene.publisher.onceFinished(() => {
      isFinished = true;
    });
    expect(isFinished).toBe(false);
    // Each new topic closes the topic that was idle for longest.
    for (let at = 0; at < TOPICS_MAX; at += 1) scene.join(at + 1, 1);
    vi.advanceTimersByTime(2);
    expect([scene.publisher.isPublishing, isFinished]).toEqual([false, true]);
  });

  test('a turn that shows nothing new sends nothing, and delays nothing by more than the interval', () => {
    scene.join(10);
    scene.marked.publishTurn(changes({ dirty: [0] }));
    scene.turn(0);
    expect(scene.taken()).toEqual([]);
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual([`${A} 7-8`]);
  });

  test('a topic that is opened after an unmarked change begins with the next mark', () => {
    scene.turn(0);
    scene.turn(0);
    const topic = scene.join(10);
    expect(topic.isUnmarked).toBe(true);
    const seen: unknown[] = [];
    topic.waiting.add(() => seen.push(scene.snapshot(topic)['seq']));
    vi.advanceTimersByTime(INTERVAL_MS - 1);
    expect([topic.isUnmarked, seen]).toEqual([true, []]);
    vi.advanceTimersByTime(1);
    // Waiting readers get a snapshot, not the delta.
    expect([topic.isUnmarked, seen, scene.taken()]).toEqual([false, [9], []]);
    scene.turn(0);
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual([`${A} 9-10`]);
    expect(scene.join(20).isUnmarked).toBe(false);
    // The longer intervals have a change without a mark.
    expect(scene.join(10, 0, { intervalMs: 50 }).isUnmarked).toBe(true);
  });

  test('a change that it does not show keeps no topic waiting', () => {
    scene.turn(0);
    scene.marked.publishTurn(changes({ requoted: [0] }));
    expect(scene.join(10).isUnmarked).toBe(false);
    expect(scene.join(10, 0, { vamm: true }).isUnmarked).toBe(true);
    expect(scene.join(10, 1, { vamm: true }).isUnmarked).toBe(false);
  });

  test('a snapshot is of the last publication, so that the next delta goes on from it', () => {
    const topic = scene.join(10);
    scene.turn(0);
    scene.turn(0);
    expect(scene.snapshot(topic)).toMatchObject({ type: 'snapshot', seq: 8 });
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(scene.taken()).toEqual([`${A} 7-8`, `${A} 8-9`]);
  });

  test('a state or an epoch is new for all topics', () => {
    scene.join(10);
    scene.join(20, 1);
    scene.turn(0, 1);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.taken();
    scene.book.current = { ...scene.book.current, state: 'stale' };
    scene.marked.publishTurn(changes({ allChanged: true }));
    expect(scene.taken()).toEqual([`${A} 8-8`, 'book:SOL:20 8-8']);
    vi.advanceTimersByTime(INTERVAL_MS);
    scene.book.epoch = 'epoch-2';
    scene.marked.publishTurn(changes({ allChanged: true }));
    expect(scene.published.every(([, frame]) => frame['reset'] === true)).toBe(true);
    expect(scene.taken()).toEqual([`${A} snapshot 8`, 'book:SOL:20 snapshot 8']);
  });

  test('one that cannot be made is told once, and is made good by the next', () => {
    scene.join(10);
    scene.book.broken = true;
    for (let turn = 0; turn < 2; turn += 1) {
      scene.turn(0);
      vi.advanceTimersByTime(INTERVAL_MS);
    }
    expect(scene.faults).toEqual([A]);
    expect(scene.publisher.readStats().failed).toBe(2);
    scene.book.broken = false;
    scene.turn(0);
    expect(scene.taken()).toEqual([`${A} 7-10`]);
  });
});

describe('heartbeats', () => {
  test('stop while the frames of their topic cannot be made', () => {
    scene.topics.start();
    scene.join(10);
    scene.book.broken = true;
    scene.turn(0);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 3);
    expect(scene.taken()).toEqual([]);
    scene.book.broken = false;
    scene.turn(0);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 2);
    expect(scene.taken()).toContain(`${A} heartbeat 9`);
  });

  test('that cannot be made end nothing', () => {
    scene.topics.start();
    scene.join(10);
    vi.spyOn(scene.book.topics, 'renderHeartbeat').mockImplementation(() => {
      throw new Error('no');
    });
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 3);
    expect(scene.faults).toEqual([A]);
  });

  test('come each second without a frame, and say what was published last', () => {
    scene.topics.start();
    scene.join(10);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 3);
    expect(scene.taken()).toEqual(Array(3).fill(`${A} heartbeat 7`));
    scene.turn(0);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs - 1);
    expect(scene.taken()).toEqual([`${A} 7-8`]);
    vi.advanceTimersByTime(LIMITS.streamWatchMs);
    expect(scene.taken()).toEqual([`${A} heartbeat 8`]);
  });

  test('of many topics are spread, and none is left out', () => {
    scene.topics.start();
    const beat = vi.spyOn(scene.book.topics, 'renderHeartbeat');
    beat.mockImplementation(() => {
      vi.advanceTimersByTime(1);
      return Buffer.from('{"type":"heartbeat","seq":1}');
    });
    scene.joinMany(20);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 2);
    const beaten = new Set(scene.published.map(([topic]) => topic));
    expect(beaten.size).toBe(20);
  });
});

describe('a topic without readers', () => {
  test('goes on for a minute, and is published to nobody', () => {
    scene.topics.start();
    const topic = scene.join(10);
    scene.turn(0);
    scene.topics.removeSubscriber(topic);
    scene.taken();
    vi.advanceTimersByTime(LIMITS.ringMsMax - 1_000);
    scene.turn(0);
    expect(scene.taken()).toEqual([]);
    const again = scene.join(10);
    expect(again).toBe(topic);
    expect(again.findFirstMissed({ epoch: 'epoch-1', seq: 8 })).toBeDefined();
    scene.topics.removeSubscriber(again);
    vi.advanceTimersByTime(LIMITS.ringMsMax + LIMITS.streamWatchMs);
    expect([scene.book.streams.size, scene.topics.ringBytes]).toEqual([0, 0]);
    scene.turn(0);
    expect(scene.join(10)).not.toBe(topic);
  });

  test('makes room for one that has some', () => {
    for (const topic of scene.joinMany(TOPICS_MAX)) scene.topics.removeSubscriber(topic);
    expect(scene.book.streams.size).toBe(TOPICS_MAX);
    scene.join(5_000);
    const kept = scene.join(2);
    expect(scene.book.streams.size).toBe(TOPICS_MAX);
    scene.join(1);
    scene.turn(0);
    const heard = scene.published.map(([topic]) => topic);
    expect(heard).toEqual([kept.key, 'book:SOL-PERP:5000', 'book:SOL-PERP:1']);
  });

  test('makes room also while a change of it waits', () => {
    for (const topic of scene.joinMany(TOPICS_MAX)) scene.topics.removeSubscriber(topic);
    scene.turn(0);
    scene.turn(0);
    scene.join(5_000);
    vi.advanceTimersByTime(1_000);
    expect([scene.faults, scene.publisher.readStats().failed]).toEqual([[], 0]);
  });
});

test('nothing of the epoch before is resumed', () => {
  const topic = scene.join(10);
  scene.turn(0);
  scene.turn(0);
  const { seq } = scene.book.current;
  expect(topic.findFirstMissed({ epoch: 'epoch-1', seq: seq - 1 })).toBeDefined();
  expect(topic.findFirstMissed({ epoch: 'epoch-0', seq: seq - 1 })).toBeUndefined();
  scene.book.epoch = 'epoch-2';
  scene.marked.publishTurn(changes({ allChanged: true }));
  vi.advanceTimersByTime(INTERVAL_MS);
  for (const epoch of ['epoch-1', 'epoch-2']) {
    expect(topic.findFirstMissed({ epoch, seq: 8 })).toBeUndefined();
  }
  expect(scene.topics.ringBytes).toBe(0);
});

test('a resume that waits while the epoch changes is answered with a snapshot', () => {
  const topic = scene.join(10);
  scene.turn(0);
  const resume = { epoch: 'epoch-1', seq: scene.book.current.seq };
  const reader = new StreamSubscriber({ streams: scene.topics, topic, id: '1', resume });
  vi.advanceTimersByTime(INTERVAL_MS);
  scene.book.epoch = 'epoch-2';
  scene.marked.publishTurn(changes({ allChanged: true }));
  const frames: unknown[] = [];
  const send = (frame: Uint8Array): boolean => {
    frames.push(JSON.parse(Buffer.from(frame).toString()));
    return true;
  };
  expect(reader.sendSnapshot({ send, isBehind: () => false }, 'first')).toBe(true);
  expect(frames).toMatchObject([{ type: 'snapshot', id: 1, epoch: 'epoch-2', reset: false }]);
  expect(reader.sendSnapshot({ send, isBehind: () => false }, 'reset')).toBe(true);
  expect(frames[1]).toMatchObject({ type: 'snapshot', reset: true });
  expect(frames[1]).not.toHaveProperty('id');
});

test('after the stop nothing is sent', () => {
  scene.topics.start();
  scene.join(10);
  scene.join(20);
  scene.turn(0);
  scene.turn(0);
  scene.topics.stop();
  scene.publisher.stop();
  vi.advanceTimersByTime(10_000);
  expect(scene.taken()).toEqual([`${A} 7-8`, `${B} 7-8`]);
});
