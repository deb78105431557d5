import type { SourceStatus } from '../../src/contract/feed-status.js';
import { newCounters } from '../../src/feed/model/feed-stats.js';
import { newCounters as historyCounters } from '../../src/history/ingest/parts.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { Metrics, RequestCounts } from '../../src/server/metrics/metrics.js';
import { Timings } from '../../src/server/metrics/timings.js';
import { liveFigures } from '../../src/server/testing/fake-history.js';
import { fakeAsOfStats } from '../../src/server/testing/fake-journal.js';
import { FakeBook } from '../../src/server/testing/running-server.js';

const source: SourceStatus = {
  ...{ name: 'grpc:host:1', state: 'trusted', reason: null, slot: 1, slotLag: 0, states: 1 },
  ...{ wonShare: 1, leadMs: 2, misses: 0, disagreements: 0 },
};

/** The text of /metrics of a service that has all its parts, each with something to count. */
export function metricsText(): Promise<string> {
  const requests = new RequestCounts();
  requests.countReply('/l2', 200);
  const counts = { client: 1 };
  const directory = new FakeBook();
  directory.rows = directory.rows.map((row) => ({ ...row, emptyReason: 'marketStatus' }));
  const metrics = new Metrics({
    timers: systemTimers,
    book: new FakeBook(),
    directory,
    readiness: () => ({ everLive: true, state: 'live', reason: null, slot: 1 }),
    feed: () => ({ slotAgeMs: 0, events: { ...newCounters() }, sources: [source] }),
    requests,
    timings: new Timings(systemTimers),
    logLines: { lost: 1 },
    sockets: () => ({
      ...{ sockets: 1, topics: 1, frames: 1, bytes: 1, dropped: 0, failed: 0 },
      ...{ slow: 0, resets: 0, ringBytes: 0 },
      ...{ closes: counts, errors: counts, refused: counts },
    }),
    venues: () => [
      {
        ...{ name: 'aggregator', host: 'host', markets: [], failures: counts },
        events: { requests: 1, readings: 1, failures: 1 },
      },
    ],
    history: {
      readStats: () => ({
        ...liveFigures,
        counts: { ...historyCounters() },
        missingFills: { perp_0: 1 },
      }),
    },
    journal: {
      readStats: () => ({
        ...{ state: 'writing', reason: null, segments: 1, bytes: 1, gaps: 0 },
        ...{ oldest: null, newest: null, queuedBytes: 0, events: { segmentsBegun: 1 } },
      }),
    },
    asOf: { readStats: () => fakeAsOfStats },
    quotes: () => ({
      ...{ sockets: 2, makers: 1, changed: 1, unchanged: 1 },
      ...{ closes: counts, errors: counts, refused: counts },
    }),
  });
  return metrics.toText();
}
