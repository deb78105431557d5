/**
 * /auctionParams: the parameters of an order that should fill immediately, derived from the fills
 * that the order would get now.
 */
import { Type } from '@sinclair/typebox';
import type { BookSource } from '../../contract/book-source.js';
import {
  type AuctionOrderRequest,
  auctionOrderParams,
  parseAuctionOrder,
} from '../api/auction-order-params.js';
import { marketErrors, price, size } from '../api/book-parts.js';
import { wordSchema } from '../api/param-parts.js';
import { count, marketType, text } from '../api/schema-parts.js';
import { bodyOf } from '../api/written-body.js';
import { type AuctionOrder, type AuctionPrices, betterOf, deriveAuction } from './auction-order.js';
import { bookRoute } from './book-routes.js';
import type { Path } from './path.js';

const auctionParams = Type.Object({
  orderType: wordSchema(['oracle', 'market'], {}),
  marketType,
  userOrderId: count('Always 0.'),
  direction: wordSchema(['long', 'short'], {}),
  baseAssetAmount: size('Base at 1e9.'),
  marketIndex: count('Index among the markets of its type.'),
  reduceOnly: Type.Boolean(),
  postOnly: wordSchema(['none'], {}),
  bitFlags: count('Always 0.'),
  triggerPrice: Type.Null(),
  triggerCondition: wordSchema(['above'], {}),
  oraclePriceOffset: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of an oracle order: its end less the oracle, at 1e6.',
  }),
  auctionDuration: count('Slots.'),
  maxTs: Type.Null(),
  auctionStartPrice: price('At 1e6; of an oracle order less the oracle.'),
  auctionEndPrice: price('Likewise.'),
  price: Type.Optional(price('The limit price of a market order.')),
});

/** The path; its ETag has one more part, like the tag of /match. */
export const auctionParamsPath = {
  summary: 'The parameters of an order that is to fill at once, made of what it would get now',
  kind: 'book',
  params: auctionOrderParams,
  body: {
    name: 'AuctionParams',
    schema: Type.Object({
      data: Type.Object({
        params: auctionParams,
        entryPrice: price('The average of what the order gets now, at 1e6.'),
        bestPrice: price('The best price that it gets.'),
        worstPrice: price('The worst price that it gets.'),
        oraclePrice: price('Price of the exchange oracle.'),
        markPrice: price('As in /l2 with the AMM.'),
        priceImpact: Type.Number({ description: 'Entry price over best price, as a fraction.' }),
        slippageTolerance: text('A fraction, as decimal text.'),
      }),
    }),
  },
  tagged: true,
  errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  open: (service) => {
    const { book, directory } = service;
    return bookRoute({
      ...service,
      parse: (raw) => {
        const request = parseAuctionOrder(raw, directory);
        return { market: request.market.id, request };
      },
      render: ({ request }) => Buffer.from(bodyText(request, book)),
      beside: () => book.turn,
      isLarge: () => true,
    });
  },
} as const satisfies Path;

function bodyText(request: AuctionOrderRequest, book: BookSource): string {
  const prices = readPrices(request, book);
  const auction = deriveAuction(request, prices);
  const { entry, best, worst, oracle, mark } = prices;
  const apart = entry > best ? entry - best : best - entry;
  return JSON.stringify({
    data: {
      params: orderParams(request, prices, auction),
      entryPrice: String(entry),
      bestPrice: String(best),
      worstPrice: String(worst),
      oraclePrice: String(oracle),
      markPrice: String(mark),
      priceImpact: best === 0n ? 0 : Number((apart * 1_000_000n) / best) / 1_000_000,
      slippageTolerance: fractionText(auction.slippagePercent),
    },
  });
}

/** Formats a percentage as a fraction, without the rounding error of a double. */
function fractionText(percent: number): string {
  return String(Number((percent / 100).toFixed(9)));
}

type Json = Readonly<Record<string, unknown>>;

const parsed = (body: Uint8Array): Json => JSON.parse(Buffer.from(body).toString()) as Json;

/** Returns the price of a member; the other price when the member is missing or null. */
function priceIn(body: Json | undefined, name: string, otherwise: bigint): bigint {
  const text = body?.[name];
  return typeof text === 'string' || typeof text === 'number' ? BigInt(text) : otherwise;
}

/**
 * Reads the prices. When the order would get no fill, every price is the best price of the side, or
 * else the oracle's price.
 */
function readPrices(request: AuctionOrderRequest, book: BookSource): AuctionPrices {
  const { market, direction, assetType, amount, orderSize } = request;
  const l2 = parsed(book.l2({ market: market.id, depth: 1, vamm: true }));
  const oracle = priceIn(l2, 'oracle', 0n);
  const isLong = direction === 'long';
  const wanted = orderSize ?? amount;
  const match = parsed(
    book.match({
      market: market.id,
      side: isLong ? 'buy' : 'sell',
      orderType: 'market',
      ...(assetType === 'base' || orderSize !== undefined ? { size: wanted } : { quote: wanted }),
    }),
  );
  const [first] = match['fills'] as readonly Json[];
  const [top] = l2[isLong ? 'asks' : 'bids'] as readonly Json[];
  const best = priceIn(first, 'price', priceIn(top, 'price', oracle));
  const entry = priceIn(match, 'averagePrice', best);
  const { spreadPct } = l2;
  return {
    oracle,
    mark: priceIn(l2, 'markPrice', oracle),
    best,
    entry,
    worst: priceIn(match, 'worstPrice', best),
    spreadPercent: spreadPct === undefined ? undefined : Number(spreadPct) / 1e6,
  };
}

function orderParams(request: AuctionOrderRequest, prices: AuctionPrices, auction: AuctionOrder) {
  const { market, direction, isOracleOrder } = request;
  const { start, end, limit } = auction;
  const { oracle } = prices;
  const followsOracle = isOracleOrder && oracle > 0n;
  const away = clampOffset(end - oracle);
  const isLong = direction === 'long';
  const least = isLong ? 1n : -1n;
  // The program refuses an auction that starts beyond its end.
  const startOffset = betterOf(isLong, clampOffset(start - oracle), away);
  return bodyOf(auctionParams, {
    ...request,
    ...market,
    orderType: followsOracle ? 'oracle' : 'market',
    baseAssetAmount: String(baseOf(request, prices)),
    bitFlags: 0,
    triggerPrice: null,
    oraclePriceOffset: followsOracle ? Number(away === 0n ? least : away) : null,
    maxTs: null,
    auctionStartPrice: String(followsOracle ? startOffset : start),
    auctionEndPrice: String(followsOracle ? away : end),
    price: followsOracle ? undefined : String(limit),
  });
}

/**
 * Clamps an offset to 32 bits at 1e6, in which the program stores the offset of an oracle order: an
 * auction ends within 2,147 of the oracle price; the clamp is in the taker's favour. Source:
 * `OrderParams.oracle_price_offset` of protocol-v2.
 */
function clampOffset(offset: bigint): bigint {
  if (offset > OFFSET_MAX) return OFFSET_MAX;
  return offset < -OFFSET_MAX ? -OFFSET_MAX : offset;
}

const OFFSET_MAX = 2n ** 31n - 1n;

/** An amount of quote is converted at the average price of the expected fills. */
function baseOf({ assetType, amount, orderSize }: AuctionOrderRequest, { entry }: AuctionPrices) {
  if (orderSize !== undefined) return orderSize;
  if (assetType === 'base') return amount;
  return entry === 0n ? 0n : (amount * 1_000_000_000n) / entry;
}
