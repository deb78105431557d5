import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { readFill } from '../../../test/support/logged-records.js';
import { instructionOf, type ProgramCall } from '../chain/program-call.js';
import {
  MarketSimulator,
  type MarketSimulatorOptions,
  type SimulatorStep,
} from './market-simulator.js';

const STEPS_PER_SLOT = 20;
const START_S = 1_800_000_000;
const TRANSACTION_BYTES_MAX = 1_232;
const SIGNATURE_BYTES = 65;
const USER_BYTES = 4_376;
const PERP_MARKET_BYTES = 1_216;
const FUNDING_RATE_RECORD = '4403ff1a855b93fe';

/** A transaction of a run, with the accounts after it. */
interface LivedCall {
  readonly call: ProgramCall;
  readonly writes: SimulatorStep['writes'];
  readonly second: number;
  readonly chain: ReadonlyMap<string, Buffer>;
}

/** Runs a simulation as a demo does, and tracks its accounts. */
function live(options: MarketSimulatorOptions, seconds: number): LivedCall[] {
  const life = new MarketSimulator(options);
  const chain = new Map<string, Buffer>();
  const calls: LivedCall[] = [];
  for (const { pubkey, data } of life.createGenesis({ slot: 31, unixSeconds: START_S })) {
    chain.set(pubkey, data);
  }
  for (let at = 0; at < (seconds * STEPS_PER_SLOT) / 0.4; at += 1) {
    const slots = Math.floor(at / STEPS_PER_SLOT);
    const second = Math.floor(slots * 0.4);
    const { call, writes } = life.nextStep({ slot: 31 + slots, unixSeconds: START_S + second });
    if (call === undefined) for (const { pubkey, data } of writes) chain.set(pubkey, data);
    else calls.push({ call, writes, second, chain: patched(chain, call) });
  }
  return calls;
}

/** Applies a transaction; returns the changed accounts. */
function patched(chain: Map<string, Buffer>, call: ProgramCall): Map<string, Buffer> {
  const changed = new Map<string, Buffer>();
  for (const { pubkey, offset, bytes } of call.patches) {
    const data = changed.get(pubkey) ?? Buffer.from(chain.get(pubkey) ?? Buffer.alloc(0));
    data.set(bytes, offset);
    changed.set(pubkey, data);
    chain.set(pubkey, data);
  }
  return changed;
}

/** Two minutes of a run that several tests use. */
const LIVED = live({ seed: 4, makers: 60, fundingSeconds: 20 }, 125);

function fillsOf(call: ProgramCall | undefined) {
  const records = (call?.events ?? []).map(({ bytes }) => bytes);
  return records
    .filter((bytes) => bytes.toString('hex', 0, 8) !== FUNDING_RATE_RECORD)
    .map((bytes) => fillIn(bytes));
}

/** A fill with its two sides. */
function fillIn(bytes: Buffer) {
  const fill = readFill(bytes, 0);
  const { fillRecordId: id, baseAssetAmountFilled: base, quoteAssetAmountFilled: quote } = fill;
  const sideOf = (side: 'taker' | 'maker') => ({
    user: fill[side],
    orderId: fill[`${side}OrderId`],
    isLong: fill[`${side}OrderDirection`] === 'long',
    base: fill[`${side}OrderBaseAssetAmount`],
    filled: fill[`${side}OrderCumulativeBaseAssetAmountFilled`],
    quote: fill[`${side}OrderCumulativeQuoteAssetAmountFilled`],
  });
  const market = `${fill.marketType === 'perp' ? 1 : 0}/${fill.marketIndex}`;
  const amounts = { market, id: id ?? 0n, base: base ?? 0n, quote: quote ?? 0n };
  return { ...fill, ...amounts, taker: sideOf('taker'), maker: sideOf('maker') };
}

/** The order with this id in a User account; it may have ended. */
function orderIn(data: Buffer | undefined, orderId: number | null) {
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

/** The position changes by the fills of one transaction in a perp market. */
function movesOf(fills: readonly ReturnType<typeof fillIn>[]) {
  const moves = new Map<string, { market: number; base: bigint; quote: bigint }>();
  for (const { market, base, quote, taker, maker, takerFee, makerFee } of fills) {
    const [type, index] = market.split('/').map(Number);
    for (const [side, fee] of [
      [taker, takerFee ?? 0n] as const,
      [maker, makerFee ?? 0n] as const,
    ]) {
      if (side.user === null || type === 0) continue;
      const sign = side.isLong ? 1n : -1n;
      const move = moves.get(side.user) ?? { market: index ?? 0, base: 0n, quote: 0n };
      move.base += sign * base;
      move.quote -= sign * quote + fee;
      moves.set(side.user, move);
    }
  }
  return moves;
}

function fundingsOf(call: ProgramCall | undefined): Buffer[] {
  return (call?.events ?? [])
    .map(({ bytes }) => bytes)
    .filter((bytes) => bytes.toString('hex', 0, 8) === FUNDING_RATE_RECORD);
}

test('a transaction makes of the chain what the whole accounts would, and fits', () => {
  const feePayer = Keypair.generate().publicKey;
  const recentBlockhash = new PublicKey(Buffer.alloc(32, 200)).toBase58();
  for (const { call, writes, chain } of LIVED) {
    const transaction = new Transaction({ feePayer, recentBlockhash }).add(instructionOf(call));
    const size = transaction.compileMessage().serialize().length + SIGNATURE_BYTES;
    expect(size).toBeLessThanOrEqual(TRANSACTION_BYTES_MAX);
    for (const { pubkey, data } of writes) {
      if (data.length === USER_BYTES) expect(chain.get(pubkey)?.equals(data)).toBe(true);
    }
    expect(new Set(chain.keys())).toEqual(new Set(writes.map(({ pubkey }) => pubkey)));
  }
  expect(LIVED.length).toBeGreaterThan(120);
});

test('fills say what happened between a taker and a maker, with ids in a row', () => {
  const ids = new Map<string, bigint>();
  const kinds = new Set<string>();
  for (const { call, second } of LIVED) {
    for (const fill of fillsOf(call)) {
      const { id, market, base, quote, taker, maker } = fill;
      const before = ids.get(market);
      if (before !== undefined) expect(id).toBe(before + 1n);
      ids.set(market, id);
      kinds.add(fill.actionExplanation);
      expect(fill.ts).toBe(START_S + second);
      expect(base).toBeGreaterThan(0n);
      expect(fill.takerFee).toBe((quote + 999n) / 1_000n);
      expect(fill.makerFee).toBe(maker.user === null ? null : -(quote / 5_000n));
      expect(maker.user).not.toBe(taker.user);
      expect(maker.isLong).toBe(!taker.isLong && maker.user !== null);
    }
  }
  expect([...ids.keys()].sort()).toEqual(['0/1', '1/0', '1/1', '1/2']);
  // None by the AMM alone, behind makers with better prices.
  const met = ['orderFilledWithAmmJit', 'orderFilledWithMatch', 'orderFilledWithMatchJit'];
  expect([...kinds].sort()).toEqual(met);
});

test('the orders of both sides are filled as the last record says, some in part', () => {
  let partial = 0;
  for (const { call, chain } of LIVED) {
    const last = fillsOf(call).at(-1);
    for (const side of [last?.taker, last?.maker]) {
      if (side === undefined || side.user === null) continue;
      const order = orderIn(chain.get(side.user), side.orderId);
      expect(order).toMatchObject({ base: side.base, filled: side.filled, quote: side.quote });
      expect(order?.isOpen).toBe((side.filled ?? 0n) < (side.base ?? 0n));
      if (order?.isOpen === true) partial += 1;
    }
  }
  expect(partial).toBeGreaterThan(30);
});

test('each record goes on from the last of its orders', () => {
  const known = new Map<string, { filled: bigint; quote: bigint }>();
  for (const { call } of LIVED) {
    for (const { base, quote, taker, maker } of fillsOf(call)) {
      for (const side of [taker, maker]) {
        if (side.user === null) continue;
        const name = `${side.user} ${side.orderId}`;
        const before = known.get(name) ?? { filled: 0n, quote: 0n };
        const after = { filled: before.filled + base, quote: before.quote + quote };
        expect(side).toMatchObject(after);
        known.set(name, after);
      }
    }
  }
});

test('positions move by what was filled, and quote by the fees as well', () => {
  const known = new Map<string, { base: bigint; quote: bigint }>();
  let compared = 0;
  for (const { call, chain } of LIVED) {
    const moves = movesOf(fillsOf(call));
    for (const [user, { market, base, quote }] of moves) {
      const data = chain.get(user);
      const at = 424 + market * 96;
      if (data === undefined) throw new Error('who fills is changed');
      const after = { base: data.readBigInt64LE(at + 8), quote: data.readBigInt64LE(at + 16) };
      const name = `${user} ${market}`;
      const before = known.get(name);
      known.set(name, after);
      if (before === undefined) continue;
      compared += 1;
      expect(after).toEqual({ base: before.base + base, quote: before.quote + quote });
    }
  }
  expect(compared).toBeGreaterThan(30);
});

test('positions of the beginning cost what they are worth', () => {
  const life = new MarketSimulator({ seed: 4, makers: 60 });
  const costs = life.createGenesis({ slot: 31, unixSeconds: START_S }).flatMap(({ data }) => {
    if (data.length !== 4_376) return [];
    const [base, quote] = [432, 440].map((at) => Number(data.readBigInt64LE(at)));
    return base === 0 || base === undefined ? [] : [(-1e3 * (quote ?? 0)) / base];
  });
  expect(costs.length).toBeGreaterThan(5);
  for (const cost of costs) expect(cost).toBeCloseTo(85, 0);
});

test('there is one transaction with fills a second, or as many as are wanted', () => {
  const most = (calls: readonly LivedCall[]): number => {
    const seconds = new Map<number, number>();
    for (const { call, second } of calls) {
      if (fillsOf(call).length > 0) seconds.set(second, (seconds.get(second) ?? 0) + 1);
    }
    return Math.max(0, ...seconds.values());
  };
  expect(most(LIVED)).toBe(1);
  expect(LIVED.filter(({ call }) => fillsOf(call).length > 0).length).toBeGreaterThan(100);
  expect(most(live({ seed: 7, makers: 60, fillsPerSecond: 0 }, 10))).toBe(0);
  expect(most(live({ seed: 7, makers: 60, fillsPerSecond: 5 }, 10))).toBe(5);
});

test('while transactions are unwanted none is made, and the life goes on', () => {
  const life = new MarketSimulator({ seed: 7, makers: 60, fundingSeconds: 1 });
  life.createGenesis({ slot: 31, unixSeconds: START_S });
  for (let at = 0; at < 200; at += 1) {
    const second = Math.floor(at / 50);
    const clock = { slot: 31 + at, unixSeconds: START_S + second };
    const { call, writes } = life.nextStep(clock, 'unwanted');
    expect(call).toBeUndefined();
    expect(writes.length).toBeGreaterThan(0);
  }
  expect(life.nextStep({ slot: 231, unixSeconds: START_S + 4 }).call).toBeDefined();
});

test('the account of a market counts what was filled in it, and all positions', () => {
  for (const { call, chain } of LIVED) {
    for (const fill of fillsOf(call)) {
      const data = [...chain.values()].find((account) => account.length === PERP_MARKET_BYTES);
      if (data === undefined) continue;
      const last = fillsOf(call).at(-1)?.id ?? 0n;
      expect(`1/${data.readUInt16LE(1160)}`).toBe(fill.market);
      expect(data.readBigUInt64LE(1096)).toBe(last + 1n);
      const [long, short, withAmm] = [304, 320, 336].map((at) => data.readBigInt64LE(at));
      expect((long ?? 0n) + (short ?? 0n)).toBe(withAmm);
    }
  }
});

test('fills of a JIT auction come in pairs, the AMM first', () => {
  let pairs = 0;
  for (const { call } of LIVED) {
    const [first, second] = fillsOf(call);
    if (first?.actionExplanation !== 'orderFilledWithAmmJit') continue;
    pairs += 1;
    expect(second?.actionExplanation).toBe('orderFilledWithMatchJit');
    expect(second?.id).toBe((first.id ?? 0n) + 1n);
    expect(second?.taker.filled).toBe((first.taker.filled ?? 0n) + (second?.base ?? 0n));
  }
  expect(pairs).toBeGreaterThan(3);
});

test('each perp market has a funding rate each period, and its account says so', () => {
  const cumulative = new Map<number, bigint[]>();
  for (const { call, chain } of LIVED) {
    for (const record of fundingsOf(call)) {
      const market = record.readUInt16LE(24);
      const [data] = chain.values();
      expect(data?.readUInt16LE(1160)).toBe(market);
      expect(data?.readBigInt64LE(480)).toBe(record.readBigInt64LE(26));
      expect(data?.readBigInt64LE(608)).toBe(record.readBigInt64LE(66));
      expect(data?.readBigInt64LE(792)).toBe(record.readBigInt64LE(8));
      expect(data?.readBigUInt64LE(1104)).toBe(record.readBigUInt64LE(16) + 1n);
      const known = cumulative.get(market) ?? [];
      // The first one begins at 0: positions owe no funding of a time before them.
      expect(record.readBigInt64LE(66)).toBe((known.at(-1) ?? 0n) + record.readBigInt64LE(26));
      cumulative.set(market, [...known, record.readBigInt64LE(66)]);
    }
  }
  expect([...cumulative.keys()].sort()).toEqual([0, 1, 2]);
  for (const rates of cumulative.values()) expect(rates.length).toBe(6);
});
