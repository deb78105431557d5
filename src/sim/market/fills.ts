/** Fills crossing orders of the book, each fill in one transaction with its record. */

import { type FillRecord, fillRecordBytes } from '../bytes/event-record.js';
import {
  Direction,
  MarketStatus,
  MarketType,
  OrderActionExplanation,
  OrderStatus,
  OrderType,
} from '../bytes/generated/enums.js';
import type { ProgramCall } from '../chain/program-call.js';
import { CallDraft } from './call-draft.js';
import { fillerReward, makerRebate, takerFee } from './fees.js';
import type { Maker, SimulatedMarket } from './model.js';
import { fillOrder, oppositeOf, settleFill } from './orders.js';
import type { OwnedOrder, Resting, SimulatedMarkets } from './simulated-markets.js';
import { fillableSize, isOfMarket, positionOf, smallerOf } from './simulated-markets.js';
import { bestAgainst, limitOf, placeTakingIn } from './takers.js';

/**
 * Percent of perp fills that the AMM shares with a maker. It fills none alone: its price is worse
 * than the best maker's, whose order comes first.
 */
const JIT_PERCENT = 20;

/** Maximum takers that are sent into a market until one is filled; about every second one is. */
const OPENING_TRIES_MAX = 32;

/** A taker and its best counterparty. */
interface Crossing {
  readonly market: SimulatedMarket;
  readonly taker: OwnedOrder;
  readonly best: Resting;
}

interface Part {
  readonly base: bigint;
  readonly price: bigint;
  readonly explanation: OrderActionExplanation;
  /** Undefined for the AMM. */
  readonly maker: OwnedOrder | undefined;
}

/**
 * Fills one taker in the first market with a crossing order, starting at a random market. Returns
 * false when nothing crosses.
 */
export function fillNext(sim: SimulatedMarkets, draft: CallDraft): boolean {
  const { markets, random } = sim;
  const first = random.nextBelow(markets.length);
  for (let i = 0; i < markets.length; i += 1) {
    const market = markets[(first + i) % markets.length];
    if (market !== undefined && fillMarket(sim, draft, market)) return true;
  }
  return false;
}

/**
 * Sends takers into a market until one is filled; yields each transaction, or undefined for a new
 * order.
 */
export function* openMarket(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
): Generator<ProgramCall | undefined> {
  for (let tries = 0; tries < OPENING_TRIES_MAX; tries += 1) {
    const draft = new CallDraft(sim);
    if (fillMarket(sim, draft, market)) {
      yield draft.toCall();
      return;
    }
    if (placeTakingIn(sim, market)) yield undefined;
  }
}

/** Fills one taker of a market. Returns false when nothing crosses. */
export function fillMarket(
  sim: SimulatedMarkets,
  draft: CallDraft,
  market: SimulatedMarket,
): boolean {
  const crossing = findCrossing(sim, market);
  if (crossing === undefined) return false;
  fillCrossing(sim, draft, crossing);
  return true;
}

function findCrossing(sim: SimulatedMarkets, market: SimulatedMarket): Crossing | undefined {
  if (market.status !== MarketStatus.Active || market.pausedOperations !== 0) return undefined;
  for (const maker of [...restingTakers(sim, market), ...findTakers(sim, market)]) {
    const crossing = crossingOf(sim, market, maker);
    if (crossing !== undefined) return crossing;
  }
  return undefined;
}

function restingTakers(sim: SimulatedMarkets, market: SimulatedMarket): OwnedOrder[] {
  const { bid, ask } = sim.bestOrders(market);
  if (bid === undefined || ask === undefined || bid.price < ask.price) return [];
  const newer = bid.order.slot > ask.order.slot ? bid : ask;
  return newer.order.postOnly || newer.order.reduceOnly ? [] : [newer];
}

function findTakers(sim: SimulatedMarkets, market: SimulatedMarket): OwnedOrder[] {
  const found: OwnedOrder[] = [];
  for (const maker of sim.traders) {
    for (const order of maker.orders) {
      if (order?.status !== OrderStatus.Open || !isOfMarket(order, market)) continue;
      const takes = order.orderType === OrderType.Market || order.orderType === OrderType.Oracle;
      if (takes && !sim.isExpired(order)) found.push({ maker, order });
    }
  }
  return found;
}

function crossingOf(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  taker: OwnedOrder,
): Crossing | undefined {
  const { direction } = taker.order;
  const limit = limitOf(sim, taker.order, market);
  const best = bestAgainst(sim, market, direction);
  if (best === undefined || best.maker === taker.maker) return undefined;
  if (best.maker.status !== 0 || taker.maker.status !== 0) return undefined;
  return crossesLimit(direction, limit, best.price) ? { market, taker, best } : undefined;
}

function fillCrossing(sim: SimulatedMarkets, draft: CallDraft, crossing: Crossing): void {
  const { market, taker } = crossing;
  const remaining = fillableSize(taker.maker, taker.order);
  const parts = partsOf(sim, crossing, remaining);
  for (const part of parts) fillPart(sim, draft, { market, taker, part });
  if (parts.length > 1) return;
  // The rest of the taker may cross the next order; a transaction has room for two fills.
  const next = crossingOf(sim, market, taker);
  const left = fillableSize(taker.maker, taker.order);
  if (next === undefined || left < market.step) return;
  fillPart(sim, draft, { market, taker, part: matchPart(next.best, left) });
}

function partsOf(sim: SimulatedMarkets, crossing: Crossing, remaining: bigint): Part[] {
  const { market, taker, best } = crossing;
  const match = matchPart(best, remaining);
  if (market.marketType === MarketType.Spot) return [match];
  const isShared = sim.random.nextBelow(100) < JIT_PERCENT && sim.inAuction(taker.order);
  const share = match.base / 3n;
  const shared = share - (share % market.step);
  if (!isShared || shared === 0n) return [match];
  const { OrderFilledWithAMMJit, OrderFilledWithMatchJit } = OrderActionExplanation;
  const rest = smallerOf(best.size, remaining - shared);
  return [
    { base: shared, price: best.price, explanation: OrderFilledWithAMMJit, maker: undefined },
    { base: rest, price: best.price, explanation: OrderFilledWithMatchJit, maker: best },
  ];
}

function matchPart(best: Resting, remaining: bigint): Part {
  const explanation = OrderActionExplanation.OrderFilledWithMatch;
  return { base: smallerOf(best.size, remaining), price: best.price, explanation, maker: best };
}

function crossesLimit(taker: Direction, limit: bigint, price: bigint): boolean {
  return taker === Direction.Long ? limit >= price : limit <= price;
}

function fillPart(
  sim: SimulatedMarkets,
  draft: CallDraft,
  { market, taker, part }: { market: SimulatedMarket; taker: OwnedOrder; part: Part },
): void {
  const { base, price, maker, explanation } = part;
  draft.watchMarket(market);
  draft.watchMaker(taker.maker);
  if (maker !== undefined) draft.watchMaker(maker.maker);
  const quote = quoteOf(market, { base, price, maker: oppositeOf(taker.order.direction) });
  const fee = takerFee(quote);
  const rebate = maker === undefined ? 0n : makerRebate(quote);
  const amounts = { market, base, quote };
  const sides = {
    ...fillSide(sim, 'taker', taker, { ...amounts, fee }),
    ...(maker && fillSide(sim, 'maker', maker, { ...amounts, fee: -rebate })),
  };
  const record = {
    ts: sim.time.unixSeconds,
    actionExplanation: explanation,
    marketIndex: market.marketIndex,
    marketType: market.marketType,
    filler: sim.keeper,
    fillerReward: fillerReward(fee),
    fillRecordId: market.nextFillRecordId,
    baseAssetAmountFilled: base,
    quoteAssetAmountFilled: quote,
    takerFee: fee,
    makerFee: maker === undefined ? undefined : -rebate,
    quoteAssetAmountSurplus: maker === undefined ? 0n : undefined,
    ...sides,
    oraclePrice: market.feed.price,
    bitFlags: taker.order.bitFlags,
  };
  draft.addEvent({ form: 'base64', bytes: fillRecordBytes(record) });
  noteFill(sim, market, { price, quote });
}

/**
 * Returns the quote amount, rounded in the maker's favour. Source: math/orders.rs
 * calculate_quote_asset_amount_for_maker_order.
 */
function quoteOf(
  { preset, marketType }: SimulatedMarket,
  { base, price, maker }: { base: bigint; price: bigint; maker: Direction },
): bigint {
  const decimals = marketType === MarketType.Spot && 'decimals' in preset ? preset.decimals : 9;
  const precision = 10n ** BigInt(decimals);
  const up = maker === Direction.Short ? precision - 1n : 0n;
  return (base * price + up) / precision;
}

/** Fills the order of one side, and returns the fields of the record about it. */
function fillSide(
  sim: SimulatedMarkets,
  side: 'taker' | 'maker',
  { maker, order }: OwnedOrder,
  amounts: { market: SimulatedMarket; base: bigint; quote: bigint; fee: bigint },
): FillRecord {
  const { market, base, quote } = amounts;
  const { direction } = order;
  const existing = existingOf(maker, market, { direction, base });
  fillOrder(order, { base, quote });
  settleFill(sim, maker, { ...amounts, direction });
  return {
    [side]: maker.pubkey,
    [`${side}OrderId`]: order.orderId,
    [`${side}OrderDirection`]: direction,
    [`${side}OrderBaseAssetAmount`]: order.baseAssetAmount,
    [`${side}OrderCumulativeBaseAssetAmountFilled`]: order.baseAssetAmountFilled,
    [`${side}OrderCumulativeQuoteAssetAmountFilled`]: order.quoteAssetAmountFilled,
    [`${side}ExistingQuoteEntryAmount`]: existing.quoteEntry,
    [`${side}ExistingBaseAssetAmount`]: existing.base,
  };
}

/** The closed part's entry of a position that a fill reduces, or reverses: then with its base as well. */
function existingOf(
  maker: Maker,
  market: SimulatedMarket,
  { direction, base }: { direction: Direction; base: bigint },
): { readonly quoteEntry?: bigint; readonly base?: bigint } {
  const held = positionOf(maker, market);
  const reduces = direction === Direction.Long ? held < 0n : held > 0n;
  if (market.marketType === MarketType.Spot || !reduces) return {};
  const size = held < 0n ? -held : held;
  const quote = maker.perps.get(market.marketIndex)?.quote ?? 0n;
  const entry = quote < 0n ? -quote : quote;
  return base > size ? { quoteEntry: entry, base: size } : { quoteEntry: (entry * base) / size };
}

function noteFill(
  sim: SimulatedMarkets,
  market: SimulatedMarket,
  { price, quote }: { price: bigint; quote: bigint },
): void {
  market.lastFillPrice = price;
  market.nextFillRecordId += 1n;
  market.volume24h += quote;
  market.lastTradeTs = sim.time.unixSeconds;
  sim.dirtyMarkets.add(market);
}
