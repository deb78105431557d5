/**
 * The books that accounts make, in the form of the bodies of /l2 and /l3: what served books are compared with. The
 * library's LocalBook makes them, which shares no code with the core. What bodies show besides orders is written out
 * here: the exchange's oracle, mark price and spread, the queue, sizes by source.
 *
 * They have no AMM and no indicative quotes, and leave out what no account says: `ts`, `seq`, `marketSlot`.
 */
import { decodePerpMarket, decodeSpotMarket } from '../../src/client/accounts/decode.js';
import type { OracleSource } from '../../src/client/accounts/generated/enums.js';
import { PERP_MARKET_KIND } from '../../src/client/accounts/generated/perp-market.js';
import { SPOT_MARKET_KIND } from '../../src/client/accounts/generated/spot-market.js';
import { isKind } from '../../src/client/accounts/reading.js';
import {
  type BookLevel,
  type BookOrder,
  LocalBook,
  type LocalMarket,
  type Moment,
  type OracleReading,
  quoteAssetReading,
  readOracle,
} from '../../src/client/chain/index.js';
import { type MarketId, perpMarket, spotMarket } from '../../src/client/keys.js';

/** An account as getProgramAccounts gives it, its data decoded from base64. */
export interface AccountBytes {
  readonly pubkey: string;
  /** Empty where the account is closed. */
  readonly data: Buffer;
}

/** A row of /l3. */
export interface OrderRow {
  readonly price: string;
  readonly size: string;
  readonly queue: string;
  readonly oraclePriceOffset: string;
  readonly maker: string;
  readonly orderId: number;
  readonly slot: number;
  readonly maxTs: number;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
  readonly signedMsg: boolean;
}

/** A level of /l2. */
export interface LevelRow {
  readonly price: string;
  readonly size: string;
  readonly sources: { readonly dlob: string };
}

/** One side in the form of each body. */
interface BodySide {
  readonly levels: readonly LevelRow[];
  readonly rows: readonly OrderRow[];
}

/** The required bodies of one market. */
export interface BookBodies {
  readonly marketName: string;
  readonly bids: BodySide;
  readonly asks: BodySide;
  /** Members of /l2 and /l3 besides the rows; absent members must be absent in the bodies. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Mark, best and spread, which only /l2 has. */
  readonly prices: Readonly<Record<string, unknown>>;
}

/** The book that these accounts make at a moment. */
export function localBookOf(accounts: Iterable<AccountBytes>, moment: Moment): LocalBook {
  const bytes = new Map<string, Uint8Array | null>();
  for (const { pubkey, data } of accounts) bytes.set(pubkey, data.length === 0 ? null : data);
  const book = new LocalBook();
  for (const [pubkey, data] of bytes) book.setAccount(pubkey, data);
  // An oracle is taken once a market has named it.
  for (const pubkey of book.oracleAddresses) book.setAccount(pubkey, bytes.get(pubkey) ?? null);
  book.rebuild(moment);
  return book;
}

/** The bodies of all markets that these accounts make at a moment. */
export function bookBodies(accounts: readonly AccountBytes[], moment: Moment): BookBodies[] {
  const book = localBookOf(accounts, moment);
  const bytes = new Map(accounts.map(({ pubkey, data }) => [pubkey, data]));
  return accounts.flatMap(({ data }) => {
    const named = oracleOf(data);
    const market = book.markets().find(({ id }) => id.key === named?.id.key);
    if (named === null || market === undefined) return [];
    const exchange = exchangeReading(named, bytes, moment);
    return [bodiesOf(book, market, { exchange, lastPrice: named.lastPrice })];
  });
}

interface NamedOracle {
  readonly id: MarketId;
  readonly address: string;
  readonly source: OracleSource;
  /** The last price that the market was told, 1e6. */
  readonly lastPrice: bigint;
}

/** The oracle that a market's account names; null for any other account. */
function oracleOf(data: Buffer): NamedOracle | null {
  if (isKind(data, PERP_MARKET_KIND)) {
    const { marketIndex, amm } = decodePerpMarket(data);
    const { oracle: address, oracleSource: source, historicalOracleData: last } = amm;
    return { id: perpMarket(marketIndex), address, source, lastPrice: last.lastOraclePrice };
  }
  if (!isKind(data, SPOT_MARKET_KIND)) return null;
  const { marketIndex, oracle: address, ...rest } = decodeSpotMarket(data);
  const { oracleSource: source, historicalOracleData: last } = rest;
  return { id: spotMarket(marketIndex), address, source, lastPrice: last.lastOraclePrice };
}

function exchangeReading(
  { address, source }: NamedOracle,
  bytes: ReadonlyMap<string, Buffer>,
  { slot }: Moment,
): OracleReading | null {
  if (source === 'quoteAsset') return quoteAssetReading(slot);
  const data = bytes.get(address);
  return data === undefined || data.length === 0 ? null : readOracle(source, data);
}

interface Exchange {
  readonly exchange: OracleReading | null;
  readonly lastPrice: bigint;
}

function bodiesOf(
  book: LocalBook,
  { id, name, emptyReason, oracle, offsetOrdersExcluded }: LocalMarket,
  { exchange, lastPrice }: Exchange,
): BookBodies {
  const levels = book.getL2(id, Number.POSITIVE_INFINITY);
  const orders = book.getL3(id);
  const shown = exchange?.price ?? lastPrice;
  const head = {
    marketName: name,
    marketType: id.marketType,
    marketIndex: id.marketIndex,
    oracle: Number(shown),
    oracleData: oracleData(exchange),
    mmOracleData: oracleData(oracle),
    crossed: book.isCrossed(id),
    ...(offsetOrdersExcluded === null ? {} : { offsetOrdersExcluded }),
    ...(emptyReason === null ? {} : { reason: emptyReason }),
  };
  const [bid, ask] = [book.getBestBid(id), book.getBestAsk(id)];
  const isTwoSided = bid !== null && ask !== null;
  return {
    marketName: name,
    bids: { levels: levels.bids.map(levelRow), rows: orderRows(orders.bids) },
    asks: { levels: levels.asks.map(levelRow), rows: orderRows(orders.asks) },
    head,
    prices: isTwoSided ? pricesOf({ bid, ask }, oracle?.price ?? null) : { markPrice: `${shown}` },
  };
}

/** A Pyth Lazer account has one price, which the SDK shows as its averages; the other readings have no averages. */
function oracleData(reading: OracleReading | null) {
  if (reading === null) return {};
  const { price, slot, confidence, sequenceId } = reading;
  return {
    price: `${price}`,
    slot: `${slot}`,
    confidence: `${confidence}`,
    hasSufficientNumberOfDataPoints: true,
    ...(sequenceId === 0n ? {} : { twap: `${price}`, twapConfidence: `${price}` }),
  };
}

/** Source: the incumbent's calculateSpreadBidAskMark; `oracle` is the reading that prices orders. */
function pricesOf({ bid, ask }: { bid: bigint; ask: bigint }, oracle: bigint | null) {
  const mark = markPrice({ bid, ask }, oracle);
  const spread = ask > bid ? ask - bid : 0n;
  return {
    markPrice: `${mark}`,
    bestBidPrice: `${bid}`,
    bestAskPrice: `${ask}`,
    spreadPct: `${(spread * 100_000_000n) / mark}`,
    spreadQuote: `${spread}`,
  };
}

function markPrice({ bid, ask }: { bid: bigint; ask: bigint }, oracle: bigint | null): bigint {
  if (bid <= ask || oracle === null) return (bid + ask) / 2n;
  if (bid > oracle && ask > oracle) return ask;
  if (bid < oracle && ask < oracle) return bid;
  return oracle;
}

function levelRow({ price, size }: BookLevel): LevelRow {
  return { price: `${price}`, size: `${size}`, sources: { dlob: `${size}` } };
}

/** Queues are sums of sizes at 1e9, which is exact for tokens of at most 9 decimals. */
function orderRows(orders: readonly BookOrder[]): OrderRow[] {
  const ahead = new Map<bigint, bigint>();
  return orders.map((order) => {
    const queue = ahead.get(order.price) ?? 0n;
    ahead.set(order.price, queue + order.size);
    return {
      price: `${order.price}`,
      size: `${order.size}`,
      queue: `${queue}`,
      oraclePriceOffset: `${order.oraclePriceOffset}`,
      maker: order.maker,
      orderId: order.orderId,
      slot: Number(order.slot),
      maxTs: Number(order.maxTs),
      reduceOnly: order.reduceOnly,
      postOnly: order.postOnly,
      signedMsg: order.signedMsg,
    };
  });
}
