/** Accounts made by hand, one order for each rule that a simulated life seldom or never meets. */
import { AccountBytes } from '../../src/sim/account-bytes.js';
import { lazerOracleBytes } from '../../src/sim/accounts.js';
import {
  Direction,
  MarketType,
  OrderType,
  SpotBalanceType,
  TriggerCondition,
} from '../../src/sim/chain-enums.js';
import { address, keyOf, PROGRAM_ID } from '../../src/sim/keys.js';
import type { AccountWrite, LifeClock } from '../../src/sim/market-life.js';
import { emptyOrder, type OrderFields, userBytes } from '../../src/sim/user-account.js';

const BASE = 1_000_000_000n;
/** A feed that no market of the simulated chain has. */
const BET_FEED = 4_242;
const SOL_STEP = 10_000_000n;

/** The moment of the chain and SOL's oracle price, 1e6. */
export interface OddScene {
  readonly clock: LifeClock;
  readonly oracle: bigint;
}

/** Who owns odd orders: keys differ by `seed`, `status` is `User.status`. */
export interface OddOwner {
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
    // Ties at one price: by slot, then id, a fixed price beside a floating one.
    { ...bid, postOnly: true },
    { ...bid, slot: slot - 5n, bitFlags: 1 },
    { ...floating, oraclePriceOffset: Number(price - oracle) },
    { ...bid, slot: slot - 5n, baseAssetAmountFilled: 123_456_789n },
    // Time: expired, about to expire, in auction, and placed in a slot that is yet to come.
    { ...bid, maxTs: now - 100n },
    { ...bid, maxTs: now + 2n },
    { ...bid, auctionDuration: 255, auctionStartPrice: 1n, auctionEndPrice: price },
    { ...bid, auctionDuration: 6, auctionStartPrice: 1n, auctionEndPrice: price },
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
    // The same in the spot market, where a debt is what a bid can reduce.
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

/** A prediction market of its own, made of the bytes of another perp market, with its oracle. */
export function betMarket(
  from: Buffer,
  clock: LifeClock,
): { market: AccountWrite; oracle: AccountWrite } {
  const data = Buffer.from(from);
  const market = { pubkey: address.perpMarket(BET.marketIndex), owner: PROGRAM_ID, data };
  const oracle = { pubkey: address.pythLazerOracle(BET_FEED), owner: PROGRAM_ID };
  const { bytes: text } = nameAndKeys({ ...BET, pubkey: market.pubkey, oracle: oracle.pubkey });
  text.copy(data, 8, 8, 72);
  text.copy(data, 1000, 1000, 1032);
  data.writeBigInt64LE(BET.price, 72);
  data.writeBigInt64LE(BET.price, 96);
  // Without the price of market makers, which is the other market's.
  data.writeBigUInt64LE(0n, 832);
  data.writeUInt16LE(BET.marketIndex, 1160);
  data.writeUInt8(2, 1163);
  return { market, oracle: { ...oracle, data: betOracle(clock) } };
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

function betOracle({ slot, unixSeconds }: LifeClock): Buffer {
  return lazerOracleBytes({
    price: BET.price * 100n,
    conf: BET.price,
    exponent: -8,
    postedSlot: BigInt(slot),
    publishTimeUs: BigInt(unixSeconds) * 1_000_000n,
  });
}

function nameAndKeys(market: { name: string; pubkey: string; oracle: string }): AccountBytes {
  const account = new AccountBytes({ size: 1216, discriminator: '0adf0c2c6bf537f7' });
  account.key(8, market.pubkey);
  account.key(40, market.oracle);
  account.name(1000, market.name);
  return account;
}
