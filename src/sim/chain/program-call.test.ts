import { expect, test } from 'vitest';
import { patchesBetween } from './program-call.js';

test('what differs between two states is patched in few pieces, which make one of the other', () => {
  const before = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 31) % 256));
  const after = Buffer.from(before);
  for (const at of [0, 3, 9, 500, 501, 999]) after.writeUInt8((after.readUInt8(at) + 1) % 256, at);
  const patches = patchesBetween('a', { before, after });
  expect(patches.map(({ offset, bytes }) => [offset, bytes.length])).toEqual([
    [0, 10],
    [500, 2],
    [999, 1],
  ]);
  const patched = Buffer.from(before);
  for (const { offset, bytes } of patches) patched.set(bytes, offset);
  expect(patched).toEqual(after);
});
