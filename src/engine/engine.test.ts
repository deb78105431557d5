import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Engine } from './engine.js';
import { EngineError } from './errors.js';
import type { RawAccount } from './types.js';

const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH';
const SLOT = 350_000_000;
const NOW_S = 1_750_000_000;
const NOW_MS = NOW_S * 1000;

const ADDRESS = {
  user: '9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p',
  perp: '8UJgxaiQx5nTrdDgph5FiahMmzduuLTLf5WmsPegYA6W',
  spot: '3x85u7SWkmmr7YQGYhtjARgxwegTLJgkSLRprfXod6rh',
  oracle: '3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz',
  idleUser: '7P34csMzr4yJzUmQH95gVXb8dHharUyRVcnxqQFZjKex',
};

function captured(file: string): string {
  return readFileSync(new URL(`../../test/accounts/${file}`, import.meta.url), 'latin1').trim();
}

function account(pubkey: string, file: string): RawAccount {
  const encoding = file.endsWith('.zst.b64') ? 'base64+zstd' : 'base64';
  return { pubkey, owner: PROGRAM, slot: SLOT, data: captured(file), encoding };
}

const USER = account(ADDRESS.user, 'user-9Jtc-devnet.b64');
const IDLE_USER = account(ADDRESS.idleUser, 'zstd-user-1.zst.b64');
const PERP = account(ADDRESS.perp, 'perp-0-sol-202603.b64');
const SPOT = account(ADDRESS.spot, 'spot-1-sol-202506.b64');
const ORACLE = account(ADDRESS.oracle, 'oracle-lazer-sol.b64');

/** An engine that has seen these accounts, at the end of its first turn. */
function engineWith(...accounts: readonly RawAccount[]): Engine {
  const engine = new Engine({ programId: PROGRAM, epoch: 'e1' });
  engine.setClock(SLOT, NOW_S);
  engine.setState('live');
  for (const one of accounts) engine.push(one);
  engine.endTurn(NOW_MS);
  return engine;
}

function idOf(engine: Engine, name: string): number {
  const market = engine.findMarket(name);
  if (market === undefined) throw new Error(`no market ${name}`);
  return market.id;
}

function parsed(body: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
  return undefined;
}

describe('engine: a captured account', () => {
  test('its orders are in the books of its markets', () => {
    const engine = engineWith(PERP, SPOT, ORACLE, USER);
    expect(engine.stats()).toMatchObject({ users: 1, orders: 3, shown: 3, quarantined: 0 });
    const spot = parsed(engine.l2({ market: idOf(engine, 'sol'), depth: 10 }));
    expect(spot['bids']).toEqual([
      { price: '40000000', size: '200000000', sources: { dlob: '200000000' } },
    ]);
    expect(spot['asks']).toEqual([]);
    const perp = parsed(engine.l3({ market: idOf(engine, 'SOL-PERP') }));
    expect(perp['asks']).toEqual([
      {
        price: '900000000',
        size: '100000000',
        queue: '0',
        oraclePriceOffset: '0',
        maker: ADDRESS.user,
        orderId: 6,
        slot: 263807649,
        maxTs: 0,
        reduceOnly: false,
        postOnly: true,
        signedMsg: false,
      },
    ]);
    expect(engine.checkIntegrity()).toBeNull();
  });

  test('compressed data gives the same book as plain data', () => {
    const engine = engineWith(PERP, SPOT, USER, IDLE_USER);
    expect(engine.stats()).toMatchObject({ users: 2, shown: 3 });
    expect(engine.stateHash()).toBe(engineWith(USER, SPOT, PERP).stateHash());
  });

  test('the queue at one price counts what is ahead, also for one maker only', () => {
    const engine = engineWith(SPOT, USER);
    const market = idOf(engine, 'SOL');
    for (const maker of [undefined, ADDRESS.user]) {
      const bids = parsed(engine.l3({ market, maker }))['bids'] as Record<string, unknown>[];
      expect(bids.map(({ orderId, queue }) => [orderId, queue])).toEqual([
        [3, '0'],
        [5, '100000000'],
      ]);
    }
    expect(parsed(engine.l3({ market, maker: ADDRESS.idleUser }))['bids']).toEqual([]);
    expect((parsed(engine.l3({ market, depth: 1 }))['bids'] as unknown[]).length).toBe(1);
  });

  test('a closed account is out of the book', () => {
    const engine = engineWith(SPOT, USER);
    engine.close(ADDRESS.user, SLOT + 1);
    const turn = engine.endTurn(NOW_MS + 1);
    expect(turn).toMatchObject({ closed: 1, applied: 1, dirty: [0] });
    expect(engine.stats()).toMatchObject({ users: 0, shown: 0 });
  });
});

describe('engine: a turn', () => {
  test('tells which markets changed, and the sequence grows there only', () => {
    const engine = engineWith(PERP, SPOT);
    const [perp, spot] = [idOf(engine, 'SOL-PERP'), idOf(engine, 'SOL')];
    const before = engine.version(spot).seq;
    expect(engine.endTurn(NOW_MS + 1)).toMatchObject({ dirty: [], applied: 0, problems: [] });
    engine.push(USER);
    const turn = engine.endTurn(NOW_MS + 2);
    expect([...turn.dirty].sort()).toEqual([perp, spot].sort());
    expect(turn).toMatchObject({ applied: 1, changed: 1, problemCount: 0, marketsChanged: false });
    expect(engine.version(spot)).toEqual({ seq: before + 1, slot: SLOT, state: 'live' });
    engine.push(USER);
    expect(engine.endTurn(NOW_MS + 3)).toMatchObject({ dirty: [], unchanged: 1, changed: 0 });
  });

  test('says when the markets are others', () => {
    const engine = engineWith();
    expect(engine.markets()).toEqual([]);
    engine.push(PERP);
    expect(engine.endTurn(NOW_MS).marketsChanged).toBe(true);
    expect(engine.markets()).toMatchObject([
      {
        id: 0,
        symbol: 'SOL-PERP',
        account: ADDRESS.perp,
        marketType: 'perp',
        marketIndex: 0,
        status: 'active',
        tickSize: 100n,
        decimals: 9,
        oracle: ADDRESS.oracle,
        oracleSource: 'pythLazer',
        emptyReason: null,
      },
    ]);
    expect(engine.markets()).toBe(engine.markets());
    expect(engine.oracleKeys()).toEqual([ADDRESS.oracle]);
    engine.push(PERP);
    expect(engine.endTurn(NOW_MS).marketsChanged).toBe(false);
  });

  test('a batch larger than the buffer is applied early, and nothing is lost', () => {
    const engine = engineWith(SPOT);
    for (let index = 0; index < 6_000; index += 1) engine.push(USER);
    engine.push(IDLE_USER);
    expect(engine.endTurn(NOW_MS)).toMatchObject({ applied: 6_001, problemCount: 0 });
    expect(engine.stats()).toMatchObject({ users: 2 });
  });
});

describe('engine: bad accounts', () => {
  const cases: readonly (readonly [string, RawAccount, string])[] = [
    [
      'cut-off bytes',
      { ...USER, data: Buffer.from(USER.data, 'base64').subarray(0, 4_375).toString('base64') },
      'MALFORMED_ACCOUNT',
    ],
    ['text that is not base64', { ...USER, data: '?' }, 'INVALID_BASE64'],
    ['text of other alphabets', { ...USER, data: 'привет' }, 'INVALID_BASE64'],
    ['data that is not zstd', { ...USER, encoding: 'base64+zstd' }, 'INVALID_ZSTD'],
    ['a key that is not base58', { ...USER, pubkey: '0OIl' }, 'INVALID_KEY'],
    ['an owner that is not base58', { ...USER, owner: '' }, 'INVALID_KEY'],
    ['a key that is too long', { ...USER, pubkey: 'a'.repeat(300) }, 'INVALID_RECORD'],
    ['a slot that is no number', { ...USER, slot: Number.NaN }, 'INVALID_RECORD'],
    ['a slot below 0', { ...USER, slot: -1 }, 'INVALID_RECORD'],
    [
      'data larger than an account',
      { ...USER, data: 'A'.repeat(15 << 20) },
      'RECORD_BYTES_EXCEEDED',
    ],
  ];

  test.each(cases)('%s is a problem, and the rest of the batch goes on', (_name, bad, code) => {
    const engine = engineWith(SPOT);
    engine.push(bad);
    engine.push(USER);
    const turn = engine.endTurn(NOW_MS);
    expect(turn.problems.map((problem) => problem.code)).toEqual([code]);
    expect(turn.problemCount).toBe(1);
    expect(engine.stats()).toMatchObject({ users: 1, shown: 2 });
    expect(engine.endTurn(NOW_MS).problemCount).toBe(0);
    expect(engine.checkIntegrity()).toBeNull();
  });

  test('an account of another program is not the exchange’s', () => {
    const engine = engineWith(SPOT);
    engine.push({ ...USER, owner: '11111111111111111111111111111111' });
    expect(engine.endTurn(NOW_MS)).toMatchObject({ changed: 0, problemCount: 0 });
    expect(engine.stats()).toMatchObject({ users: 0, shown: 0 });
  });

  test('all problems of a turn are counted, the first 64 are told', () => {
    const engine = engineWith();
    for (let index = 0; index < 100; index += 1) engine.push({ ...USER, data: '?' });
    const turn = engine.endTurn(NOW_MS);
    expect([turn.problemCount, turn.problems.length]).toEqual([100, 64]);
    expect(turn.problems[0]).toMatchObject({ pubkey: ADDRESS.user, code: 'INVALID_BASE64' });
  });

  test('a program id that is no key is refused', () => {
    const code = codeOf(() => new Engine({ programId: 'x', epoch: 'e' }));
    expect(code).toBe('INVALID_PROGRAM_ID');
  });
});

describe('engine: bodies', () => {
  const L2_KEYS = [
    ...['bids', 'asks', 'marketName', 'marketType', 'marketIndex', 'ts', 'slot', 'markPrice'],
    ...['oracle', 'oracleData', 'mmOracleData', 'marketSlot', 'seq', 'epoch', 'state', 'crossed'],
  ];

  test('/l2 has the members of the interface in their order', () => {
    const engine = engineWith(PERP, ORACLE, USER);
    const body = parsed(engine.l2({ market: 0, depth: 10 }));
    const reason = Object.keys(body).at(-1) === 'offsetOrdersExcluded' ? 1 : 0;
    expect(Object.keys(body).slice(0, L2_KEYS.length)).toEqual(L2_KEYS);
    expect(Object.keys(body).length).toBe(L2_KEYS.length + reason);
    expect(body).toMatchObject({
      marketName: 'SOL-PERP',
      marketType: 'perp',
      marketIndex: 0,
      ts: NOW_MS,
      slot: SLOT,
      seq: engine.version(0).seq,
      epoch: 'e1',
      state: 'live',
      crossed: false,
      marketSlot: SLOT,
    });
    expect(body['markPrice']).toBe(String(body['oracle']));
    expect(body['oracleData']).toMatchObject({ hasSufficientNumberOfDataPoints: true });
  });

  test('/l3 has the same head without prices', () => {
    const engine = engineWith(PERP, ORACLE, USER);
    const keys = Object.keys(parsed(engine.l3({ market: 0 })));
    expect(keys.slice(0, L2_KEYS.length - 1)).toEqual(L2_KEYS.filter((key) => key !== 'markPrice'));
  });

  test('without an oracle account the body says why offset orders are out', () => {
    const body = parsed(engineWith(PERP, USER).l2({ market: 0, depth: 10 }));
    expect(body).toMatchObject({ oracleData: {}, mmOracleData: {} });
    expect(typeof body['offsetOrdersExcluded']).toBe('string');
    expect(typeof body['oracle']).toBe('number');
  });

  test('grouping is in ticks', () => {
    const engine = engineWith(SPOT, USER);
    const bids = parsed(engine.l2({ market: 0, depth: 10, grouping: 300_000 }))['bids'];
    expect(bids).toMatchObject([{ price: '30000000', size: '200000000' }]);
  });

  test('a body is the same bytes until its version changes', () => {
    const engine = engineWith(SPOT, USER);
    const first = Buffer.from(engine.l2({ market: 0, depth: 10 }));
    expect(Buffer.compare(first, engine.l2({ market: 0, depth: 10 }))).toBe(0);
    expect(engine.stats()).toMatchObject({ bodies: 1, bodyUses: 2, bodyHits: 1 });
    engine.setClock(SLOT + 1, NOW_S);
    engine.endTurn(NOW_MS + 400);
    expect(parsed(engine.l2({ market: 0, depth: 10 }))).toMatchObject({ slot: SLOT + 1 });
  });

  test('an unknown market and a bad maker have their codes', () => {
    const engine = engineWith(SPOT);
    for (const market of [1, 65_536, 70_000]) {
      expect(codeOf(() => engine.l2({ market, depth: 10 }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.l3({ market, maker: '0' }))).toBe('MARKET_NOT_FOUND');
      expect(codeOf(() => engine.version(market))).toBe('MARKET_NOT_FOUND');
    }
    expect(codeOf(() => engine.l3({ market: 0, maker: '0' }))).toBe('INVALID_MAKER');
    expect(engine.findMarket('no such')).toBeUndefined();
  });
});

describe('engine: snapshots', () => {
  const entry = (one: RawAccount): object => ({
    pubkey: one.pubkey,
    account: { lamports: 1, data: [one.data, one.encoding], owner: one.owner, rentEpoch: 2 ** 64 },
  });

  function answer(slot: number, value: readonly unknown[]): Uint8Array {
    return Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot }, value } }),
    );
  }

  test('the accounts of an answer are applied in parts', async () => {
    const engine = engineWith(SPOT);
    const snapshot = await engine.decodeSnapshot(answer(SLOT, [entry(USER), entry(IDLE_USER)]));
    expect(snapshot).toMatchObject({ slot: SLOT, count: 2, problemCount: 0, problems: [] });
    engine.beginSnapshot(snapshot);
    expect(engine.applySnapshot(snapshot, 0, 1)).toBe(1);
    expect(engine.applySnapshot(snapshot, 1, 100)).toBe(1);
    expect(engine.applySnapshot(snapshot, 2, 100)).toBe(0);
    expect(engine.endSnapshot()).toEqual({ seen: 2, added: 2, changed: 0, removed: 0 });
    expect(engine.applySnapshot(snapshot, 0, 100)).toBe(0);
    engine.endTurn(NOW_MS);
    expect(engine.stateHash()).toBe(engineWith(SPOT, USER, IDLE_USER).stateHash());
  });

  test('an account that is not in the snapshot is taken out', async () => {
    const engine = engineWith(SPOT, USER, IDLE_USER);
    const snapshot = await engine.decodeSnapshot(answer(SLOT + 1, [entry(USER)]));
    engine.beginSnapshot(snapshot);
    engine.applySnapshot(snapshot, 0, snapshot.count);
    expect(engine.endSnapshot()).toMatchObject({ seen: 1, added: 0, removed: 1 });
    expect(engine.stats()).toMatchObject({ users: 1 });
  });

  test('accounts asked for by key are read, and a missing one is closed', async () => {
    const engine = engineWith(SPOT, USER);
    const { account: spot } = entry(SPOT) as { account: object };
    const body = answer(SLOT + 1, [spot, null]);
    const snapshot = await engine.decodeSnapshot(body, [ADDRESS.spot, ADDRESS.user]);
    engine.applySnapshot(snapshot, 0, snapshot.count);
    expect(engine.endTurn(NOW_MS)).toMatchObject({ applied: 2, closed: 1 });
    expect(engine.stats()).toMatchObject({ users: 0 });
  });

  test('an account that cannot be decoded is a problem of the snapshot', async () => {
    const bad = entry({ ...USER, data: '?' });
    const engine = engineWith();
    const snapshot = await engine.decodeSnapshot(answer(SLOT, [bad, entry(IDLE_USER)]));
    expect(snapshot).toMatchObject({ count: 1, problemCount: 1 });
    expect(snapshot.problems).toMatchObject([{ pubkey: ADDRESS.user, code: 'INVALID_BASE64' }]);
  });

  test.each([
    ['no JSON', 'x', 'MALFORMED_SNAPSHOT'],
    ['no context', '{"result":[]}', 'MALFORMED_SNAPSHOT'],
    ['an error', '{"error":{"code":-32005,"message":"Node is behind"}}', 'RPC_ERROR'],
  ])('an answer with %s is refused with a code', async (_name, body, code) => {
    const refused = engineWith().decodeSnapshot(Buffer.from(body));
    await expect(refused).rejects.toMatchObject({ name: 'EngineError', code });
  });

  test('an answer with another count than keys is refused', async () => {
    const refused = engineWith().decodeSnapshot(answer(SLOT, []), [ADDRESS.user]);
    await expect(refused).rejects.toMatchObject({ code: 'SNAPSHOT_KEYS_MISMATCH' });
  });
});
