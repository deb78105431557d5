/** The bodies of errors. */
import { Type } from '@sinclair/typebox';
import { HTTP_ERROR_CODES } from '../../contract/error-codes.js';
import { wordSchema } from './param-parts.js';
import type { Body } from './path-spec.js';
import { text, textOrNull } from './schema-parts.js';

/** An error. */
export const error = Type.Object({
  code: wordSchema(HTTP_ERROR_CODES, { description: 'What is wrong; codes are never renamed.' }),
  message: text('The error in words.'),
  param: textOrNull('The parameter that is wrong, if one is.'),
});

/** The body of an error. */
export const errorBody: Body = { name: 'Error', schema: Type.Object({ error }) };

/** The error body in the format of TradingView's UDF. */
export const udfErrorBody: Body = {
  name: 'UdfError',
  schema: Type.Object({
    s: Type.Literal('error'),
    errmsg: text('The error in words, as the chart library reads it.'),
    error,
  }),
};
