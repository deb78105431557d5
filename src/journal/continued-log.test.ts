/** A log that another writer continues: its book at the end, its tail, and the result for readers. */
import { expect, test } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import { Engine } from '../engine/engine.js';
import { JournalReader } from '../engine/journal-reader.js';
import { type JournalPiece, JournalWriter } from '../engine/journal-writer.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { LogBook } from './log-book.js';
import { LiveBook, shownBy } from './testing.js';

class ReadBook {
  readonly engine = new Engine({ programId: PROGRAM_ID, epoch: '' });
  readonly reader = new JournalReader(PROGRAM_ID);

  read(bytes: Uint8Array): void {
    this.reader.pushBytes(bytes);
    while (this.engine.readJournal(this.reader).kind !== 'moreBytes');
  }
}

/** Passes slots; returns the writer's pieces. */
function write(writer: JournalWriter, book: LiveBook, slots: number): readonly JournalPiece[] {
  book.steps(slots);
  const log = book.engine.turnLog.take();
  if (log !== null) writer.append(log, 0);
  writer.flush();
  return writer.takePieces();
}

function bytesOf(pieces: readonly JournalPiece[], isTail: boolean): Buffer {
  return Buffer.concat(pieces.filter((piece) => piece.isTail === isTail).map(({ bytes }) => bytes));
}

function newWriter(): JournalWriter {
  const writer = new JournalWriter(PROGRAM_ID);
  writer.separateTails();
  return writer;
}

test('a log goes on from the book that a reader made of it, also behind a turn that was cut', () => {
  const book = new LiveBook({ seed: 31 });
  const first = write(newWriter(), book, 20);
  const [follower, next, late] = [new ReadBook(), new ReadBook(), new ReadBook()];
  for (const one of [follower, next]) {
    one.read(bytesOf(first, false));
    one.reader.beginTail();
    one.read(bytesOf(first, true));
    // The writer ends here, within its next message.
    one.read(bytesOf(first, true).subarray(0, 40));
    one.reader.dropRest();
  }
  expect(shownBy(next.engine)).toBe(shownBy(book.engine));
  const { slot } = next.reader.position();
  const written = next.reader.writtenFrom(slot - 2);
  expect(written.size).toBeGreaterThan(0);
  expect(written.size).toBeLessThan(next.reader.writtenFrom(0).size);
  expect([...written.values()].every((last) => last >= slot - 2 && last <= slot)).toBe(true);
  const users = next.engine.usersInTurn(0, 10_000).keys;
  const all = next.reader.writtenFrom(0);
  expect(users.filter((key) => !all.has(key))).toEqual([]);
  next.engine.turnLog.continueFrom(next.reader);
  book.engine = next.engine;
  const second = write(newWriter(), book, 20);
  follower.reader.beginTail();
  follower.read(bytesOf(second, true));
  expect(shownBy(follower.engine)).toBe(shownBy(book.engine));
  expect(follower.engine.version(0)).toEqual(book.engine.version(0));
  expect(follower.engine.epoch).toBe('first');
  // A reader that begins with the second writer's checkpoint has the same book.
  late.read(bytesOf(second, false));
  late.reader.beginTail();
  late.read(bytesOf(second, true));
  expect(shownBy(late.engine)).toBe(shownBy(book.engine));
  expect(late.engine.stateHash()).toBe(book.engine.stateHash());
  expect(late.engine.version(0).seq).toBe(book.engine.version(0).seq);
});

test('a turn that comes in two messages is applied with the second', async () => {
  const book = new LiveBook({ seed: 32 });
  const pieces = write(newWriter(), book, 5);
  const engine = new Engine({ programId: PROGRAM_ID, epoch: '' });
  const log = new LogBook({ programId: PROGRAM_ID, engine, timers: new ManualTimers() });
  log.restoreCheckpoint({ bytes: bytesOf(pieces, false), next: 1 });
  log.showFreshness('live');
  const tail = bytesOf(pieces, true);
  for (const [index, bytes] of [tail.subarray(0, 40), tail.subarray(40)].entries()) {
    expect(log.turnCount).toBe(0);
    const id = { run: 'first', segment: 1, index };
    await log.applyMessage({ sequence: 1 + index, id, bytes, waiting: 0, behindMs: 0, after: '' });
  }
  expect(shownBy(engine)).toBe(shownBy(book.engine));
});
