/** What spot takers get with an external venue: its levels, the on-chain book, and the real core. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ExternalVenues, externalVenues } from '../src/app/external-venues.js';
import type { AggregatorConfig } from '../src/config/config.js';
import { Engine } from '../src/engine/engine.js';
import { silentLog } from '../src/rpc/log.js';
import { systemTimers } from '../src/rpc/timers.js';
import { lazerOracleBytes, spotMarketBytes } from '../src/sim/bytes/accounts.js';
import { Direction, MarketType } from '../src/sim/bytes/generated/enums.js';
import { address, PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { SPOT_PRESETS } from '../src/sim/bytes/market-presets.js';
import { emptyOrder, type OrderFields, userBytes } from '../src/sim/bytes/user-account.js';
import { ScriptedAggregator } from './support/scripted-aggregator.js';
import { until } from './support/until.js';

const [SLOT, NOW_S] = [350_000_000, 1_750_000_000];
const ORACLE_PRICE = 100_000_000n;
const SOL = 1_000_000_000n;
const LAZER_PROGRAM = 'pytd2yyk641x7ak7mkaasSJVXh6YYZnC7wTmtgAyxPt';

const runtime = { log: silentLog, timers: systemTimers };

let engine: Engine;
let server: ScriptedAggregator;
let venues: ExternalVenues;

beforeEach(async () => {
  const [usdc, sol] = SPOT_PRESETS;
  if (usdc === undefined || sol === undefined) throw new Error('no presets');
  engine = new Engine({ programId: PROGRAM_ID, epoch: 'e1' });
  engine.setClock(SLOT, NOW_S);
  engine.setState('live');
  for (const preset of [usdc, sol]) pushMarket(preset);
  // 100 for one around the middle; deep enough that a step of the ladder moves it by some cents.
  const base = { mint: sol.mint, reserve: 10_000n * SOL };
  server = await ScriptedAggregator.start(base, { mint: usdc.mint, reserve: 10n ** 12n });
});

afterEach(async () => {
  venues?.stop();
  await server.stop();
});

function push(pubkey: string, owner: string, data: Buffer): void {
  engine.push({ pubkey, owner, slot: SLOT, data: data.toString('base64'), encoding: 'base64' });
}

function pushMarket(preset: (typeof SPOT_PRESETS)[number]): void {
  const { marketIndex, feedId } = preset;
  const pubkey = address.spotMarket(marketIndex);
  const oracle = feedId === undefined ? undefined : address.pythLazerOracle(feedId);
  const time = { slot: BigInt(SLOT), unixSeconds: BigInt(NOW_S) };
  const addresses = { pubkey, oracle };
  const fields = { preset, addresses, time, oraclePrice: ORACLE_PRICE, nextFillRecordId: 1n };
  push(pubkey, PROGRAM_ID, spotMarketBytes(fields));
  if (oracle === undefined) return;
  const price = { price: ORACLE_PRICE, conf: 1_000n, exponent: -6, postedSlot: BigInt(SLOT) };
  const published = { ...price, publishTimeUs: BigInt(NOW_S) * 1_000_000n };
  push(oracle, LAZER_PROGRAM, lazerOracleBytes(published));
}

interface Resting {
  readonly direction: Direction;
  readonly price: bigint;
  readonly size: bigint;
}

const ask = (price: bigint, size: bigint): Resting => ({ direction: Direction.Short, price, size });
const bid = (price: bigint, size: bigint): Resting => ({ direction: Direction.Long, price, size });

/** Puts these orders, and no others, into the SOL book. */
function rest(...orders: readonly Resting[]): void {
  const fields = orders.map(
    ({ direction, price, size }, index): OrderFields => ({
      ...emptyOrder(),
      ...{ direction, price, baseAssetAmount: size, orderId: index + 1 },
      ...{ marketType: MarketType.Spot, marketIndex: 1, slot: BigInt(SLOT - 100), postOnly: true },
    }),
  );
  const user = userBytes({
    ...{ authority: '11111111111111111111111111111112', name: 'Main', subAccountId: 0, status: 0 },
    ...{ idle: false, lastActiveSlot: BigInt(SLOT), nextOrderId: 77, orders: fields },
    ...{ perpPositions: [], spotPositions: [] },
  });
  const key = address.user({ authority: '11111111111111111111111111111112', subAccountId: 0 });
  push(key, PROGRAM_ID, user);
  engine.endTurn(NOW_S * 1_000);
}

const marketOf = (): number => engine.findMarket('SOL')?.id ?? -1;

const AGGREGATOR: Omit<AggregatorConfig, 'url'> = {
  ...{ markets: [], sizes: [100, 1_000, 10_000], intervalMs: 100, timeoutMs: 1_000 },
  ...{ maxAgeMs: 5_000, requestsPerSecond: 10_000 },
};

function start(change: Partial<AggregatorConfig> = {}, markets: readonly string[] = []): void {
  const aggregator = { url: server.url, ...AGGREGATOR, ...change };
  venues = externalVenues({ aggregator, markets }, engine, runtime);
  venues.start();
}

const isUsed = (): boolean => venues.stats()[0]?.markets[0]?.used ?? false;

interface Walk {
  readonly fills: readonly { source: string; price: string; size: string; maker: unknown }[];
  readonly filledBase: string;
  readonly unfilled: string;
}

function taken(side: 'buy' | 'sell', size: bigint): Walk {
  const request = { market: marketOf(), side, size, orderType: 'market' } as const;
  return JSON.parse(Buffer.from(engine.match(request)).toString()) as Walk;
}

const sources = ({ fills }: Walk): readonly string[] => fills.map(({ source }) => source);

describe('a spot taker', () => {
  test('buys the levels that are better than the book before it, and the others behind it', async () => {
    rest(ask(99_000_000n, SOL), ask(100_300_000n, SOL), ask(150_000_000n, 2n * SOL));
    start();
    await until('the levels are used', isUsed);
    const walk = taken('buy', 60n * SOL);
    expect(sources(walk)).toEqual(['dlob', 'external', 'external', 'dlob', 'external']);
    const prices = walk.fills.map(({ price }) => Number(price));
    expect(prices).toEqual([...prices].sort((left, right) => left - right));
    expect(walk.fills[1]?.maker).toBe(null);
    expect(walk.filledBase).toBe((60n * SOL).toString());
    // Behind the ladder's end only the book is left.
    expect(sources(taken('buy', 1_000n * SOL)).at(-1)).toBe('dlob');
  });

  test('sells to the levels that are better than the book before it, and to the others behind', async () => {
    rest(bid(101_000_000n, SOL), bid(99_700_000n, SOL), bid(50_000_000n, 2n * SOL));
    start();
    await until('the levels are used', isUsed);
    const walk = taken('sell', 60n * SOL);
    expect(sources(walk)).toEqual(['dlob', 'external', 'external', 'dlob', 'external']);
    const prices = walk.fills.map(({ price }) => -Number(price));
    expect(prices).toEqual([...prices].sort((left, right) => left - right));
  });

  test('has the book alone when there is no venue, and when it has failed', async () => {
    rest(ask(150_000_000n, 2n * SOL));
    expect(sources(taken('buy', SOL))).toEqual(['dlob']);
    venues = externalVenues({ markets: [] }, engine, runtime);
    venues.start();
    expect(venues.stats()).toEqual([]);
    expect(sources(taken('buy', SOL))).toEqual(['dlob']);
    start();
    await until('the levels are used', isUsed);
    expect(sources(taken('buy', SOL / 2n))).toEqual(['external']);
    server.answer = () => ({ status: 500 });
    await until('the venue is left out', () => !isUsed());
    expect(sources(taken('buy', SOL / 2n))).toEqual(['dlob']);
    server.answer = () => 'good';
    await until('the levels are used again', isUsed);
    expect(sources(taken('buy', SOL / 2n))).toEqual(['external']);
  });
});

test.each([
  ['that clients are not served', {}, ['SOL-PERP']],
  ['that the venue is not to be asked for', { markets: ['JTO'] }, []],
])('a market %s is not asked for', async (_, change, markets) => {
  rest(ask(150_000_000n, 2n * SOL));
  start(change, markets);
  expect(venues.stats()).toMatchObject([{ markets: [], events: { requests: 0 } }]);
});

test('the quote asset is asked about by its own mint, in its own decimals, and is no market itself', async () => {
  rest(ask(150_000_000n, 2n * SOL));
  start({ markets: ['sol', 'USDC'], sizes: [250] });
  await until('the levels are used', isUsed);
  expect(venues.stats()[0]?.markets.map(({ symbol }) => symbol)).toEqual(['SOL']);
  const [usdc, sol] = SPOT_PRESETS;
  const { query } = server.seen[0] ?? { query: new URLSearchParams() };
  expect(query.get('inputMint')).toBe(usdc?.mint);
  expect(query.get('outputMint')).toBe(sol?.mint);
  expect(query.get('amount')).toBe('250000000');
});
