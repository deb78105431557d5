/** The paths of volumes: their requests to the history, their refusals, and the caching of replies. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { systemTimers } from '../../rpc/timers.js';
import { FakeHistory } from '../testing/fake-history.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

/** 16:00:30 of a day. */
const NOW = 1_763_740_830;
const HOUR = 3_600;

let history: FakeHistory;
let book: FakeBook;
let server: RunningServer;
let nowSeconds: number;

beforeEach(async () => {
  history = new FakeHistory();
  book = new FakeBook();
  nowSeconds = NOW;
  history.chainTs = NOW;
  // The machine's clock is wrong; it is only used for the age of a body.
  server = await startServer(book, {
    history,
    timers: { ...systemTimers, unixMs: () => (nowSeconds + 95 * 86_400) * 1_000 },
  });
});

const get = (path: string, headers?: Record<string, string>) =>
  server.ask(`/stats/markets/volume${path}`, headers);

/** Asks a path, and lets the history answer when the request has long been read. */
async function answeredLater(path: string, headers: Record<string, string> = {}) {
  const release = history.hold();
  const before = history.requested.length;
  const answer = get(path, headers);
  await vi.waitFor(() => expect(history.requested.length).toBe(before + 1));
  release();
  return answer;
}

describe('volumes', () => {
  test.each([
    ['1h', HOUR],
    ['24h', 24 * HOUR],
    ['30d', 720 * HOUR],
  ])('of %s begin with a whole minute and have no end before now', async (period, seconds) => {
    expect((await get(`/${period}`)).status).toBe(200);
    const [query] = history.requested;
    if (query?.kind !== 'volumes') throw new Error('volumes were asked for');
    expect(query.from).toBe(NOW - 30 - seconds);
    expect(query.to).toBeGreaterThan(NOW + HOUR);
  });

  test('of hours are taken down to whole ones', async () => {
    const startTs = NOW - 5 * HOUR;
    expect((await get(`?startTs=${startTs}&endTs=${NOW}`)).status).toBe(200);
    expect((await get(`?startTs=${startTs}000&endTs=${NOW}999`)).status).toBe(200);
    const from = startTs - (startTs % HOUR);
    expect(history.requested).toEqual([{ kind: 'volumes', from, to: from + 5 * HOUR }]);
  });

  test.each([
    ['/2h', 'INVALID_PARAM', 'period'],
    ['?startTs=1', 'MISSING_PARAM', 'endTs'],
    [`?endTs=${NOW}`, 'MISSING_PARAM', 'startTs'],
    [`?startTs=x&endTs=${NOW}`, 'INVALID_PARAM', 'startTs'],
    [`?startTs=-1&endTs=${NOW}`, 'OUT_OF_RANGE', 'startTs'],
    [`?startTs=1&startTs=2&endTs=${NOW}`, 'INVALID_PARAM', 'startTs'],
    [`?startTs=${NOW}&endTs=${NOW}`, 'OUT_OF_RANGE', 'endTs'],
    [`?startTs=${NOW}&endTs=${NOW - HOUR}`, 'OUT_OF_RANGE', 'endTs'],
    [`?startTs=${NOW - 25 * HOUR}&endTs=${NOW}`, 'OUT_OF_RANGE', 'endTs'],
  ])('%s is refused with %s', async (path, code, param) => {
    expect((await get(path)).error).toMatchObject({ status: 400, code, param });
    expect(history.requested).toEqual([]);
  });

  test('24 hours are not too many', async () => {
    expect((await get(`?startTs=${NOW - 24 * HOUR}&endTs=${NOW}`)).status).toBe(200);
  });
});

describe('an answer of volumes', () => {
  test('is read once a second and tagged by what it says', async () => {
    const first = await get('/24h');
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=1');
    expect((await get('/24h')).text).toBe(first.text);
    expect(history.requested.length).toBe(1);
    expect((await get('/24h', { 'If-None-Match': etag })).status).toBe(304);
    nowSeconds += 1;
    history.chainTs = nowSeconds;
    expect((await get('/24h', { 'If-None-Match': etag })).status).toBe(304);
    expect(history.requested.length).toBe(2);
    history.filler = 'traded';
    nowSeconds += 1;
    history.chainTs = nowSeconds;
    expect((await get('/24h', { 'If-None-Match': etag })).status).toBe(200);
  });

  test('that comes later knows what the client has', async () => {
    const { status, headers } = await answeredLater('/1h');
    expect(status).toBe(200);
    nowSeconds += 1;
    history.chainTs = nowSeconds;
    const etag = headers.get('etag') ?? '';
    expect((await answeredLater('/1h', { 'If-None-Match': etag })).status).toBe(304);
  });

  test('is NOT_READY before there is a history to read', async () => {
    history.state = { ...history.state, state: 'starting', reason: 'the history is being opened' };
    expect((await get('/24h')).error).toMatchObject({ status: 503, code: 'NOT_READY' });
  });

  test('is not there without a history', async () => {
    const bare = await startServer(new FakeBook());
    expect((await bare.ask('/stats/markets/volume/24h')).status).toBe(404);
  });
});
