/** The API description against real answers of a real book, path by path. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closedSchema } from '../../../test/support/message-schemas.js';
import { LIMITS } from '../../config/limits.js';
import type { AsOfReply } from '../../contract/as-of-source.js';
import { HTTP_ERROR_CODES } from '../../contract/error-codes.js';
import type { Engine } from '../../engine/engine.js';
import {
  ADDRESS,
  engineWith,
  ORACLE,
  PERP,
  PROGRAM,
  SLOT,
  SPOT,
  USER,
} from '../../engine/testing.js';
import { Direction } from '../../sim/bytes/generated/enums.js';
import { keyOf } from '../../sim/bytes/keys.js';
import { emptyOrder, userBytes } from '../../sim/bytes/user-account.js';
import { paths } from '../routes/paths.js';
import { FakeHistory } from '../testing/fake-history.js';
import { fakeAsOfStats, fakeJournal } from '../testing/fake-journal.js';
import { FakeLog } from '../testing/fake-log.js';
import { type RunningServer, startServer } from '../testing/running-server.js';
import type { ApiDescription, Operation, ResponseSpec } from './openapi.js';
import type { PathSpec } from './path-spec.js';

const PATHS: Readonly<Record<string, PathSpec>> = paths;
const NAMES = Object.keys(PATHS);
const MAKER = keyOf(Buffer.alloc(32, 7));

let engine: Engine;
let server: RunningServer;
let api: ApiDescription;
let ajv: Ajv2020;

/** A user account with an order on each side of the perpetual market, and one in auction. */
function twoSided() {
  const resting = [Direction.Long, Direction.Short].map((direction, index) => ({
    ...emptyOrder(),
    slot: BigInt(SLOT - 1_000),
    price: direction === Direction.Long ? 149_000_000n : 151_000_000n,
    baseAssetAmount: 100_000_000n,
    orderId: index + 1,
    direction,
    postOnly: true,
  }));
  const inAuction = {
    ...{ ...emptyOrder(), slot: BigInt(SLOT), price: 150_000_000n, baseAssetAmount: 100_000_000n },
    ...{ orderId: 3, auctionDuration: 9, auctionStartPrice: 1n, auctionEndPrice: 150_000_000n },
  };
  const orders = [...resting, inAuction];
  const user = {
    ...{ authority: MAKER, name: 'maker', subAccountId: 0, status: 0, idle: false },
    ...{ nextOrderId: 4, lastActiveSlot: BigInt(SLOT), orders },
    ...{ perpPositions: [], spotPositions: [] },
  };
  const data = userBytes(user).toString('base64');
  return { pubkey: MAKER, owner: PROGRAM, slot: SLOT, data, encoding: 'base64' as const };
}

beforeAll(async () => {
  engine = engineWith(PERP, SPOT, ORACLE, USER, twoSided());
  server = await startServer(engine, {
    history: new FakeHistory(),
    journal: fakeJournal,
    proofs: new FakeLog(),
    asOf: { readMoment: async () => pastBook(), readStats: () => fakeAsOfStats },
    readFees: async () => [0, 5_000],
    readAccounts: async (keys) => keys.map((_, index) => (index === 0 ? 'AAAA' : null)),
  });
  api = JSON.parse(await (await fetch(`${server.url}/openapi.json`)).text());
  ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  for (const format of [
    'market-name',
    'public-key',
    'whole-number',
    'jit-offer',
    'cursor',
    'epoch',
    'percent',
    'int64',
    'double',
  ]) {
    ajv.addFormat(format, true);
  }
  ajv.addSchema({ ...closedSchema(api, ['properties']), $id: 'api' });
});

afterAll(() => server?.close());

/** Any book as one of the past. */
function pastBook(): AsOfReply {
  const { id } = engine.findMarket('SOL-PERP') ?? { id: 0 };
  const asOf = { epoch: 'e1', slot: SLOT, ts: 5 };
  const live = Buffer.from(engine.l2({ market: id, depth: 5 })).toString();
  const body = Buffer.from(`${live.slice(0, -1)},"asOf":${JSON.stringify(asOf)}}`);
  return { kind: 'body', body, hash: 'h', asOf, versions: [engine.version(id)], isFinal: true };
}

function operationOf(path: string): Operation {
  const item = api.paths[path];
  if (item === undefined) throw new Error(`${path} is not described`);
  return item.get;
}

/** What a path cannot do without, and ignores where it can. */
function leastOf(path: string): string {
  if (path === '/stats/markets/volume') return 'startTs=1700000000&endTs=1700010000';
  if (PATHS[path]?.kind === 'history') return 'symbol=SOL-PERP&resolution=1';
  if (path === '/orderbook') return 'ticker_id=SOL-PERP';
  const order = 'direction=long&amount=1000000000&assetType=base';
  if (path === '/auctionParams') return `marketName=SOL-PERP&${order}`;
  const rest = path === '/match' ? 'side=buy&size=1000000000' : 'side=bid';
  return `marketName=SOL-PERP&${rest}`;
}

/** A path as it is sent. */
function sent(path: string): string {
  const texts = {
    symbol: 'SOL-PERP',
    resolution: '5',
    period: '24h',
    ...{ year: '2025', month: '6', day: '15' },
    account: ADDRESS.user,
    key: ADDRESS.user,
    orderId: '1',
  };
  if (path === '/log') return '/log/tile/0/000';
  return path.replace(/\{(\w+)\}/g, (_, name: keyof typeof texts) => texts[name]);
}

/** The described path of one that was sent. */
function describedOf(path: string): string {
  return NAMES.find((name) => sent(name) === path) ?? path;
}

/** The description of one status of a path. */
function answerOf(path: string, status: number): ResponseSpec {
  const answer = operationOf(path).responses[status];
  if (answer === undefined) throw new Error(`${path} is not described to answer ${status}`);
  return answer;
}

/** Asks a path and holds status, headers, type and body to the description. */
async function checkAnswer(
  url: string,
  status: number,
  { without = [], ...init }: RequestInit & { readonly without?: readonly string[] } = {},
): Promise<void> {
  const [path = ''] = url.split('?');
  const response = await fetch(`${server.url}${url}`, init);
  const text = await response.text();
  expect([url, response.status]).toEqual([url, status]);
  const { headers, content, description } = answerOf(describedOf(path), status);
  const rare = url.includes('slot=') ? /^RateLimit/ : /^(RateLimit|X-As-Of)/;
  const described = Object.keys(headers).filter((name) => !rare.test(name));
  const missing = described.filter((name) => !response.headers.has(name));
  expect(missing).toEqual(without);
  if (content === undefined) return expect(text).toBe('');
  const [type = ''] = Object.keys(content);
  expect(response.headers.get('content-type')).toContain(type);
  if (type !== 'application/json') return;
  const { schema } = content[type] as { readonly schema: { readonly $ref: string } };
  if (/\/(Api|Channels)Description$/.test(schema.$ref)) return;
  expect(errorsOf(schema.$ref, JSON.parse(text))).toEqual([]);
  if (schema.$ref.endsWith('Error')) expect(description).toContain(codeIn(text));
}

function codeIn(text: string): string {
  return JSON.parse(text).error.code;
}

function errorsOf(ref: string, value: unknown): unknown[] {
  const validate = ajv.getSchema(`api${ref}`);
  if (validate === undefined) throw new Error(`there is no schema ${ref}`);
  validate(value);
  return validate.errors ?? [];
}

describe('the description', () => {
  test('names every path that is served, and no other', async () => {
    const { paths } = JSON.parse(await (await fetch(server.url)).text());
    expect(Object.keys(api.paths).sort()).toEqual([...paths].sort());
    expect(paths.sort()).toEqual([...NAMES].sort());
  });

  test.each(NAMES)('names the prefixes under which %s answers', async (path) => {
    const urls = api.paths[path]?.['x-prefixes'] ?? [];
    for (const prefix of ['', '/v1', '/dlob', '/data']) {
      const response = await fetch(`${server.url}${prefix}${sent(path)}`);
      const unknown = response.status === 404 && (await response.text()).includes('UNKNOWN_PATH');
      // The same name below a prefix may be a path of its own.
      const isServed = urls.includes(prefix) || NAMES.includes(`${prefix}${path}`);
      expect([prefix, unknown]).toEqual([prefix, !isServed]);
    }
  });

  test('has one form of each body that generated clients know', () => {
    const operations = Object.values(api.paths).map((item) => item?.get);
    const ids = operations.map((operation) => operation?.operationId);
    expect(new Set(ids).size).toBe(NAMES.length);
    for (const path of ['/l2', '/trades', '/user/{account}/trades/{symbol}'])
      expect(ids).toContain(operationOf(path).operationId);
    expect(operationOf('/user/{account}/trades/{symbol}').operationId).toBe(
      'getUserTradesBySymbol',
    );
    for (const operation of operations)
      for (const { content = {} } of Object.values(operation?.responses ?? {}))
        expect(Object.keys(content).filter((type) => type !== 'text/csv').length).toBeLessThan(2);
    const names = Object.entries(api.components.schemas);
    for (const [name, schema] of names)
      for (const member of (schema as { anyOf?: object[] }).anyOf ?? [])
        expect([name, Object.keys(member)]).toEqual([name, ['$ref']]);
    expect(JSON.stringify(api)).not.toMatch(/":\{[^{}]*"type":"null"/);
    expect(JSON.stringify(api)).not.toMatch(/"const":[^"]/);
    expect(operationOf('/l2').parameters.find(({ name }) => name === 'ts')?.schema).toMatchObject({
      format: 'int64',
    });
    const contract = /"required":\["(?:[a-z]+_\w+",?"?){9}/;
    expect(JSON.stringify(api.components.schemas['Contracts'])).not.toMatch(contract);
    expect(JSON.stringify(api.paths)).not.toContain('"servers"');
  });

  test('has ranges and defaults as the limits say', () => {
    const depth = operationOf('/l2').parameters.find(({ name }) => name === 'depth');
    const { depthMin: minimum, depthMax: maximum, l2DepthDefault } = LIMITS;
    expect(depth).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum, maximum, default: l2DepthDefault },
    });
    const side = operationOf('/topMakers').parameters.find(({ name }) => name === 'side');
    expect(side).toMatchObject({ required: true, schema: { enum: ['bid', 'ask'] } });
    const lists = operationOf('/batchL2').parameters.filter(({ style }) => style !== undefined);
    expect(lists.map(({ name }) => name)).toContain('depth');
    expect(lists.map(({ schema }) => schema['maxItems'])).toEqual(
      lists.map(() => LIMITS.batchEntriesMax),
    );
  });

  test('lists every code of the errors', () => {
    const told = Object.keys(api.paths).flatMap((path) =>
      Object.values(operationOf(path).responses).map(({ description }) => description),
    );
    const described = ['UNKNOWN_PATH', 'NO_HISTORY', 'NO_JOURNAL'];
    const codes = HTTP_ERROR_CODES.filter((code) => !described.includes(code));
    expect(codes.filter((code) => !told.some((text) => text.includes(code)))).toEqual([]);
    for (const code of described) expect(api.info.description).toContain(code);
  });

  test('refers to nothing that is not in it', () => {
    const text = JSON.stringify(api);
    for (const [, ref = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = ref.split('/').reduce<unknown>((at, key) => (at as never)?.[key], api);
      expect([ref, typeof target]).toEqual([ref, 'object']);
    }
  });

  test.each(NAMES)('has the ranges to which %s is held', async (path) => {
    for (const { name, schema } of operationOf(path).parameters) {
      if (schema['maximum'] === undefined) continue;
      const beyond = Number(schema['maximum']) + 1;
      const query = new URLSearchParams(leastOf(path));
      query.set(name, String(beyond));
      const inPath = sent(path.replace(`{${name}}`, String(beyond)));
      const response = await fetch(`${server.url}${inPath}?${query}`);
      expect(codeIn(await response.text())).toBe('OUT_OF_RANGE');
    }
  });
});

describe('real answers', () => {
  const market = 'marketName=SOL-PERP';

  test.each([
    ['/l2?marketName=SOL-PERP', 200],
    ['/l2?marketName=sol-perp&depth=1&grouping=100&uncross=true', 200],
    ['/l2?marketIndex=1&marketType=spot', 200],
    ['/l2', 400],
    ['/l2?marketName=NOPE', 404],
    ['/l3?marketName=SOL-PERP', 200],
    ['/l3?marketName=SOL-PERP&uncross=true', 200],
    [`/l3?marketName=SOL&maker=${ADDRESS.user}`, 200],
    ['/l3?marketName=SOL-PERP&maker=x', 400],
    ['/l3?marketName=NOPE', 404],
    ['/batchL2?marketName=SOL-PERP,NOPE,SOL&depth=1,2,x', 200],
    ['/batchL2Cache?marketName=SOL-PERP', 200],
    ['/batchL2?marketName=SOL-PERP,SOL&depth=1', 400],
    ['/batchL2Cache?marketName=%zz', 400],
    ['/auctions?marketName=SOL-PERP', 200],
    ['/l2?marketName=SOL-PERP&slot=5', 200],
    ['/auctions', 400],
    ['/journal', 200],
    ['/journal?seqs=true', 200],
    ['/journal?seqs=true&seqs=true', 400],
    ['/orderbook?ticker_id=sol-perp', 200],
    ['/orderbook?ticker_id=SOL&depth=0', 200],
    ['/orderbook', 400],
    ['/orderbook?ticker_id=NOPE', 404],
    ['/auctions?marketIndex=9&marketType=spot', 404],
    [`/match?${market}&side=buy&size=1000000000`, 200],
    [`/match?${market}&side=sell&quote=5000000000&model=onchain`, 200],
    [`/match?${market}&side=sell&size=9000000000&orderType=limit&limitPrice=140000000`, 200],
    [`/match?${market}&side=buy&size=1`, 200],
    ['/match?marketName=SOL&side=buy&size=5000000000&includeVamm=false', 200],
    [`/match?${market}&side=buy`, 400],
    ['/match?marketName=NOPE&side=buy&size=1', 404],
    [`/auctionParams?${market}&direction=long&amount=1000000000&assetType=base`, 200],
    [
      `/auctionParams?${market}&direction=short&amount=5000000&assetType=quote&isOracleOrder=0`,
      200,
    ],
    [`/auctionParams?${market}&direction=long`, 400],
    [`/topMakers?${market}&side=bid`, 200],
    [`/priorityFees?${market}`, 200],
    ['/priorityFees?marketName=NOPE', 404],
    ['/batchPriorityFees?marketName=SOL-PERP,NOPE', 200],
    ['/batchPriorityFees?marketIndex=0,1,2&marketType=perp,perp', 400],
    ['/topMakers?marketName=NOPE&side=bid', 404],
    [`/topMakers?${market}`, 400],
    ['/markets', 200],
    ['/health', 200],
    ['/ready', 200],
    ['/status', 200],
    ['/metrics', 200],
    ['/version', 200],
    ['/openapi.json', 200],
    ['/docs', 200],
    ['/', 200],
    ['/ws', 426],
  ])('%s answers %i as described', (url, status) => checkAnswer(url, status));

  test.each([
    ['/batchL2', ['X-Slot', 'X-State']],
    ['/batchL2Cache?marketName=NOPE,', ['X-Slot', 'X-State']],
    [`/topMakers?${market}&side=ask&includeAccounts=true`, ['ETag', 'X-Slot', 'X-State']],
  ])('%s has no version of a book', (url, without) => checkAnswer(url, 200, { without }));

  test.each(NAMES)('%s answers 405 and 413 as described', async (path) => {
    await checkAnswer(sent(path), 405, { method: 'POST' });
    await checkAnswer(`${sent(path)}?${'x'.repeat(LIMITS.requestLineBytesMax)}`, 413);
  });

  test.each(NAMES.filter((path) => PATHS[path]?.tagged))(
    '%s answers 304 as described',
    async (path) => {
      const url = `${sent(path)}?${leastOf(path)}`;
      const etag = (await fetch(`${server.url}${url}`)).headers.get('etag') ?? '';
      await checkAnswer(url, 304, { headers: { 'If-None-Match': etag } });
    },
  );

  test('before the first book, and when it is not live, they are as described too', async () => {
    server.readiness = { everLive: false, state: 'starting', reason: null, slot: 0 };
    for (const path of NAMES) {
      const described = Object.hasOwn(operationOf(path).responses, '503');
      if (!path.endsWith('/ws')) await checkAnswer(sent(path), described ? 503 : 200);
    }
    server.readiness = { everLive: true, state: 'live', reason: null, slot: SLOT };
  });

  test('an order in auction is as described', () => {
    const body = JSON.parse(Buffer.from(engine.auctions({ market: 0 })).toString());
    expect(body.auctions).toHaveLength(1);
    expect(errorsOf('#/components/schemas/Auctions', body)).toEqual([]);
  });

  test('a body with a member that is not described would be seen', () => {
    const ref = '#/components/schemas/L2';
    const body = JSON.parse(Buffer.from(engine.l2({ market: 0, depth: 1 })).toString());
    expect(errorsOf(ref, body)).toEqual([]);
    expect(errorsOf(ref, { ...body, colour: 'red' })).toHaveLength(1);
    expect(errorsOf(ref, { ...body, slot: '7' })).toHaveLength(1);
  });
});

test('texts of our own formats carry a pattern that others can check', () => {
  const patternOf = (path: string, name: string): RegExp => {
    const { schema } = operationOf(path).parameters.find((one) => one.name === name) ?? {};
    const { pattern, items } = schema as { pattern?: string; items?: { pattern?: string } };
    return new RegExp(pattern ?? items?.pattern ?? 'there is none');
  };
  expect('dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH').toMatch(patternOf('/l3', 'maker'));
  expect('0'.repeat(32)).not.toMatch(patternOf('/l3', 'maker'));
  expect('').not.toMatch(patternOf('/trades', 'before'));
  expect('1000000000').toMatch(patternOf('/match', 'size'));
  expect('').not.toMatch(patternOf('/match', 'size'));
  expect('101000000:5000000000').toMatch(patternOf('/match', 'jit'));
});
