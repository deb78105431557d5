/** What was traded in a span of time, of all markets, as the system in production writes it. */
import { BASE_DECIMALS } from '../candles/trade.js';
import { fixedDecimal } from '../model/decimal.js';
import type { HistoryAnswer, VolumesQuery } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import type { HistoryStore } from '../store/store.js';

const QUOTE_PLACES = 6;

/** What volumes are made from. */
export interface VolumesContext {
  readonly reader: Pick<HistoryStore, 'aggregate'>;
  /** All markets, in any order. */
  readonly markets: Iterable<HistoryMarket>;
}

/** The body: perpetual markets first, each kind by index; amounts are decimals of fixed places. */
export function volumesAnswer(query: VolumesQuery, context: VolumesContext): HistoryAnswer {
  const { from, to } = query;
  let total = 0n;
  const markets = [...context.markets].sort(byKindAndIndex).map((market) => {
    const traded = context.reader.aggregate(market.key, { from, to });
    const quote = traded?.quote ?? 0n;
    total += quote;
    return {
      symbol: market.symbol,
      quoteVolume: fixedDecimal(quote, QUOTE_PLACES),
      baseVolume: fixedDecimal(traded?.base ?? 0n, BASE_DECIMALS),
      marketIndex: market.marketIndex,
      marketType: market.marketType,
    };
  });
  const body = { success: true, total: fixedDecimal(total, QUOTE_PLACES), markets };
  return { body: Buffer.from(JSON.stringify(body)), nextCursor: null };
}

function byKindAndIndex(left: HistoryMarket, right: HistoryMarket): number {
  if (left.marketType !== right.marketType) return left.marketType === 'perp' ? -1 : 1;
  return left.marketIndex - right.marketIndex;
}
