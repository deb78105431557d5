/**
 * Parts of the schemas of bodies. A schema says as well how the client library reads its value, where that is
 * not plain from its JSON; `test/support/client-readers.ts` writes the readers.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { wordSchema } from './param-parts.js';

/** The reader of a value in the client library, as an expression; an empty text leaves the value out. */
export const READER = Symbol('reader');
/** Whether the client library takes a member for one that may be missing. */
export const MAY_MISS = Symbol('may miss');

/** A schema that the client library reads by this expression. */
export function readAs<Schema extends TSchema>(reader: string, schema: Schema): Schema {
  return { ...schema, [READER]: reader };
}

/** A member that the client library does not have. */
export function unread<Schema extends TSchema>(schema: Schema): Schema {
  return readAs('', schema);
}

/** A member that older services do not send: it may be missing for the client library. */
export function mayMiss<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [MAY_MISS]: true };
}

/** A member that is left out where there is none, for which the client library has null. */
export function leftOutForNull<Schema extends TSchema>(reader: string, schema: Schema) {
  const read = readAs(`orNull(${reader})`, schema);
  return Type.Optional({ ...read, [MAY_MISS]: false } as Schema);
}

/** An amount as the text of a raw integer, in a unit of the client library. */
export const signed = (unit: string, description: string) =>
  readAs(unit, Type.String({ pattern: '^-?[0-9]+$', description }));
/** An amount that is not negative, likewise. */
export const unsigned = (unit: string, description: string) =>
  readAs(unit, Type.String({ pattern: '^[0-9]+$', description }));

/** A whole number, not below 0. */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
/** A number. */
export const decimal = (description: string) => Type.Number({ description });
/** A text or null. */
export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
/** A whole number or null. */
export const countOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
/** A text. */
export const text = (description: string) => Type.String({ description });
/** A decimal of fixed places as text, or an empty text where there is none. */
export const fixed = (places: number, description: string) =>
  Type.String({ pattern: `^(-?[0-9]+\\.[0-9]{${places}})?$`, description });
/** A whole number as text, or an empty text where there is none. */
export const id = (description: string) =>
  readAs('orMissing(integer)', Type.String({ pattern: '^([0-9]+)?$', description }));

/** A price with 6 places. */
export const price = (description: string) =>
  readAs('orMissing(writtenPrice)', fixed(6, `${description}, quote for a base.`));
/** A base amount with 9 places. */
export const base = (description: string) =>
  readAs('orMissing(writtenBase)', fixed(9, `${description}, base.`));
/** A quote amount with 6 places. */
export const quote = (description: string) =>
  readAs('orMissing(writtenQuote)', fixed(6, `${description}, quote.`));

/** The type of a market. */
export const marketType = wordSchema(['perp', 'spot'], { description: 'Type of the market.' });
/** The index of a market. */
export const marketIndex = count('Index among the markets of its type.');
/** The name of a market. */
export const symbol = text('Name of the market.');

/** A decimal as text with as many places as it needs, or an empty text where there is none. */
export const trimmed = (description: string) =>
  Type.String({ pattern: '^(-?[0-9]+(\\.[0-9]+)?)?$', description });

/** An amount that is never missing, although its text may be empty for other records. */
export function always<Schema extends TSchema>(schema: Schema): Schema {
  const reader = (schema as { readonly [READER]?: string })[READER] ?? '';
  return readAs(reader.replace(/^orMissing\((.+)\)$/, '$1'), schema);
}
