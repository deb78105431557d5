import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { type LifeStep, MarketLife, type MarketLifeOptions } from './market-life.js';
import { instructionOf, type ProgramCall } from './program-call.js';

const STEPS_PER_SLOT = 20;
const START_S = 1_800_000_000;
const TRANSACTION_BYTES_MAX = 1_232;
const SIGNATURE_BYTES = 65;
const USER_BYTES = 4_376;
const FUNDING_RATE_RECORD = '4403ff1a855b93fe';

/** Runs a life as a demo does, keeps the accounts as a chain would, and shows every step. */
function run(
  options: MarketLifeOptions,
  seconds: number,
  see: (step: LifeStep, chain: ReadonlyMap<string, Buffer>, second: number) => void,
): MarketLife {
  const life = new MarketLife(options);
  const chain = new Map<string, Buffer>();
  for (const { pubkey, data } of life.genesis({ slot: 31, unixSeconds: START_S })) {
    chain.set(pubkey, data);
  }
  for (let at = 0; at < (seconds * STEPS_PER_SLOT) / 0.4; at += 1) {
    const slots = Math.floor(at / STEPS_PER_SLOT);
    const second = Math.floor(slots * 0.4);
    const step = life.step({ slot: 31 + slots, unixSeconds: START_S + second });
    if (step.call === undefined)
      for (const { pubkey, data } of step.writes) chain.set(pubkey, data);
    for (const { pubkey, offset, bytes } of step.call?.patches ?? []) {
      const data = Buffer.from(chain.get(pubkey) ?? Buffer.alloc(0));
      data.set(bytes, offset);
      chain.set(pubkey, data);
    }
    see(step, chain, second);
  }
  return life;
}

/** Reads a record of a fill from its end of the program's source, one field after the other. */
function readFill(bytes: Buffer) {
  let at = 21;
  const plain = (size: number): Buffer => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  const option = (size: number): Buffer | undefined =>
    plain(1).readUInt8() === 0 ? undefined : plain(size);
  const u64 = (): bigint | undefined => option(8)?.readBigUInt64LE();
  const key = (): string | undefined => {
    const found = option(32);
    return found && new PublicKey(found).toBase58();
  };
  const side = () => ({
    user: key(),
    orderId: option(4)?.readUInt32LE(),
    isLong: option(1)?.readUInt8() === 0,
    base: u64(),
    filled: u64(),
    quote: u64(),
  });
  return {
    ts: Number(bytes.readBigInt64LE(8)),
    explanation: bytes.readUInt8(17),
    market: `${bytes.readUInt8(20)}/${bytes.readUInt16LE(18)}`,
    filler: key(),
    fillerReward: u64(),
    id: u64(),
    base: u64(),
    quote: u64(),
    takerFee: u64(),
    makerFee: option(8)?.readBigInt64LE(),
    referrerReward: option(4),
    surplus: option(8)?.readBigInt64LE(),
    spotFee: u64(),
    taker: side(),
    maker: side(),
    oraclePrice: plain(8).readBigInt64LE(),
  };
}

function fillsOf(call: ProgramCall | undefined) {
  const records = (call?.events ?? []).map(({ bytes }) => bytes);
  return records
    .filter((bytes) => bytes.toString('hex', 0, 8) !== FUNDING_RATE_RECORD)
    .map((bytes) => readFill(bytes));
}

function fundingsOf(call: ProgramCall | undefined): Buffer[] {
  return (call?.events ?? [])
    .map(({ bytes }) => bytes)
    .filter((bytes) => bytes.toString('hex', 0, 8) === FUNDING_RATE_RECORD);
}

/** The order with this id in a User account; it may have ended. */
function orderIn(data: Buffer | undefined, orderId: number | undefined) {
  for (let at = 1192; data !== undefined && at < 1192 + 32 * 96; at += 96) {
    if (data.readUInt32LE(at + 76) !== orderId) continue;
    const status = data.readUInt8(at + 82);
    return {
      base: data.readBigUInt64LE(at + 16),
      filled: data.readBigUInt64LE(at + 24),
      quote: data.readBigUInt64LE(at + 32),
      isOpen: status === 1,
    };
  }
  return undefined;
}

test('a transaction makes of the chain what the whole accounts would, and fits', () => {
  const feePayer = Keypair.generate().publicKey;
  const recentBlockhash = new PublicKey(Buffer.alloc(32, 200)).toBase58();
  let calls = 0;
  run({ seed: 9, makers: 40, fundingSeconds: 20 }, 120, ({ call, writes }, chain) => {
    if (call === undefined) return;
    calls += 1;
    const transaction = new Transaction({ feePayer, recentBlockhash }).add(instructionOf(call));
    const size = transaction.compileMessage().serialize().length + SIGNATURE_BYTES;
    expect(size).toBeLessThanOrEqual(TRANSACTION_BYTES_MAX);
    for (const { pubkey, data } of writes) {
      if (data.length === USER_BYTES) expect(chain.get(pubkey)?.equals(data)).toBe(true);
    }
    expect(new Set(call.patches.map(({ pubkey }) => pubkey))).toEqual(
      new Set(writes.map(({ pubkey }) => pubkey)),
    );
  });
  expect(calls).toBeGreaterThan(100);
});

test('fills move both orders as they say, with ids in a row, at most one transaction a second', () => {
  const ids = new Map<string, bigint>();
  const seconds = new Map<number, number>();
  const kinds = new Set<number>();
  let partial = 0;
  run({ seed: 4, makers: 60 }, 150, ({ call }, chain, second) => {
    const fills = fillsOf(call);
    if (fills.length > 0) seconds.set(second, (seconds.get(second) ?? 0) + 1);
    for (const fill of fills) {
      const { id = 0n, market, base = 0n, quote = 0n, taker, maker } = fill;
      const before = ids.get(market);
      if (before !== undefined) expect(id).toBe(before + 1n);
      ids.set(market, id);
      kinds.add(fill.explanation);
      expect(fill.ts).toBe(START_S + second);
      expect(base).toBeGreaterThan(0n);
      expect(fill.takerFee).toBe((quote + 999n) / 1_000n);
      expect(fill.makerFee).toBe(maker.user === undefined ? undefined : -(quote / 5_000n));
      expect(maker.user).not.toBe(taker.user);
      expect(maker.isLong).toBe(!taker.isLong && maker.user !== undefined);
    }
    const last = fills.at(-1);
    for (const side of [last?.taker, last?.maker]) {
      if (side?.user === undefined) continue;
      const order = orderIn(chain.get(side.user), side.orderId);
      expect(order).toMatchObject({ base: side.base, filled: side.filled, quote: side.quote });
      expect(order?.isOpen).toBe((side.filled ?? 0n) < (side.base ?? 0n));
      if (order?.isOpen === true) partial += 1;
    }
  });
  expect([...ids.keys()].sort()).toEqual(['0/1', '1/0', '1/1', '1/2']);
  expect([...kinds].sort()).toEqual([6, 7, 8, 9]);
  expect(Math.max(...seconds.values())).toBe(1);
  expect(seconds.size).toBeGreaterThan(120);
  expect(partial).toBeGreaterThan(30);
});

test('the account of a market counts what was filled in it', () => {
  const ids = new Map<string, bigint>();
  run({ seed: 5, makers: 60 }, 120, ({ call }, chain) => {
    for (const fill of fillsOf(call)) ids.set(fill.market, fill.id ?? 0n);
    for (const data of chain.values()) {
      if (data.length !== 1_216) continue;
      const last = ids.get(`1/${data.readUInt16LE(1160)}`);
      if (last !== undefined) expect(data.readBigUInt64LE(1096)).toBe(last + 1n);
      const [long, short, withAmm] = [304, 320, 336].map((at) => data.readBigInt64LE(at));
      expect((long ?? 0n) + (short ?? 0n)).toBe(withAmm);
    }
  });
  expect(ids.size).toBe(4);
});

test('fills of a JIT auction come in pairs at one price, the AMM first', () => {
  let pairs = 0;
  run({ seed: 6, makers: 60 }, 120, ({ call }) => {
    const fills = fillsOf(call);
    const [first, second] = fills;
    if (first?.explanation !== 7) return;
    pairs += 1;
    expect(second?.explanation).toBe(9);
    expect(second?.id).toBe((first.id ?? 0n) + 1n);
    expect(second?.taker.filled).toBe((first.taker.filled ?? 0n) + (second?.base ?? 0n));
  });
  expect(pairs).toBeGreaterThan(3);
});

test('no fills are made when none are wanted, and more when more are', () => {
  const count = (fillsPerSecond: number): number => {
    let fills = 0;
    run({ seed: 7, makers: 60, fillsPerSecond }, 30, ({ call }) => {
      if (fillsOf(call).length > 0) fills += 1;
    });
    return fills;
  };
  expect(count(0)).toBe(0);
  expect(count(1)).toBeGreaterThan(20);
  expect(count(5)).toBeGreaterThan(80);
});

test('each perp market has a funding rate each period, and its account says so', () => {
  const rates = new Map<number, bigint[]>();
  run({ seed: 8, makers: 30, fundingSeconds: 20 }, 121, ({ call, writes }, chain) => {
    for (const record of fundingsOf(call)) {
      const market = record.readUInt16LE(24);
      const data = chain.get(writes[0]?.pubkey ?? '');
      expect(data?.readUInt16LE(1160)).toBe(market);
      expect(data?.readBigInt64LE(480)).toBe(record.readBigInt64LE(26));
      expect(data?.readBigInt64LE(608)).toBe(record.readBigInt64LE(66));
      expect(data?.readBigInt64LE(792)).toBe(record.readBigInt64LE(8));
      expect(data?.readBigUInt64LE(1104)).toBe(record.readBigUInt64LE(16) + 1n);
      rates.set(market, [...(rates.get(market) ?? []), record.readBigInt64LE(66)]);
      const rate = record.readBigInt64LE(26);
      const before = rates.get(market)?.at(-2);
      if (before !== undefined) expect(record.readBigInt64LE(66)).toBe(before + rate);
    }
  });
  expect([...rates.keys()].sort()).toEqual([0, 1, 2]);
  for (const cumulative of rates.values()) expect(cumulative.length).toBe(6);
});
