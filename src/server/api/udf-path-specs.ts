/** The paths of TradingView's UDF, among those of `path-specs.ts`. */
import type { PathSpec } from './path-spec.js';
import { udfHistoryParams, udfSearchParams, udfSymbolParams } from './udf-schemas.js';

const udf = { kind: 'history', udf: true, tagged: false } as const;

/** Each by its name, without prefixes. */
export const udfPathSpecs = {
  '/udf/config': {
    ...udf,
    summary: "What TradingView's chart library may ask here",
    body: 'UdfConfig',
    errors: [],
  },
  '/udf/symbols': {
    ...udf,
    summary: 'A market, for the chart library',
    params: udfSymbolParams,
    body: 'UdfSymbol',
    errors: ['MISSING_PARAM', 'INVALID_PARAM', 'UNKNOWN_MARKET', 'NOT_READY'],
  },
  '/udf/search': {
    ...udf,
    summary: 'The markets whose names have a text in them, for the chart library',
    params: udfSearchParams,
    body: 'UdfSearch',
    errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY'],
  },
  '/udf/history': {
    ...udf,
    summary: 'The bars of a market, oldest first, for the chart library',
    params: udfHistoryParams,
    body: 'UdfHistory',
    tagged: true,
    errors: [
      'MISSING_PARAM',
      'INVALID_PARAM',
      'OUT_OF_RANGE',
      'UNKNOWN_MARKET',
      'NOT_READY',
      'LIMIT_EXCEEDED',
    ],
  },
  '/udf/time': {
    ...udf,
    summary: "The chain's time in unix seconds, for the chart library",
    body: { contentType: 'text/plain' },
    errors: [],
  },
} as const satisfies Readonly<Record<string, PathSpec>>;
