import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { JournalError } from '../model/error.js';
import { FolderLock } from './folder-lock.js';

const OPEN_FILES = '/proc/self/fd';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-lock-'));
  folders.push(folder);
  return folder;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof JournalError) return error.code;
    throw error;
  }
  return 'taken';
}

function openFiles(): readonly string[] {
  return readdirSync(OPEN_FILES).flatMap((name) => {
    try {
      return [readlinkSync(path.join(OPEN_FILES, name))];
    } catch {
      return []; // It has been closed since, like the listing's own.
    }
  });
}

test('one holder has a folder at a time', () => {
  const folder = newFolder();
  const lock = FolderLock.take(folder);
  expect(codeOf(() => FolderLock.take(folder))).toBe('JOURNAL_LOCKED');
  expect(readdirSync(folder)).toEqual(['lock']);
  expect(statSync(path.join(folder, 'lock')).size).toBe(0);
  lock.release();
  FolderLock.take(folder).release();
});

test('a lock that is refused leaves no file open', (context) => {
  if (!existsSync(OPEN_FILES))
    context.skip('needs a system that lists the open files of a process');
  const folder = newFolder();
  const lock = FolderLock.take(folder);
  for (let tries = 0; tries < 5; tries += 1) {
    expect(codeOf(() => FolderLock.take(folder))).toBe('JOURNAL_LOCKED');
  }
  // SQLite keeps files open next to its own process's locks, which closing one would release.
  lock.release();
  expect(openFiles().filter((file) => file.startsWith(folder))).toEqual([]);
});

test('a lock whose folder was deleted, or made anew, is kept no more', () => {
  const folder = newFolder();
  const lock = FolderLock.take(folder);
  expect(lock.isKept()).toBe(true);
  rmSync(path.join(folder, 'lock'));
  expect(lock.isKept()).toBe(false);
  const other = FolderLock.take(folder);
  expect([lock.isKept(), other.isKept()]).toEqual([false, true]);
  lock.release();
  other.release();
});

test('a folder that is not there cannot be locked', () => {
  const folder = path.join(newFolder(), 'none');
  expect(codeOf(() => FolderLock.take(folder))).toBe('JOURNAL_FOLDER_FAILED');
});
