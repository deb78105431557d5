import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { PROGRAM_IDS } from '../contract/program.js';
import { systemTimers } from '../rpc/timers.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { Journal } from './journal.js';
import { cleanUp, LiveBook, newFolder, readShown } from './testing.js';

afterEach(cleanUp);

/** A journal on its own thread, with a running book, and its log lines. */
async function startJournal(folder: string, book: LiveBook, programId = PROGRAM_ID) {
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const journal = new Journal({
    setup: { folder, programId, days: 0, bytesMax: 0 },
    turnLog: book.engine.turnLog,
    timers: systemTimers,
    log: { info: note, warn: note },
    onEnded: ({ code }) => void logged.push(code),
  });
  book.engine.turnLog.stop();
  await journal.start();
  return { journal, logged };
}

/** Passes slots like a feed. */
function play(book: LiveBook, journal: Journal, slots: number): void {
  for (let at = 0; at < slots; at += 1) {
    book.step();
    journal.endTurn([{ market: 0, classes: 1 }]);
  }
}

test('a folder of another program is refused, and left as it is', async () => {
  const folder = newFolder();
  const book = new LiveBook({ seed: 5 });
  const { journal } = await startJournal(folder, book);
  play(book, journal, 5);
  await journal.stop();
  const files = readdirSync(folder);
  const other = startJournal(folder, new LiveBook({ seed: 5 }), PROGRAM_IDS.velocity);
  await expect(other).rejects.toMatchObject({
    code: 'LOG_MISMATCH',
    message: `the folder is of the program ${PROGRAM_ID}, not of ${PROGRAM_IDS.velocity}`,
  });
  expect(readdirSync(folder)).toEqual(files);
});

test('a thread writes what is handed over, all of it before it stops', async () => {
  const folder = newFolder();
  const book = new LiveBook({ seed: 5 });
  const { journal } = await startJournal(folder, book);
  play(book, journal, 10);
  await journal.flush();
  expect(readShown(folder)).toEqual(book.shown);
  play(book, journal, 10);
  await vi.waitFor(() => {
    expect(journal.readStats()).toMatchObject({ state: 'writing', queuedBytes: 0, segments: 1 });
  });
  play(book, journal, 10);
  await journal.stop();
  expect(readShown(folder)).toEqual(book.shown);
  const { oldest, newest } = journal.readStats();
  expect([oldest?.slot, newest?.slot]).toEqual([350_000_000, book.slot - 1]);
});

test('a folder of another journal is refused, and given back when that has stopped', async () => {
  const folder = newFolder();
  const first = await startJournal(folder, new LiveBook({ seed: 5 }));
  const second = startJournal(folder, new LiveBook({ seed: 6 }));
  await expect(second).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
  await first.journal.stop();
  const third = await startJournal(folder, new LiveBook({ seed: 7 }));
  await third.journal.stop();
});

test('a folder that cannot be used is no reason not to start', async () => {
  const blocked = path.join(newFolder(), 'blocked');
  writeFileSync(blocked, 'a file');
  const book = new LiveBook({ seed: 5 });
  const { journal, logged } = await startJournal(path.join(blocked, 'journal'), book);
  play(book, journal, 3);
  expect(await journal.flush()).toBe(false);
  const { state, reason } = journal.readStats();
  expect(state).toBe('stopped');
  expect(reason).toMatch(/cannot be made/);
  expect(reason).not.toContain(path.dirname(blocked));
  expect(logged.filter((text) => text.startsWith('the journal has stopped'))).toHaveLength(1);
  await journal.stop();
  rmSync(blocked);
});

test('a flush says whether the file has all turns', async () => {
  const book = new LiveBook({ seed: 5 });
  const { journal } = await startJournal(newFolder(), book);
  play(book, journal, 3);
  expect(await journal.flush()).toBe(true);
  // As when the thread is full.
  const take = vi.spyOn(book.engine.turnLog, 'take').mockReturnValue(null);
  play(book, journal, 1);
  expect(await journal.flush()).toBe(false);
  take.mockRestore();
  expect(await journal.flush()).toBe(true);
  await journal.stop();
  expect(await journal.flush()).toBe(false);
});

test('turns that the core has lost end the journal, and not the book', async () => {
  const folder = newFolder();
  const book = new LiveBook({ seed: 5 });
  const { journal, logged } = await startJournal(folder, book);
  play(book, journal, 5);
  await journal.flush();
  vi.spyOn(book.engine.turnLog, 'take').mockImplementation(() => {
    throw new Error('more turns waited than the core holds');
  });
  play(book, journal, 5);
  expect(await journal.flush()).toBe(false);
  expect(journal.readStats()).toMatchObject({
    ...{ state: 'stopped', reason: 'more turns waited than the core holds' },
  });
  await vi.waitFor(() => expect(logged).toContain('the journal has stopped for good'));
  expect(logged).toContain('JOURNAL_FAILED');
  play(book, journal, 5);
  await journal.stop();
  // Everything before it is complete.
  const kept = readShown(folder);
  expect([...kept]).toEqual([...book.shown].slice(0, kept.size));
  expect(kept.size).toBe(5);
});

test('turns that cannot be encoded end the journal', async () => {
  const book = new LiveBook({ seed: 5 });
  const { journal, logged } = await startJournal(newFolder(), book);
  vi.spyOn(book.engine.turnLog, 'take').mockReturnValueOnce(Buffer.from('not a log'));
  play(book, journal, 1);
  await journal.flush();
  await vi.waitFor(() => expect(logged).toContain('JOURNAL_FAILED'));
  await journal.stop();
});

test('a thread that ends while it starts leaves no log that nobody takes', async () => {
  const book = new LiveBook({ seed: 5 });
  const { journal, logged } = await startJournal(newFolder(), book, 'no key');
  const ended = 'the thread of the journal ended: nothing more is written';
  expect(logged).toEqual([ended, 'JOURNAL_FAILED']);
  play(book, journal, 5);
  expect(journal.readStats()).toMatchObject({ state: 'stopped', queuedBytes: 0 });
  await journal.stop();
});
