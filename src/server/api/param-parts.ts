/**
 * Parts of parameter schemas. Requests are validated by these schemas, and /openapi.json publishes
 * them. A parameter with a default is always present after validation.
 */
import { type TBoolean, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { BOOK_FLAGS, type BookFlags } from '../../contract/book-requests.js';

/** What a text of a format must match, if a pattern can say it, and the rule as {@link ruleOf} writes it. */
interface TextRule {
  readonly pattern?: string;
  readonly rule: string;
}

/** Formats of strings; `param-check.ts` checks them. */
export const TEXT_FORMATS = {
  'market-name': { rule: `have 1 to ${LIMITS.marketNameBytesMax} bytes` },
  'public-key': { pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', rule: 'be a base58 key of 32 bytes' },
  'whole-number': { pattern: '^-?[0-9]+$', rule: 'be a whole number' },
  'jit-offer': { pattern: '^-?[0-9]+:-?[0-9]+$', rule: 'be price:size, both whole numbers' },
  cursor: {
    pattern: `^[A-Za-z0-9_-]{1,${LIMITS.cursorCharsMax}}$`,
    rule: 'be a cursor of an earlier response',
  },
  epoch: { pattern: `^[A-Za-z0-9_]{1,${LIMITS.epochCharsMax}}$`, rule: 'be the epoch of a body' },
  percent: {
    pattern: '^(-?[0-9]{1,3}([.][0-9]{1,9})?|dynamic|marketBased)$',
    rule: 'be a percentage',
  },
} as const satisfies Readonly<Record<string, TextRule>>;

/** The name of a format. */
export type TextFormat = keyof typeof TEXT_FORMATS;

/** Returns the format that a schema names, if it does. */
export function formatOf({ format }: TSchema): TextRule | undefined {
  return (TEXT_FORMATS as Readonly<Record<string, TextRule>>)[String(format)];
}

/** Schema keyword for words that are accepted in upper and lower case. */
export const ANY_CASE = 'x-any-case';

/** Schema keyword for the range of an integer that exceeds a JSON number, as decimal texts. */
export const AMOUNT_MIN = 'x-minimum';
/** The upper bound, see AMOUNT_MIN. */
export const AMOUNT_MAX = 'x-maximum';

/** One of a few words. */
export function wordSchema<const Word extends string>(
  words: readonly Word[],
  options: Readonly<Record<string, unknown>>,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

/** Marks flags that take any text, of which `true` in any case alone is true, as those of Drift do. */
export const ANY_TEXT = 'x-any-text';

/** A flag, `true` or `false` in any case, that is false where it is not given. */
export function flagSchema(description: string) {
  return Type.Boolean({ default: false, description });
}

/** A flag of a path that Drift's dlob-server has, which takes any text. */
export function lenientFlagSchema(description: string) {
  return Type.Boolean({ default: false, [ANY_TEXT]: true, description });
}

/** A whole number. */
export function wholeSchema(
  {
    min,
    max,
    byDefault,
  }: { readonly min: number; readonly max: number; readonly byDefault?: number },
  description: string,
) {
  const given = byDefault === undefined ? {} : { default: byDefault };
  return Type.Integer({ minimum: min, maximum: max, ...given, description });
}

/** A whole number that may exceed the precision of a JSON number. */
export function amountSchema(
  range: { readonly min: bigint; readonly max: bigint },
  description: string,
) {
  return Type.Optional(
    Type.String({
      format: 'whole-number' satisfies TextFormat,
      [AMOUNT_MIN]: String(range.min),
      [AMOUNT_MAX]: String(range.max),
      description,
    }),
  );
}

/** How a market is named. */
export const market = {
  marketName: Type.Optional(
    Type.String({
      format: 'market-name' satisfies TextFormat,
      minLength: 1,
      maxLength: LIMITS.marketNameBytesMax,
      description:
        'Name in any case, such as SOL-PERP, or key, such as perp_0; or marketIndex and marketType. All that is given must be of one market.',
    }),
  ),
  marketIndex: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.marketIndexMax },
      'Index among the markets of its type, with marketType.',
    ),
  ),
  marketType: Type.Optional(
    wordSchema(['perp', 'spot'], {
      [ANY_CASE]: true,
      description: 'Type of the market in any case; needs marketIndex.',
    }),
  ),
};

type FlagParam = (typeof BOOK_FLAGS)[keyof BookFlags]['param'];

/** The schemas of the truth values of a book. */
export const bookFlags = Object.fromEntries(
  Object.values(BOOK_FLAGS).map(({ param, text }) => [param, lenientFlagSchema(text)]),
) as Readonly<Record<FlagParam, TBoolean>>;

/** Returns the truth values of checked parameters; a false one has no member. */
export function readFlags(params: Readonly<Partial<Record<FlagParam, boolean>>>): BookFlags {
  const given = Object.entries(BOOK_FLAGS).filter(([, { param }]) => params[param] === true);
  return Object.fromEntries(given.map(([flag]) => [flag, true]));
}

/** The key of an account. */
export const publicKey = (description: string) =>
  Type.String({
    format: 'public-key' satisfies TextFormat,
    minLength: LIMITS.keyCharsMin,
    maxLength: LIMITS.keyCharsMax,
    description,
  });

/** Returns the rule of a schema as error messages write it after `must`. */
export function ruleOf(schema: TSchema): string {
  if (schema['type'] === 'integer') return 'be a whole number';
  if (schema['type'] === 'boolean') return 'be true or false';
  const words: unknown = schema['enum'];
  if (Array.isArray(words)) return `be ${words.join(' or ')}`;
  if (schema['type'] === 'array') return ruleOf(schema['items'] as TSchema);
  return (formatOf(schema) ?? TEXT_FORMATS['public-key']).rule;
}

/** The name of a market. */
export const symbol = Type.String({
  format: 'market-name' satisfies TextFormat,
  minLength: 1,
  maxLength: LIMITS.marketNameBytesMax,
  description: 'Name of the market in any case, such as SOL-PERP, or its key, such as perp_0.',
});

/** The schema of a parameter that limits the rows of a response. */
export const rows = (what: string, { max, byDefault }: { max: number; byDefault: number }) =>
  wholeSchema({ min: 1, max: max, byDefault }, `${what} at most.`);

/** The cursor of an earlier response. */
export const cursor = (description: string) =>
  Type.Optional(Type.String({ format: 'cursor' satisfies TextFormat, description }));

/** A unix time in seconds or milliseconds; the magnitude distinguishes the two, see `secondsOf`. */
export const secondsOrMs = (description: string) =>
  wholeSchema(
    { min: 0, max: LIMITS.unixSecondsMax * 1_000 },
    `${description} Above ${LIMITS.unixSecondsMax} it is in milliseconds.`,
  );

/** A time in unix seconds. */
export const seconds = (description: string) =>
  Type.Optional(wholeSchema({ min: 0, max: LIMITS.unixSecondsMax }, `${description}.`));

/** The cursor of records. */
export const page = cursor('The nextPage of an earlier response.');
