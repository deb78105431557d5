import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import type { MarketVersion } from '../../contract/book-source.js';
import { FakeBook, startServer } from '../testing/running-server.js';

/** Each market has its own version, and each body takes the place of the one before. */
class VersionedBook extends FakeBook {
  versions: MarketVersion[] = [];
  private readonly buffer = Buffer.alloc(1 << 20);

  override version(market = 0): MarketVersion {
    return this.versions[market] ?? this.current;
  }

  override l2(asked: L2Request): Uint8Array {
    const body = super.l2(asked);
    this.buffer.fill(0).set(body);
    return this.buffer.subarray(0, body.length);
  }
}

const book = new VersionedBook();

const server = await startServer(book);

afterEach(() => {
  book.versions = [];
  book.filler = '';
  book.epoch = 'epoch-1';
  // Equal versions are equal bodies.
  book.current = { ...book.current, seq: book.current.seq + 1 };
});

const get = (query: string, headers?: Record<string, string>) =>
  server.ask(`/batchL2?${query}`, headers);

/** One line for each entry: the request to the book, or the code and the parameter. */
async function expectEntries(query: string, expected: readonly unknown[]): Promise<void> {
  const { status, body } = await get(query);
  const lines = body.l2s.map(
    ({ asked, error }: { asked?: unknown; error?: Record<string, string> }) =>
      error === undefined ? asked : `${error['code']} ${error['param']}`,
  );
  expect([status, lines]).toEqual([200, expected]);
}

describe('the entries of a batch', () => {
  const sol = { market: 0, depth: 10 };
  const other = { market: 1, depth: 10 };
  const both = [
    { ...sol, depth: 1 },
    { market: 1, depth: 2 },
  ];

  test.each<[string, readonly unknown[]]>([
    ['', []],
    ['colour=red,blue', []],
    ['marketName=SOL-PERP', [sol]],
    ['marketName=SOL-PERP,SOL&depth=1,2', both],
    ['marketName=SOL-PERP%2CSOL&depth=1%2C2', both],
    ['marketIndex=0,1&marketType=perp,SPOT', [sol, other]],
    ['marketName=SOL-PERP,SOL-PERP&grouping=,5', [sol, { ...sol, grouping: 5 }]],
    ['marketName=SOL-PERP,SOL-PERP&uncross=TRUE,no', [{ ...sol, uncross: true }, sol]],
    ['marketName=SOL-PERP,&marketIndex=,1&marketType=,spot', [sol, other]],
    ['marketName=SOL-PERP,SOL-PERP&includeVamm=true,x&depth=,', [{ ...sol, vamm: true }, sol]],
    ['marketName=SOL-PERP&includeIndicative=true', [{ ...sol, indicative: true }]],
  ])('%s', expectEntries);

  test.each<[string, readonly unknown[]]>([
    ['marketName=SOL-PERP,NOPE', [sol, 'UNKNOWN_MARKET marketName']],
    ['marketName=,SOL-PERP', ['MISSING_PARAM marketName', sol]],
    ['depth=5', ['MISSING_PARAM marketName']],
    ['marketName=SOL-PERP,SOL-PERP&depth=0,10', ['OUT_OF_RANGE depth', sol]],
    ['marketName=SOL-PERP,SOL-PERP&depth=10,x', [sol, 'INVALID_PARAM depth']],
    ['marketIndex=0,0&marketType=,perp', ['MISSING_PARAM marketType', sol]],
  ])('%s fails in its entry only', expectEntries);

  test.each([
    ['marketName=SOL-PERP,SOL&depth=1', 'INVALID_PARAM', 'depth'],
    ['depth=1&marketName=SOL-PERP,SOL', 'INVALID_PARAM', 'depth'],
    ['marketName=SOL-PERP&includeVamm=true,true', 'INVALID_PARAM', 'marketName'],
    ['marketName=SOL-PERP,SOL&depth=', 'INVALID_PARAM', 'depth'],
    ['marketName=SOL-PERP&marketName=SOL', 'INVALID_PARAM', 'marketName'],
    ['marketName=SOL-PERP&depth=%zz', 'INVALID_PARAM', 'depth'],
    [`marketName=${'SOL,'.repeat(256)}SOL`, 'OUT_OF_RANGE', 'marketName'],
    [`marketName=${Array(51).fill('SOL')}&depth=${Array(51).fill(1_000)}`, 'OUT_OF_RANGE', 'depth'],
    [`marketName=SOL&depth=${','.repeat(5_000)}`, 'OUT_OF_RANGE', 'depth'],
  ])('%s fails as a whole', async (query, code, param) => {
    expect((await get(query)).error).toMatchObject({ status: 400, code, param });
  });

  test('256 entries are answered, each with its own bytes', async () => {
    const depths = Array.from({ length: LIMITS.batchEntriesMax }, (_, index) => index + 1);
    const names = depths.map(() => 'SOL-PERP');
    const asked = depths.map((depth) => ({ market: 0, depth }));
    await expectEntries(`marketName=${names}&depth=${depths}`, asked);
  });
});

describe('the version of a batch', () => {
  const both = 'marketName=SOL-PERP,SOL';
  const etagOf = async (query: string): Promise<string> => (await get(query)).header('etag') ?? '';

  test('is that of all its parts: 304 until one of them changes', async () => {
    const live: MarketVersion = { seq: 1, slot: 100, state: 'live', auctions: 0 };
    book.versions = [live, live];
    const etag = await etagOf(both);
    const unchanged = await get(both, { 'If-None-Match': etag });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect(unchanged.header('etag')).toBe(etag);
    for (const change of [{ seq: 2 }, { slot: 101 }, { state: 'stale' } as const]) {
      book.versions = [live, { ...live, ...change }];
      expect((await get(both, { 'If-None-Match': etag })).status).toBe(200);
    }
    book.versions = [live, live];
    expect(await etagOf(both)).toBe(etag);
    book.epoch = 'epoch-2';
    expect(await etagOf(both)).not.toBe(etag);
  });

  test('differs from that of the same books asked for in another way', async () => {
    const queries = [both, 'marketName=SOL,SOL-PERP', `${both}&depth=1,1`, `${both},NOPE`];
    const etags = await Promise.all(queries.map(etagOf));
    expect(new Set(etags).size).toBe(queries.length);
    for (const etag of etags) expect(etag.length).toBeLessThan(40);
  });

  test('names the slot and the state of the part that is furthest behind', async () => {
    book.versions = [
      { seq: 1, slot: 90, state: 'live', auctions: 0 },
      { seq: 1, slot: 100, state: 'lagging', auctions: 0 },
    ];
    const { headers } = await get(both);
    expect([headers.get('x-slot'), headers.get('x-state')]).toEqual(['90', 'lagging']);
  });
});

describe('the bytes of a batch', () => {
  const many = `marketName=${Array(20).fill('SOL-PERP')}`;

  test('are compressed from 16 KiB on for those who accept it, and anew for a new version', async () => {
    book.filler = 'y'.repeat(2_000);
    const { text: plain } = await get(many, { 'Accept-Encoding': 'identity' });
    expect(plain.length).toBeGreaterThan(LIMITS.gzipBodyBytesMin);
    for (let seq = 0; seq < 2; seq += 1) {
      book.versions = [{ seq, slot: 1, state: 'live', auctions: 0 }];
      const zipped = await get(many, { 'Accept-Encoding': 'gzip' });
      expect([zipped.header('content-encoding'), zipped.text]).toEqual(['gzip', plain]);
    }
  });

  test('are whole when they outgrow the buffer', async () => {
    book.filler = 'y'.repeat(100_000);
    const [first, ...others] = (await get(many)).body.l2s;
    expect(first.filler).toBe(book.filler);
    expect(others).toEqual(Array(19).fill(first));
  });

  test('are those of /l2', async () => {
    const { text: single } = await server.ask('/l2?marketName=SOL&depth=3');
    const { text: batch } = await get('marketName=SOL,SOL&depth=3,3');
    expect(batch).toBe(`{"l2s":[${single},${single}]}`);
  });
});
