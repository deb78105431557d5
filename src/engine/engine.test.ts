import { describe, expect, test } from 'vitest';
import type { RawAccount } from '../contract/accounts.js';
import { Engine } from './engine.js';
import {
  ADDRESS,
  codeOf,
  engineWith,
  IDLE_USER,
  idOf,
  NOW_MS,
  ORACLE,
  PERP,
  parsed,
  SLOT,
  SPOT,
  USER,
} from './testing.js';

describe('engine: a captured account', () => {
  test('its orders are in the books of its markets', () => {
    const engine = engineWith(PERP, SPOT, ORACLE, USER);
    expect(engine.stats()).toMatchObject({ users: 1, orders: 3, shown: 3, quarantined: 0 });
    const { shown, shownByMarket } = engine.stats();
    expect(shownByMarket.length).toBe(engine.markets().length);
    expect(shownByMarket.reduce((sum, count) => sum + count)).toBe(shown);
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
  });

  test('a closed account is out of the book', () => {
    const engine = engineWith(SPOT, USER);
    engine.pushClosed(ADDRESS.user, SLOT + 1);
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
    expect(engine.version(spot)).toMatchObject({ seq: before + 1, slot: SLOT, state: 'live' });
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
        mint: null,
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

  test('names the token of a spot market', () => {
    const mint = 'So11111111111111111111111111111111111111112';
    expect(engineWith(SPOT).markets()).toMatchObject([{ symbol: 'SOL', decimals: 9, mint }]);
  });

  test('a turn takes more accounts than its memory is to hold, and says that it should end', () => {
    const engine = engineWith(SPOT);
    for (let index = 0; index < 6_000; index += 1) engine.push(USER);
    expect(engine.isFull).toBe(true);
    engine.push(IDLE_USER);
    const turn = engine.endTurn(NOW_MS);
    expect(turn).toMatchObject({ applied: 6_001, problemCount: 0, dirty: [0] });
    expect(engine.stats()).toMatchObject({ users: 2 });
    expect(engine.isFull).toBe(false);
    expect(engine.endTurn(NOW_MS)).toMatchObject({ applied: 0, dirty: [] });
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
