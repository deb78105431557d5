/** What other processes and the kernel do to a folder of data: locks, full disks, and disks that may only be read. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, type TestContext, test } from 'vitest';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  cleanUp as closeStores,
  newStore,
  oneFill,
  readTrades,
  signature,
  transaction,
} from '../../src/history/store/testing.js';
import { RETRY_MS } from '../../src/journal/model/limits.js';
import { FolderLock } from '../../src/journal/store/folder-lock.js';
import { cleanUp, JournalRig, LiveBook, newFolder } from '../../src/journal/testing.js';
import { expectEqual, hurtAndHeal } from '../support/journal-faults.js';
import { failAndHeal } from '../support/store-faults.js';

const dist = (name: string): string => new URL(`../../dist/src/${name}`, import.meta.url).href;
const disks: string[] = [];

afterEach(() => {
  for (const disk of disks.splice(0)) spawnSync('umount', ['--lazy', disk]);
  closeStores();
  cleanUp();
});

/** What a script prints as a process of its own. */
function printedBy(script: string, argument: string): string {
  const args = ['--input-type=module', '--eval', script, argument];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim();
}

/** A file system in memory of so many megabytes, and what changes its options. */
function newDisk(
  context: TestContext,
  megabytes: number,
): { readonly disk: string; remount(options: string): void } {
  const disk = path.join(newFolder(), 'disk');
  mkdirSync(disk);
  const mount = (...options: string[]) => spawnSync('mount', [...options, disk]).status === 0;
  if (!mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs')) {
    context.skip('needs the right to mount a file system');
  }
  disks.push(disk);
  return { disk, remount: (options) => expect(mount('-o', `remount,${options}`)).toBe(true) };
}

describe('another process', () => {
  test('is refused the lock of a journal, and gets it when its holder has ended', () => {
    const folder = newFolder();
    const script = `
      import { FolderLock } from '${dist('journal/store/folder-lock.js')}';
      try { FolderLock.take(process.argv[1]); console.log('taken'); } catch (error) { console.log(error.code); }`;
    const lock = FolderLock.take(folder);
    expect(printedBy(script, folder)).toBe('JOURNAL_LOCKED');
    lock.release();
    // It ends without giving it back.
    expect(printedBy(script, folder)).toBe('taken');
    FolderLock.take(folder).release();
  });

  test('cannot read the file of a store, which goes on', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [oneFill(1)] });
    const script = `
      import Database from 'libsql';
      try {
        new Database(process.argv[1]).exec('select * from trades');
        console.log('opened');
      } catch (error) { console.log(error.code); }`;
    expect(printedBy(script, store.file)).toBe('SQLITE_BUSY');
    store.writeBatch({ transactions: [oneFill(2)] });
    expect(readTrades(store, { market: 'perp_0', limit: 9 })).toHaveLength(2);
  });
});

describe('the store of the history', () => {
  test('on a full disk takes nothing of a write, and goes on when there is room', async (context) => {
    const { disk, remount } = newDisk(context, 1);
    const store = await newStore(disk);
    failAndHeal(store, {
      reason: 'full',
      break: () => fillByWrites(store),
      heal: () => remount('size=64m'),
    });
  });

  test('on a disk that may only be read says so', async (context) => {
    const elsewhere = await newStore();
    elsewhere.writeBatch({ transactions: [oneFill(1)] });
    elsewhere.close();
    const { disk, remount } = newDisk(context, 8);
    remount('ro');
    await expect(newStore(disk)).rejects.toMatchObject({ reason: 'folder', canRecover: true });
    remount('rw');
    copyFileSync(elsewhere.file, path.join(disk, path.basename(elsewhere.file)));
    remount('ro');
    await expect(newStore(disk)).rejects.toMatchObject({ reason: 'readonly', canRecover: true });
    remount('rw');
    expect((await newStore(disk)).readTotals().trades).toBe(1);
  });
});

/** Writes until nothing fits any more: transactions that left nothing, so that nothing of what is seen changes. */
function fillByWrites(store: HistoryStore): void {
  for (let slot = 10_000; ; slot += 50) {
    const transactions = Array.from({ length: 50 }, (_, at) =>
      transaction({ slot: slot + at, signature: signature(slot + at) }),
    );
    try {
      store.writeBatch({ transactions });
    } catch {
      return;
    }
  }
}

describe('a journal', () => {
  test('on a full disk stops, and what was written before stays whole', async (context) => {
    const { disk } = newDisk(context, 4);
    const folder = path.join(disk, 'journal');
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
    await hurtAndHeal(rig, {
      hurt: () => fillByFile(disk),
      heal: () => rmSync(path.join(disk, 'other')),
      reason: /the disk is full|no space left/,
    });
    const { ranges, gaps } = rig.last('state').listing;
    expect(ranges).toHaveLength(2);
    expect(gaps).toMatchObject([{ reason: 'stopped' }]);
    await rig.service.stop();
    expect(expectEqual(folder, book)).toBeGreaterThanOrEqual(10);
  });

  test('on a disk that may only be read stops', async (context) => {
    const { disk, remount } = newDisk(context, 4);
    const folder = path.join(disk, 'journal');
    const book = new LiveBook({ seed: 1 });
    const rig = new JournalRig(book, { folder });
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

/** Takes all the room that is left. */
function fillByFile(disk: string): void {
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
