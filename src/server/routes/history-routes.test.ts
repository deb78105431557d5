/** How answers of the history are kept, tagged, compressed and refused. */
import { beforeEach, describe, expect, test } from 'vitest';
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

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return fetch(`${server.url}${path}`, { method, headers });
}

/** The tag of an answer, which is read to its end. */
async function tagOf(path: string): Promise<string> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  await response.arrayBuffer();
  return response.headers.get('etag') ?? '';
}

async function statusWith(path: string, etag: string): Promise<number> {
  const response = await get(path, { 'If-None-Match': etag });
  await response.arrayBuffer();
  return response.status;
}

describe('an answer of the history', () => {
  test('carries its tag, its age, its type and its CORS headers', async () => {
    history.nextCursor = CURSOR;
    const { headers } = await get(TRADES);
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
    expect((await get(TRADES)).headers.has('x-next-cursor')).toBe(false);
    history.nextCursor = CURSOR;
    expect((await get('/market/SOL-PERP/trades')).headers.has('x-next-cursor')).toBe(false);
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
    const all = Array.from({ length: 20 }, () => get(TRADES));
    while (history.requested.length === 0) await (await get('/health')).text();
    open();
    const texts = await Promise.all(all.map(async (response) => (await response).text()));
    expect(new Set(texts).size).toBe(1);
    expect(history.requested).toHaveLength(1);
  });

  test('is 304 for who has it, without asking', async () => {
    const etag = await tagOf(TRADES);
    const asked = history.requested.length;
    for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await get(TRADES, { 'If-None-Match': sent });
      expect([sent, response.status, await response.text()]).toEqual([sent, 304, '']);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('cache-control')).toBe('public, max-age=1');
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
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=86400');
    await first.text();
    history.current = 'v2';
    expect(await tagOf(path)).toBe(etag);
    expect(await statusWith(path, etag)).toBe(304);
    expect(history.requested).toHaveLength(1);
    // The tag is of pages by cursor; no other page has it.
    expect(await statusWith(TRADES, etag)).toBe(200);
    expect(await statusWith('/fundingRates?symbol=SOL-PERP&before=AA', etag)).toBe(200);
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
      const { headers } = await get(`${path}&to=${NOW + offset}`);
      return headers.get('cache-control');
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
        const response = await get(path, headers);
        expect(response.headers.get('cache-control')).toBe('public, max-age=1');
      }
    },
  );

  test('that was asked for before the back-fill ended is not kept for longer', async () => {
    const open = history.hold();
    history.state = { ...liveFigures, state: 'backfilling' };
    const early = get(`/candles?symbol=SOL&resolution=1&to=${NOW - 86_400}`);
    while (history.requested.length === 0) await (await get('/health')).text();
    history.state = liveFigures;
    open();
    expect((await early).headers.get('cache-control')).toBe('public, max-age=1');
  });

  test('is compressed when it is large and the client takes that', async () => {
    history.filler = 'x'.repeat(LIMITS.gzipBodyBytesMin);
    const plain = await get(TRADES, { 'Accept-Encoding': 'identity' });
    const zipped = await get(TRADES, { 'Accept-Encoding': 'gzip' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(await zipped.text()).toBe(await plain.text());
    expect(history.requested).toHaveLength(1);
  });

  test('to HEAD has the length and the headers of the body', async () => {
    const body = await (await get(TRADES)).text();
    const { status, headers } = await get(TRADES, {}, 'HEAD');
    expect([status, headers.get('content-length')]).toEqual([200, String(body.length)]);
    expect(headers.get('etag')).toBe('"epoch-1.v1"');
  });
});

describe('the methods', () => {
  const paths = ['/trades', '/market/SOL-PERP/candles/1', '/v1/market/%zz/trades'];

  test.each(paths)('%s answers OPTIONS with a preflight, and no other method', async (path) => {
    const { status, headers } = await get(path, {}, 'OPTIONS');
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await get(path, {}, method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect(history.requested).toEqual([]);
  });
});

describe('what cannot be answered', () => {
  async function errorOf(path: string) {
    const response = await get(path);
    const { error } = JSON.parse(await response.text());
    return { status: response.status, ...error, retry: response.headers.get('retry-after') };
  }

  test('before the first book is NOT_READY', async () => {
    server.readiness = { everLive: false, state: 'starting', reason: null, slot: 0 };
    expect(await errorOf(TRADES)).toMatchObject({ status: 503, code: 'NOT_READY', retry: '1' });
  });

  test.each(['starting', 'off'] as const)('while the history is %s is NOT_READY', async (state) => {
    history.state = { ...liveFigures, state, reason: 'the history is being opened' };
    const expected = {
      status: 503,
      code: 'NOT_READY',
      message: 'the history is being opened',
      retry: '1',
    };
    expect(await errorOf(TRADES)).toMatchObject(expected);
    expect(history.requested).toEqual([]);
  });

  test.each(['backfilling', 'failing'] as const)(
    'is all that is not there while it is %s',
    async (state) => {
      history.state = { ...liveFigures, state, reason: 'deliberate' };
      const response = await get(TRADES);
      expect([response.status, response.headers.get('x-state')]).toEqual([200, state]);
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
    try {
      for (const path of [TRADES, '/candles', '/v1/fundingRates', '/market/X/trades']) {
        const response = await fetch(`${bare.url}${path}`);
        const { code, message } = JSON.parse(await response.text()).error;
        expect([response.status, code]).toEqual([404, 'NO_HISTORY']);
        expect(message).toContain('there is no history here');
      }
      const { paths } = JSON.parse(await (await fetch(bare.url)).text());
      expect(paths).not.toContain('/trades');
      expect(paths).toContain('/l2');
    } finally {
      bare.close();
    }
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
  while (history.requested.length < LIMITS.historyReadsMax) await (await get('/health')).text();
  for (const { controller } of aborts) controller.abort();
  const names = await Promise.all(aborts.map(({ gone }) => gone));
  expect(new Set(names)).toEqual(new Set(['AbortError']));
  const last = get(`${TRADES}&limit=999`);
  open();
  expect((await last).status).toBe(200);
  expect(server.faults).toEqual([]);
});

test('metrics count answers by the name of the path', async () => {
  await (await get('/market/SOL-PERP/candles/1')).text();
  await (await get('/market/NOPE/candles/1')).text();
  const text = await (await get('/metrics')).text();
  const path = 'path="/market/{symbol}/candles/{resolution}"';
  expect(text).toMatch(new RegExp(`${path.replaceAll(/[{}]/g, '\\$&')},status="200"} 1`));
  expect(text).not.toContain('NOPE');
});
