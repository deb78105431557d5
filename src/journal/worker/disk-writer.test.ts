import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import { type JournalPiece, JournalWriter } from '../../engine/journal-writer.js';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { DISK_QUEUE_BYTES_MAX, RETRY_MS } from '../model/limits.js';
import { segmentName } from '../store/segment-name.js';
import { cleanUp, LiveBook, newFolder } from '../testing.js';
import { DiskWriter } from './disk-writer.js';

afterEach(cleanUp);

/** A disk writer with its own folder, and a source of pieces: one per slot. */
function newDisk() {
  const folder = newFolder();
  const timers = new ManualTimers();
  const none = (): void => undefined;
  const disk = new DiskWriter({
    setup: { folder, programId: PROGRAM_ID, days: 0, bytesMax: 0 },
    ...{ timers, log: { info: none, warn: none }, onHealed: none, onChanged: none },
  });
  disk.open();
  const book = new LiveBook({ seed: 1 });
  const writer = new JournalWriter(PROGRAM_ID);
  const pushSlot = (): void => {
    book.step();
    const log = book.engine.turnLog.take();
    if (log !== null) writer.append(log, 1);
    writer.flush();
    for (const piece of writer.takePieces()) disk.pushPiece(piece);
  };
  const files = (): readonly string[] => readdirSync(folder).filter((name) => name !== 'lock');
  return { disk, timers, book, pushSlot, files };
}

/** More than the disk's queue limit. */
function tooMuch(segment: number): JournalPiece {
  return { segment, isTail: false, bytes: new Uint8Array(DISK_QUEUE_BYTES_MAX + 1) };
}

test('a disk that is too slow while a segment begins leaves no file of it, and goes on', async () => {
  const { disk, timers, book, pushSlot, files } = newDisk();
  pushSlot();
  disk.pushPiece(tooMuch(1));
  await disk.settle();
  expect(disk.state).toBe('stopped');
  expect(disk.reason).toMatch(/too slow/);
  expect([files(), disk.listing().ranges, disk.counts.failures]).toEqual([[], [], 1]);
  timers.advance(RETRY_MS);
  book.engine.turnLog.markCheckpoint();
  pushSlot();
  await disk.settle();
  expect([disk.state, files().length]).toEqual(['writing', 1]);
  await disk.end(null);
});

test('a disk that is too slow for a segment keeps what it was writing, whole', async () => {
  const { disk, timers, book, pushSlot, files } = newDisk();
  pushSlot();
  await disk.settle();
  pushSlot();
  disk.pushPiece(tooMuch(1));
  await disk.settle();
  expect([disk.state, disk.counts.failures, files()]).toEqual(['stopped', 1, [segmentName(1)]]);
  expect(disk.newest?.slot).toBe(book.slot - 1);
  timers.advance(RETRY_MS);
  book.engine.turnLog.markCheckpoint();
  pushSlot();
  await disk.settle();
  expect(disk.listing().gaps).toMatchObject([{ reason: 'stopped' }]);
  await disk.end(null);
});

test('a piece that is too much by itself ends the file before it', async () => {
  const { disk, timers, book, pushSlot } = newDisk();
  pushSlot();
  await disk.settle();
  disk.pushPiece(tooMuch(1));
  timers.advance(RETRY_MS);
  book.engine.turnLog.markCheckpoint();
  pushSlot();
  await disk.settle();
  expect(disk.state).toBe('writing');
  expect(disk.listing().gaps).toMatchObject([{ reason: 'stopped' }]);
  await disk.end(null);
});
