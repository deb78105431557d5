import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { BLOCK_HEAD_BYTES, PREAMBLE_BYTES } from './store/block-moments.js';
import { readSegments } from './store/segment-index.js';
import { segmentName } from './store/segment-name.js';
import { cleanUp, journalOfLife } from './testing.js';
import { verifyJournal } from './verify-journal.js';

afterEach(cleanUp);

function verified(folder: string): {
  readonly isSound: boolean;
  readonly lines: readonly string[];
} {
  const lines: string[] = [];
  let nowMs = 0;
  const clock = (): number => (nowMs += 1_000);
  const isSound = verifyJournal({
    folder,
    print: (line) => void lines.push(line),
    timers: { nowMs: clock },
  });
  return { isSound, lines };
}

/** Rewrites a segment's file. */
function change(folder: string, number: number, edit: (bytes: Buffer) => Buffer): void {
  const file = path.join(folder, segmentName(number));
  writeFileSync(file, edit(readFileSync(file)));
}

/** The start of the head of a segment's last block: its length, checksum, slot and time. */
function lastBlockOf(bytes: Buffer): number {
  const end = bytes.length - BLOCK_HEAD_BYTES;
  let last = PREAMBLE_BYTES;
  for (let at = last; at < end; at += BLOCK_HEAD_BYTES + bytes.readUInt32LE(at)) last = at;
  return last;
}

test('a sound journal is told with its ranges, turns and updates', async () => {
  const { folder } = await journalOfLife();
  const { isSound, lines } = verified(folder);
  expect(isSound).toBe(true);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^range: slot 350000000 \(2025-06-15T.*\) to slot 350000059 .*, 3 files, \d+ bytes, epoch first$/,
  );
  const [, updates, rate] =
    /^sound: 3 files, 60 turns, (\d+) updates, (\d+) updates\/s$/.exec(lines[1] ?? '') ?? [];
  expect(Number(updates)).toBeGreaterThan(60);
  expect(rate).toBe(updates);
});

test('a flipped bit is found at any place, and the files after it are read', async () => {
  const { folder } = await journalOfLife();
  const whole = readFileSync(path.join(folder, segmentName(2)));
  for (const part of [0, 0.2, 0.5, 0.8, 0.999]) {
    const at = Math.floor(whole.length * part);
    change(folder, 2, () => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
      return bytes;
    });
    const { isSound, lines } = verified(folder);
    expect([isSound, lines.at(-1)], `byte ${at}`).toEqual([
      false,
      expect.stringMatching(/^damaged: 1 places; [23] files, \d+ turns/),
    ]);
    const damage = lines.filter((line) => line.startsWith('damaged: 000000000002.journal: '));
    expect(damage).toHaveLength(1);
  }
});

test('a time that no calendar has is printed as the number that it is', async () => {
  const { folder } = await journalOfLife();
  change(folder, 3, (bytes) => {
    const last = lastBlockOf(bytes);
    bytes.writeUInt8(bytes.readUInt8(last + 23) ^ 64, last + 23);
    const end = bytes.length - BLOCK_HEAD_BYTES;
    bytes.writeUInt32LE(crc32(bytes.subarray(last + 8, end)), last + 4);
    return bytes;
  });
  expect(verified(folder).lines).toContainEqual(
    expect.stringMatching(/^range: .* to slot 350000059 \(46\d{17}\), /),
  );
});

describe.each([
  ['zeros', (bytes: Buffer, at: number) => Buffer.from(bytes).fill(0, at)],
  [
    'garbage',
    (bytes: Buffer, at: number) => Buffer.from(bytes).fill('\x9dgarbage', at, undefined, 'latin1'),
  ],
  ['nothing', (bytes: Buffer, at: number) => bytes.subarray(0, at)],
])('a loss of power that leaves %s', (_, spoil) => {
  test('is no damage in the last file, whose moments are those before it', async () => {
    const { folder, book } = await journalOfLife();
    const moments = [...book.shown.keys()];
    const whole = readFileSync(path.join(folder, segmentName(3)));
    const last = lastBlockOf(whole);
    const begin = readSegments(folder, null).segments.at(-1)?.first;
    const end = whole.length - BLOCK_HEAD_BYTES;
    for (const at of [0, 25, 300, last - 9, last, last + 1, last + 30, end - 1, end, end + 7]) {
      change(folder, 3, () => spoil(whole, at));
      const { isSound, lines } = verified(folder);
      const torn = lines.filter((line) => line.startsWith('torn: 000000000003'));
      expect([at, isSound, torn.length]).toEqual([at, true, 1]);
      expect(lines.at(-1)).toMatch(/^sound up to 1 torn ends: /);
      const { slot, ts } = readSegments(folder, null).segments.at(-1)?.last ?? { slot: 0, ts: 0 };
      // A block has one turn.
      const kept = moments.indexOf(`${begin?.slot} ${begin?.ts}`);
      expect([at, moments.indexOf(`${slot} ${ts}`)]).toEqual([
        at,
        at >= end ? 59 : at >= last ? 58 : at === last - 9 ? 57 : kept,
      ]);
    }
  });

  test('is damage in a file that the next one goes on with', async () => {
    const { folder } = await journalOfLife();
    change(folder, 2, (bytes) => spoil(bytes, lastBlockOf(bytes) + 30));
    const { isSound, lines } = verified(folder);
    expect(isSound).toBe(false);
    expect(lines.filter((line) => line.startsWith('damaged: '))).toEqual([
      expect.stringMatching(/^damaged: 000000000002.journal: .*MALFORMED_JOURNAL|CRC/),
      expect.stringMatching(/^damaged: 1 places/),
    ]);
  });
});

test('a torn end is damage where the run goes on, and what a kill leaves where it ends', async () => {
  const { folder } = await journalOfLife();
  const short = BLOCK_HEAD_BYTES + 7;
  change(folder, 3, (bytes) => bytes.subarray(0, bytes.length - short));
  const killed = verified(folder);
  expect(killed.isSound).toBe(true);
  expect(killed.lines).toContainEqual(
    expect.stringMatching(
      /^torn: 000000000003\.journal: the last \d+ bytes are of a block that is not whole/,
    ),
  );
  change(folder, 2, (bytes) => bytes.subarray(0, bytes.length - short));
  const torn = verified(folder);
  expect(torn.isSound).toBe(false);
  expect(torn.lines.filter((line) => line.startsWith('damaged: 000000000002'))).toHaveLength(1);
});

test('a file whose checkpoint is of another book than that of the file before is damage', async () => {
  const { folder } = await journalOfLife();
  const other = await journalOfLife({ seed: 4 });
  copyFileSync(path.join(other.folder, segmentName(2)), path.join(folder, segmentName(2)));
  const { isSound, lines } = verified(folder);
  expect(isSound).toBe(false);
  const damages = lines.filter((line) => line.includes('does not begin where'));
  expect(damages.map((line) => line.slice(0, 29))).toEqual([
    'damaged: 000000000002.journal',
    'damaged: 000000000003.journal',
  ]);
});

test.each([1, 2, 3])(
  'a copy of file %i is named, and is no part of the journal',
  async (number) => {
    const { folder } = await journalOfLife();
    const sound = verified(folder);
    for (const copy of [4, 9]) {
      copyFileSync(path.join(folder, segmentName(number)), path.join(folder, segmentName(copy)));
      const { isSound, lines } = verified(folder);
      expect([isSound, lines.at(-1)]).toEqual([true, sound.lines.at(-1)]);
      expect(lines).toContainEqual(
        expect.stringMatching(new RegExp(`${segmentName(copy)}: .*a copy`)),
      );
      expect(lines).toHaveLength(sound.lines.length + (copy === 4 ? 1 : 2));
    }
  },
);
