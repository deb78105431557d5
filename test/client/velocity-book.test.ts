/** The library's books and auctions of captured accounts of Velocity, which are shorter than new ones. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Auctions, LocalBook, type UserAuctions } from '../../src/client/chain/index.js';
import type { SocketClass } from '../../src/client/environment.js';
import { PROGRAM_IDS } from '../../src/contract/program.js';
import { Engine } from '../../src/engine/engine.js';
import { Direction } from '../../src/sim/bytes/generated/enums.js';
import { addresses, keyOf } from '../../src/sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../../src/sim/bytes/user-account.js';
import { ScriptedRpc } from '../scripted-rpc.js';
import { until } from '../support/until.js';

/** The slot and second of the captures, and a price near that of the captured oracle. */
const [SLOT, NOW, PRICE] = [438_024_290n, 1_786_205_400n, 76_000_000n];
/** Slots of 200 ms, as the state says it by hand: `slotDurationMs`. */
const SLOT_MS = { at: 1_506, value: 200 };
/** An auction of ten times 400 ms has so many of them. */
const AUCTION_SLOTS = 20n;
/** Where a user counts its orders in the first perp position, and its first order has its flags, by hand. */
const [COUNTED_AT, FLAGS_AT, ON_CLOB] = [424 + 78, 1_064 + 98, 64];

const captured = (name: string) =>
  readFileSync(new URL(`../golden/velocity/velocity_${name}.bin`, import.meta.url));

/** The captured accounts with slots of 200 ms, by their addresses. */
function capturedAccounts(): [string, Buffer][] {
  const state = captured('state');
  state.writeUInt16LE(SLOT_MS.value, SLOT_MS.at);
  const market = captured('perp_market_0');
  expect([market.length, captured('spot_market_0').length]).toEqual([1_304, 808]);
  return [
    [addresses.velocity.state(), state],
    [addresses.velocity.perpMarket(0), market],
    [addresses.velocity.spotMarket(0), captured('spot_market_0')],
    [keyOf(market.subarray(312, 344)), captured('oracle_perp')],
  ];
}

function userOf(orders: readonly Partial<OrderFields>[]): [string, Buffer] {
  const authority = keyOf(new Uint8Array(32).fill(7));
  const order = { ...emptyOrder(), slot: SLOT, price: PRICE, baseAssetAmount: 1_000_000_000n };
  const data = userBytes(
    {
      ...{ authority, name: 'Maker', subAccountId: 0, status: 0, idle: false, lastActiveSlot: 0n },
      nextOrderId: 100,
      orders: orders.map((more, index) => ({ ...order, orderId: index + 1, ...more })),
      perpPositions: [{ marketIndex: 0, baseAssetAmount: 0n, quoteAssetAmount: 0n }],
      spotPositions: [],
    },
    'velocity',
  );
  return [addresses.velocity.user({ authority, subAccountId: 0 }), data];
}

/** The ids of the bids at a slot, and why there are none: of the library and of the core, which share no code. */
function bidsOf(accounts: readonly [string, Buffer][], slot: bigint) {
  const book = new LocalBook();
  const engine = new Engine({ programId: PROGRAM_IDS.velocity, epoch: 'e1' });
  engine.setState('live');
  // An oracle is taken once a market has named it.
  for (const [pubkey, data] of [...accounts, ...accounts]) {
    book.setAccount(pubkey, data);
    const owner = PROGRAM_IDS.velocity;
    engine.push({ pubkey, owner, slot: 1, data: data.toString('base64'), encoding: 'base64' });
  }
  book.rebuild({ slot, now: NOW });
  engine.setClock(Number(slot), Number(NOW));
  expect(engine.endTurn(0).problems).toEqual([]);
  expect(book.problems.size).toBe(0);
  const [market] = book.markets();
  if (market === undefined) throw new Error('the captured market is there');
  const served = JSON.parse(Buffer.from(engine.l3({ market: 0 })).toString());
  return {
    library: [market.emptyReason, book.getL3(market.id).bids.map(({ orderId }) => orderId)],
    core: [served.reason ?? null, served.bids.map(({ orderId }: { orderId: number }) => orderId)],
  };
}

test.each([
  [AUCTION_SLOTS, [2]],
  [AUCTION_SLOTS + 1n, [1, 2]],
])('an auction of 4 s has %i slots of 200 ms', (slots, ids) => {
  const inAuction = { auctionDuration: 10, auctionStartPrice: 1n, auctionEndPrice: PRICE };
  const user = userOf([inAuction, { direction: Direction.Long }]);
  const { library, core } = bidsOf([...capturedAccounts(), user], SLOT + slots);
  expect(library).toEqual([null, ids]);
  expect(core).toEqual(library);
});

test.each<[string, (user: Buffer) => void]>([
  ['the shadow of an order on a CLOB', (user) => user.writeUInt8(ON_CLOB, FLAGS_AT)],
  ['a count above its orders', (user) => user.writeUInt8(3, COUNTED_AT)],
])('a market with %s is an empty book', (_, change) => {
  const [pubkey, data] = userOf([{}, {}]);
  expect(bidsOf([...capturedAccounts(), [pubkey, data]], SLOT).library).toEqual([null, [1, 2]]);
  change(data);
  const { library, core } = bidsOf([...capturedAccounts(), [pubkey, data]], SLOT);
  expect(library).toEqual(['ordersOnClob', []]);
  expect(core).toEqual(library);
});

/** A node with the state and a user with an auction, and a reader of it. */
async function openAuctions() {
  const server = await ScriptedRpc.start();
  const user = userOf([{ auctionDuration: 10, auctionStartPrice: 1n, auctionEndPrice: PRICE }]);
  const rows = [...capturedAccounts().slice(0, 1), user].map(([pubkey, data]) => {
    return { pubkey, account: { data: [data.toString('base64'), 'base64'] } };
  });
  server.answer('getProgramAccounts', () => ({ result: rows }));
  const auctions = new Auctions({
    ...{ rpcUrl: server.rpcUrl, wsUrl: server.wsUrl, program: 'velocity' },
    WebSocket: WebSocket as unknown as SocketClass,
  });
  onTestFinished(async () => {
    auctions.close();
    await server.stop();
  });
  return { server, auctions };
}

test('auctions of Velocity end by the lengths of slots in its state', async () => {
  const { server, auctions } = await openAuctions();
  const told: UserAuctions[] = [];
  auctions.onUpdate((update) => void told.push(update));
  auctions.open();
  const announce = (slot: bigint) =>
    server.notify(({ method }) => method === 'slotSubscribe', {
      ...{ slot: Number(slot), parent: Number(slot) - 1, root: 0 },
    });
  await until(() => server.subscriptions.length === 3);
  await until(() => {
    announce(SLOT + AUCTION_SLOTS);
    return told.length > 0;
  });
  announce(SLOT + AUCTION_SLOTS + 1n);
  await until(() => told.length > 1);
  const heard = told.map(({ slot, orders }) => [slot - SLOT, orders.length]);
  expect(heard).toEqual([
    [AUCTION_SLOTS, 1],
    [AUCTION_SLOTS + 1n, 0],
  ]);
  expect(told[0]?.account.authority).toBe(keyOf(new Uint8Array(32).fill(7)));
});
