/** The library against a running service on a local chain: answers and prices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PriceFeed } from '../../src/client/caches/price-feed.js';
import { MarkPriceCache, OraclePriceCache } from '../../src/client/caches/prices.js';
import { ClientError } from '../../src/client/error.js';
import { HttpClient } from '../../src/client/http/client.js';
import { ServiceProbe } from '../support/service-probe.js';
import { SteppedDemo } from '../support/stepped-demo.js';
import { until } from '../support/until.js';

const market = { marketName: 'SOL-PERP' } as const;

let demo: SteppedDemo;
let service: ServiceProbe;
let http: HttpClient;

beforeAll(async () => {
  demo = await SteppedDemo.start({ seed: 23, makers: 40, slotTimeMs: 200 });
  service = await ServiceProbe.start(demo.relay);
  http = new HttpClient({ url: service.url });
});

afterAll(async () => {
  await service?.stop();
  await demo?.stop();
});

/** Bigints as the text that bodies have. */
function plain(value: unknown): unknown {
  const asText = (_: string, one: unknown) => (typeof one === 'bigint' ? `${one}` : one);
  return JSON.parse(JSON.stringify(value, asText));
}

/** Reads a path as it is and by the library until both are of one version. */
async function bothOf<T extends { readonly seq: number; readonly slot: number }>(
  path: string,
  read: () => Promise<T>,
): Promise<{ readonly body: Record<string, unknown>; readonly read: T }> {
  for (;;) {
    const [body, value] = [await service.json(path), await read()];
    const same = body['seq'] === value.seq && body['slot'] === value.slot;
    if (same && body['state'] === 'live') return { body, read: value };
  }
}

/** A body without what is null only in the library, and with the oracle as text. */
function comparable(value: unknown): unknown {
  const { ts, ...rest } = plain(value) as Record<string, unknown>;
  const entries = Object.entries(rest).map(([name, one]) => [
    name,
    name === 'oracle' ? `${one}` : one,
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== null));
}

describe('every path', () => {
  test('/l2, /l3 and /auctions have every member of the body', async () => {
    const name = 'marketName=SOL-PERP';
    const l2 = await bothOf(`/l2?${name}&depth=500&includeVamm=true`, () =>
      http.l2({ ...market, depth: 500, includeVamm: true }),
    );
    const l3 = await bothOf(`/l3?${name}`, () => http.l3(market));
    const auctions = await bothOf(`/auctions?${name}`, () => http.auctions(market));
    for (const { body, read } of [l2, l3, auctions]) {
      expect(comparable(read)).toEqual(comparable(body));
    }
    const { bids, asks } = l2.read;
    const ofAmm = [...bids, ...asks].flatMap(({ sources }) => sources['vamm'] ?? []);
    expect(ofAmm.length).toBeGreaterThan(0);
  });

  test('/batchL2 has books and errors in their places', async () => {
    const books = await http.batchL2([market, { marketName: 'NOPE' }, { ...market, depth: 3 }]);
    const [first, error, third] = books;
    expect(error).toMatchObject({ code: 'UNKNOWN_MARKET', param: 'marketName' });
    expect(error).toBeInstanceOf(ClientError);
    expect(first).toMatchObject({ marketName: 'SOL-PERP' });
    expect(third instanceof ClientError ? [] : third?.bids).toHaveLength(3);
    expect(await http.batchL2([])).toEqual([]);
    const many = Array.from({ length: 51 }, () => market);
    await expect(http.batchL2(many)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('/match walks with bigints', async () => {
    const size = 1_500_000_000n;
    const walk = await http.match({ ...market, side: 'buy', size, jit: [{ price: 1n, size: 2n }] });
    expect(walk.filledBase + walk.unfilled).toBe(size);
    expect(walk.fills.reduce((sum, fill) => sum + fill.size, 0n)).toBe(walk.filledBase);
    expect(walk.fills[0]).toMatchObject({ source: 'jit', maker: null, size: 2n });
  });

  test('/topMakers, /markets, /status, /ready and /version', async () => {
    const makers = await http.topMakers({ ...market, side: 'bid', limit: 2 });
    const accounts = await http.topMakerAccounts({ ...market, side: 'bid', limit: 2 });
    expect(accounts.map(({ userAccountPubKey }) => userAccountPubKey)).toHaveLength(makers.length);
    expect(accounts[0]?.accountBase64?.length).toBeGreaterThan(5_000);
    const markets = await http.markets();
    const known = JSON.parse((await service.get('/markets')).text);
    expect(plain(markets)).toEqual(known);
    const status = await http.status();
    expect(status.markets.map(({ symbol }) => symbol)).toEqual(await service.symbols());
    expect(await http.ready()).toMatchObject({ ready: true });
    expect(await http.version()).toMatchObject({ name: 'slotbook' });
  });

  test('a wrong parameter is the error that the service gives', async () => {
    await expect(http.l2({ ...market, depth: 5_000 })).rejects.toMatchObject({
      ...{ code: 'OUT_OF_RANGE', status: 400, param: 'depth' },
    });
    await expect(http.l3({ marketName: 'NOPE' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('the price caches', () => {
  test('follow the marks and oracles of the service, and tell only what has changed', async () => {
    const marks = new MarkPriceCache();
    const oracles = new OraclePriceCache();
    const told: string[][] = [];
    marks.onUpdate((changed) => told.push(Object.keys(changed)));
    const markets = [market, { marketType: 'perp', marketIndex: 1 } as const];
    const feed = new PriceFeed({ http, marks, oracles, markets, intervalMs: 20 });
    feed.start();
    await until(() => told.length > 0);
    expect(told[0]).toEqual(['perp_0', 'perp_1']);
    await demo.step(60);
    await until(() => told.length > 3);
    feed.stop();
    const body = await http.l2({ ...market, depth: 1, includeVamm: true });
    await demo.step(20);
    marks.updateMarkPrices([body]);
    oracles.updateOraclePrices([body]);
    expect(marks.getMarkPriceData('perp_0')).toEqual({
      ...{ markPrice: body.markPrice, bestBid: body.bestBidPrice, bestAsk: body.bestAskPrice },
      lastUpdateSlot: body.slot,
    });
    expect(oracles.getOraclePrice('perp_0')).toBe(body.oracleData.price);
    expect(oracles.getOraclePriceData('perp_0')?.slot).toBe(Number(body.oracleData.slot));
  });

  test('tell of a market that is not there, and go on with the others', async () => {
    const marks = new MarkPriceCache();
    const errors: string[] = [];
    const feed = new PriceFeed({ http, marks, markets: [{ marketName: 'NOPE' }, market] });
    feed.onError(({ code }) => errors.push(code));
    feed.start();
    await until(() => errors.length > 0 && marks.getMarkPrice('perp_0') !== null);
    feed.stop();
    expect(errors).toEqual(['UNKNOWN_MARKET']);
  });
});
