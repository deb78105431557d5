import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeJournal, journalListing, journalStats } from '../testing/fake-journal.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

let kept: RunningServer;
let without: RunningServer;

beforeAll(async () => {
  kept = await startServer(new FakeBook(), { journal: fakeJournal });
  without = await startServer(new FakeBook());
});

afterAll(() => Promise.all([kept?.close(), without?.close()]));

async function read(server: RunningServer, path: string) {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('/journal lists what is kept, and what is not', async () => {
  const { status, body } = await read(kept, '/v1/journal');
  expect(status).toBe(200);
  const { ranges, gaps, skipped } = journalListing;
  expect(body).toEqual({
    ...{ state: 'stopped', reason: 'the disk is full', segments: 2, bytes: 200 },
    ranges: ranges.map(({ firstSeqs, lastSeqs, ...shown }) => shown),
    ...{ gaps, skipped },
  });
});

test('/journal names sequence numbers on request, where ids are those of the book now', async () => {
  const { body } = await read(kept, '/journal?seqs=true');
  expect(body.ranges.map(({ seqs }: { seqs?: object }) => seqs)).toEqual([
    undefined,
    { 'SOL-PERP': [1, 5], SOL: [2, 6] },
  ]);
});

test('/status says how the journal does', async () => {
  const { body } = await read(kept, '/status');
  expect(body.journal).toEqual(journalStats);
  expect((await read(without, '/status')).body.journal).toBeUndefined();
});

test('without a journal the path is a 404 that says so, and is not listed', async () => {
  const { status, body } = await read(without, '/journal');
  expect([status, body.error.code]).toEqual([404, 'NO_JOURNAL']);
  const paths = async (server: RunningServer) => (await read(server, '/')).body.paths;
  expect(await paths(without)).not.toContain('/journal');
  expect(await paths(kept)).toContain('/journal');
});
