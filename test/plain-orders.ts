/** One order at a time in the plain book: what becomes of it. */
import type { Moment, PlainAccount, PlainMarket } from './plain-book.js';
import type { PlainOracle } from './plain-oracle.js';

/** One order of an account; `offset` is its distance to the oracle. */
export type Order = ReturnType<typeof readOrder>;

const OPEN = 1;

/** The open orders among the 32 places of a User account. */
export function forEachOpenOrder(user: Buffer, take: (order: Order) => void): void {
  for (let at = 1192; at < 1192 + 32 * 96; at += 96) {
    if (user.readUInt8(at + 82) === OPEN) take(readOrder(user, at));
  }
}

function readOrder(data: Buffer, at: number) {
  return {
    slot: data.readBigUInt64LE(at),
    price: data.readBigUInt64LE(at + 8),
    base: data.readBigUInt64LE(at + 16),
    filled: data.readBigUInt64LE(at + 24),
    maxTs: data.readBigInt64LE(at + 64),
    offset: BigInt(data.readInt32LE(at + 72)),
    orderId: data.readUInt32LE(at + 76),
    marketIndex: data.readUInt16LE(at + 80),
    type: data.readUInt8(at + 83),
    isPerp: data.readUInt8(at + 84) === 1,
    isBid: data.readUInt8(at + 87) === 0,
    reduceOnly: data.readUInt8(at + 88) === 1,
    postOnly: data.readUInt8(at + 89) === 1,
    isTriggered: data.readUInt8(at + 91) >= 2,
    auctionDuration: BigInt(data.readUInt8(at + 92)),
    signedMsg: (data.readUInt8(at + 94) & 1) !== 0,
  };
}

/** Highest byte of each enum and flag of an order, by its place in the order. */
const ENUM_BYTES = [
  [82, 3],
  [83, 4],
  [84, 1],
  [86, 1],
  [87, 1],
  [88, 1],
  [89, 1],
  [90, 1],
  [91, 3],
] as const;

/** An account with a byte that no enum has is not read in part: none of its orders count. */
export function hasSoundOrders(data: Buffer): boolean {
  for (let at = 1192; at < 1192 + 32 * 96; at += 96) {
    if (ENUM_BYTES.some(([place, highest]) => data.readUInt8(at + place) > highest)) return false;
  }
  return true;
}

/** Whether the order is of this market. */
export function isOrderIn(order: Order, market: PlainMarket): boolean {
  return order.isPerp === market.isPerp && order.marketIndex === market.index;
}

/** An order that stands in the book. */
export interface Resting {
  readonly order: Order;
  readonly maker: string;
  readonly price: bigint;
  readonly size: bigint;
}

/** What an order is judged by, beside its owner's account. */
interface JudgedBy {
  readonly market: PlainMarket;
  readonly oracle: PlainOracle;
  readonly moment: Moment;
}

/** What becomes of one open order: a word for it, and where it rests if it does. */
interface Fate {
  readonly verdict: string;
  readonly resting?: Resting;
}

const LIMIT = 1;
const TRIGGER_LIMIT = 3;
const MARKET_REDUCE_ONLY = 6;
/** `User.status`: being liquidated, or bankrupt. */
const FROZEN = 3;

/** Judges one open order of a user. */
export function judge(order: Order, user: PlainAccount, by: JudgedBy): Fate {
  const out = whyOut(order, user, by);
  if (out !== undefined) return { verdict: out };

  const { market, oracle } = by;
  const unfilled = order.base > order.filled ? order.base - order.filled : 0n;
  const size = order.reduceOnly ? least(unfilled, reducible(order, user, market)) : unfilled;
  if (size === 0n || size < market.step) {
    return { verdict: order.reduceOnly ? 'nothingToReduce' : 'dust' };
  }
  const price = order.offset === 0n ? order.price : offsetPrice(order, market, oracle.pricing);
  if (price === undefined) return { verdict: 'noOracle' };
  if (price === 0n) return { verdict: 'noPrice' };
  const capped = size < unfilled ? 'Capped' : '';
  const resting = { order, maker: user.pubkey, price, size };
  return { verdict: `${kindOf(order)}${capped}`, resting };
}

function whyOut(order: Order, user: PlainAccount, by: JudgedBy): string | undefined {
  const { market, moment } = by;
  const isTrigger = order.type === TRIGGER_LIMIT;
  if (order.type !== LIMIT && !isTrigger) return 'taker';
  if (isTrigger && !order.isTriggered) return 'untriggered';
  const mayExpire = !isTrigger && order.maxTs !== 0n;
  if (mayExpire && moment.unixSeconds > order.maxTs) return 'expired';
  const auctionOver =
    order.auctionDuration === 0n || moment.slot - order.slot > order.auctionDuration;
  if (!order.postOnly && !auctionOver) return 'inAuction';
  if ((user.data.readUInt8(4348) & FROZEN) !== 0) return 'frozenOwner';
  if (market.status === MARKET_REDUCE_ONLY && !order.reduceOnly) return 'marketReduceOnly';
  return undefined;
}

function kindOf(order: Order): string {
  if (order.offset !== 0n) return 'offset';
  if (order.type === TRIGGER_LIMIT) return 'triggered';
  return order.reduceOnly ? 'reduceOnly' : 'fixed';
}

function offsetPrice({ offset, isBid }: Order, market: PlainMarket, oracle: bigint | undefined) {
  if (oracle === undefined) return undefined;
  const { tick } = market;
  let price = most(oracle + offset, tick);
  if (market.isPrediction) price = least(price, 1_000_000n);
  const over = price % tick;
  return isBid || over === 0n ? price - over : price - over + tick;
}

/** How much of the owner's position the order could still close. */
function reducible(order: Order, user: PlainAccount, market: PlainMarket): bigint {
  const position = market.isPerp ? perpPosition(user, market) : spotPosition(user, market);
  const opposite = order.isBid ? -position : position;
  return opposite > 0n ? opposite : 0n;
}

function perpPosition({ data }: PlainAccount, { index }: PlainMarket): bigint {
  let base = 0n;
  for (let at = 424; at < 424 + 8 * 96; at += 96) {
    if (data.readUInt16LE(at + 92) === index) base += data.readBigInt64LE(at + 8);
  }
  return base;
}

/** Tokens: a deposit is rounded down, a borrow is negative and rounded away from zero. */
function spotPosition({ data }: PlainAccount, market: PlainMarket): bigint {
  const divisor = 10n ** BigInt(19 - market.decimals);
  let tokens = 0n;
  for (let at = 104; at < 104 + 8 * 40; at += 40) {
    if (data.readUInt16LE(at + 32) !== market.index) continue;
    const scaled = data.readBigUInt64LE(at);
    const isBorrow = data.readUInt8(at + 34) === 1;
    const interest = u128(market.data, isBorrow ? 480 : 464);
    if (isBorrow) tokens -= (scaled * interest + divisor - 1n) / divisor;
    else tokens += (scaled * interest) / divisor;
  }
  return tokens;
}

function u128(data: Buffer, at: number): bigint {
  return data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);
