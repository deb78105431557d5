import type { ProgramName } from '../../contract/program.js';
import type { ChainMoment } from '../bytes/accounts.js';
import { Direction, MarketType, OrderStatus, OrderType } from '../bytes/generated/enums.js';
import { LAYOUTS } from '../bytes/generated/layout.js';
import { addresses, keyOf } from '../bytes/keys.js';
import type { MarketPresets, SpotPreset, StillMarket } from '../bytes/market-presets.js';
import { emptyOrder, isUntriggered, type OrderFields } from '../bytes/user-account.js';
import { Random } from '../random.js';
import { Feeds, perpMarket, spotMarket } from './markets.js';
import type { Maker, PerpHolding, SimulatedMarket, TokenHolding } from './model.js';
import { OrderLadder, type OwnedOrder } from './order-ladder.js';

export type { OwnedOrder };

/** An order of the book with its owner, current price and fillable size. */
export interface Resting extends OwnedOrder {
  readonly price: bigint;
  readonly size: bigint;
}

/** Best resting orders of both sides. */
interface Touch {
  readonly bid: Resting | undefined;
  readonly ask: Resting | undefined;
}

/** An event of the simulation. Returns false when it was not possible and nothing changed. */
export type Action = (sim: SimulatedMarkets) => boolean;

/**
 * Distance in the list of parts between the markets of successive makers, so that a few makers
 * cover all markets.
 */
const PARTS_STRIDE = 7;
/** Maximum position entries of an account in perp markets, and in spot markets. */
export const POSITIONS_MAX = 8;

/** Options of the simulated markets. */
interface SimulatedMarketsOptions {
  readonly presets: MarketPresets;
  readonly seed: number;
  readonly makers: number;
  /** Funding period of a market, seconds; the program's is an hour. */
  readonly fundingSeconds?: number | undefined;
  readonly auctionSlots?: AuctionSlots | undefined;
}

/** Auction lengths, shortest and longest, in slots. */
export interface AuctionSlots {
  readonly limit: readonly [number, number];
  readonly taking: readonly [number, number];
}

/**
 * Short and long auctions, so that orders are filled at every stage; recorded runs use these
 * lengths.
 */
const MIXED_AUCTIONS: AuctionSlots = { limit: [3, 40], taking: [5, 20] };

/** All markets and makers, and their changes since the last writes were taken. */
export class SimulatedMarkets {
  readonly random: Random;
  readonly program: ProgramName;
  readonly markets: readonly SimulatedMarket[];
  readonly makers: readonly Maker[];
  /** The markets whose orders never change, each with the owner of its orders. */
  readonly stills: readonly { readonly market: SimulatedMarket; readonly maker: Maker }[];
  /** Makers that also take. */
  readonly traders: readonly Maker[];
  /** The filler's account (base58), which does not trade. */
  readonly keeper: string;
  readonly dirtyMakers = new Set<Maker>();
  readonly dirtyMarkets = new Set<SimulatedMarket>();
  readonly dirtyFeeds = new Set<SimulatedMarket['feed']>();
  /** Markets whose book may have become crossed since the last check. */
  readonly maybeCrossed = new Set<SimulatedMarket>();
  time: ChainMoment = { slot: 0n, unixSeconds: 0n };
  /** The quote asset: USDC. */
  readonly quoteAsset: SpotPreset;
  readonly auctionSlots: AuctionSlots;
  readonly #ladders: ReadonlyMap<SimulatedMarket, Ladders>;
  /** The markets, each repeated by its relative number of makers. */
  readonly #parts: readonly SimulatedMarket[];

  constructor({ presets, seed, makers, fundingSeconds, auctionSlots }: SimulatedMarketsOptions) {
    this.random = new Random(seed);
    this.program = presets.program;
    this.auctionSlots = auctionSlots ?? MIXED_AUCTIONS;
    const feeds = new Feeds(presets.program);
    const [quoteAsset, ...tokens] = presets.spots;
    if (quoteAsset === undefined) throw new Error('Invariant: there is a quote asset');
    this.quoteAsset = quoteAsset;
    const perps = presets.perps.map((preset) => perpMarket(preset, feeds, fundingSeconds));
    this.markets = [...perps, ...tokens.map((preset) => spotMarket(preset, feeds))];
    this.#parts = this.markets.flatMap((market) =>
      Array.from({ length: presets.partsOf(market.name) }, () => market),
    );
    this.#ladders = new Map(this.markets.map((market) => [market, newLadders()]));
    this.makers = Array.from({ length: makers }, (_, i) => this.#newMaker(i));
    this.traders = this.makers.filter((maker) => maker.isTrader);
    this.keeper = keyOf(Uint8Array.from({ length: 32 }, () => this.random.nextBelow(256)));
    this.stills = (presets.stills ?? []).map((still) => {
      const market = spotMarket(still.preset, feeds);
      return { market, maker: this.#stillMaker(market, still) };
    });
  }

  /** Adds a new order to the ladder. Orders of other types never rest. */
  addOrder(owned: OwnedOrder, market: SimulatedMarket): void {
    const { orderType, direction } = owned.order;
    if (orderType === OrderType.Limit || orderType === OrderType.TriggerLimit)
      this.#laddersOf(market)[direction].add(owned);
  }

  /** Returns the best bid and ask of a market as its book would currently show them. */
  bestOrders(market: SimulatedMarket): Touch {
    const ladders = this.#laddersOf(market);
    const [bid, otherBid] = this.#bestOrders(ladders[Direction.Long], market);
    const [ask, otherAsk] = this.#bestOrders(ladders[Direction.Short], market);
    return {
      bid: bid && otherBid && otherBid.price > bid.price ? otherBid : bid,
      ask: ask && otherAsk && otherAsk.price < ask.price ? otherAsk : ask,
    };
  }

  #bestOrders(ladder: OrderLadder, market: SimulatedMarket): Resting[] {
    const shows = ({ maker, order }: OwnedOrder): boolean =>
      this.isResting(order, market) && fillableSize(maker, order) >= market.step;
    return ladder.bestOrders(shows).map(({ maker, order }) => {
      return { maker, order, price: priceNow(order, market), size: fillableSize(maker, order) };
    });
  }

  isResting(order: OrderFields, market: SimulatedMarket): boolean {
    if (order.status !== OrderStatus.Open || !isOfMarket(order, market)) return false;
    if (order.orderType !== OrderType.Limit && order.orderType !== OrderType.TriggerLimit)
      return false;
    if (isUntriggered(order) || this.isExpired(order)) return false;
    return order.postOnly || !this.inAuction(order);
  }

  inAuction(order: OrderFields): boolean {
    const age = this.time.slot - order.slot;
    return order.auctionDuration !== 0 && age <= BigInt(order.auctionDuration);
  }

  /** Returns whether the order has expired; orders with a trigger never expire. */
  isExpired(order: OrderFields): boolean {
    const isTrigger =
      order.orderType === OrderType.TriggerLimit || order.orderType === OrderType.TriggerMarket;
    return !isTrigger && order.maxTs !== 0n && this.time.unixSeconds > order.maxTs;
  }

  #newMaker(index: number): Maker {
    const { random } = this;
    const authority = keyOf(Uint8Array.from({ length: 32 }, () => random.nextBelow(256)));
    // Makers are distributed by the markets' shares, so busy markets have deep books.
    const first = pickAt(this.#parts, (index * PARTS_STRIDE) % this.#parts.length);
    const second = random.oneIn(4)
      ? [pickAt(this.markets, random.nextBelow(this.markets.length))]
      : [];
    const markets = [...new Set([first, ...second])];
    return {
      pubkey: addresses[this.program].user({ authority, subAccountId: 0 }),
      authority,
      name: `Maker ${index}`,
      markets,
      isTrader: index % 8 === 7,
      quotesTarget: random.oneIn(12) ? random.nextBetween(16, 26) : random.nextBetween(4, 10),
      floatingPercent: random.oneIn(4) ? 80 : 10,
      orders: Array.from({ length: LAYOUTS[this.program].ORDER.count }, () => undefined),
      perps: this.#firstPerps(markets),
      tokens: this.#firstTokens(markets),
      status: 0,
      nextOrderId: 1,
      lastActiveSlot: 0n,
    };
  }

  #stillMaker(market: SimulatedMarket, { preset, bids, asks }: StillMarket): Maker {
    const authority = keyOf(new Uint8Array(32).fill(100 + preset.marketIndex));
    const order = (direction: Direction, price: bigint, index: number): OrderFields => ({
      ...{ ...emptyOrder(), direction, price, orderId: index + 1, postOnly: true },
      ...{ marketIndex: preset.marketIndex, marketType: MarketType.Spot },
      baseAssetAmount: preset.minOrderSize * BigInt(20 + 7 * index),
    });
    const orders = [
      ...bids.map((price, index) => order(Direction.Long, price, index)),
      ...asks.map((price, index) => order(Direction.Short, price, bids.length + index)),
    ];
    const tokens = [this.quoteAsset, preset].map(
      (token) => [token.marketIndex, { preset: token, amount: 10n ** 13n }] as const,
    );
    return {
      ...{ authority, name: preset.name, markets: [market], orders, isTrader: false, status: 0 },
      pubkey: addresses[this.program].user({ authority, subAccountId: 0 }),
      ...{ quotesTarget: 0, floatingPercent: 0, perps: new Map(), tokens: new Map(tokens) },
      ...{ nextOrderId: orders.length + 1, lastActiveSlot: 0n },
    };
  }

  #laddersOf(market: SimulatedMarket): Ladders {
    const ladders = this.#ladders.get(market);
    if (ladders === undefined) throw new Error(`Invariant: ${market.name} is of this sim`);
    return ladders;
  }

  #firstPerps(quoted: readonly SimulatedMarket[]): Map<number, PerpHolding> {
    const { random } = this;
    const held = this.#heldOf(MarketType.Perp, quoted);
    const holding = ({ step, feed }: SimulatedMarket): PerpHolding => {
      const base = random.oneIn(3) ? step * BigInt(random.nextBetween(-2_000, 2_000)) : 0n;
      return { base, quote: -(base * feed.price) / 1_000_000_000n };
    };
    return new Map(held.map((market) => [market.marketIndex, holding(market)]));
  }

  #firstTokens(quoted: readonly SimulatedMarket[]): Map<number, TokenHolding> {
    const { random, quoteAsset } = this;
    const usdc = BigInt(random.nextBetween(10_000, 500_000)) * 1_000_000n;
    const tokens = this.#heldOf(MarketType.Spot, quoted).map((market) => {
      const preset = market.preset as SpotPreset;
      const unit = 10n ** BigInt(preset.decimals);
      return { preset, amount: BigInt(random.nextBetween(-200, 5_000)) * unit };
    });
    const holdings = [{ preset: quoteAsset, amount: usdc }, ...tokens];
    return new Map(holdings.map((holding) => [holding.preset.marketIndex, holding]));
  }

  /**
   * Returns the markets of a type in which an account initially has a position entry: all of them
   * if there is room.
   */
  #heldOf(marketType: MarketType, quoted: readonly SimulatedMarket[]): SimulatedMarket[] {
    const all = this.markets.filter((market) => market.marketType === marketType);
    return all.length < POSITIONS_MAX ? all : all.filter((market) => quoted.includes(market));
  }
}

function pickAt(markets: readonly SimulatedMarket[], index: number): SimulatedMarket {
  const market = markets[index];
  if (market === undefined) throw new Error(`Invariant: there is a market ${index}`);
  return market;
}

/** Both sides of a market. */
type Ladders = Readonly<Record<Direction, OrderLadder>>;

function newLadders(): Ladders {
  return {
    [Direction.Long]: new OrderLadder(Direction.Long),
    [Direction.Short]: new OrderLadder(Direction.Short),
  };
}

/** Whether the order belongs to this market. */
export function isOfMarket(order: OrderFields, market: SimulatedMarket): boolean {
  return order.marketType === market.marketType && order.marketIndex === market.marketIndex;
}

/** Returns the current price of a resting order, rounded to the tick away from the other side. */
export function priceNow(order: OrderFields, market: SimulatedMarket): bigint {
  if (order.oraclePriceOffset === 0) return order.price;
  const raw = market.feed.price + BigInt(order.oraclePriceOffset);
  const price = raw > market.tick ? raw : market.tick;
  return onTick(price, market.tick, order.direction);
}

/** Rounds a price to the tick: bids down, asks up. */
export function onTick(price: bigint, tick: bigint, direction: Direction): bigint {
  const down = price - (price % tick);
  return direction === Direction.Long || down === price ? down : down + tick;
}

/** Returns a maker's signed position in the market, in base. */
export function positionOf(
  maker: Maker,
  market: { marketType: MarketType; marketIndex: number },
): bigint {
  const { marketType, marketIndex } = market;
  return marketType === MarketType.Spot
    ? (maker.tokens.get(marketIndex)?.amount ?? 0n)
    : (maker.perps.get(marketIndex)?.base ?? 0n);
}

/** Returns the order's fillable size; a reduce-only order is limited by its position. */
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
