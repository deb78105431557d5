/**
 * Parts of body schemas. A schema also names the reader of its value in the client library, unless
 * the JSON type implies the reader; `test/support/client-readers.ts` generates the readers.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { wordSchema } from './param-parts.js';

/**
 * Symbol key of the client library's reader of a value, as an expression; an empty text omits the
 * value from the library.
 */
export const READER = Symbol('reader');
/** Symbol key that marks a member as optional for the client library. */
export const MAY_MISS = Symbol('may miss');

/** Returns the schema with this expression as its reader in the client library. */
export function readAs<Schema extends TSchema>(reader: string, schema: Schema): Schema {
  return { ...schema, [READER]: reader };
}

/** Marks a member that the client library omits. */
export function unread<Schema extends TSchema>(schema: Schema): Schema {
  return readAs('', schema);
}

/** Marks a member that older services do not send, so the client library treats it as optional. */
export function mayMiss<Schema extends TSchema>(schema: Schema): Schema {
  return { ...schema, [MAY_MISS]: true };
}

/** Marks a member that is omitted when it has no value; the client library then returns null. */
export function leftOutForNull<Schema extends TSchema>(reader: string, schema: Schema) {
  const read = readAs(`orNull(${reader})`, schema);
  return Type.Optional({ ...read, [MAY_MISS]: false } as Schema);
}

/** An amount as the text of a raw integer, in a unit type of the client library. */
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
/** A decimal with a fixed number of places as text; empty when there is no value. */
export const fixed = (places: number, description: string) =>
  Type.String({ pattern: `^(-?[0-9]+\\.[0-9]{${places}})?$`, description });
/** A whole number as text; empty when there is no value. */
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

/** A decimal as text without trailing zeros; empty when there is no value. */
export const trimmed = (description: string) =>
  Type.String({ pattern: '^(-?[0-9]+(\\.[0-9]+)?)?$', description });

/**
 * Marks an amount as always present, although its schema allows an empty text for other records.
 */
export function always<Schema extends TSchema>(schema: Schema): Schema {
  const reader = (schema as { readonly [READER]?: string })[READER] ?? '';
  return readAs(reader.replace(/^orMissing\((.+)\)$/, '$1'), schema);
}
