import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { lazerOracleBytes, perpMarketBytes, spotMarketBytes, stateBytes } from './accounts.js';
import { Direction, MarketType, OrderStatus, OrderType } from './generated/enums.js';
import { address } from './keys.js';
import { PERP_MARKET, SPOT_MARKET } from './layout.js';
import { PERP_PRESETS, SPOT_PRESETS } from './market-presets.js';
import { emptyOrder, type OrderFields, type UserFields, userBytes } from './user-account.js';

// Offsets in this file are literal numbers, independent of the layout table under test.

const SOL_PERP = '8UJgxaiQx5nTrdDgph5FiahMmzduuLTLf5WmsPegYA6W';
const USDC_SPOT = '6gMq3mRCKf8aP3ttTyYhuijVZ2LGi14oDsBbkgubfLB3';
const SOL_LAZER = '3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz';
const AUTHORITY = '11111111111111111111111111111112';

function keyAt(bytes: Buffer, offset: number): string {
  return new PublicKey(bytes.subarray(offset, offset + 32)).toBase58();
}

function textAt(bytes: Buffer, offset: number): string {
  return bytes.toString('latin1', offset, offset + 32);
}

function preset<T>(presets: readonly T[], index: number): T {
  const found = presets[index];
  if (found === undefined) throw new Error(`no preset ${index}`);
  return found;
}

function user(orders: (OrderFields | undefined)[], changes: Partial<UserFields> = {}): Buffer {
  return userBytes({
    authority: AUTHORITY,
    name: 'Main',
    subAccountId: 3,
    status: 1,
    idle: false,
    lastActiveSlot: 123_456n,
    nextOrderId: 77,
    orders,
    perpPositions: [
      { marketIndex: 0, baseAssetAmount: -5n, quoteAssetAmount: 6n },
      { marketIndex: 1, baseAssetAmount: 7n, quoteAssetAmount: -8n },
    ],
    spotPositions: [
      { marketIndex: 0, scaledBalance: 9n, balanceType: 0 },
      { marketIndex: 1, scaledBalance: 10n, balanceType: 1 },
    ],
    ...changes,
  });
}

test('tools change the bytes of a market by its offsets', () => {
  expect([PERP_MARKET.marketIndex, PERP_MARKET.status]).toEqual([1160, 1162]);
  expect([SPOT_MARKET.marketIndex, SPOT_MARKET.status]).toEqual([684, 688]);
});

test('addresses equal those of mainnet', () => {
  expect(address.state()).toBe('5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN');
  expect(address.signer()).toBe('JCNCMFXo5M5qwUPg2Utu1u6YWp3MbygxqBsBeXXJfrw');
  expect(address.perpMarket(0)).toBe(SOL_PERP);
  expect(address.perpMarket(1)).toBe('2UZMvVTBQR9yWxrEdzEQzXWE61bUjqQ5VpJAGqVb3B19');
  expect(address.perpMarket(2)).toBe('25Eax9W8SA3wpCQFhJEGyHhQ2NDHEshZEDzyMNtthR8D');
  expect(address.spotMarket(0)).toBe(USDC_SPOT);
  expect(address.spotMarket(1)).toBe('3x85u7SWkmmr7YQGYhtjARgxwegTLJgkSLRprfXod6rh');
  expect(address.spotMarketVault(0)).toBe('GXWqPpjQpdz7KZw9p7f5PX2eGxHAhvpNXiviFkAB8zXg');
  expect(address.insuranceFundVault(0)).toBe('2CqkQvYxp9Mq4PqLvAQ1eryYxebUh4Liyn5YMDtXsYci');
  expect(address.pythLazerOracle(6)).toBe(SOL_LAZER);
});

describe('User', () => {
  // Specification: order-placed.
  test('an order lands on its offsets', () => {
    const order: OrderFields = {
      ...emptyOrder(),
      slot: 0x1234n,
      price: 2n,
      baseAssetAmount: 3n,
      baseAssetAmountFilled: 1n,
      quoteAssetAmountFilled: 5n,
      triggerPrice: 6n,
      auctionStartPrice: -7n,
      auctionEndPrice: 8n,
      maxTs: 9n,
      oraclePriceOffset: -10,
      orderId: 11,
      marketIndex: 1,
      orderType: OrderType.TriggerLimit,
      userOrderId: 13,
      existingPositionDirection: Direction.Short,
      direction: Direction.Short,
      reduceOnly: true,
      postOnly: true,
      immediateOrCancel: true,
      triggerCondition: 3,
      auctionDuration: 14,
      bitFlags: 15,
    };
    const bytes = user([undefined, order]);
    const at = 1192 + 96;
    expect(bytes.length).toBe(4376);
    expect(bytes.toString('hex', 0, 8)).toBe('9f755fe3ef973aec');
    const u64s = [0, 8, 16, 24, 32, 40].map((offset) => bytes.readBigUInt64LE(at + offset));
    expect(u64s).toEqual([0x1234n, 2n, 3n, 1n, 5n, 6n]);
    const i64s = [48, 56, 64].map((offset) => bytes.readBigInt64LE(at + offset));
    expect(i64s).toEqual([-7n, 8n, 9n]);
    expect(bytes.readInt32LE(at + 72)).toBe(-10);
    expect(bytes.readUInt32LE(at + 76)).toBe(11);
    expect(bytes.readUInt16LE(at + 80)).toBe(1);
    expect([...bytes.subarray(at + 82, at + 96)]).toEqual([
      1, 3, 1, 13, 1, 1, 1, 1, 1, 3, 14, 0x34, 15, 0,
    ]);
    expect(bytes.subarray(1192, at).every((byte) => byte === 0)).toBe(true);
  });

  test('the account and its positions land on their offsets', () => {
    const bytes = user([]);
    expect(keyAt(bytes, 8)).toBe(AUTHORITY);
    expect(textAt(bytes, 72)).toBe('Main'.padEnd(32, ' '));
    expect(bytes.readBigUInt64LE(104)).toBe(9n);
    expect(bytes.readBigUInt64LE(144)).toBe(10n);
    expect(bytes.readUInt16LE(176)).toBe(1);
    expect(bytes.readUInt8(178)).toBe(1);
    expect(bytes.readBigInt64LE(432)).toBe(-5n);
    expect(bytes.readBigInt64LE(440)).toBe(6n);
    expect(bytes.readBigInt64LE(528)).toBe(7n);
    expect(bytes.readUInt16LE(612)).toBe(1);
    expect(bytes.readBigUInt64LE(4328)).toBe(123_456n);
    expect(bytes.readUInt32LE(4336)).toBe(77);
    expect(bytes.readUInt16LE(4346)).toBe(3);
    expect(bytes.readUInt8(4348)).toBe(1);
    expect([...bytes.subarray(4350, 4355)]).toEqual([0, 0, 0, 0, 0]);
    expect(user([], { idle: true }).readUInt8(4350)).toBe(1);
  });

  test('counters and sums count open orders only, and sums leave waiting triggers out', () => {
    const perp = { ...emptyOrder(), baseAssetAmount: 10n, baseAssetAmountFilled: 4n };
    const bytes = user([
      perp,
      { ...perp, direction: Direction.Short, auctionDuration: 5 },
      { ...perp, status: OrderStatus.Canceled },
      { ...perp, status: OrderStatus.Filled },
      { ...perp, orderType: OrderType.TriggerMarket },
      { ...perp, marketType: MarketType.Spot, marketIndex: 1 },
    ]);
    expect([...bytes.subarray(4351, 4355)]).toEqual([4, 1, 1, 1]);
    expect(bytes.readBigInt64LE(464)).toBe(6n);
    expect(bytes.readBigInt64LE(472)).toBe(-6n);
    expect(bytes.readUInt8(518)).toBe(3);
    expect(bytes.readUInt8(518 + 96)).toBe(0);
    expect(bytes.readBigInt64LE(112 + 40)).toBe(6n);
    expect(bytes.readUInt8(139 + 40)).toBe(1);
  });
});

test('a PerpMarket lands on its offsets', () => {
  const sol = preset(PERP_PRESETS, 0);
  const bytes = perpMarketBytes({
    preset: { ...sol, amm: { ...sol.amm, referencePriceOffset: -400 } },
    addresses: { pubkey: SOL_PERP, oracle: SOL_LAZER },
    time: { slot: 405_286_914n, unixSeconds: 1_773_072_629n },
    status: 6,
    pausedOperations: 4,
    oraclePrice: 85_016_400n,
    mmOracle: { price: 84_980_000n, slot: 405_286_944n, sequenceId: 1_773_072_641_300_000n },
    lastFillPrice: 84_897_500n,
    nextFillRecordId: 16_136_406n,
    volume24h: 21n,
    lastTradeTs: 22n,
    numberOfUsers: 23,
  });
  expect(bytes.length).toBe(1216);
  expect(bytes.toString('hex', 0, 8)).toBe('0adf0c2c6bf537f7');
  expect(keyAt(bytes, 8)).toBe(SOL_PERP);
  expect(keyAt(bytes, 40)).toBe(SOL_LAZER);
  expect(bytes.readBigInt64LE(72)).toBe(85_016_400n);
  expect(bytes.readBigUInt64LE(176)).toBe(41_162_518_495_048_903n);
  expect(bytes.readBigUInt64LE(272)).toBe(85_026_589n);
  expect(bytes.readBigInt64LE(320)).toBe(-425_175_120_000_000n);
  expect(bytes.readBigInt64LE(328)).toBe(-1n);
  expect(bytes.readBigUInt64LE(704)).toBe(41_105_916_137_816_872n);
  expect(bytes.readBigUInt64LE(768)).toBe(405_286_914n);
  expect(bytes.readBigInt64LE(792)).toBe(1_773_072_000n);
  expect([808, 816, 824].map((at) => bytes.readBigUInt64LE(at))).toEqual([
    10_000_000n,
    100n,
    10_000_000n,
  ]);
  expect(bytes.readBigUInt64LE(832)).toBe(405_286_944n);
  expect([896, 900, 904, 908].map((at) => bytes.readUInt32LE(at))).toEqual([
    200, 20_000, 906, 2_112,
  ]);
  expect([933, 934, 935, 964].map((at) => bytes.readInt8(at))).toEqual([20, 100, -1, -20]);
  expect(bytes.readBigUInt64LE(848)).toBe(443_691_853_551n);
  expect(bytes.readBigInt64LE(912)).toBe(84_980_000n);
  expect(bytes.readUInt8(926)).toBe(12);
  expect(bytes.readBigUInt64LE(936)).toBe(1_773_072_641_300_000n);
  expect(bytes.readInt32LE(960)).toBe(-400);
  expect(textAt(bytes, 1000)).toBe('SOL-PERP'.padEnd(32, ' '));
  expect(bytes.readBigUInt64LE(1096)).toBe(16_136_406n);
  expect(bytes.readUInt16LE(1160)).toBe(0);
  expect([1162, 1163, 1164, 1165].map((at) => bytes.readUInt8(at))).toEqual([6, 0, 1, 4]);
  expect(bytes.readBigUInt64LE(1184)).toBe(84_897_500n);
});

test('SpotMarkets land on their offsets, and USDC is the quote asset without an oracle', () => {
  const [usdc, sol] = [0, 1].map((index) =>
    spotMarketBytes({
      preset: preset(SPOT_PRESETS, index),
      addresses: {
        pubkey: address.spotMarket(index),
        oracle: index === 0 ? undefined : SOL_LAZER,
      },
      time: { slot: 1n, unixSeconds: 2n },
      oraclePrice: 85_016_400n,
      nextFillRecordId: 3n,
    }),
  );
  if (usdc === undefined || sol === undefined) throw new Error('two markets were asked for');
  expect(sol.length).toBe(776);
  expect(sol.toString('hex', 0, 8)).toBe('64b1086ba8414127');
  expect(keyAt(usdc, 8)).toBe(USDC_SPOT);
  expect(keyAt(usdc, 40)).toBe('11111111111111111111111111111111');
  expect(keyAt(sol, 40)).toBe(SOL_LAZER);
  expect(textAt(sol, 136)).toBe('SOL'.padEnd(32, ' '));
  expect(sol.readBigUInt64LE(464)).toBe(10_620_222_934n);
  expect(sol.readBigUInt64LE(480)).toBe(11_605_890_567n);
  expect([592, 600, 608].map((at) => sol.readBigUInt64LE(at))).toEqual([
    100_000n,
    100n,
    100_000_000n,
  ]);
  expect([usdc.readUInt32LE(680), sol.readUInt32LE(680)]).toEqual([6, 9]);
  expect(sol.readUInt16LE(684)).toBe(1);
  expect([...usdc.subarray(686, 690)]).toEqual([0, 2, 1, 0]);
  expect([...sol.subarray(686, 690)]).toEqual([1, 12, 1, 0]);
});

test('State holds the default guard rails and the fees', () => {
  const bytes = stateBytes({ perpMarkets: 3, spotMarkets: 2, users: 200 });
  expect(bytes.length).toBe(992);
  expect(bytes.toString('hex', 0, 8)).toBe('d8926b5e684bb6b1');
  expect(keyAt(bytes, 104)).toBe(address.signer());
  expect([168, 172, 176, 180].map((at) => bytes.readUInt32LE(at))).toEqual([
    100, 100_000, 20, 100_000,
  ]);
  expect([888, 896, 904, 912, 920, 928].map((at) => bytes.readBigUInt64LE(at))).toEqual([
    100_000n,
    500_000n,
    10n,
    120n,
    20_000n,
    5n,
  ]);
  expect([966, 968].map((at) => bytes.readUInt16LE(at))).toEqual([3, 2]);
  expect(bytes.readUInt8(971)).toBe(10);
  expect(bytes.readUInt8(974)).toBe(0);
});

test('a PythLazerOracle lands on its offsets', () => {
  const bytes = lazerOracleBytes({
    price: 14_379_820_250n,
    conf: 1_396_121n,
    exponent: -8,
    postedSlot: 348_900_662n,
    publishTimeUs: 1_750_772_064_499_000n,
  });
  expect(bytes.length).toBe(48);
  expect(bytes.toString('hex', 0, 8)).toBe('9f07a1f922517985');
  expect(bytes.readBigInt64LE(8)).toBe(14_379_820_250n);
  expect(bytes.readBigUInt64LE(16)).toBe(1_750_772_064_499_000n);
  expect(bytes.readBigUInt64LE(24)).toBe(348_900_662n);
  expect(bytes.readInt32LE(32)).toBe(-8);
  expect(bytes.readBigUInt64LE(40)).toBe(1_396_121n);
});
