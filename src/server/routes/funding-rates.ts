/** /fundingRates: the funding rates of a market in slotbook's own format. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { named, namedMarket, paging, placeOf, sinceOf } from '../api/page-params.js';
import { rows } from '../api/param-parts.js';
import { slot, ts, txSig } from '../api/record-parts.js';
import { decimal, marketIndex, symbol } from '../api/schema-parts.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

const fundingRatesParams = Type.Object({
  ...named,
  limit: rows('Records', { max: LIMITS.fundingRatesMax, byDefault: LIMITS.fundingRatesMax }),
  ...paging,
});

const fundingRate = Type.Object({
  ts,
  symbol,
  marketIndex,
  fundingRate: decimal('A fraction of the price per hour; positive is paid by longs.'),
  oraclePrice: decimal('Average of the oracle over the period.'),
  markPrice: decimal('Average of the mark price over the period.'),
});

const integer = (description: string) => Type.String({ pattern: '^-?[0-9]+$', description });

const rawFundingRate = Type.Object({
  txSig,
  slot,
  ts: integer('Unix time in seconds, of the block.'),
  recordId: integer('Counts the funding rates of the market.'),
  marketIndex,
  fundingRate: integer('Quote for a base and hour, at 1e9.'),
  cumulativeFundingRateLong: integer('The sum of what longs paid, at 1e9.'),
  cumulativeFundingRateShort: integer('The sum of what shorts got, at 1e9.'),
  oraclePriceTwap: integer('Average of the oracle, at 1e6.'),
  markPriceTwap: integer('Average of the mark price, at 1e6.'),
  fundingRateLong: integer('What longs pay, at 1e9.'),
  fundingRateShort: integer('What shorts get, at 1e9.'),
  periodRevenue: integer('What the AMM took in, at 1e6.'),
  baseAssetAmountWithAmm: integer('The position of the AMM, at 1e9.'),
  baseAssetAmountWithUnsettledLp: integer('Of liquidity providers, not yet settled, at 1e9.'),
});

/** The path. */
export const fundingRates = {
  ...ofHistory,
  summary: 'The funding rates of a market of the last 30 days, newest first',
  ...queryBy(fundingRatesParams, (params, { markets, nowSeconds }) => {
    const since = sinceOf(nowSeconds);
    return { kind: 'fundingRates', ...namedMarket(params, markets), ...placeOf(params), since };
  }),
  body: {
    name: 'FundingRates',
    schema: Type.Union([
      Type.Array(fundingRate, { description: 'Newest first.' }),
      Type.Object(
        { fundingRates: Type.Array(rawFundingRate, { description: 'Newest first.' }) },
        { description: 'With marketName or marketIndex.' },
      ),
    ]),
  },
  paged: true,
} as const satisfies Path;
