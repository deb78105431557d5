/** Accounts that the client reads: against another decoder, and from bytes that are none. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ORDER,
  PERP_POSITION,
  SPOT_POSITION,
  USER,
  userAt,
} from '../../src/client/accounts/generated/user.js';
import {
  accountKindOf,
  decodePerpMarket,
  decodeSignedMsgUserOrders,
  decodeSpotMarket,
  decodeState,
  decodeUser,
  decodeUserStats,
  visitOrders,
  visitPerpPositions,
  visitSpotPositions,
} from '../../src/client/accounts/index.js';
import { ClientError } from '../../src/client/index.js';
import { Random } from '../../src/sim/random.js';
import { compareAccount, readers } from '../golden-ts/account-decode.js';
import { Cases } from '../golden-ts/family.js';
import { capturedAccount } from '../support/captured-accounts.js';

interface SyntheticAccount {
  readonly type: string;
  readonly mode: string;
  readonly data: string;
  readonly expected: object;
}

const vectors = new URL('../golden/vectors/', import.meta.url);
const synthetic: readonly SyntheticAccount[] = readFileSync(
  new URL('synthetic/accounts.jsonl', vectors),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const decoders: Readonly<Record<string, (bytes: Uint8Array) => object>> = {
  User: decodeUser,
  UserStats: decodeUserStats,
  PerpMarket: decodePerpMarket,
  SpotMarket: decodeSpotMarket,
  State: decodeState,
  SignedMsgUserOrders: decodeSignedMsgUserOrders,
};

const user = capturedAccount('user-swift-failure-hlm');

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Where the integers of 64 bits of orders and positions stand in an account. */
const amountPlaces = [
  ...Array.from({ length: 8 }, (_, slot) => USER.spotPositions + slot * SPOT_POSITION.bytes).map(
    (at) => ({ at, end: at + SPOT_POSITION.marketIndex }),
  ),
  ...Array.from({ length: 8 }, (_, slot) => USER.perpPositions + slot * PERP_POSITION.bytes).map(
    (at) => ({ at, end: at + PERP_POSITION.maxMarginRatio }),
  ),
  ...Array.from({ length: 32 }, (_, slot) => USER.orders + slot * ORDER.bytes).map((at) => ({
    at,
    end: at + ORDER.oraclePriceOffset,
  })),
];

/** What a reader says of every field of its struct. */
function fieldsOf(reader: object, struct: object): object {
  const names = Object.keys(struct).filter((name) => name !== 'bytes');
  return Object.fromEntries(names.map((name) => [name, Reflect.get(reader, name)]));
}

function asNumbers(struct: object): object {
  return Object.fromEntries(
    Object.entries(struct).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ]),
  );
}

/** What a decoder makes of bytes: what it has read, or the code of its error; nothing else. */
function outcome(work: () => object): object | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof ClientError) return error.code;
    throw error;
  }
}

describe('accounts of the client', () => {
  test('generated accounts of every kind are read field by field', () => {
    const known = synthetic.filter(({ type }) => type in readers);
    const cases = new Cases();
    for (const { type, mode, data, expected: recorded } of known) {
      const bytes = Buffer.from(data, 'base64');
      compareAccount(`${type} ${mode}`, { type, bytes, recorded }, cases);
      expect(accountKindOf(bytes)).toBe(type);
    }
    expect(cases.report()).toEqual({ passed: known.length, failed: 0, notes: [] });
    expect(known.length).toBeGreaterThanOrEqual(20);
  });

  test('a user account shows what is used of what its bytes hold', () => {
    for (const { data } of synthetic.filter(({ type }) => type === 'User')) {
      const bytes = Buffer.from(data, 'base64');
      const whole = userAt(viewOf(bytes), 0);
      const account = decodeUser(bytes);
      expect(account.orders).toEqual(whole.orders.filter(({ status }) => status === 'open'));
      const spots = whole.spotPositions.filter((p) => p.scaledBalance > 0n || p.openOrders > 0);
      expect(account.spotPositions).toEqual(spots);
      const { authority, name, subAccountId, status, marginMode, maxMarginRatio } = whole;
      expect(account).toMatchObject({ authority, name, subAccountId, status, marginMode });
      expect(account.maxMarginRatio).toBe(maxMarginRatio);
      expect(account.totalDeposits).toBe(whole.totalDeposits);
      expect(account.totalWithdraws).toBe(whole.totalWithdraws);
      expect(account.settledPerpPnl).toBe(whole.settledPerpPnl);
      expect(account.cumulativePerpFunding).toBe(whole.cumulativePerpFunding);
      expect(account.lastActiveSlot).toBe(whole.lastActiveSlot);
      expect(account.nextOrderId).toBe(whole.nextOrderId);
    }
  });

  test('orders and positions are visited one by one as they are made, integers of 64 bits as numbers', () => {
    const random = new Random(20_261_127);
    let visits = 0;
    for (const { data } of synthetic.filter(({ type }) => type === 'User')) {
      const bytes = Buffer.from(data, 'base64');
      // Amounts of any size: what stands for a name or a truth value is left as it is.
      for (const { at, end } of amountPlaces) {
        for (let place = at; place < end; place += 1) bytes[place] = random.nextBelow(256);
      }
      const account = decodeUser(bytes);
      const visited = { orders: [], perps: [], spots: [] } as Record<string, object[]>;
      visitOrders(account, (order) => visited['orders']?.push(fieldsOf(order, ORDER)));
      visitPerpPositions(account, (one) => visited['perps']?.push(fieldsOf(one, PERP_POSITION)));
      visitSpotPositions(account, (one) => visited['spots']?.push(fieldsOf(one, SPOT_POSITION)));
      expect(visited).toEqual({
        orders: account.orders.map(asNumbers),
        perps: account.perpPositions.map(asNumbers),
        spots: account.spotPositions.map(asNumbers),
      });
      visits += account.orders.length + account.perpPositions.length + account.spotPositions.length;
    }
    expect(visits).toBeGreaterThan(50);
  });

  test('a captured account has its name, its positions and no delegate', () => {
    const account = decodeUser(user);
    expect(account.name).toBe('Main Account');
    expect(account.delegate).toBeNull();
    expect(account.marginMode).toBe('highLeverage');
    expect(account.perpPositions.every((p) => p.baseAssetAmount !== 0n || p.openOrders > 0)).toBe(
      true,
    );
    expect(account.perpPositions).toBe(account.perpPositions);
  });

  test.each(Object.entries(decoders))('%s is refused at any other length or kind', (_, decode) => {
    expect(outcome(() => decode(new Uint8Array()))).toBe('MALFORMED_ACCOUNT');
    expect(outcome(() => decode(new Uint8Array(7)))).toBe('MALFORMED_ACCOUNT');
    expect(outcome(() => decode(new Uint8Array(10_000)))).toBe('MALFORMED_ACCOUNT');
    for (const { type, data } of synthetic) {
      const bytes = Buffer.from(data, 'base64');
      if (decoders[type] === decode) {
        expect(outcome(() => decode(bytes.subarray(0, bytes.length - 1)))).toBe(
          'MALFORMED_ACCOUNT',
        );
        const longer = Buffer.concat([bytes, Buffer.alloc(1)]);
        expect(outcome(() => decode(longer))).toBe('MALFORMED_ACCOUNT');
      } else {
        expect(outcome(() => decode(bytes))).toBe('MALFORMED_ACCOUNT');
      }
    }
  });

  test.each([
    ['an order', USER.orders + 31 * ORDER.bytes + ORDER.orderType],
    ['an order that is not open', USER.orders + ORDER.triggerCondition],
    ['a truth value of an order', USER.orders + ORDER.postOnly],
    ['a spot position', USER.spotPositions + 34],
    ['the margin mode', USER.marginMode],
    ['a truth value', USER.hasOpenAuction],
  ])('a byte of %s that stands for nothing is refused before anything is read', (_, at) => {
    const bytes = Uint8Array.from(user);
    bytes[at] = 200;
    expect(outcome(() => decodeUser(bytes))).toBe('MALFORMED_ACCOUNT');
  });

  test('bytes changed at random are an account or MALFORMED_ACCOUNT, as a whole', () => {
    const changes = fc.array(fc.tuple(fc.nat(USER.bytes - 1), fc.nat(255)), { maxLength: 40 });
    fc.assert(
      fc.property(changes, (places) => {
        const bytes = Uint8Array.from(user);
        for (const [at, value] of places) bytes[at] = value;
        const whole = outcome(() => userAt(viewOf(bytes), 0));
        const account = outcome(() => decodeUser(bytes));
        const isKind = accountKindOf(bytes) === 'User';
        const isRefused = typeof account === 'string';
        expect(isRefused).toBe(!isKind || typeof whole === 'string');
      }),
      { numRuns: 300 },
    );
  });

  test('a list longer than its account is refused', () => {
    const head = Buffer.alloc(48);
    head.writeBigUInt64BE(0x4606_32f8_de01_8f31n, 0);
    expect(decodeSignedMsgUserOrders(head).signedMsgOrderData).toEqual([]);
    for (const count of [1, 2, 2 ** 31, 2 ** 32 - 1]) {
      head.writeUInt32LE(count, 44);
      expect(outcome(() => decodeSignedMsgUserOrders(head))).toBe('MALFORMED_ACCOUNT');
    }
  });

  test('signed messages that became orders are read', () => {
    const bytes = Buffer.alloc(48 + 48);
    bytes.writeBigUInt64BE(0x4606_32f8_de01_8f31n, 0);
    bytes.writeUInt32LE(2, 44);
    bytes.write('abcdefgh', 48 + 24);
    bytes.writeBigUInt64LE(312_000_000n, 48 + 24 + 8);
    bytes.writeUInt32LE(77, 48 + 24 + 16);
    const [first, second] = decodeSignedMsgUserOrders(bytes).signedMsgOrderData;
    expect(first).toMatchObject({ maxSlot: 0n, orderId: 0 });
    expect(second).toMatchObject({ maxSlot: 312_000_000n, orderId: 77 });
    expect(new TextDecoder().decode(second?.uuid)).toBe('abcdefgh');
  });
});
