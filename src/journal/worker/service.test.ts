import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { expectEqual, hurtAndHeal, segmentsIn } from '../../../test/support/journal-faults.js';
import { SEGMENT_BYTES_MIN, SEGMENT_MS_MAX } from '../model/limits.js';
import { SegmentIndex } from '../store/segment-index.js';
import { segmentName } from '../store/segment-name.js';
import { summaryPath, writeSummary } from '../store/summary-file.js';
import { cleanUp, JournalRig, LiveBook, newFolder } from '../testing.js';
import { segmentUpdatesMax } from './service.js';

afterEach(cleanUp);

describe('segments', () => {
  test('hold every moment as it was, each by itself', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    for (let segment = 0; segment < 3; segment += 1) {
      await rig.write(20);
      rig.timers.advance(SEGMENT_MS_MAX);
    }
    await rig.service.stop();
    expect(segmentsIn(folder)).toEqual([1, 2, 3].map(segmentName));
    expect(expectEqual(folder, book)).toBe(60);
    const { ranges, gaps } = rig.last('state').listing;
    expect(gaps).toEqual([]);
    expect(ranges).toMatchObject([{ epoch: 'first', segments: 3, first: { slot: 350_000_000 } }]);
    expect(ranges[0]?.last.slot).toBe(book.slot - 1);
  });

  test('are deleted with their summaries beyond the limit on bytes, the oldest first, and the log says so', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 1 });
    const bytesMax = 65_536;
    const rig = new JournalRig(book, { folder, bytesMax });
    for (const number of [1, 1_000]) writeSummary(folder, number, new Map());
    for (let segment = 0; segment < 40; segment += 1) {
      await rig.write(2);
      rig.timers.advance(SEGMENT_MS_MAX);
    }
    const { stats } = rig.last('state');
    expect(stats.events.segmentsDeleted).toBeGreaterThan(0);
    const names = segmentsIn(folder);
    expect(names).toHaveLength(stats.events.segmentsBegun - stats.events.segmentsDeleted);
    expect(names.at(-1)).toBe(segmentName(stats.events.segmentsBegun));
    const summaries = [1, 1_000].filter((number) => existsSync(summaryPath(folder, number)));
    expect(summaries).toEqual([1_000]);
    expect(stats.bytes).toBeLessThanOrEqual(2 * bytesMax);
    expect(rig.logged).toContain('old files of the journal were deleted');
    await rig.service.stop();
    expectEqual(folder, book);
  });
});

test('a segment has more updates where its checkpoint has more accounts', () => {
  expect([0, 10_000, 400_000].map(segmentUpdatesMax)).toEqual([50_000, 50_000, 2_000_000]);
});

test('a checkpoint that is larger than a segment may be does not end the segment', async () => {
  const folder = newFolder();
  const book = new LiveBook({ seed: 1, makers: 2_000 });
  const rig = new JournalRig(book, { folder, bytesMax: 1 });
  // The accounts are changes at first, and fill the first segment: the second one has them in its
  // checkpoint.
  await rig.write(2);
  expect(segmentsIn(folder).at(-1)).toBe(segmentName(2));
  expect(statSync(path.join(folder, segmentName(2))).size).toBeGreaterThan(SEGMENT_BYTES_MIN);
  await rig.write(5);
  expect(rig.messages.filter(({ kind }) => kind === 'checkpointDue')).toHaveLength(1);
  expect(rig.last('state').stats.events.segmentsBegun).toBe(2);
  await rig.service.stop();
});

describe('files that are not as they were left', () => {
  test.each([999_999_999_999, 500_000_000_000])(
    'a stray file of number %i leaves the numbers of segments as they are',
    async (number) => {
      const folder = newFolder();
      writeFileSync(path.join(folder, segmentName(number)), 'a stray file');
      writeFileSync(path.join(folder, segmentName(2)), 'another one');
      const book = new LiveBook({ seed: 1 });
      const rig = new JournalRig(book, { folder });
      await rig.write(3);
      rig.timers.advance(SEGMENT_MS_MAX);
      await rig.write(3);
      await rig.service.stop();
      expect(segmentsIn(folder)).toEqual([2, 4, 5, number].map(segmentName));
      expect(rig.last('state').listing.ranges).toMatchObject([{ segments: 2 }]);
      expect(expectEqual(folder, book)).toBe(6);
    },
  );

  test('deleted ones are listed no more', async () => {
    const folder = newFolder();
    const rig = new JournalRig(new LiveBook({ seed: 1 }), { folder });
    for (let segment = 0; segment < 3; segment += 1) {
      await rig.write(3);
      rig.timers.advance(SEGMENT_MS_MAX);
    }
    rmSync(path.join(folder, segmentName(2)));
    await rig.write(1);
    const { ranges } = rig.last('state').listing;
    expect(ranges.map(({ segments }) => segments)).toEqual([1, 1]);
    await rig.service.stop();
  });

  test('a deleted lock file ends the writing at the next piece', async () => {
    const folder = newFolder();
    const rig = new JournalRig(new LiveBook({ seed: 1 }), { folder });
    await rig.write(3);
    const bytes = statSync(path.join(folder, segmentName(1))).size;
    rmSync(path.join(folder, 'lock'));
    const other = new JournalRig(new LiveBook({ seed: 2, epoch: 'b' }), { folder });
    await other.write(3);
    await rig.write(3);
    expect(rig.last('state').stats).toMatchObject({
      state: 'stopped',
      reason: expect.stringContaining('lock file'),
    });
    expect(statSync(path.join(folder, segmentName(1))).size).toBe(bytes);
    expect(other.last('state').stats.state).toBe('writing');
    await rig.service.stop();
    await other.service.stop();
  });

  test('one that begins as a torn one before it, and ends later, is in its place', async () => {
    const folder = newFolder();
    const rig = new JournalRig(new LiveBook({ seed: 1 }), { folder });
    await rig.write(3);
    await rig.service.stop();
    const [name = ''] = segmentsIn(folder);
    const bytes = readFileSync(path.join(folder, name));
    writeFileSync(path.join(folder, segmentName(2)), bytes);
    writeFileSync(path.join(folder, segmentName(3)), bytes);
    writeFileSync(path.join(folder, name), bytes.subarray(0, -200));
    const next = new JournalRig(new LiveBook({ seed: 2, epoch: 'b' }), { folder });
    const { skipped } = next.last('state').listing;
    expect(skipped.map((file) => file.name)).toEqual([1, 3].map(segmentName));
    await next.service.stop();
  });

  test('a copy is deleted with the files before the oldest that is kept', async () => {
    const folder = newFolder();
    const first = new JournalRig(new LiveBook({ seed: 1 }), { folder });
    await first.write(3);
    await first.service.stop();
    copyFileSync(path.join(folder, segmentName(1)), path.join(folder, segmentName(2)));
    copyFileSync(path.join(folder, segmentName(1)), path.join(folder, segmentName(999)));
    const next = new JournalRig(new LiveBook({ seed: 2, epoch: 'b' }), { folder });
    await next.write(3);
    await next.service.stop();
    copyFileSync(path.join(folder, segmentName(1)), path.join(folder, segmentName(2_000)));
    const third = new JournalRig(new LiveBook({ seed: 3, epoch: 'c' }), { folder, bytesMax: 1 });
    const left = [1_001, 2_000].map(segmentName);
    const skipped = third.last('state').listing.skipped.map(({ name }) => name);
    expect([segmentsIn(folder), skipped]).toEqual([left, left.slice(1)]);
    await third.service.stop();
  });

  test('a copy does not make each reading look for the end of the newest one again', async () => {
    const folder = newFolder();
    const rig = new JournalRig(new LiveBook({ seed: 1 }), { folder });
    const index = new SegmentIndex(folder, null);
    const endNow = () => index.read().segments.at(-1)?.last.slot;
    await rig.write(3);
    const first = endNow();
    copyFileSync(path.join(folder, segmentName(1)), path.join(folder, segmentName(7)));
    await rig.write(3);
    const second = endNow();
    await rig.write(3);
    expect([second, endNow()]).toEqual([Number(first) + 3, second]);
    index.forgetEnd();
    expect(endNow()).toBe(Number(first) + 6);
    await rig.service.stop();
  });

  test('damaged, foreign, newer and copied ones are told, skipped and left where they are', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    await rig.write(3);
    rig.timers.advance(SEGMENT_MS_MAX);
    await rig.write(3);
    await rig.service.stop();
    const [first = '', second = ''] = segmentsIn(folder);
    const bytes = readFileSync(path.join(folder, first));
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(60) ^ 1, 60);
    const newer = Buffer.from(bytes);
    newer.writeUInt32LE(99, 16);
    writeFileSync(path.join(folder, segmentName(7)), damaged);
    writeFileSync(path.join(folder, segmentName(8)), newer);
    writeFileSync(path.join(folder, segmentName(9)), 'not a segment');
    writeFileSync(path.join(folder, segmentName(10)), '');
    mkdirSync(path.join(folder, segmentName(11)));
    symlinkSync('/srv/nowhere', path.join(folder, segmentName(12)));
    writeFileSync(path.join(folder, segmentName(13)), bytes);
    writeFileSync(path.join(folder, 'notes.txt'), 'of somebody else');
    const next = new JournalRig(new LiveBook({ seed: 2, epoch: 'b' }), { folder });
    const { ranges, skipped } = next.last('state').listing;
    expect(ranges).toMatchObject([{ segments: 2 }]);
    expect(skipped.map(({ name }) => name)).toEqual([7, 8, 9, 10, 11, 12, 13].map(segmentName));
    expect(skipped.every(({ reason }) => /^[^/]+$/.test(reason))).toBe(true);
    expect(skipped[4]?.reason).toBe('it is no file');
    expect(skipped[6]?.reason).toContain('a copy');
    expect(next.logged).toContain('files of the journal cannot be used');
    await next.write(2);
    await next.service.stop();
    // The new file has its own number, after all existing ones.
    expect(segmentsIn(folder)).toEqual([
      first,
      second,
      ...[7, 8, 9, 10, 11, 12, 13, 15].map(segmentName),
    ]);
    expect(existsSync(path.join(folder, 'notes.txt'))).toBe(true);
  });
});

describe('a folder that fails', () => {
  test('by being deleted stops the journal, which goes on in a new one', async () => {
    const folder = path.join(newFolder(), 'journal');
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    const aside = `${folder}-aside`;
    await hurtAndHeal(rig, {
      // It cannot be created again while something else has its name.
      hurt: () => {
        renameSync(folder, aside);
        writeFileSync(folder, 'a file');
      },
      heal: () => rmSync(folder),
      reason: /moved or deleted|cannot be made/,
    });
    await rig.service.stop();
    expect(segmentsIn(folder)).toHaveLength(1);
    expect(expectEqual(folder, book)).toBe(5);
    expect(expectEqual(aside, book)).toBe(5);
  });
});
