import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteQueue } from './recorder.js';

/** Lengths of pieces that are put in, and of blocks that are taken out. */
const step = fc.oneof(
  fc.record({ push: fc.array(fc.nat({ max: 9 }), { maxLength: 4 }) }),
  fc.record({ take: fc.nat({ max: 20 }) }),
);

test('what is taken is what was put in, in its order, whatever the sizes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new ByteQueue();
      let waiting: number[] = [];
      let next = 0;
      for (const one of steps) {
        if ('push' in one) {
          const pieces = one.push.map((length) => Uint8Array.from({ length }, () => next++ % 251));
          waiting.push(...pieces.flatMap((piece) => [...piece]));
          queue.push(pieces);
        } else {
          expect([...queue.takeBytes(one.take)]).toEqual(waiting.slice(0, one.take));
          waiting = waiting.slice(one.take);
        }
        expect(queue.length).toBe(waiting.length);
      }
    }),
  );
});

test('thousands of small pieces pass through without being kept', () => {
  const queue = new ByteQueue();
  for (let round = 0; round < 5_000; round += 1) {
    queue.push([Uint8Array.of(1, 2), Uint8Array.of(3)]);
    queue.takeBytes(2);
  }
  expect(queue.length).toBe(5_000);
  // 10,000 of 1, 2, 3, 1, 2, 3 … were taken.
  expect([...queue.takeBytes(4)]).toEqual([2, 3, 1, 2]);
  queue.clear();
  expect([queue.length, queue.takeBytes(1).length]).toEqual([0, 0]);
});
