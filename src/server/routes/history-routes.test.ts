/** How answers of the history are kept, tagged, compressed and refused. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeHistory, liveFigures, refusalWith } from '../testing/fake-history.js';
import { FakeBook, type RunningServer, startServer } from '../testing/running-server.js';

const NOW = 1_763_740_830;
const TRADES = '/trades?symbol=SOL-PERP';
const CURSOR = 'EQAAAAAAAAAD6AAAAAAAAAAB';

let history: FakeHistory;
let book: FakeBook;
let server: RunningServer;
/** The machine's clock is as wrong as it can be: all times are the chain's. */
const WALL_MS = (NOW + 95 * 86_400) * 1_000;

beforeEach(async () => {
  history = new FakeHistory();
  book = new FakeBook();
  history.chainTs = NOW;
  server = await startServer(book, { history, timers: { ...systemTimers, unixMs: () => WALL_MS } });
});

async function tagOf(path: string): Promise<string> {
  const answer = await server.ask(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.header('etag') ?? '';
}

const statusWith = async (path: string, etag: string): Promise<number> =>
  (await server.ask(path, { 'If-None-Match': etag })).status;

/** The history has been asked so often. */
const untilAsked = (count: number) =>
  vi.waitFor(() => expect(history.requested).toHaveLength(count));

describe('an answer of the history', () => {
  // Specification: market-data-open.
  test('carries its tag, its age, its type and its CORS headers', async () => {
    history.nextCursor = CURSOR;
    const { headers } = await server.ask(TRADES);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('etag')).toBe('"epoch-1.v1"');
    expect(headers.get('cache-control')).toBe('public, max-age=1');
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(headers.get('x-state')).toBe('live');
    expect(headers.get('x-next-cursor')).toBe(CURSOR);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-expose-headers')).toContain('X-Next-Cursor');
  });

  test('without a further page has no cursor, and records have theirs in the body', async () => {
    expect((await server.ask(TRADES)).headers.has('x-next-cursor')).toBe(false);
    history.nextCursor = CURSOR;
    expect((await server.ask('/market/SOL-PERP/trades')).headers.has('x-next-cursor')).toBe(false);
  });

  test('of an unchanged market is made once, for all its names', async () => {
    for (const path of [TRADES, '/v1/trades?limit=100&symbol=sol-perp', `${TRADES}&pageIndex=0`]) {
      await tagOf(path);
    }
    expect(history.requested).toHaveLength(1);
    history.current = 'v2';
    await tagOf(TRADES);
    expect(history.requested).toHaveLength(2);
  });

  test('that is asked for by many at once is made once', async () => {
    const open = history.hold();
    const all = Array.from({ length: 20 }, () => server.ask(TRADES));
    await untilAsked(1);
    open();
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(history.requested).toHaveLength(1);
  });

  test('is 304 for who has it, without asking', async () => {
    const etag = await tagOf(TRADES);
    const asked = history.requested.length;
    for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await server.ask(TRADES, { 'If-None-Match': sent });
      expect([sent, answer.status, answer.text]).toEqual([sent, 304, '']);
      // The tag of a compressed body is weak, and so is the one that it is compared with.
      expect(answer.header('etag')).toBe(sent.startsWith('W/') ? sent : etag);
      expect(answer.header('cache-control')).toBe('public, max-age=1');
    }
    // Another page of that version, which this server has never made.
    expect(await statusWith(`${TRADES}&limit=77`, etag)).toBe(304);
    expect(history.requested).toHaveLength(asked);
    history.current = 'v2';
    expect(await statusWith(TRADES, etag)).toBe(200);
  });

  test('of another run or chain has another tag and is made anew', async () => {
    const etag = await tagOf(TRADES);
    book.epoch = 'epoch-2';
    expect(await statusWith(TRADES, etag)).toBe(200);
    expect(history.requested).toHaveLength(2);
  });

  test('of a page that nothing can change outlives the version', async () => {
    history.isFinal = true;
    const path = `${TRADES}&before=${CURSOR}`;
    const first = await server.ask(path);
    const etag = first.header('etag') ?? '';
    expect(first.header('cache-control')).toBe('public, max-age=86400');
    history.current = 'v2';
    expect(await tagOf(path)).toBe(etag);
    expect(await statusWith(path, etag)).toBe(304);
    expect(history.requested).toHaveLength(1);
    // The tag is of pages by cursor; no other page has it.
    expect(await statusWith(TRADES, etag)).toBe(200);
    expect(await statusWith('/fundingRates?symbol=SOL-PERP&before=AA', etag)).toBe(200);
  });

  test('of bars ends before its end, where trades are newer than the finalised time', async () => {
    const path = '/udf/history?symbol=SOL-PERP&resolution=1&countback=1';
    for (const to of [NOW + 30, NOW + 1, NOW + 89]) await server.ask(`${path}&to=${to}`);
    const ends = history.requested.map((query) => 'to' in query && query.to);
    expect(ends).toEqual([NOW - 30, NOW + 30]);
  });

  test('of a final page has the symbol of a market that is renamed', async () => {
    history.isFinal = true;
    const path = `/trades?marketIndex=0&before=${CURSOR}`;
    const etag = await tagOf(path);
    book.rows = book.rows.map((row) => ({ ...row, symbol: `W${row.symbol}` }));
    expect(await statusWith(path, etag)).toBe(200);
    expect(history.requested).toHaveLength(2);
  });

  test('of candles and funding rates moves with the time', async () => {
    const paths = ['/candles?symbol=SOL-PERP&resolution=1', '/fundingRates?symbol=SOL-PERP'];
    const tags = await Promise.all(paths.map(tagOf));
    const at = async (seconds: number) => {
      history.chainTs = seconds;
      return Promise.all(paths.map((path, index) => statusWith(path, tags[index] ?? '')));
    };
    expect(await at(NOW + 29)).toEqual([304, 304]);
    expect(await at(NOW + 30)).toEqual([200, 304]);
    expect(await at(NOW - (NOW % 3_600) + 3_600)).toEqual([200, 200]);
  });

  test.each([
    ['/candles?symbol=SOL&resolution=1', -60 - LIMITS.historySettledSeconds],
    ['/candles?symbol=SOL&resolution=240', -14_400 - LIMITS.historySettledSeconds],
    ['/candles?symbol=SOL&resolution=W', -604_800 - LIMITS.historySettledSeconds],
    ['/candles?symbol=SOL&resolution=M', -31 * 86_400 - LIMITS.historySettledSeconds],
  ])('%s of a time that is over is kept for longer', async (path, to) => {
    const ages = [to, to - 1].map(async (offset) => {
      return (await server.ask(`${path}&to=${NOW + offset}`)).header('cache-control');
    });
    expect(await Promise.all(ages)).toEqual(['public, max-age=1', 'public, max-age=300']);
  });

  test.each(['backfilling', 'failing'] as const)(
    'of a time that is over is not kept for longer while the history is %s',
    async (state) => {
      const path = `/candles?symbol=SOL&resolution=1&to=${NOW - 86_400}`;
      const etag = await tagOf(path);
      history.state = { ...liveFigures, state };
      for (const headers of [{}, { 'If-None-Match': etag }]) {
        const answer = await server.ask(path, headers);
        expect(answer.header('cache-control')).toBe('public, max-age=1');
      }
    },
  );

  test('that was asked for before the back-fill ended is not kept for longer', async () => {
    const open = history.hold();
    history.state = { ...liveFigures, state: 'backfilling' };
    const early = server.ask(`/candles?symbol=SOL&resolution=1&to=${NOW - 86_400}`);
    await untilAsked(1);
    history.state = liveFigures;
    open();
    expect((await early).header('cache-control')).toBe('public, max-age=1');
  });

  test('is compressed when it is large and the client takes that', async () => {
    history.filler = 'x'.repeat(LIMITS.gzipBodyBytesMin);
    const plain = await server.ask(TRADES, { 'Accept-Encoding': 'identity' });
    const zipped = await server.ask(TRADES, { 'Accept-Encoding': 'gzip' });
    const codings = [plain, zipped].map((answer) => answer.header('content-encoding'));
    expect([codings, zipped.text]).toEqual([[null, 'gzip'], plain.text]);
    expect(history.requested).toHaveLength(1);
  });
});

describe('what cannot be answered', () => {
  async function errorOf(path: string) {
    const answer = await server.ask(path);
    return { ...answer.error, retry: answer.header('retry-after') };
  }

  test('before the first book is NOT_READY', async () => {
    server.readiness = { everLive: false, state: 'starting', reason: null, slot: 0 };
    expect(await errorOf(TRADES)).toMatchObject({ status: 503, code: 'NOT_READY', retry: '1' });
  });

  test.each(['starting', 'off'] as const)('while the history is %s is NOT_READY', async (state) => {
    history.state = { ...liveFigures, state, reason: 'the history is being opened' };
    const said = { message: 'the history is being opened', retry: '1' };
    expect(await errorOf(TRADES)).toMatchObject({ status: 503, code: 'NOT_READY', ...said });
    expect(history.requested).toEqual([]);
  });

  test.each(['backfilling', 'failing'] as const)(
    'is all that is not there while it is %s',
    async (state) => {
      history.state = { ...liveFigures, state, reason: 'deliberate' };
      const answer = await server.ask(TRADES);
      expect([answer.status, answer.header('x-state')]).toEqual([200, state]);
    },
  );

  test('a refused query says why, and is asked again', async () => {
    history.refusal = refusalWith('INVALID_PARAM', 'before is of another market', 'before');
    const path = `${TRADES}&before=${CURSOR}`;
    const expected = { status: 400, code: 'INVALID_PARAM', param: 'before', retry: null };
    expect(await errorOf(path)).toMatchObject(expected);
    history.refusal = undefined;
    expect(await tagOf(path)).not.toBe('');
    expect(history.requested).toHaveLength(2);
  });

  test('a fault is INTERNAL, and tells nothing of itself', async () => {
    history.refusal = new Error('/var/lib/slotbook/x.db is malformed');
    const { status, code, message } = await errorOf(TRADES);
    expect([status, code]).toEqual([500, 'INTERNAL']);
    expect(message).not.toContain('/var');
    expect(server.faults).toEqual([history.refusal]);
  });

  test('without a history its paths say so', async () => {
    const bare = await startServer(book);
    const message = expect.stringContaining('there is no history here');
    for (const path of [TRADES, '/candles', '/v1/fundingRates', '/market/X/trades']) {
      const { error } = await bare.ask(path);
      expect(error).toMatchObject({ status: 404, code: 'NO_HISTORY', message });
    }
    const { paths } = (await bare.ask('/')).body;
    expect([paths.includes('/trades'), paths.includes('/l2')]).toEqual([false, true]);
  });
});

test('clients that leave before their answer harm nobody', async () => {
  const open = history.hold();
  const aborts = Array.from({ length: 50 }, (_, index) => {
    const controller = new AbortController();
    const { signal } = controller;
    const path = `${server.url}${TRADES}&limit=${index + 1}`;
    const gone = fetch(path, { signal }).catch((error: Error) => error.name);
    return { controller, gone };
  });
  await untilAsked(LIMITS.historyReadsMax);
  for (const { controller } of aborts) controller.abort();
  const names = await Promise.all(aborts.map(({ gone }) => gone));
  expect(new Set(names)).toEqual(new Set(['AbortError']));
  const last = server.ask(`${TRADES}&limit=999`);
  open();
  expect((await last).status).toBe(200);
  expect(server.faults).toEqual([]);
});

test('metrics count answers by the name of the path', async () => {
  for (const symbol of ['SOL-PERP', 'NOPE']) await server.ask(`/market/${symbol}/candles/1`);
  const { text } = await server.ask('/metrics');
  const path = 'path="/market/{symbol}/candles/{resolution}"';
  expect(text).toMatch(new RegExp(`${path.replaceAll(/[{}]/g, '\\$&')},status="200"} 1`));
  expect(text).not.toContain('NOPE');
});
