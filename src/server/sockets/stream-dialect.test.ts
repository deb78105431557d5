/** The first frames of a reconnected reader, and the receipt times in frames. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { FakeBook } from '../testing/running-server.js';
import { INTERVAL_MS, TopicsScene } from '../testing/topics-scene.js';
import { StreamSubscriber } from './stream-subscriber.js';
import type { StreamTopic } from './stream-topic.js';
import type { StreamTopics } from './stream-topics.js';
import type { FrameSink, SendOutcome } from './subscription.js';

let scene: TopicsScene;
let book: FakeBook;
let streams: StreamTopics;

beforeEach(() => {
  vi.advanceTimersByTime(1_000);
  scene = new TopicsScene();
  ({ book, topics: streams } = scene);
});

afterEach(() => expect(scene.faults).toEqual([]));

const join = (timing = false, depth = 10): StreamTopic =>
  scene.join(depth, 0, timing ? { timing } : {});

function turn(atMs = performance.now()): void {
  scene.receivedAtMs = atMs;
  scene.turn(0);
}

/** Publishes deltas of this many turns, one an interval. */
function turns(count: number): void {
  for (let at = 0; at < count; at += 1) {
    turn();
    vi.advanceTimersByTime(INTERVAL_MS);
  }
}

/** A client with room for some frames; `frames` are the received ones. */
class Client implements FrameSink {
  readonly frames: string[] = [];
  room = 0;
  /** Whether a frame without room is dropped, or known to have no room. */
  isDropping = false;

  send(bytes: Uint8Array): boolean {
    if (this.room === 0) return false;
    this.room -= 1;
    const { type, prev, seq } = JSON.parse(bytes.toString());
    this.frames.push(type === 'delta' ? `${prev}-${seq}` : `${type} ${seq}`);
    return true;
  }

  isBehind(): boolean {
    return this.room === 0 && !this.isDropping;
  }
}

describe('a resume that is cut because the client does not read', () => {
  test.each([
    ['stops before what would not fit', false],
    ['stops where the transport left a frame out', true],
  ])('%s, and goes on there', (_, isDropping) => {
    const topic = join();
    const resume = { epoch: book.epoch, seq: book.current.seq };
    turns(5);
    const reader = new StreamSubscriber({ streams, topic, id: '1', resume });
    const client = new Client();
    client.isDropping = isDropping;
    for (const room of [2, 1, 0]) {
      client.room = room;
      expect(reader.sendSnapshot(client, 'first')).toBe(false);
    }
    expect(client.frames).toEqual(['7-8', '8-9', '9-10']);
    turns(1);
    client.room = 9;
    expect(reader.sendSnapshot(client, 'first')).toBe(true);
    expect(client.frames.slice(3)).toEqual(['10-11', '11-12', '12-13']);
  });

  test('is a snapshot when what was missed is forgotten meanwhile', () => {
    const topic = join();
    const resume = { epoch: book.epoch, seq: book.current.seq };
    turns(3);
    const reader = new StreamSubscriber({ streams, topic, id: '1', resume });
    const client = new Client();
    client.room = 1;
    expect(reader.sendSnapshot(client, 'first')).toBe(false);
    topic.ring.clear();
    client.room = 9;
    expect(reader.sendSnapshot(client, 'first')).toBe(true);
    expect(client.frames).toEqual(['7-8', 'snapshot 10']);
  });
});

describe('a resume from a book that is ahead of this one', () => {
  /** A reader that is two turns ahead of this book, and the number of attempts to send it a frame. */
  function aheadReader() {
    const topic = join();
    turns(1);
    const resume = { epoch: book.epoch, seq: book.current.seq + 2 };
    const reader = new StreamSubscriber({ streams, topic, id: '1', resume });
    const client = new Client();
    client.room = 9;
    const outcomes: SendOutcome[] = [];
    const send = (): void => void outcomes.push(reader.sendSnapshot(client, 'first'));
    reader.attachCallbacks?.({ onReady: send, onFailed: () => undefined });
    send();
    return { reader, client, outcomes, send };
  }

  test('waits for the book, and then has missed nothing', () => {
    const { client, outcomes } = aheadReader();
    turn();
    // The second change is published by a later mark.
    turn();
    expect(outcomes).toEqual(['later']);
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(outcomes).toEqual(['later', true]);
    expect(client.frames).toEqual([]);
    vi.advanceTimersByTime(10 * LIMITS.resumeWaitMsMax);
    expect(outcomes).toHaveLength(2);
  });

  test('is sent what came with the frame for which it waited', () => {
    const { client, outcomes } = aheadReader();
    turns(1);
    book.current = { ...book.current, seq: book.current.seq + 1 };
    turns(1);
    expect(outcomes).toEqual(['later', true]);
    expect(client.frames).toEqual(['9-11']);
  });

  test('is a snapshot after a while, where the book does not come there', () => {
    const { client, outcomes } = aheadReader();
    turns(1);
    vi.advanceTimersByTime(LIMITS.resumeWaitMsMax);
    expect(outcomes).toEqual(['later', true]);
    expect(client.frames).toEqual(['snapshot 9']);
  });

  test('waits for a frame of the last mark that is still to be made', () => {
    const [, topic] = [join(), join(false, 20)];
    const make = book.topics.renderDelta.bind(book);
    // Each frame takes longer than a time slice.
    const slow = vi.spyOn(book.topics, 'renderDelta').mockImplementation((handle, times) => {
      vi.advanceTimersByTime(2 * LIMITS.publishSliceMs);
      return times === undefined ? make(handle) : make(handle, times);
    });
    turn();
    const resume = { epoch: book.epoch, seq: book.current.seq };
    const reader = new StreamSubscriber({ streams, topic, id: '1', resume });
    const client = new Client();
    client.room = 9;
    const outcomes: SendOutcome[] = [];
    const send = (): void => void outcomes.push(reader.sendSnapshot(client, 'first'));
    reader.attachCallbacks?.({ onReady: send, onFailed: () => undefined });
    send();
    expect(streams.publisher.isPublishing).toBe(true);
    slow.mockRestore();
    streams.publisher.finishMark();
    expect(outcomes).toEqual(['later', true]);
    expect(client.frames).toEqual([]);
  });

  test('is sent nothing after it has left', () => {
    const { reader, client, outcomes } = aheadReader();
    reader.leaveTopic();
    turns(3);
    vi.advanceTimersByTime(10 * LIMITS.resumeWaitMsMax);
    expect(outcomes).toEqual(['later']);
    expect(client.frames).toEqual([]);
  });
});

test('a frame that had to wait says when the first of its changes came in', () => {
  join(true);
  const startMs = performance.now();
  turn(startMs - 3);
  for (const ms of [2, 3, 4]) {
    vi.advanceTimersByTime(ms - 1);
    turn(performance.now() - 1);
  }
  vi.advanceTimersByTime(2 * INTERVAL_MS);
  turn(performance.now() - 1);
  const receivedMs = scene.published.map(([, { recvNs, sendNs }]) => {
    const [received, sent] = [BigInt(String(recvNs)), BigInt(String(sendNs))];
    return Math.round(Number(sent - received) / 1e6);
  });
  // Published immediately, after the interval, and immediately; the second frame has the first of
  // three changes.
  expect(receivedMs).toEqual([3, INTERVAL_MS, 1]);
});
