import { expect, test } from 'vitest';
import { PROGRAM_IDS, PROGRAM_NAMES, type ProgramName } from '../src/contract/program.js';
import { writeOf } from './simulation/market-life.js';
import type { ModelChain } from './simulation/model-chain.js';
import { localBookOf } from './support/local-books.js';
import { testWorld } from './support/test-world.js';

/** Where a user of Velocity has its orders, and an order its fields: written here by hand, so that a wrong table is seen. */
const ORDERS = { at: 1_064, count: 32, bytes: 104 } as const;

const PERPS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', 'HYPE-PERP', 'ZEC-PERP'];
const OF_ALL = { program: 'velocity', marketType: 'perp', quoteAsset: 'USDT' };

/** A resting order of a fixed price, as /l3 shows it. */
interface Row {
  readonly maker: string;
  readonly orderId: number;
  readonly price: string;
  readonly size: string;
}

/** The open post-only orders of a fixed price in a market. */
function plainOrders(maker: string, user: Buffer, marketIndex: number): Row[] {
  const places = Array.from(
    { length: ORDERS.count },
    (_, index) => ORDERS.at + index * ORDERS.bytes,
  );
  return places.flatMap((at) => {
    const order = user.subarray(at, at + ORDERS.bytes);
    const [status, type, isPostOnly, isReduceOnly] = [86, 87, 93, 92].map((place) => order[place]);
    const isPlain = status === 1 && type === 1 && isPostOnly === 1 && isReduceOnly === 0;
    const isFixed = order.readBigInt64LE(72) === 0n && order.readBigInt64LE(64) === 0n;
    if (!isPlain || !isFixed || order.readUInt16LE(84) !== marketIndex) return [];
    const size = order.readBigUInt64LE(16) - order.readBigUInt64LE(24);
    const price = order.readBigUInt64LE(8);
    return [{ maker, orderId: order.readUInt32LE(80), price: `${price}`, size: `${size}` }];
  });
}

test('a chain of Velocity is served with its orders', async () => {
  const scene = await testWorld({ program: 'velocity' });
  await scene.run(20_000);
  const markets = Object.values(await scene.service.json('/markets'));
  expect(markets).toEqual(PERPS.map((symbol) => expect.objectContaining({ symbol, ...OF_ALL })));
  for (const path of ['/version', '/status']) {
    expect(await scene.service.json(path)).toMatchObject({ program: 'velocity' });
  }
  const { bids, asks } = (await scene.service.json('/l3?marketName=SOL-PERP')) as Record<
    string,
    Row[]
  >;
  const shown = [...(bids ?? []), ...(asks ?? [])];
  const owned = [...scene.chain.accounts.values()].filter(
    ({ write }) => write?.owner === PROGRAM_IDS.velocity,
  );
  const plain = owned.flatMap(({ pubkey, write }) =>
    write?.data.length === 4_496 ? plainOrders(pubkey, write.data, 0) : [],
  );
  expect(plain.length).toBeGreaterThan(10);
  expect(shown).toEqual(expect.arrayContaining(plain.map((row) => expect.objectContaining(row))));
  const { service } = scene;
  for (const path of ['/l2?marketName=USDT', '/l3?marketIndex=0&marketType=spot']) {
    const answer = await fetch(`${service.url}${path}`);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({})]);
  }
});

/** Where a perp market has its index and its status, and how `ReduceOnly` is numbered, by hand. */
const MARKETS = {
  drift: { bytes: 1_216, index: 1_160, status: 1_162, reduceOnly: 6 },
  velocity: { bytes: 1_560, index: 640, status: 642, reduceOnly: 2 },
} as const;

/** Makes ETH-PERP reduce-only, where Drift v2 fills orders that are so, and Velocity all that reduce. */
function reduceMarket(chain: ModelChain, program: ProgramName): void {
  const { bytes, index, status, reduceOnly } = MARKETS[program];
  for (const { pubkey, write } of chain.accounts.values()) {
    if (write?.data.length !== bytes || write.data.readUInt16LE(index) !== 2) continue;
    const data = Buffer.from(write.data);
    data.writeUInt8(reduceOnly, status);
    chain.setAccount(pubkey, writeOf({ pubkey, owner: write.owner, data }));
    return;
  }
  throw new Error('there is a market ETH-PERP');
}

test.each(PROGRAM_NAMES)('the local book of the library is that of %s', async (program) => {
  const scene = await testWorld({ program });
  await scene.run(60_000);
  // Auctions end, and oracles are not yet stale.
  scene.chain.stopLife();
  reduceMarket(scene.chain, program);
  await scene.run(20_000);
  const rowsOf = (rows: readonly object[]) =>
    rows.map((row) => {
      const { price, size, maker, orderId } = row as Record<string, unknown>;
      return `${maker} ${orderId}: ${size} at ${price}`;
    });
  const { moment } = await scene.service.read();
  const accounts = Array.from(scene.chain.accounts.values(), ({ pubkey, write }) => {
    return { pubkey, data: write?.data ?? Buffer.alloc(0) };
  });
  const book = localBookOf(accounts, moment);
  const markets = book.markets();
  expect(markets.length).toBeGreaterThan(3);
  for (const { id, name } of markets) {
    const served = (await scene.service.json(`/l3?marketName=${name}`)) as Record<string, object[]>;
    const { bids, asks } = book.getL3(id);
    expect([rowsOf(bids), rowsOf(asks)]).toEqual([
      rowsOf(served['bids'] ?? []),
      rowsOf(served['asks'] ?? []),
    ]);
    expect([name, bids.length > 0]).toEqual([name, served['bids']?.length !== 0]);
  }
  expect(book.problems.size).toBe(0);
});
