import { expect, test } from 'vitest';
import { fakeJournal, journalListing, journalStats } from '../testing/fake-journal.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

const kept = await startServer(new FakeBook(), { journal: fakeJournal });
const without = await startServer(new FakeBook());

test('/journal lists what is kept, and what is not', async () => {
  const { status, body } = await kept.ask('/v1/journal');
  expect(status).toBe(200);
  const { ranges, gaps, skipped } = journalListing;
  expect(body).toEqual({
    ...{ state: 'stopped', reason: 'the disk is full', segments: 2, bytes: 200 },
    ranges: ranges.map(({ firstSeqs, lastSeqs, ...shown }) => shown),
    ...{ gaps, skipped },
  });
});

test('/journal names sequence numbers on request, where ids are those of the book now', async () => {
  const { body } = await kept.ask('/journal?seqs=true');
  expect(body.ranges.map(({ seqs }: { seqs?: object }) => seqs)).toEqual([
    undefined,
    { 'SOL-PERP': [1, 5], SOL: [2, 6] },
  ]);
});

test('/status says how the journal does', async () => {
  const { body } = await kept.ask('/status');
  expect(body.journal).toEqual(journalStats);
  expect((await without.ask('/status')).body.journal).toBeUndefined();
});

test('without a journal the path is a 404 that says so, and is not listed', async () => {
  const { status, body } = await without.ask('/journal');
  expect([status, body.error.code]).toEqual([404, 'NO_JOURNAL']);
  const paths = async (server: RunningServer) => (await server.ask('/')).body.paths;
  expect(await paths(without)).not.toContain('/journal');
  expect(await paths(kept)).toContain('/journal');
});
