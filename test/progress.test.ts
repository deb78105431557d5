/** The progress of a long run, on a terminal and elsewhere. */
import { expect, test } from 'vitest';
import { RunProgress } from '../src/app/progress.js';
import { ManualTimers } from './support/manual-timers.js';

function startProgress(isTTY: boolean) {
  const timers = new ManualTimers();
  const shown: string[] = [];
  const progress = new RunProgress({ isTTY, write: (text) => shown.push(text) }, timers);
  return { timers, shown, progress };
}

test('without a terminal a line each ten seconds, with rate and time left', () => {
  const { timers, shown, progress } = startProgress(false);
  for (let done = 0; done <= 25; done += 1) {
    progress.show({ share: done / 100, done: done * 40, unit: 'rows', detail: 'of SOL-PERP' });
    timers.advance(1_000);
  }
  progress.clear();
  expect(shown).toEqual([
    '10 % 400 rows, 40 a second, 90 s left, of SOL-PERP\n',
    '20 % 800 rows, 40 a second, 80 s left, of SOL-PERP\n',
  ]);
});

test('a resumed run is reckoned from its first step', () => {
  const { timers, shown, progress } = startProgress(false);
  progress.show({ share: 0.5, done: 1_000, unit: 'signatures' });
  timers.advance(600_000);
  progress.show({ share: 0.6, done: 1_600, unit: 'signatures' });
  expect(shown).toEqual(['60 % 1600 signatures, 1 a second, 40 min left\n']);
});

test('on a terminal one line is overwritten, eight times a second at most, and removed', () => {
  const { timers, shown, progress } = startProgress(true);
  progress.show({ share: 0, done: 0, unit: 'files' });
  progress.show({ share: 0.1, done: 1, unit: 'files' });
  timers.advance(125);
  progress.show({ share: 0.25, done: 2, unit: 'files' });
  timers.advance(10_000_000);
  progress.show({ share: null, done: 7, unit: 'files' });
  progress.clear();
  expect(shown).toEqual([
    '\r\x1b[K[....................] 0 % 0 files',
    '\r\x1b[K[#####...............] 25 % 2 files',
    '\r\x1b[K7 files, 0 a second',
    '\r\x1b[K',
  ]);
});
