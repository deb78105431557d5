import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Direction, MarketType, OrderStatus, OrderType } from '../bytes/generated/enums.js';
import { mainnetMarkets } from '../bytes/mainnet-presets.js';
import { isUntriggered, type OrderFields } from '../bytes/user-account.js';
import {
  type AccountWrite,
  MarketSimulator,
  type MarketSimulatorOptions,
} from './market-simulator.js';
import { isOfMarket, priceNow } from './simulated-markets.js';

const STEPS_PER_SLOT = 20;

/** Runs a simulation as a demo does, a slot every 20 steps, and passes each batch of writes to `see`. */
function run(
  options: MarketSimulatorOptions,
  steps: number,
  see: (writes: AccountWrite[], life: MarketSimulator) => void,
): MarketSimulator {
  const life = new MarketSimulator(options);
  see(life.createGenesis({ slot: 31, unixSeconds: 1_800_000_000 }), life);
  for (let step = 0; step < steps; step += 1) {
    const slot = 31 + Math.floor(step / STEPS_PER_SLOT);
    const unixSeconds = 1_800_000_000 + Math.floor((slot - 31) * 0.4);
    see(life.nextWrites({ slot, unixSeconds }), life);
  }
  return life;
}

function digest(options: MarketSimulatorOptions, steps: number): string {
  const hash = createHash('sha256');
  run(options, steps, (writes) => {
    for (const { pubkey, data } of writes) hash.update(pubkey).update(data);
  });
  return hash.digest('hex');
}

test('the same seed gives the same bytes, another seed others', () => {
  const options = { seed: 7, makers: 50 };
  expect(digest(options, 500)).toBe(digest(options, 500));
  expect(digest(options, 500)).not.toBe(digest({ ...options, seed: 8 }, 500));
});

test('accounts keep 32 orders at most, and counters that agree with their orders', () => {
  let users = 0;
  const life = run({ seed: 3, makers: 30 }, 3_000, (writes) => {
    for (const { data } of writes.filter((write) => write.data.length === 4376)) {
      users += 1;
      const open = openPlaces(data);
      expect(data.readUInt8(4351)).toBe(open.length);
      expect(data.readUInt8(4352)).toBe(open.length > 0 ? 1 : 0);
      const auctions = open.filter((at) => data.readUInt8(at + 92) !== 0).length;
      expect(data.readUInt8(4353)).toBe(auctions);
      const ids = open.map((at) => data.readUInt32LE(at + 76));
      expect(new Set(ids).size).toBe(ids.length);
      expect(Math.max(0, ...ids)).toBeLessThan(data.readUInt32LE(4336));
      for (const at of open) {
        expect(data.readBigUInt64LE(at + 24)).toBeLessThan(data.readBigUInt64LE(at + 16));
      }
    }
  });
  expect(users).toBeGreaterThan(2_000);
  for (const maker of life.makers) expect(maker.orders.length).toBe(32);
});

describe('the book of 200 makers', () => {
  test('is deep, and crossed only now and then', () => {
    let looks = 0;
    let crossed = 0;
    const depths: number[] = [];
    run({ seed: 1 }, 4_000, (_writes, life) => {
      looks += 1;
      if (looks % 50 !== 0) return;
      for (const market of life.markets) {
        const { bids, asks } = ladders(life, market);
        depths.push(bids.length, asks.length);
        const [bid, ask] = [bids.at(-1), asks.at(0)];
        if (bid !== undefined && ask !== undefined && bid >= ask) crossed += 1;
      }
    });
    expect(Math.min(...depths)).toBeGreaterThan(20);
    expect((crossed * 2) / depths.length).toBeLessThan(0.1);
  });

  test('has orders of every kind in the course of time', () => {
    const kinds = new Set<string>();
    let looks = 0;
    run({ seed: 1 }, 4_000, (_writes, life) => {
      looks += 1;
      if (looks % 20 !== 0) return;
      for (const maker of life.makers) {
        for (const order of maker.orders) if (order !== undefined) note(kinds, order);
      }
    });
    expect([...kinds].sort()).toEqual([
      'auction',
      'canceled',
      'expiring',
      'filled',
      'floating',
      'partly filled',
      'post-only',
      'reduce-only',
      'signed message',
      'spot',
      'taking',
      'triggered',
      'untriggered',
    ]);
  });
});

test('a life begins with a trade in each of its markets, unless it has none', () => {
  const clock = { slot: 31, unixSeconds: 1_800_000_000 };
  for (const seed of Array.from({ length: 20 }, (_, i) => i + 1)) {
    const life = new MarketSimulator({ seed });
    life.createGenesis(clock);
    const calls = [...life.openMarkets(clock)].filter(({ call }) => call !== undefined);
    expect(calls.length).toBe(4);
    for (const { lastTradeTs } of life.markets) expect(lastTradeTs).toBe(1_800_000_000n);
  }
  const quiet = new MarketSimulator({ seed: 1, fillsPerSecond: 0 });
  quiet.createGenesis(clock);
  expect([...quiet.openMarkets(clock)]).toEqual([]);
});

test('auctions last as long as the life says', () => {
  const durations = new Set<number>();
  const auctionSlots = { limit: [8, 12], taking: [8, 12] } as const;
  run({ seed: 1, auctionSlots }, 4_000, (_writes, { makers }) => {
    for (const maker of makers.slice(0, 40)) {
      for (const order of maker.orders) durations.add(order?.auctionDuration ?? 0);
    }
  });
  expect([...durations].sort((a, b) => a - b)).toEqual([0, 8, 9, 10, 11, 12]);
});

describe("mainnet's 148 markets", () => {
  const presets = mainnetMarkets();

  test('have their names at their indexes', () => {
    const { perps, spots } = presets;
    expect([perps.length, spots.length]).toEqual([85, 63]);
    for (const list of [perps, spots]) {
      expect(list.map(({ marketIndex }) => marketIndex)).toEqual([...list.keys()]);
    }
    expect(perps[10]).toMatchObject({ name: '1MPEPE-PERP', step: 100_000_000n });
    expect(spots[3]).toMatchObject({ name: 'wBTC', decimals: 8 });
    expect(perps[2]?.feedId).toBe(2);
  });

  test('begin with quotes on both sides', () => {
    run({ presets, seed: 1, makers: 400 }, 0, (_writes, { markets, makers }) => {
      const sides = markets.map((market) => ladders({ makers }, market));
      expect(sides.filter(({ bids, asks }) => bids.length === 0 || asks.length === 0)).toEqual([]);
      expect(sides.length).toBe(147);
    });
  });

  test('are traded within the eight positions of an account', () => {
    const { makers } = run({ presets, seed: 1, makers: 16 }, 3_000, () => {});
    const held = makers.flatMap(({ perps, tokens }) => [perps.size, tokens.size]);
    expect(Math.max(...held)).toBe(8);
  });
});

test('status changes come only when they are asked for', () => {
  expect(statuses('none')).toEqual(new Set(['1/0']));
  expect(statuses('some')).toEqual(new Set(['1/0', '6/0', '1/4']));
});

test('a number of makers out of range is refused', () => {
  expect(() => new MarketSimulator({ seed: 1, makers: 0 })).toThrow('makers was 0, must be 1 to');
});

function openPlaces(data: Buffer): number[] {
  const places = Array.from({ length: 32 }, (_, i) => 1192 + i * 96);
  return places.filter((at) => data.readUInt8(at + 82) === 1);
}

/** Prices with a resting order, ascending. */
function ladders(
  life: Pick<MarketSimulator, 'makers'>,
  market: MarketSimulator['markets'][number],
): { bids: bigint[]; asks: bigint[] } {
  const bids = new Set<bigint>();
  const asks = new Set<bigint>();
  for (const maker of life.makers) {
    for (const order of maker.orders) {
      if (order?.status !== OrderStatus.Open || !isOfMarket(order, market)) continue;
      if (!order.postOnly || order.reduceOnly) continue;
      (order.direction === Direction.Long ? bids : asks).add(priceNow(order, market));
    }
  }
  return { bids: ascending(bids), asks: ascending(asks) };
}

function ascending(prices: Set<bigint>): bigint[] {
  return [...prices].sort((a, b) => Number(a - b));
}

function note(kinds: Set<string>, order: OrderFields): void {
  const isTrigger =
    order.orderType === OrderType.TriggerLimit || order.orderType === OrderType.TriggerMarket;
  const facts: Record<string, boolean> = {
    auction: order.orderType === OrderType.Limit && order.auctionDuration > 0,
    canceled: order.status === OrderStatus.Canceled,
    expiring: order.orderType === OrderType.Limit && order.maxTs !== 0n,
    filled: order.status === OrderStatus.Filled,
    floating: order.oraclePriceOffset !== 0,
    'partly filled': order.status === OrderStatus.Open && order.baseAssetAmountFilled > 0n,
    'post-only': order.postOnly,
    'reduce-only': order.reduceOnly,
    'signed message': order.bitFlags === 1,
    spot: order.marketType === MarketType.Spot,
    taking: order.orderType === OrderType.Market || order.orderType === OrderType.Oracle,
    triggered: isTrigger && !isUntriggered(order),
    untriggered: isUntriggered(order),
  };
  for (const [kind, isSo] of Object.entries(facts)) if (isSo) kinds.add(kind);
}

function statuses(statusChanges: 'none' | 'some'): Set<string> {
  const seen = new Set<string>();
  run({ seed: 1, makers: 10, statusChanges }, 6_000, (writes) => {
    for (const { data } of writes.filter((write) => write.data.length === 1216)) {
      seen.add(`${data.readUInt8(1162)}/${data.readUInt8(1165)}`);
    }
  });
  return seen;
}
