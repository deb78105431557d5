import { describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import { systemTimers } from '../../rpc/timers.js';
import { FakeBook, startServer } from '../testing/running-server.js';
import { UnsentReplies } from '../transport/unsent-replies.js';

describe('/topMakers', () => {
  const book = new FakeBook();
  const asked: (readonly string[])[] = [];
  let failure: unknown;
  let size = 0;
  const started = startServer(book, {
    readAccounts: async (keys) => {
      asked.push(keys);
      if (failure !== undefined) throw failure;
      return keys.map((key, index) => (index === 0 ? `data of ${key}${'A'.repeat(size)}` : null));
    },
  });
  const get = async (query: string, headers?: Record<string, string>, from = started) =>
    (await from).ask(`/topMakers?marketName=SOL-PERP&${query}`, headers);

  test.each([
    ['side=bid', 'bid', 4],
    ['side=ask&limit=1', 'ask', 1],
    ['side=bid&limit=100&includeAccounts=no', 'bid', 100],
  ])('%s names makers, best first', async (query, side, count) => {
    expect((await get(query)).body).toEqual(
      Array.from({ length: count }, (_, index) => `${side}-maker-${index}`),
    );
  });

  test.each([
    ['', 'MISSING_PARAM', 'side'],
    ['side=', 'INVALID_PARAM', 'side'],
    ['side=buy', 'INVALID_PARAM', 'side'],
    ['side=bid&side=bid', 'INVALID_PARAM', 'side'],
    ['side=bid&limit=0', 'OUT_OF_RANGE', 'limit'],
    ['side=bid&limit=101', 'OUT_OF_RANGE', 'limit'],
    ['side=bid&limit=four', 'INVALID_PARAM', 'limit'],
    ['side=bid&marketIndex=x', 'INVALID_PARAM', 'marketIndex'],
  ])('"%s" is refused', async (query, code, param) => {
    expect((await get(query)).error).toMatchObject({ status: 400, code, param });
  });

  test('has the version of the book, and 304', async () => {
    const { headers } = await get('side=bid');
    expect(headers.get('etag')).toBe('"epoch-1.7.1000.live"');
    expect([headers.get('x-slot'), headers.get('x-state')]).toEqual(['1000', 'live']);
    const again = await get('side=bid', { 'If-None-Match': headers.get('etag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('with accounts gives each maker and its bytes, null where there are none', async () => {
    expect((await get('side=bid&limit=2&includeAccounts=TRUE')).body).toEqual([
      { userAccountPubKey: 'bid-maker-0', accountBase64: 'data of bid-maker-0' },
      { userAccountPubKey: 'bid-maker-1', accountBase64: null },
    ]);
    expect(asked).toEqual([['bid-maker-0', 'bid-maker-1']]);
  });

  test('compresses large accounts for those who accept it', async () => {
    const query = 'side=bid&limit=9&includeAccounts=true';
    size = LIMITS.gzipBodyBytesMin;
    const plain = await get(query, { 'Accept-Encoding': 'identity' });
    const zipped = await get(query, { 'Accept-Encoding': 'gzip' });
    const codings = [plain, zipped].map((answer) => answer.header('content-encoding'));
    expect([codings, zipped.text]).toEqual([[null, 'gzip'], plain.text]);
    expect(plain.text.length).toBeGreaterThan(size);
    size = 0;
  });

  test('is one body for all who ask for the same accounts, and another for new ones', async () => {
    const unsent = new UnsentReplies(systemTimers);
    const sent = vi.spyOn(unsent, 'sendBody');
    let bytes = 'A'.repeat(LIMITS.gzipBodyBytesMin);
    const server = await startServer(book, {
      unsent,
      readAccounts: async (keys) => keys.map(() => bytes),
    });
    const query = 'side=bid&includeAccounts=true';
    const ask = () => get(query, { 'Accept-Encoding': 'identity' }, Promise.resolve(server));
    const texts = (await Promise.all([ask(), ask(), ask()])).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(sent.mock.calls).toHaveLength(3);
    expect(new Set(sent.mock.calls.map(([, { identity }]) => identity)).size).toBe(1);
    bytes = bytes.toLowerCase();
    const isNew = async () => (await ask()).body[0].accountBase64 === bytes;
    await vi.waitFor(async () => expect(await isNew()).toBe(true), 5_000);
  });

  test('tells the code of a failed reading and nothing of the node', async () => {
    const url = 'https://node.example/secret-key';
    failure = Object.assign(new Error(`${url} timed out`), { code: 'RPC_TIMEOUT' });
    const answer = await get('side=ask&limit=3&includeAccounts=true');
    const message = 'the accounts could not be read: RPC_TIMEOUT';
    expect(answer.error).toEqual({ status: 503, code: 'NOT_READY', message, param: null });
    expect(answer.header('retry-after')).toBe('1');
    expect((await started).faults).toEqual([]);
  });

  test.each(['https://node.example/key', '', 7, undefined])(
    'of a failed reading with the code %j tells nothing',
    async (code) => {
      const readAccounts = () => Promise.reject(Object.assign(new Error('node.example'), { code }));
      const { error } = await get(
        'side=bid&includeAccounts=true',
        {},
        startServer(book, { readAccounts }),
      );
      expect(error.message).toBe('the accounts could not be read: the node failed');
    },
  );

  test('without a node says so', async () => {
    const alone = startServer(book);
    const message = expect.stringContaining('there is no RPC node');
    for (const limit of [1, 2, 66]) {
      const { error } = await get(`side=bid&includeAccounts=true&limit=${limit}`, {}, alone);
      expect(error).toMatchObject({ status: 503, message });
    }
  });
});
