/**
 * The channel `orderbook` of the market data dialect: the book with AMM and indicative quotes in
 * decimals, in the format of the Drift v2 data API. The decimals are converted from the core's
 * body.
 */

import { BASE_PLACES, formatFixedDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { BookTopicSpec } from './book-topics.js';
import { CHANGE } from './unmarked-changes.js';

/** The topic of a market. */
export function dataBookSpec(market: MarketInfo): BookTopicSpec {
  return {
    key: `dataBook ${market.id}`,
    market,
    isCommon: true,
    leastChange: CHANGE.indicative,
    intervalMs: LIMITS.dataBookIntervalMs,
    render: (book, id) => Buffer.from(frameText(market.symbol, readBook(book, id))),
  };
}

/**
 * The members of a core body that the channel uses: raw integers as texts, the oracle price as a
 * number.
 */
interface Body {
  readonly bids: LevelTexts;
  readonly asks: LevelTexts;
  readonly oracle: number;
  readonly markPrice: string;
  /** The spread members are missing when a side is empty. */
  readonly spreadQuote?: string;
  readonly spreadPct?: string;
}

type LevelTexts = readonly { readonly price: string; readonly size: string }[];

/** Reads the book with the default depth of the compatible channels, grouped by one tick. */
function readBook(book: BookSource, market: number): Body {
  const depth = LIMITS.channelDepthDefault;
  const body = book.l2({ market, depth, grouping: 1, vamm: true, indicative: true });
  return JSON.parse(Buffer.from(body).toString()) as Body;
}

function frameText(symbol: string, body: Body): string {
  const { bids, asks, oracle, markPrice, spreadQuote, spreadPct } = body;
  const data = {
    symbol,
    levels: [levelTexts(bids), levelTexts(asks)],
    oraclePrice: decimal(oracle),
    markPrice: decimal(markPrice),
    spreadQuote: decimal(spreadQuote),
    spreadPercent: decimal(spreadPct),
  };
  return JSON.stringify({
    type: 'update',
    channelType: 'orderbook',
    channel: `orderbook:${symbol}`,
    data,
  });
}

function levelTexts(levels: LevelTexts): readonly (readonly [price: string, size: string])[] {
  return levels.map(({ price, size }) => [
    decimal(price),
    formatFixedDecimal(BigInt(size), BASE_PLACES),
  ]);
}

/** A missing value is an empty text. */
function decimal(raw: string | number | undefined): string {
  return raw === undefined ? '' : formatFixedDecimal(BigInt(raw), QUOTE_PLACES);
}
