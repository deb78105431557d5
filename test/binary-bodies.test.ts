/** /l2 and /l3 as bytes over a living book: they say what the JSON bodies of the same version say. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BYTES_TYPE, binaryFetch, decodeBody } from '../src/client/binary/index.js';
import { HttpClient } from '../src/client/index.js';
import { Engine } from '../src/engine/engine.js';
import { renderBodies } from '../src/journal/as-of/bodies.js';
import { prefersBytes } from '../src/server/routes/accept.js';
import { type RunningServer, startServer } from '../src/server/testing/running-server.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { type AccountWrite, MarketSimulator } from '../src/sim/market/market-simulator.js';

const TS = 1_800_000_000_000;
const STEPS = 400;
const FLAGS = [false, true];
const BYTES = { Accept: BYTES_TYPE };

let engine: Engine;
let server: RunningServer;
let markets: readonly string[];
let maker: string;
let sol: number;

beforeAll(async () => {
  engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  const life = new MarketSimulator({ seed: 20_261_121, makers: 120 });
  let slot = 350_000_000;
  const clock = () => ({ slot, unixSeconds: TS / 1_000 });
  const push = (writes: readonly AccountWrite[]): void => {
    engine.setClock(slot, TS / 1_000);
    for (const { pubkey, owner, data } of writes) {
      engine.push({ pubkey, owner, slot, data: data.toString('base64'), encoding: 'base64' });
    }
    engine.endTurn(TS);
  };
  engine.setState('live');
  push(life.createGenesis(clock()));
  for (let step = 0; step < STEPS; step += 1) {
    if (step % 20 === 0) slot += 1;
    push(life.nextWrites(clock()));
  }
  for (const { id } of engine.markets()) {
    // Wide enough that they cross the book, and on no tick.
    const side = (price: bigint) => ({ price, size: 12_345_678n });
    const quotes = [{ bid: side(1_000_001n), ask: side(-1_000_001n), isOracleOffset: true }];
    engine.setIndicative({ market: id, maker: PROGRAM_ID, quotes, tsMs: TS });
  }
  engine.endTurn(TS);
  server = await startServer(engine);
  markets = engine.markets().map(({ symbol }) => symbol);
  sol = engine.findMarket('SOL-PERP')?.id ?? -1;
  const { bids } = JSON.parse(Buffer.from(engine.l3({ market: sol })).toString());
  maker = bids[0].maker;
});

afterAll(() => server?.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers });

async function bytesOf(response: Response): Promise<Uint8Array> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, BYTES_TYPE]);
  return new Uint8Array(await response.arrayBuffer());
}

/** Every combination of what /l2 and /l3 take beside their market. */
function* queries(): Generator<string> {
  for (const includeIndicative of FLAGS) {
    for (const uncross of FLAGS) {
      const flags = `&includeIndicative=${includeIndicative}&uncross=${uncross}`;
      for (const depth of ['', '&depth=1', '&depth=1000']) {
        for (const grouping of ['', '&grouping=1', '&grouping=7', '&grouping=1000000']) {
          for (const includeVamm of FLAGS) {
            yield `/l2?includeVamm=${includeVamm}${flags}${depth}${grouping}&marketName=`;
          }
        }
        yield `/l3?${flags}${depth}&marketName=`;
        yield `/l3?${flags}${depth}&maker=${maker}&marketName=`;
      }
    }
  }
}

test('every market with every combination of parameters is the JSON body', async () => {
  const seen = { rows: 0, sources: new Set<string>(), crossed: 0 };
  for (const market of markets) {
    for (const query of queries()) {
      const text = await (await get(query + market)).text();
      const bytes = await bytesOf(await get(query + market, BYTES));
      const json = JSON.parse(text);
      const decoded = decodeBody(bytes);
      expect(decoded).toEqual(json);
      // Also the order of members, so that both are one text.
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(json));
      expect(bytes.length).toBeLessThan(text.length);
      seen.rows += json.bids.length;
      seen.crossed += Number(json.crossed);
      for (const { sources } of json.bids) {
        for (const source of Object.keys(sources ?? {})) seen.sources.add(source);
      }
    }
  }
  expect([...seen.sources].sort()).toEqual(['dlob', 'indicative', 'vamm']);
  expect(seen.rows).toBeGreaterThan(1_000);
  expect(seen.crossed).toBeGreaterThan(0);
}, 120_000);

test('a body of 100 levels has a fourth of the bytes of JSON at most', async () => {
  const path = '/l2?marketName=SOL-PERP&depth=100';
  const text = await (await get(path)).text();
  const bytes = await bytesOf(await get(path, BYTES));
  process.stdout.write(`/l2 of depth 100: ${text.length} B, ${bytes.length} B\n`);
  expect(bytes.length * 4).toBeLessThan(text.length);
});

test('each encoding has a tag, and caches are told what it depends on', async () => {
  for (const path of ['/l2?marketName=SOL-PERP', '/l3?marketName=SOL-PERP']) {
    const [json, bytes] = [await get(path), await get(path, BYTES)];
    const tags = [json, bytes].map(({ headers }) => headers.get('etag') ?? '');
    expect(new Set(tags).size).toBe(2);
    for (const { headers } of [json, bytes]) {
      expect(headers.get('vary')).toBe('Accept, Accept-Encoding');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('x-state')).toBe('live');
    }
    const [ofJson = '', ofBytes = ''] = tags;
    const tried = [
      await get(path, { 'If-None-Match': ofJson }),
      await get(path, { ...BYTES, 'If-None-Match': ofBytes }),
      await get(path, { ...BYTES, 'If-None-Match': ofJson }),
      await get(path, { 'If-None-Match': ofBytes }),
    ];
    expect(tried.map(({ status }) => status)).toEqual([304, 304, 200, 200]);
  }
});

test('errors, and paths without bytes, are JSON whatever is accepted', async () => {
  for (const [path, status] of [
    ['/l2?marketName=NONE', 404],
    ['/l2?marketName=SOL-PERP&depth=0', 400],
    ['/auctions?marketName=SOL-PERP', 200],
    ['/batchL2?marketName=SOL-PERP', 200],
  ] as const) {
    const response = await get(path, BYTES);
    expect([path, response.status]).toEqual([path, status]);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('vary') ?? '').not.toContain('Accept,');
  }
});

test('the library reads the same books either way', async () => {
  const { url } = server;
  const [json, binary] = [new HttpClient({ url }), new HttpClient({ url, fetch: binaryFetch() })];
  for (const marketName of markets) {
    const l2 = { marketName, includeVamm: true, includeIndicative: true };
    expect(await binary.l2(l2)).toEqual(await json.l2(l2));
    expect(await binary.l3({ marketName })).toEqual(await json.l3({ marketName }));
    // Known by its tag, and not sent again.
    expect(await binary.l2(l2)).toBe(await binary.l2(l2));
  }
  await expect(binary.l2({ marketName: 'NONE' })).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
  expect((await binary.status()).state).toBe((await json.status()).state);
});

test('a book of the past says in bytes what it says in JSON', () => {
  const book = { engine, findMarket: () => ({ id: sol }) } as never;
  const key = { marketType: 'perp', marketIndex: 0 } as const;
  const asOf = { epoch: 'e1', slot: 5, ts: 6 } as never;
  for (const path of ['l2', 'l3'] as const) {
    const [json, bytes] = [{}, { binary: true }].map((form) => {
      const request = { market: sol, depth: 20, ...form };
      const made = renderBodies(book, { read: { key, path, request } }, asOf);
      if (made.kind !== 'body') throw new Error('there is a body');
      return made;
    });
    const decoded = decodeBody(bytes?.body ?? new Uint8Array());
    expect(decoded).toEqual(JSON.parse(Buffer.from(json?.body ?? []).toString()));
    expect(decoded['asOf']).toEqual({ epoch: 'e1', slot: 5, ts: 6 });
    expect(bytes?.hash).not.toBe(json?.hash);
  }
});

describe('bytes that nobody has checked', () => {
  const bodies = (): readonly Uint8Array[] => [
    Buffer.from(engine.l2({ market: sol, depth: 20, vamm: true, binary: true })),
    Buffer.from(engine.l3({ market: sol, depth: 20, binary: true })),
  ];

  test('are no body where they are cut, and a RangeError in any case', () => {
    for (const whole of bodies()) {
      expect(decodeBody(whole)['marketName']).toBe('SOL-PERP');
      for (let length = 0; length < whole.length; length += 1) {
        expect(() => decodeBody(whole.subarray(0, length))).toThrow(RangeError);
      }
      for (let at = 0; at < whole.length; at += 1) {
        const spoilt = Buffer.from(whole);
        spoilt[at] = (spoilt[at] ?? 0) ^ (1 << (at % 8));
        try {
          decodeBody(spoilt);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }
    }
  });

  test('are told apart from frames, other versions and endless lists', () => {
    const [whole = new Uint8Array()] = bodies();
    const start =
      (...bytes: number[]) =>
      () =>
        decodeBody(Buffer.concat([Buffer.of(...bytes), whole.subarray(bytes.length)]));
    expect(start(0x91)).toThrow('which is not version 1');
    expect(start(0xad)).toThrow('which is not version 1');
    expect(start(0x9d, 2)).toThrow('of the kind 2');
    expect(start(0x9d, 0, 0)).toThrow('too large');
    const endless = Buffer.from([0x9d, 1, 1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    expect(() => decodeBody(endless)).toThrow('too large');
  });
});

test.each([
  ['', false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  ['application/vnd.slotbook', true],
  ['APPLICATION/vnd.slotbook; q=0.3', true],
  ['application/vnd.slotbook;q=0', false],
  ['application/vnd.slotbook, application/json', true],
  ['application/json, application/vnd.slotbook;q=0.9', false],
  ['application/json;q=0.8, application/vnd.slotbook;q=0.9', true],
  ['*/*, application/vnd.slotbook;q=0.9', false],
  ['*/*;q=0.1, application/vnd.slotbook;q=0.9', true],
  ['text/html, application/vnd.slotbook;q=0.2', true],
])('Accept: %s prefers bytes: %s', (accept, expected) => {
  expect(prefersBytes({ getHeader: () => accept })).toBe(expected);
});
