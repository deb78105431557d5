/** /markets: the markets that are served. */
import { Type } from '@sinclair/typebox';
import type { ChainStats, MarketInfo } from '../../contract/markets.js';
import { sortedMarkets } from '../api/market-directory.js';
import { count, marketType, text, textOrNull, unsigned } from '../api/schema-parts.js';
import { programName } from '../api/service-parts.js';
import { bodyOf } from '../api/written-body.js';
import { jsonReply, type Reply } from '../transport/reply.js';
import { requireFirstBook } from './book-routes.js';
import type { Path, PathService } from './path.js';
import { baseAssetOf, feesOf, leverageMaxOf } from './stats-records.js';

const market = Type.Object({
  program: programName,
  symbol: text('Name of the market, and of no other one.'),
  name: text('Name on chain, with escapes; symbol is the key where another market has it first.'),
  marketIndex: count('Index among the markets of its type.'),
  marketType,
  status: text('Status of the market on chain.'),
  tick: unsigned('price', 'Price step at 1e6.'),
  step: unsigned('integer', "Size step in the market's own decimals."),
  minOrderSize: unsigned('integer', "In the market's own decimals."),
  decimals: count('Decimals of the base.'),
  oracle: text('Account of the oracle.'),
  oracleSource: text('Kind of the oracle.'),
  emptyReason: textOrNull('Why the book shows nothing; null when it shows its orders.'),
  baseAsset: text('Name of the traded token.'),
  quoteAsset: text('Name of the token that prices are in.'),
  fees: Type.Object(
    { maker: Type.Number(), taker: Type.Number() },
    { description: 'Of the first fee tier, as parts of the quote; a rebate is negative.' },
  ),
  leverageMax: Type.Number({ description: 'Highest leverage; 1 in spot markets.' }),
});

/** The path. */
export const markets = {
  summary: 'The markets that are served',
  kind: 'service',
  body: {
    name: 'Markets',
    schema: Type.Array(market, { description: 'Perpetual markets first, each kind by index.' }),
  },
  errors: ['NOT_READY'],
  open: (service) => () => marketsReply(service),
} as const satisfies Path;

/** The markets, once there is a book. */
function marketsReply({ book, directory, readiness }: PathService): Reply {
  requireFirstBook(readiness());
  const markets = sortedMarkets(directory);
  const chain = book.readChainStats();
  const bodies = markets.flatMap((market) => {
    const ofChain = chain[market.id];
    return ofChain === undefined ? [] : [marketBody(market, ofChain, book.program)];
  });
  return jsonReply(JSON.stringify(bodies));
}

/** Raw integers are written as text, as in all bodies of the book. */
function marketBody(info: MarketInfo, chain: ChainStats, program: string): object {
  return bodyOf(market, {
    ...info,
    program,
    name: escapedName(info),
    tick: info.tickSize.toString(),
    step: info.stepSize.toString(),
    minOrderSize: info.minOrderSize.toString(),
    baseAsset: baseAssetOf(info),
    fees: feesOf(chain),
    leverageMax: leverageMaxOf(chain),
  });
}

/** The name on chain, with escapes such as `\\u{202e}` for invisible characters. */
function escapedName({ name }: MarketInfo): string {
  return name.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu,
    (odd) => `\\u{${odd.codePointAt(0)?.toString(16)}}`,
  );
}
