/** Files that are longer than a read, with more turns than a slice. */
import { afterEach, expect, test, vi } from 'vitest';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { cleanUp, journalOfLife } from '../testing.js';
import { JournalPlayer } from './journal-player.js';
import { readSegments } from './segment-index.js';

vi.mock('../model/limits.js', async (original) => ({
  ...(await original<typeof import('../model/limits.js')>()),
  PLAYER_READ_BYTES: 1_024,
  PLAYER_SLICE_TURNS: 3,
}));

afterEach(cleanUp);

test('a moment is reached over reads and slices', async () => {
  const { folder, book } = await journalOfLife();
  const moments = [...book.shown.keys()].map((name) => Number(name.split(' ')[1]));
  const [segment] = readSegments(folder, PROGRAM_ID).segments;
  if (segment === undefined) throw new Error('there is a segment');
  const asked = moments.filter((ts) => ts >= segment.first.ts && ts < segment.last.ts);
  expect(asked.length).toBeGreaterThan(15);
  for (const ts of asked) {
    const player = new JournalPlayer({ folder, segment });
    expect([ts, player.at({ tsMsMax: ts }), player.moment.ts]).toEqual([ts, 'reached', ts]);
    player.release();
  }
});

test('a limit of turns counts those before further bytes', async () => {
  const { folder } = await journalOfLife();
  const [segment] = readSegments(folder, PROGRAM_ID).segments;
  if (segment === undefined) throw new Error('there is a segment');
  for (const turnsMax of [1, 2, 5, 9]) {
    const player = new JournalPlayer({ folder, segment });
    expect([turnsMax, player.at({ turnsMax }), player.reader.position().turns]).toEqual([
      turnsMax,
      'paused',
      turnsMax,
    ]);
    player.release();
  }
});
