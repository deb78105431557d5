import { expect, test } from 'vitest';
import { LateTimers } from '../../../test/support/late-timers.js';
import { LIMITS } from '../../config/limits.js';
import { HeartbeatShards } from './heartbeat.js';

const { heartbeatIntervalMs, heartbeatShards } = LIMITS;

/** The milliseconds of each shard's heartbeats. */
function beatsOf(timers: LateTimers): ReadonlyMap<string, readonly number[]> {
  const beats = new Map<string, number[]>();
  const shards = new HeartbeatShards(timers, (topic) => {
    beats.set(topic, [...(beats.get(topic) ?? []), timers.nowMs()]);
  });
  shards.start();
  return beats;
}

function pausesOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
}

test('a shard beats at its interval, however late each timer is', () => {
  const timers = new LateTimers();
  const beats = beatsOf(timers);
  timers.lateMs = 20;
  timers.advance(10 * heartbeatIntervalMs);
  expect(beats.size).toBe(heartbeatShards);
  for (const times of beats.values()) {
    expect(times.length).toBeGreaterThanOrEqual(9);
    for (const pauseMs of pausesOf(times)) {
      expect(Math.abs(pauseMs - heartbeatIntervalMs)).toBeLessThanOrEqual(20);
    }
  }
});

test.each([
  [0.3, 16],
  [1.5, heartbeatShards],
  [30, heartbeatShards],
])('after a pause of %d intervals %i shards are caught up with, each once', (intervals, count) => {
  const timers = new LateTimers();
  timers.lateMs = intervals * heartbeatIntervalMs;
  const beats = beatsOf(timers);
  timers.advance(heartbeatIntervalMs / heartbeatShards + timers.lateMs);
  expect([...beats.values()].map((times) => times.length)).toEqual(Array(count).fill(1));
});
