/**
 * /contracts: the contracts of all markets, and the contracts of perpetual markets in CoinGecko's
 * format.
 */
import { Type } from '@sinclair/typebox';
import { wordSchema } from '../api/param-parts.js';
import { base, fixed, id, marketIndex, price, quote, symbol } from '../api/schema-parts.js';
import { assets, day } from '../api/stats-parts.js';
import type { Path } from './path.js';
import { ofStats, statsRoute } from './stats.js';
import { contractRecordsText, perpContractRecordsText } from './stats-records.js';

const contract = Type.Object({
  contract_index: marketIndex,
  ticker_id: symbol,
  base_currency: assets.baseAsset,
  quote_currency: assets.quoteAsset,
  last_price: price('Of the last trade'),
  base_volume: base('Traded in 24 hours'),
  quote_volume: quote('Traded in 24 hours'),
  ...day,
  product_type: wordSchema(['PERP', 'SPOT'], { description: 'Type of the market.' }),
  open_interest: base('Long and short positions together'),
  index_price: price('Of the oracle now'),
  funding_rate: fixed(9, 'Percent per hour, positive when longs pay.'),
  next_funding_rate: Type.Literal('', { description: 'Not predicted here.' }),
  next_funding_rate_timestamp: id('An hour after the last one, unix milliseconds.'),
  start_timestamp: Type.Literal('', { description: 'No account says it.' }),
  end_timestamp: Type.Literal('', { description: 'A perpetual contract has none.' }),
});

const body = {
  name: 'Contracts',
  schema: Type.Object({
    contracts: Type.Array(contract, { description: 'In the same order.' }),
  }),
};

/** The path of all markets. */
export const contracts = {
  ...ofStats,
  summary: 'The contracts of all markets',
  body: body,
  open: statsRoute(contractRecordsText),
} as const satisfies Path;

/** The path of perpetual markets. */
export const perpContracts = {
  ...ofStats,
  summary: 'The contracts of all perpetual markets, for CoinGecko',
  body: body,
  open: statsRoute(perpContractRecordsText),
} as const satisfies Path;
