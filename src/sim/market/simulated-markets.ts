import type { ChainTime } from '../bytes/accounts.js';
import { Direction, MarketType, OrderStatus, OrderType } from '../bytes/chain-enums.js';
import { address, keyOf } from '../bytes/keys.js';
import { ORDER } from '../bytes/layout.js';
import { PERP_PRESETS, SPOT_PRESETS } from '../bytes/market-presets.js';
import { isUntriggered, type OrderFields } from '../bytes/user-account.js';
import { Random } from '../random.js';
import { perpMarket, spotMarket } from './markets.js';
import type { Feed, Maker, SimulatedMarket } from './model.js';
import { OrderLadder, type OwnedOrder } from './order-ladder.js';

export type { OwnedOrder };

/** An order of the book with its owner, its price now and the size that can fill now. */
export interface Resting extends OwnedOrder {
  readonly price: bigint;
  readonly size: bigint;
}

/** Best resting orders of both sides. */
export interface Touch {
  readonly bid: Resting | undefined;
  readonly ask: Resting | undefined;
}

/** Something that may happen. False: there was no occasion for it, and nothing was changed. */
export type Action = (sim: SimulatedMarkets) => boolean;

/** What the simulated markets are made of. */
export interface SimulatedMarketsOptions {
  readonly seed: number;
  readonly makers: number;
  /** Time between two funding rates of a market; the program's is an hour. */
  readonly fundingSeconds?: number | undefined;
}

/** All markets and makers, and what has changed since the last writes were taken. */
export class SimulatedMarkets {
  readonly random: Random;
  readonly markets: readonly SimulatedMarket[];
  readonly makers: readonly Maker[];
  /** The makers that also take. */
  readonly traders: readonly Maker[];
  /** Who brings takers and makers together (base58); nobody that trades. */
  readonly keeper: string;
  readonly dirtyMakers = new Set<Maker>();
  readonly dirtyMarkets = new Set<SimulatedMarket>();
  readonly dirtyFeeds = new Set<Feed>();
  /** Markets whose book may have become crossed since the last check. */
  readonly maybeCrossed = new Set<SimulatedMarket>();
  time: ChainTime = { slot: 0n, unixSeconds: 0n };
  readonly #ladders: ReadonlyMap<SimulatedMarket, Ladders>;

  constructor({ seed, makers, fundingSeconds }: SimulatedMarketsOptions) {
    this.random = new Random(seed);
    const feeds = new Map<number, Feed>();
    const perps = PERP_PRESETS.map((preset) => perpMarket(preset, feeds, fundingSeconds));
    const spots = SPOT_PRESETS.filter((preset) => preset.ordersEnabled).map((preset) =>
      spotMarket(preset, feeds),
    );
    this.markets = [...perps, ...spots];
    this.#ladders = new Map(this.markets.map((market) => [market, newLadders()]));
    this.makers = Array.from({ length: makers }, (_, i) => this.#newMaker(i));
    this.traders = this.makers.filter((maker) => maker.isTrader);
    this.keeper = keyOf(Uint8Array.from({ length: 32 }, () => this.random.nextBelow(256)));
  }

  /** Keeps a new order where `touch` finds it. Orders of other types never rest. */
  addOrder(owned: OwnedOrder, market: SimulatedMarket): void {
    const { orderType, direction } = owned.order;
    if (orderType === OrderType.Limit || orderType === OrderType.TriggerLimit)
      this.#laddersOf(market)[direction].add(owned);
  }

  /** Best bid and ask of a market, as a book would show them now. */
  bestOrders(market: SimulatedMarket): Touch {
    const ladders = this.#laddersOf(market);
    const [bid, otherBid] = this.#best(ladders[Direction.Long], market);
    const [ask, otherAsk] = this.#best(ladders[Direction.Short], market);
    return {
      bid: bid && otherBid && otherBid.price > bid.price ? otherBid : bid,
      ask: ask && otherAsk && otherAsk.price < ask.price ? otherAsk : ask,
    };
  }

  #best(ladder: OrderLadder, market: SimulatedMarket): Resting[] {
    const shows = ({ maker, order }: OwnedOrder): boolean =>
      this.isResting(order, market) && fillableSize(maker, order) >= market.step;
    return ladder.bestOrders(shows).map(({ maker, order }) => {
      return { maker, order, price: priceNow(order, market), size: fillableSize(maker, order) };
    });
  }

  /** Whether the order is one that a book of this market shows now. */
  isResting(order: OrderFields, market: SimulatedMarket): boolean {
    if (order.status !== OrderStatus.Open || !isOfMarket(order, market)) return false;
    if (order.orderType !== OrderType.Limit && order.orderType !== OrderType.TriggerLimit)
      return false;
    if (isUntriggered(order) || this.isExpired(order)) return false;
    return order.postOnly || !this.inAuction(order);
  }

  /** Whether the order's auction is still running. */
  inAuction(order: OrderFields): boolean {
    const age = this.time.slot - order.slot;
    return order.auctionDuration !== 0 && age <= BigInt(order.auctionDuration);
  }

  /** Whether the order's time is over; orders with a trigger never expire. */
  isExpired(order: OrderFields): boolean {
    const isTrigger =
      order.orderType === OrderType.TriggerLimit || order.orderType === OrderType.TriggerMarket;
    return !isTrigger && order.maxTs !== 0n && this.time.unixSeconds > order.maxTs;
  }

  #newMaker(index: number): Maker {
    const { random } = this;
    const authority = keyOf(Uint8Array.from({ length: 32 }, () => random.nextBelow(256)));
    // Every market has its share: the books are as deep as their markets are busy.
    const share = (index * 7) % 20;
    const first = this.#marketAt(share < 8 ? 0 : share < 13 ? 1 : share < 17 ? 2 : 3);
    const second = random.oneIn(4) ? [this.#marketAt(random.nextBelow(this.markets.length))] : [];
    return {
      pubkey: address.user({ authority, subAccountId: 0 }),
      authority,
      name: `Maker ${index}`,
      markets: [...new Set([first, ...second])],
      isTrader: index % 8 === 7,
      quotesTarget: random.oneIn(12) ? random.nextBetween(16, 26) : random.nextBetween(4, 10),
      floatingPercent: random.oneIn(4) ? 80 : 10,
      orders: Array.from({ length: ORDER.count }, () => undefined),
      perpBase: this.#initialBases(),
      perpQuote: PERP_PRESETS.map(() => 0n),
      usdc: BigInt(random.nextBetween(10_000, 500_000)) * 1_000_000n,
      sol: BigInt(random.nextBetween(-200, 5_000)) * 1_000_000_000n,
      status: 0,
      nextOrderId: 1,
      lastActiveSlot: 0n,
    };
  }

  #laddersOf(market: SimulatedMarket): Ladders {
    const ladders = this.#ladders.get(market);
    if (ladders === undefined) throw new Error(`Invariant: ${market.name} is of this sim`);
    return ladders;
  }

  #initialBases(): bigint[] {
    const { random } = this;
    return PERP_PRESETS.map((preset) =>
      random.oneIn(3) ? preset.step * BigInt(random.nextBetween(-2_000, 2_000)) : 0n,
    );
  }

  #marketAt(index: number): SimulatedMarket {
    const market = this.markets[index];
    if (market === undefined) throw new Error(`Invariant: there is a market ${index}`);
    return market;
  }
}

/** Both sides of a market. */
type Ladders = Readonly<Record<Direction, OrderLadder>>;

function newLadders(): Ladders {
  return {
    [Direction.Long]: new OrderLadder(Direction.Long),
    [Direction.Short]: new OrderLadder(Direction.Short),
  };
}

/** Whether the order is of this market. */
export function isOfMarket(order: OrderFields, market: SimulatedMarket): boolean {
  return order.marketType === market.marketType && order.marketIndex === market.marketIndex;
}

/** The price at which a resting order stands now, rounded to the tick away from the other side. */
export function priceNow(order: OrderFields, market: SimulatedMarket): bigint {
  if (order.oraclePriceOffset === 0) return order.price;
  const raw = market.feed.price + BigInt(order.oraclePriceOffset);
  const price = raw > market.tick ? raw : market.tick;
  return onTick(price, market.tick, order.direction);
}

/** The price on the tick: a bid goes down, an ask goes up. */
export function onTick(price: bigint, tick: bigint, direction: Direction): bigint {
  const down = price - (price % tick);
  return direction === Direction.Long || down === price ? down : down + tick;
}

/** A maker's signed position in the market, in base. */
export function positionOf(
  maker: Maker,
  market: { marketType: MarketType; marketIndex: number },
): bigint {
  return market.marketType === MarketType.Spot
    ? maker.sol
    : (maker.perpBase[market.marketIndex] ?? 0n);
}

/** What the order can still fill: a reduce-only order never more than the position it reduces. */
export function fillableSize(maker: Maker, order: OrderFields): bigint {
  const unfilled = order.baseAssetAmount - order.baseAssetAmountFilled;
  if (!order.reduceOnly) return unfilled;
  const held = positionOf(maker, order);
  const reducible = order.direction === Direction.Long ? -held : held;
  if (reducible <= 0n) return 0n;
  return smallerOf(reducible, unfilled);
}

/** The smaller of two. */
export function smallerOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
