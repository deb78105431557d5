/** /trades: the trades of a market in slotbook's own format. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { named, namedMarket, paging, placeOf } from '../api/page-params.js';
import { rows, wordSchema } from '../api/param-parts.js';
import { slot, ts, txSig } from '../api/record-parts.js';
import {
  countOrNull,
  marketIndex,
  marketType,
  readAs,
  text,
  textOrNull,
} from '../api/schema-parts.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

const tradesParams = Type.Object({
  ...named,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.tradesDefault }),
  ...paging,
});

const whole = (unit: string, description: string) => readAs(unit, Type.Integer({ description }));

const trade = Type.Object({
  ts,
  marketIndex,
  marketType,
  filler: textOrNull('User account of the filler; null where there is none.'),
  taker: textOrNull('User account of the taker; null where there is none.'),
  maker: textOrNull('User account of the maker; null for fills of the AMM.'),
  takerOrderId: countOrNull(
    "The id of the taker's order in its account; null where there is none.",
  ),
  makerOrderId: countOrNull("The id of the maker's; null for fills of the AMM."),
  baseAssetAmountFilled: whole('base', 'Base at 1e9.'),
  quoteAssetAmountFilled: whole('quote', 'Quote at 1e6.'),
  takerFee: whole('quote', 'Quote at 1e6; positive is a charge.'),
  makerFee: whole('quote', 'Quote at 1e6; negative is a rebate, 0 where there is no maker.'),
  action: readAs('text', wordSchema(['fill'], { description: 'What was done.' })),
  actionExplanation: text('How, such as `orderFilledWithMatch`.'),
  slot,
  txSig,
  fillRecordId: readAs('integer', countOrNull('Counts the fills of the market.')),
  takerOrderDirection: Type.Unsafe<'long' | 'short' | null>({
    enum: ['long', 'short', null],
    description: 'Whether the taker bought; null where there is no taker.',
  }),
  oraclePrice: whole('price', 'Of the oracle, at 1e6.'),
});

/** The path. */
export const trades = {
  ...ofHistory,
  summary: 'The trades of a market, newest first',
  ...queryBy(tradesParams, (params, { markets }) => {
    return { kind: 'trades', ...namedMarket(params, markets), ...placeOf(params) };
  }),
  body: {
    name: 'Trades',
    schema: Type.Union([
      Type.Array(trade, { description: 'Newest first.' }),
      Type.Object(
        {
          data: Type.Object({
            trades: Type.Array(text('A trade of /market/{symbol}/trades as JSON.'), {
              description: 'Newest first.',
            }),
          }),
        },
        { description: 'With marketName or marketIndex.' },
      ),
    ]),
  },
  paged: true,
} as const satisfies Path;
