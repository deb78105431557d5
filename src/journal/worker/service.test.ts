import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, type TestContext, test } from 'vitest';
import { RETRY_MS, SEGMENT_BYTES_MIN, SEGMENT_MS_MAX } from '../model/limits.js';
import { segmentName } from '../store/segment-name.js';
import { cleanUp, JournalRig, LiveBook, newFolder, readShown } from '../testing.js';
import { segmentUpdatesMax } from './service.js';

const disks: string[] = [];

afterEach(() => {
  for (const disk of disks.splice(0)) spawnSync('umount', ['--lazy', disk]);
  cleanUp();
});

/** The files of segments in a folder. */
function segmentsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.journal'))
    .sort();
}

/** Every moment that is kept shows what was shown live; returns how many there are. */
function expectEqual(folder: string, book: LiveBook): number {
  const kept = readShown(folder);
  for (const [moment, text] of kept)
    expect([moment, text]).toEqual([moment, book.shown.get(moment)]);
  return kept.size;
}

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

  test('of several runs are ranges with gaps between them', async () => {
    const folder = newFolder();
    for (const [run, epoch] of ['a', 'b', 'c'].entries()) {
      const rig = new JournalRig(new LiveBook({ seed: run, epoch, slot: run * 100 }), { folder });
      await rig.write(5);
      await rig.service.stop();
    }
    const rig = new JournalRig(new LiveBook({ seed: 4, epoch: 'd' }), { folder });
    const { ranges, gaps } = rig.last('state').listing;
    expect(ranges.map(({ epoch, first, last }) => [epoch, first.slot, last.slot])).toEqual([
      ['a', 350_000_000, 350_000_004],
      ['b', 350_000_100, 350_000_104],
      ['c', 350_000_200, 350_000_204],
    ]);
    expect(gaps.map(({ from, to, reason }) => [from.slot, to.slot, reason])).toEqual([
      [350_000_004, 350_000_100, 'restart'],
      [350_000_104, 350_000_200, 'restart'],
    ]);
    await rig.service.stop();
  });

  test('are deleted beyond the limit on bytes, the oldest first, and the log says so', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 1 });
    const bytesMax = 65_536;
    const rig = new JournalRig(book, { folder, bytesMax });
    for (let segment = 0; segment < 40; segment += 1) {
      await rig.write(2);
      rig.timers.advance(SEGMENT_MS_MAX);
    }
    const { stats } = rig.last('state');
    expect(stats.events.segmentsDeleted).toBeGreaterThan(0);
    const names = segmentsIn(folder);
    expect(names).toHaveLength(stats.events.segmentsBegun - stats.events.segmentsDeleted);
    expect(names.at(-1)).toBe(segmentName(stats.events.segmentsBegun));
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
  // The accounts are changes at first, and fill the first segment: the second one has them in its checkpoint.
  await rig.write(2);
  expect(segmentsIn(folder).at(-1)).toBe(segmentName(2));
  expect(statSync(path.join(folder, segmentName(2))).size).toBeGreaterThan(SEGMENT_BYTES_MIN);
  await rig.write(5);
  expect(rig.messages.filter(({ kind }) => kind === 'checkpointDue')).toHaveLength(1);
  expect(rig.last('state').stats.events.segmentsBegun).toBe(2);
  await rig.service.stop();
});

describe('files that are not as they were left', () => {
  test('a torn one is read up to its last whole moment', async () => {
    const folder = newFolder();
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    await rig.write(40);
    await rig.service.stop();
    const file = path.join(folder, segmentsIn(folder)[0] ?? '');
    const whole = readFileSync(file);
    const lasts: number[] = [];
    for (let cut = whole.length; cut > whole.length - 1_000; cut -= 97) {
      truncateSync(file, cut);
      const next = new JournalRig(new LiveBook({ seed: 2, epoch: 'other' }), { folder });
      const last = next.last('state').listing.ranges[0]?.last.slot ?? 0;
      lasts.push(last);
      await next.service.stop();
      expect(expectEqual(folder, book)).toBe(last - 350_000_000 + 1);
    }
    expect(new Set(lasts).size).toBeGreaterThan(1);
    expect(lasts).toEqual([...lasts].sort((left, right) => right - left));
  });

  test('damaged, foreign and newer ones are told, skipped and left where they are', async () => {
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
    writeFileSync(path.join(folder, 'notes.txt'), 'of somebody else');
    const next = new JournalRig(new LiveBook({ seed: 2, epoch: 'b' }), { folder });
    const { ranges, skipped } = next.last('state').listing;
    expect(ranges).toMatchObject([{ segments: 2 }]);
    expect(skipped.map(({ name }) => name)).toEqual([7, 8, 9, 10].map(segmentName));
    expect(skipped.every(({ reason }) => reason.length > 0)).toBe(true);
    expect(next.logged).toContain('files of the journal cannot be used');
    await next.write(2);
    await next.service.stop();
    // The new file has a number of its own, behind all that there were.
    expect(segmentsIn(folder)).toEqual([first, second, ...[7, 8, 9, 10, 12].map(segmentName)]);
    expect(existsSync(path.join(folder, 'notes.txt'))).toBe(true);
  });
});

/** A journal that has written, whose folder is then hurt and healed. */
async function hurtAndHeal(
  rig: JournalRig,
  place: { readonly hurt: () => void; readonly heal: () => void; readonly reason: RegExp },
): Promise<void> {
  await rig.write(5);
  expect(rig.last('state').stats).toMatchObject({ state: 'writing', reason: null });
  expect(rig.last('flushed').isWhole).toBe(true);
  place.hurt();
  for (let tries = 0; tries < 4; tries += 1) {
    await rig.write(30);
    rig.timers.advance(RETRY_MS);
  }
  await rig.write(1);
  const { state, reason } = rig.last('state').stats;
  expect(state).toBe('stopped');
  expect(rig.last('flushed').isWhole).toBe(false);
  expect(reason).toMatch(place.reason);
  const told = rig.logged.filter((text) => text.startsWith('the journal has stopped'));
  expect(told.length).toBeLessThanOrEqual(2);
  place.heal();
  rig.timers.advance(RETRY_MS);
  await rig.write(5);
  expect(rig.last('state').stats).toMatchObject({ state: 'writing', reason: null });
  expect(rig.last('flushed').isWhole).toBe(true);
  expect(rig.logged).toContain('the journal goes on');
}

describe('a folder that fails', () => {
  test('by being deleted stops the journal, which goes on in a new one', async () => {
    const folder = path.join(newFolder(), 'journal');
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    const aside = `${folder}-aside`;
    await hurtAndHeal(rig, {
      // It cannot be made again while something else has its name.
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

  test('by a full disk stops the journal, and what was written before stays whole', async (context) => {
    const { disk, folder } = smallDisk(context);
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    await hurtAndHeal(rig, {
      hurt: () => fillUp(disk),
      heal: () => rmSync(path.join(disk, 'other')),
      reason: /the disk is full|no space left/,
    });
    const { ranges, gaps } = rig.last('state').listing;
    expect(ranges).toHaveLength(2);
    expect(gaps).toMatchObject([{ reason: 'stopped' }]);
    await rig.service.stop();
    expect(expectEqual(folder, book)).toBeGreaterThanOrEqual(10);
  });

  test('by being read-only stops the journal', async (context) => {
    const { disk, folder } = smallDisk(context);
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    const remount = (mode: string) => {
      expect(spawnSync('mount', ['-o', `remount,${mode}`, disk]).status).toBe(0);
    };
    // An open file keeps a disk from becoming read-only: the folder is the disk's, and closed, at the start.
    await rig.service.stop();
    remount('ro');
    const next = new JournalRig(book, { folder });
    await next.write(3);
    expect(next.last('state').stats.state).toBe('stopped');
    remount('rw');
    next.timers.advance(RETRY_MS);
    await next.write(3);
    expect(next.last('state').stats.state).toBe('writing');
    await next.service.stop();
  });
});

test('a second journal in one folder is refused, and the first one goes on', async () => {
  const folder = newFolder();
  const book = new LiveBook({ seed: 1 });
  const rig = new JournalRig(book, { folder });
  await rig.write(2);
  const second = new JournalRig(new LiveBook({ seed: 2 }), { folder });
  expect(second.messages.at(-1)).toMatchObject({ kind: 'refused', code: 'JOURNAL_LOCKED' });
  await rig.write(2);
  await rig.service.stop();
  expect(expectEqual(folder, book)).toBe(4);
});

/** A disk of some megabytes in memory. */
function smallDisk(context: TestContext): { readonly disk: string; readonly folder: string } {
  const disk = path.join(newFolder(), 'disk');
  mkdirSync(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status !== 0) {
    context.skip('needs the right to mount a file system');
  }
  disks.push(disk);
  return { disk, folder: path.join(disk, 'journal') };
}

/** Takes all the room that is left. */
function fillUp(disk: string): void {
  const file = openSync(path.join(disk, 'other'), 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096, 1));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
  expect(() => appendFileSync(path.join(disk, 'more'), Buffer.alloc(8_192))).toThrow('ENOSPC');
}
