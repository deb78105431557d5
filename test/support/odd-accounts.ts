/** Accounts made by hand, one order for each rule that a simulated life seldom or never meets. */
import { PublicKey } from '@solana/web3.js';
import { lazerOracleBytes } from '../../src/sim/bytes/accounts.js';
import {
  Direction,
  MarketType,
  OrderType,
  SpotBalanceType,
  TriggerCondition,
} from '../../src/sim/bytes/generated/enums.js';
import { address, keyOf, PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { emptyOrder, type OrderFields, userBytes } from '../../src/sim/bytes/user-account.js';
import type { AccountWrite, SimulatorClock } from '../../src/sim/market/market-simulator.js';

const BASE = 1_000_000_000n;
/** A feed that no market of the simulated chain has. */
const BET_FEED = 4_242;
/** `ContractType`. */
const PREDICTION = 2;
const SOL_STEP = 10_000_000n;

/** The moment of the chain and SOL's oracle price, 1e6. */
interface OddScene {
  readonly clock: SimulatorClock;
  readonly oracle: bigint;
}

/** The owner of odd orders: keys differ by `seed`, `status` is `User.status`. */
interface OddOwner {
  readonly seed: number;
  readonly status?: number;
}

/** A user that is long 5 SOL-PERP and owes 3 SOL and a bit, with these orders. */
export function oddUser({ seed, status = 0 }: OddOwner, orders: OddOrder[]): AccountWrite {
  const authority = keyOf(new Uint8Array(32).fill(seed));
  const data = userBytes({
    authority,
    name: `Odd ${seed}`,
    subAccountId: 0,
    status,
    idle: false,
    lastActiveSlot: 0n,
    nextOrderId: 100,
    orders: orders.map((order, index) => ({ ...emptyOrder(), orderId: index + 1, ...order })),
    perpPositions: [{ marketIndex: 0, baseAssetAmount: 5n * BASE, quoteAssetAmount: 0n }],
    spotPositions: [
      { marketIndex: 1, scaledBalance: 2_777_777_777n, balanceType: SpotBalanceType.Borrow },
    ],
  });
  return { pubkey: address.user({ authority, subAccountId: 0 }), owner: PROGRAM_ID, data };
}

type OddOrder = Partial<OrderFields>;

/** One order for each rule, in SOL-PERP where nothing else is said. */
export function oddOrders({ clock, oracle }: OddScene): OddOrder[] {
  const slot = BigInt(clock.slot);
  const now = BigInt(clock.unixSeconds);
  const price = oracle - (oracle % 100n) - 5_000n;
  const bid = { slot, price, baseAssetAmount: BASE, direction: Direction.Long };
  const ask = { ...bid, price: price + 10_000n, direction: Direction.Short };
  const floating = { ...bid, price: 0n };
  const reducing = { ...ask, reduceOnly: true, baseAssetAmount: 9n * BASE };
  const triggerLimit = { ...ask, orderType: OrderType.TriggerLimit, triggerPrice: price };
  return [
    // Ties at one price: ordered by slot, then id, with a fixed and an oracle price.
    { ...bid, postOnly: true },
    { ...bid, slot: slot - 5n, bitFlags: 1 },
    { ...floating, oraclePriceOffset: Number(price - oracle) },
    { ...bid, slot: slot - 5n, baseAssetAmountFilled: 123_456_789n },
    // Time: expired, about to expire, in auction, and placed in a slot that is yet to come.
    { ...bid, maxTs: now - 100n },
    { ...bid, maxTs: now + 2n },
    { ...bid, auctionDuration: 255, auctionStartPrice: 1n, auctionEndPrice: price },
    { ...bid, auctionDuration: 6, postOnly: true },
    { ...bid, slot: slot + 1_000n, auctionDuration: 6 },
    { ...floating, oraclePriceOffset: -700, auctionDuration: 255 },
    // Triggers: waiting, triggered, and triggered with a time that has passed.
    { ...triggerLimit, triggerCondition: TriggerCondition.Above },
    { ...triggerLimit, triggerCondition: TriggerCondition.TriggeredBelow },
    { ...triggerLimit, triggerCondition: TriggerCondition.TriggeredAbove, maxTs: now - 100n },
    {
      ...ask,
      orderType: OrderType.TriggerMarket,
      triggerCondition: TriggerCondition.TriggeredAbove,
    },
    // Reduce-only: capped, after a fill, on the wrong side, floating, and without a position.
    reducing,
    { ...reducing, baseAssetAmountFilled: 6n * BASE },
    { ...bid, reduceOnly: true },
    { ...reducing, price: 0n, oraclePriceOffset: 12_345 },
    { ...reducing, marketIndex: 1 },
    // The same in the spot market, where a bid can reduce a debt.
    { ...reducing, marketType: MarketType.Spot, marketIndex: 1, direction: Direction.Long },
    { ...reducing, marketType: MarketType.Spot, marketIndex: 1 },
    // Prices: below the lowest tick, none at all, between two ticks on either side.
    { ...floating, oraclePriceOffset: -2_000_000_000 },
    { ...bid, price: 0n },
    { ...floating, oraclePriceOffset: -333 },
    { ...floating, oraclePriceOffset: 333, direction: Direction.Short },
    // Sizes: less than a step is left.
    { ...bid, baseAssetAmountFilled: BASE - SOL_STEP + 1n },
    // A bid above an ask of the same owner: the book is crossed.
    { ...bid, price: price + 30_000n },
    // Takers, and a market that does not exist.
    { ...bid, orderType: OrderType.Market, price: 0n },
    { ...bid, orderType: OrderType.Oracle, price: 0n, oraclePriceOffset: 5 },
    { ...bid, marketIndex: 999 },
  ];
}

/** Auctions that end slot after slot, or after some slots each, and orders that expire second after second. */
export function endingOrders({
  clock,
  oracle,
  slotsEach = 1,
}: OddScene & { readonly slotsEach?: number }): OddOrder[] {
  const price = oracle - (oracle % 100n) - 9_000n;
  const bid = { slot: BigInt(clock.slot), price, baseAssetAmount: BASE };
  const auctions = Array.from({ length: 20 }, (_, i) => ({
    ...bid,
    auctionDuration: slotsEach * (i + 1),
  }));
  const now = BigInt(clock.unixSeconds);
  const seconds = Array.from({ length: 10 }, (_, i) => ({ ...bid, maxTs: now - 1n + BigInt(i) }));
  return [...auctions, ...seconds];
}

/** The unusual values of {@link betMarket}'s oracle; ids start at the exchange's. */
export interface OddOracle {
  readonly mm?: { readonly price: bigint; readonly slotsOld: number; readonly idAfter?: bigint };
  readonly twap?: bigint;
  readonly price?: bigint;
  readonly confidence?: bigint;
  readonly slotsOld?: number;
}

/** A prediction market of its own, made of the bytes of another perp market, with its oracle. */
export function betMarket(from: Buffer, clock: SimulatorClock, odd: OddOracle = {}) {
  const { mm, twap = BET.price, price = BET.price } = odd;
  const market = address.perpMarket(BET.marketIndex);
  const oracle = address.pythLazerOracle(BET_FEED);
  const data = Buffer.from(from);
  data.set(new PublicKey(market).toBytes(), 8);
  data.set(new PublicKey(oracle).toBytes(), 40);
  data.writeBigInt64LE(BET.price, 72);
  data.writeBigInt64LE(twap, 96);
  data.write(BET.name.padEnd(32), 1000, 'latin1');
  data.writeUInt16LE(BET.marketIndex, 1160);
  data.writeUInt8(PREDICTION, 1163);
  const publishTimeUs = BigInt(clock.unixSeconds) * 1_000_000n;
  const { idAfter } = mm ?? {};
  data.writeBigInt64LE(mm?.price ?? 0n, 912);
  data.writeBigUInt64LE(mm === undefined ? 0n : BigInt(clock.slot - mm.slotsOld), 832);
  data.writeBigUInt64LE(idAfter === undefined ? 0n : publishTimeUs + idAfter, 936);
  const reading = lazerOracleBytes({
    price: price * 100n,
    conf: (odd.confidence ?? 63n) * 100n,
    exponent: -8,
    postedSlot: BigInt(clock.slot - (odd.slotsOld ?? 0)),
    publishTimeUs,
  });
  return {
    market: { pubkey: market, owner: PROGRAM_ID, data },
    oracle: { pubkey: oracle, owner: PROGRAM_ID, data: reading },
  };
}

/** The market of {@link betMarket}: its price is a probability at 1e6. */
export const BET = { name: 'ODD-BET', marketIndex: 77, price: 630_050n } as const;

/** Bids and asks in the prediction market; the dearest ask would stand above certainty. */
export function betOrders({ clock }: Pick<OddScene, 'clock'>): OddOrder[] {
  const order = { slot: BigInt(clock.slot), marketIndex: BET.marketIndex, baseAssetAmount: BASE };
  const bid = { ...order, direction: Direction.Long };
  const ask = { ...order, direction: Direction.Short };
  return [
    { ...bid, price: 600_000n },
    { ...bid, oraclePriceOffset: -700_000 },
    { ...bid, oraclePriceOffset: -1 },
    { ...ask, oraclePriceOffset: 1 },
    { ...ask, oraclePriceOffset: 500_000 },
    { ...ask, price: 990_000n },
  ];
}
