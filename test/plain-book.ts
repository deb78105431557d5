/**
 * One market's book, rebuilt from nothing but account bytes: every account is read again each time,
 * every order is judged by itself, and the rows are sorted. It is what the served book is compared
 * with, so it shares no code with it and trades all speed for being easy to check by eye.
 *
 * It reads the oracles that the simulated chain has (Pyth Lazer, quote asset) and no others, knows
 * no AMM and no indicative quotes, and leaves out what no account tells: `ts`, `seq`, `marketSlot`.
 */
import { PublicKey } from '@solana/web3.js';
import { MARKET_OFFSETS, oracleView, type PlainOracle, REASON } from './plain-oracle.js';
import {
  forEachOpenOrder,
  hasSoundOrders,
  isOrderIn,
  judge,
  type Resting,
} from './plain-orders.js';

/** An account as getProgramAccounts gives it, its data decoded from base64. */
export interface PlainAccount {
  readonly pubkey: string;
  readonly data: Buffer;
}

/** The slot and the chain's second that a book stands at. */
export interface Moment {
  readonly slot: bigint;
  readonly unixSeconds: bigint;
}

/** A row of /l3. */
export interface PlainRow {
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
export interface PlainLevel {
  readonly price: string;
  readonly size: string;
  readonly sources: { readonly dlob: string };
}

/** One side in the form of each body. */
export interface PlainSide {
  readonly levels: readonly PlainLevel[];
  readonly rows: readonly PlainRow[];
}

/** What the bodies of one market must hold. */
export interface PlainBook {
  readonly marketName: string;
  readonly bids: PlainSide;
  readonly asks: PlainSide;
  /** Members of /l2 and /l3 beside the rows; absent members are absent in the bodies as well. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Mark, best and spread, which only /l2 has. */
  readonly prices: Readonly<Record<string, unknown>>;
  /** Open orders of the market by what became of them. */
  readonly census: ReadonlyMap<string, number>;
}

const USER = '9f755fe3ef973aec';
const PERP_MARKET = '0adf0c2c6bf537f7';
const SPOT_MARKET = '64b1086ba8414127';
const STATE = 'd8926b5e684bb6b1';

/** All books that the accounts make at one moment. */
export function plainBooks(accounts: readonly PlainAccount[], moment: Moment): PlainBook[] {
  const of = (kind: string) => accounts.filter(({ data }) => data.toString('hex', 0, 8) === kind);
  const state = of(STATE)[0]?.data;
  if (state === undefined) throw new Error('there is no State account');
  const users = of(USER).filter(({ data }) => hasSoundOrders(data));
  const markets = [...of(PERP_MARKET), ...of(SPOT_MARKET)].map(({ data }) => readMarket(data));
  const oracles = new Map(accounts.map(({ pubkey, data }) => [pubkey, data]));
  return markets.map((market) => {
    const oracle = oracleView({ market, state, oracles, slot: moment.slot });
    return plainBook({
      market,
      oracle,
      users,
      moment,
      emptyBy: emptyReason(market, state, moment),
    });
  });
}

/** What a market's account says, perp and spot alike. */
export type PlainMarket = ReturnType<typeof readMarket>;

function readMarket(data: Buffer) {
  const isPerp = data.toString('hex', 0, 8) === PERP_MARKET;
  const at = isPerp ? MARKET_OFFSETS.perp : MARKET_OFFSETS.spot;
  return {
    isPerp,
    data,
    name: data.toString('latin1', at.name, at.name + 32).replace(/[ \0]+$/, ''),
    index: data.readUInt16LE(at.marketIndex),
    status: data.readUInt8(at.status),
    fillsPaused: (data.readUInt8(at.pausedOperations) & (isPerp ? 4 : 2)) !== 0,
    expiryTs: data.readBigInt64LE(at.expiryTs),
    tick: data.readBigUInt64LE(at.tick),
    step: data.readBigUInt64LE(at.step),
    decimals: isPerp ? 9 : data.readUInt32LE(MARKET_OFFSETS.spot.decimals),
    isPrediction: isPerp && data.readUInt8(MARKET_OFFSETS.perp.contractType) === 2,
    oracleKey: new PublicKey(data.subarray(40, 72)).toBase58(),
    oracleSource: data.readUInt8(at.oracleSource),
    tier: data.readUInt8(at.tier),
    lastOraclePrice: data.readBigInt64LE(at.lastOraclePrice),
    lastOracleTwap: data.readBigInt64LE(at.lastOracleTwap),
  };
}

const ACTIVE = 1;
const REDUCE_ONLY = 6;

function emptyReason(market: PlainMarket, state: Buffer, { unixSeconds }: Moment) {
  if (market.status !== ACTIVE && market.status !== REDUCE_ONLY) return REASON.marketStatus;
  if (market.fillsPaused) return REASON.marketFillPaused;
  if ((state.readUInt8(974) & 8) !== 0) return REASON.exchangeFillPaused;
  if (market.expiryTs !== 0n && unixSeconds >= market.expiryTs) return REASON.marketExpired;
  return undefined;
}

interface Scene {
  readonly market: PlainMarket;
  readonly oracle: PlainOracle;
  readonly users: readonly PlainAccount[];
  readonly moment: Moment;
  readonly emptyBy: string | undefined;
}

function plainBook(scene: Scene): PlainBook {
  const { market, oracle, emptyBy } = scene;
  const census = new Map<string, number>();
  const resting: Resting[] = [];
  for (const user of scene.users) {
    forEachOpenOrder(user.data, (order) => {
      if (!isOrderIn(order, market)) return;
      const fate = judge(order, user, scene);
      census.set(fate.verdict, (census.get(fate.verdict) ?? 0) + 1);
      if (fate.resting !== undefined && emptyBy === undefined) resting.push(fate.resting);
    });
  }
  const bids = side(resting.filter(({ order }) => order.isBid).sort(byBid), market);
  const asks = side(resting.filter(({ order }) => !order.isBid).sort(byAsk), market);
  const top = { bid: bids.levels[0]?.price, ask: asks.levels[0]?.price };
  const crossed =
    top.bid !== undefined && top.ask !== undefined && BigInt(top.bid) > BigInt(top.ask);
  const head = {
    marketName: market.name,
    marketType: market.isPerp ? 'perp' : 'spot',
    marketIndex: market.index,
    ...oracle.head,
    crossed,
    ...(emptyBy === undefined ? {} : { reason: emptyBy }),
  };
  return { marketName: market.name, bids, asks, head, prices: oracle.prices(top), census };
}

const byBid = (a: Resting, b: Resting) => compare(b.price, a.price) || byTime(a, b);
const byAsk = (a: Resting, b: Resting) => compare(a.price, b.price) || byTime(a, b);

function byTime(a: Resting, b: Resting): number {
  const bytesOf = ({ maker }: Resting) => new PublicKey(maker).toBuffer();
  const makers = () => Buffer.compare(bytesOf(a), bytesOf(b));
  return compare(a.order.slot, b.order.slot) || a.order.orderId - b.order.orderId || makers();
}

/** Both forms of a side that is in book order; sizes go to the wire's 1e9. */
function side(resting: readonly Resting[], { decimals }: PlainMarket): PlainSide {
  const wire = (size: bigint) => (size * 10n ** 9n) / 10n ** BigInt(decimals);
  const sizes = new Map<bigint, bigint>();
  const rows = resting.map(({ order, maker, price, size }): PlainRow => {
    const ahead = sizes.get(price) ?? 0n;
    sizes.set(price, ahead + size);
    return {
      price: `${price}`,
      size: `${wire(size)}`,
      queue: `${wire(ahead)}`,
      oraclePriceOffset: `${order.offset}`,
      maker,
      orderId: order.orderId,
      slot: Number(order.slot),
      maxTs: Number(order.maxTs),
      reduceOnly: order.reduceOnly,
      postOnly: order.postOnly,
      signedMsg: order.signedMsg,
    };
  });
  const levels = Array.from(sizes, ([price, size]): PlainLevel => {
    return { price: `${price}`, size: `${wire(size)}`, sources: { dlob: `${wire(size)}` } };
  });
  return { levels, rows };
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);
