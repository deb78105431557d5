/** Parts of the schemas of several bodies. */
import { Type } from '@sinclair/typebox';
import { wordSchema } from './param-schemas.js';

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
export const id = (description: string) => Type.String({ pattern: '^([0-9]+)?$', description });

/** A price with 6 places. */
export const price = (description: string) => fixed(6, `${description}, quote for a base.`);
/** A base amount with 9 places. */
export const base = (description: string) => fixed(9, `${description}, base.`);
/** A quote amount with 6 places. */
export const quote = (description: string) => fixed(6, `${description}, quote.`);

/** The type of a market. */
export const marketType = wordSchema(['perp', 'spot'], { description: 'Type of the market.' });
/** The index of a market. */
export const marketIndex = count('Index among the markets of its type.');
/** The name of a market. */
export const symbol = text('Name of the market.');
