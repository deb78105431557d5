/**
 * The query parameters of every path, each described once: requests are validated from these schemas
 * and /openapi.json is generated from them.
 *
 * A parameter with a default is never missing to its reader. What one schema cannot say, that a market
 * is named either by its name or by index and type, is checked in `params.ts`.
 */
import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { LIMITS } from '../limits.js';

/** Formats that strings are checked for; `param-check.ts` holds the checks. */
export type TextFormat = 'market-name' | 'public-key';

/** Marks words that are understood in any case. */
export const ANY_CASE = 'x-any-case';

/** One of a few words. */
export function word<const Word extends string>(
  words: readonly Word[],
  options: Readonly<Record<string, unknown>>,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

function flag(description: string) {
  return Type.Boolean({ default: false, description });
}

const market = {
  marketName: Type.Optional(
    Type.String({
      format: 'market-name' satisfies TextFormat,
      minLength: 1,
      maxLength: LIMITS.marketNameBytesMax,
      description:
        'Name of the market in any case, such as SOL-PERP; or marketIndex and marketType. The name wins.',
    }),
  ),
  marketIndex: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.marketIndexMax,
      description: 'Index among the markets of its type; needs marketType.',
    }),
  ),
  marketType: Type.Optional(
    word(['perp', 'spot'], {
      [ANY_CASE]: true,
      description: 'Type of the market in any case; needs marketIndex.',
    }),
  ),
};

const sources = {
  includeVamm: flag('Not yet: without effect until AMM levels exist.'),
  includeIndicative: flag('Not yet: without effect until indicative quotes exist.'),
};

const uncross = flag('Moves levels that cross apart, around the oracle price.');

/** The parameters of /l2. */
export const l2Params = Type.Object({
  ...market,
  depth: Type.Integer({
    minimum: LIMITS.depthMin,
    maximum: LIMITS.depthMax,
    default: LIMITS.l2DepthDefault,
    description: 'Levels a side.',
  }),
  grouping: Type.Optional(
    Type.Integer({
      minimum: LIMITS.groupingMin,
      maximum: LIMITS.groupingMax,
      description: 'Ticks a group; not given means every level by itself.',
    }),
  ),
  ...sources,
  uncross,
});

/** The parameters of /l3. */
export const l3Params = Type.Object({
  ...market,
  depth: Type.Optional(
    Type.Integer({
      minimum: LIMITS.depthMin,
      maximum: LIMITS.depthMax,
      description: 'Orders a side; not given means all.',
    }),
  ),
  maker: Type.Optional(
    Type.String({
      format: 'public-key' satisfies TextFormat,
      minLength: LIMITS.keyCharsMin,
      maxLength: LIMITS.keyCharsMax,
      description: 'Only the orders of this user account.',
    }),
  ),
  ...sources,
  uncross,
});

/** The parameters of /auctions. */
export const auctionsParams = Type.Object(market);

/** The parameters of /topMakers. */
export const topMakersParams = Type.Object({
  ...market,
  side: word(['bid', 'ask'], { description: 'The side whose makers are named.' }),
  limit: Type.Integer({
    minimum: LIMITS.topMakersMin,
    maximum: LIMITS.topMakersMax,
    default: LIMITS.topMakersDefault,
    description: 'Makers at most.',
  }),
  includeAccounts: flag("Adds each maker's account as base64, read from the RPC node."),
});

/** What a value of this schema must be, as error messages say it after `must`. */
export function ruleOf(schema: TSchema): string {
  if (schema['type'] === 'integer') return 'be a whole number';
  const words: unknown = schema['enum'];
  if (Array.isArray(words)) return `be ${words.join(' or ')}`;
  if (schema['format'] === 'market-name') return `have 1 to ${LIMITS.marketNameBytesMax} bytes`;
  return 'be a base58 key of 32 bytes';
}
