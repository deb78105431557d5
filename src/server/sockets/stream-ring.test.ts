import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { Ring, RingMemory } from './stream-ring.js';

function frameOf(text: string, bytes = 300): Uint8Array {
  return Buffer.from(text.padEnd(bytes, ' '));
}

/** Adds deltas from one seq to the next; each frame contains its name. */
function fill(
  ring: Ring,
  seqs: readonly number[],
  options: { bytes?: number; atMs?: number } = {},
) {
  const { bytes = 300, atMs = 0 } = options;
  for (const seq of seqs) {
    ring.appendDelta({ prev: seq - 1, seq, frame: frameOf(`${seq - 1}-${seq}`, bytes) }, atMs);
  }
}

function range(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

/** The names of the deltas sent to a reader with `seq`; undefined when the reader needs a snapshot. */
function missedBy(ring: Ring, seq: number): readonly string[] | undefined {
  const from = ring.findNumberAfter(seq);
  if (from === undefined) return undefined;
  return range(from, ring.nextNumber - from).map((number) => {
    const frame = ring.frame(number);
    return frame === undefined ? 'gone' : Buffer.from(frame).toString().trim();
  });
}

describe('a ring', () => {
  test('knows what a reader has missed, whichever delta it had last', () => {
    const ring = new Ring(new RingMemory());
    fill(ring, range(1, 500));
    for (const seq of [0, 1, 62, 63, 64, 65, 250, 498, 499, 500]) {
      const expected = range(seq + 1, 500 - seq).map((next) => `${next - 1}-${next}`);
      expect(missedBy(ring, seq), `after ${seq}`).toEqual(expected);
    }
    for (const seq of [-1, 501, 1_000]) expect(missedBy(ring, seq)).toBeUndefined();
  });

  test('takes a seq that was passed over for that of a topic which began later elsewhere', () => {
    const ring = new Ring(new RingMemory());
    ring.appendDelta({ prev: 1, seq: 5, frame: frameOf('1-5') }, 0);
    ring.appendDelta({ prev: 5, seq: 9, frame: frameOf('5-9') }, 0);
    expect(missedBy(ring, 5)).toEqual(['5-9']);
    expect(missedBy(ring, 7)).toEqual(['5-9']);
    expect(missedBy(ring, 3)).toEqual(['1-5', '5-9']);
    for (const seq of [0, 10]) expect(missedBy(ring, seq)).toBeUndefined();
  });

  test('replays changes of the state that have no seq of their own', () => {
    const ring = new Ring(new RingMemory());
    fill(ring, [1]);
    ring.appendDelta({ prev: 1, seq: 1, frame: frameOf('state a') }, 0);
    ring.appendDelta({ prev: 1, seq: 1, frame: frameOf('state b') }, 0);
    fill(ring, [2]);
    expect(missedBy(ring, 1)).toEqual(['state a', 'state b', '1-2']);
    expect(missedBy(ring, 0)).toEqual(['0-1', 'state a', 'state b', '1-2']);
  });

  test('that is empty, or was emptied, knows nothing', () => {
    const ring = new Ring(new RingMemory());
    expect(ring.findNumberAfter(0)).toBeUndefined();
    fill(ring, [1, 2]);
    ring.clear();
    expect([ring.findNumberAfter(1), ring.findNumberAfter(2), ring.bytes]).toEqual([
      undefined,
      undefined,
      0,
    ]);
    fill(ring, [3]);
    expect(missedBy(ring, 2)).toEqual(['2-3']);
  });

  test('keeps at most 1 MiB, the newest', () => {
    const memory = new RingMemory();
    const ring = new Ring(memory);
    fill(ring, range(1, 20_000));
    expect(ring.bytes).toBe(memory.bytes);
    expect(ring.bytes).toBeLessThanOrEqual(LIMITS.ringBytesPerTopicMax);
    expect(ring.bytes).toBeGreaterThan(LIMITS.ringBytesPerTopicMax - 2 * LIMITS.ringChunkBytes);
    expect(missedBy(ring, 19_000)).toHaveLength(1_000);
    expect(missedBy(ring, 10_000)).toBeUndefined();
  });

  test('keeps a delta that is larger than a chunk, and none that would fill it', () => {
    const ring = new Ring(new RingMemory());
    fill(ring, [1]);
    fill(ring, [2], { bytes: LIMITS.ringChunkBytes * 3 });
    fill(ring, [3]);
    expect(missedBy(ring, 0)).toEqual(['0-1', '1-2', '2-3']);
    fill(ring, [4], { bytes: LIMITS.ringBytesPerTopicMax });
    expect([missedBy(ring, 2), missedBy(ring, 3), ring.bytes]).toEqual([undefined, undefined, 0]);
    fill(ring, [5]);
    expect(missedBy(ring, 4)).toEqual(['4-5']);
    expect(missedBy(ring, 5)).toEqual([]);
  });

  test('whose reader is slow forgets what it has not got, which is seen', () => {
    const ring = new Ring(new RingMemory());
    fill(ring, range(1, 10));
    const from = ring.findNumberAfter(4) ?? -1;
    expect(ring.frame(from)).toBeDefined();
    fill(ring, range(11, 20_000));
    expect(ring.frame(from)).toBeUndefined();
  });
});

describe('the memory of all rings', () => {
  test('is never more than its most, and the oldest chunk goes first', () => {
    const bytesMax = 10 * (LIMITS.ringChunkBytes + 1_024);
    const memory = new RingMemory(bytesMax);
    const rings = range(0, 8).map(() => new Ring(memory));
    for (let seq = 1; seq <= 1_000; seq += 1) {
      for (const ring of rings) fill(ring, [seq]);
      expect(memory.bytes).toBeLessThanOrEqual(bytesMax);
      expect(memory.bytes).toBe(rings.reduce((sum, { bytes }) => sum + bytes, 0));
    }
    for (const ring of rings) expect(missedBy(ring, 999)).toEqual(['999-1000']);
    expect(missedBy(rings[0] as Ring, 1)).toBeUndefined();
  });

  test('is given back by time, from the oldest chunk on', () => {
    const memory = new RingMemory();
    const ring = new Ring(memory);
    fill(ring, range(1, 64), { atMs: 1_000 });
    fill(ring, range(65, 10), { atMs: 2_000 });
    memory.expireChunks(1_000);
    expect(missedBy(ring, 0)).toHaveLength(74);
    memory.expireChunks(1_001);
    expect(missedBy(ring, 0)).toBeUndefined();
    memory.expireChunks(2_001);
    expect([memory.bytes, ring.bytes, ring.findNumberAfter(74)]).toEqual([0, 0, undefined]);
  });
});
