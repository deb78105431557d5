/** A journal of two runs that has stopped, for tests of its paths. */
import type { AsOfStats } from '../../contract/as-of-source.js';
import type {
  JournalListing,
  JournalMoment,
  JournalSource,
  JournalStats,
} from '../../contract/journal-source.js';

function moment(slot: number): JournalMoment {
  return { slot, ts: slot * 400 };
}

const range = { segments: 1, bytes: 100, firstSeqs: [1, 2], lastSeqs: [5, 6] };

/** Its listing: a run before the fake book's, and the fake book's. */
export const journalListing: JournalListing = {
  ranges: [
    { ...range, epoch: 'epoch-0', first: moment(10), last: moment(20) },
    { ...range, epoch: 'epoch-1', first: moment(30), last: moment(90) },
  ],
  gaps: [{ from: moment(20), to: moment(30), reason: 'restart' }],
  skipped: [{ name: '000000000004.journal', reason: 'it is damaged' }],
};

/** Its statistics. */
export const journalStats: JournalStats = {
  state: 'stopped',
  reason: 'the disk is full',
  segments: 2,
  bytes: 200,
  gaps: 1,
  oldest: moment(10),
  newest: moment(90),
  queuedBytes: 0,
  events: { failures: 2 },
};

/** The journal itself. */
export const fakeJournal: JournalSource = {
  readStats: () => journalStats,
  readListing: () => journalListing,
};

/** Statistics of a service after one request for a past moment. */
export const fakeAsOfStats: AsOfStats = {
  open: 0,
  threads: 1,
  events: {
    requests: 1,
    bodies: 1,
    notKept: 0,
    queueRefusals: 0,
    late: 0,
    restores: 1,
    warmHits: 0,
  },
};
