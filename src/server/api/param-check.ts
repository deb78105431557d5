/**
 * Splits a query string and validates its texts against a parameter schema: this file converts
 * whole numbers and flags, Ajv checks them and adds defaults, and findings of Ajv become a coded
 * error.
 *
 * Schemas are compiled before the port is bound: the first compilation takes 30 ms and would
 * otherwise block the event loop during the first request. Checks are not on the hot path: the
 * routes cache parsed queries.
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { LIMITS } from '../../config/limits.js';
import { isPublicKey } from '../../config/public-key.js';
import { quoteValue, ServerError } from '../transport/errors.js';
import { AMOUNT_MAX, AMOUNT_MIN, ANY_CASE, ANY_TEXT, ruleOf, TEXT_FORMATS } from './param-parts.js';

/** The texts of the given parameters that the schema knows, by name. */
export type Texts = ReadonlyMap<string, string>;

/**
 * Maximum digits, with a sign, of a numeric parameter; more than the largest number that any
 * parameter takes.
 */
const DIGITS_MAX = 50;

const validators = new WeakMap<TObject, ValidateFunction>();
let compiler: Ajv | undefined;

/** Compiles schemas ahead of their first use. */
export function compileParamSchemas(schemas: readonly TObject[]): void {
  for (const schema of schemas) if (!validators.has(schema)) compileSchema(schema);
}

/**
 * Returns the checked parameters, with defaults. Throws a ServerError that names the first wrong
 * parameter. `repeated` holds, by name, the parameters that may be repeated.
 */
export function checkParams<Schema extends TObject>(
  schema: Schema,
  texts: Texts,
  repeated: Readonly<Record<string, readonly string[]>> = {},
): Static<Schema> {
  const values: Record<string, unknown> = { ...repeated };
  for (const [name, text] of texts) values[name] = convertText(text, propertyOf(schema, name));
  const validate = validators.get(schema) ?? compileSchema(schema);
  if (validate(values)) return values as Static<Schema>;
  const [error] = validate.errors ?? [];
  throw error === undefined
    ? new Error('Invariant: a failed validation has an error')
    : refusalOf(error, schema, { texts, repeated });
}

/**
 * Returns the checked parameters of a raw query. Throws a ServerError that names the first wrong
 * parameter.
 */
export function readQuery<Schema extends TObject>(schema: Schema, raw: string): Static<Schema> {
  return checkParams(schema, splitQuery(raw, schema.properties));
}

/** Returns the number; throws a ServerError when the number is outside its range. */
export function parseInRange(
  name: string,
  text: string,
  { min, max }: { readonly min: bigint; readonly max: bigint },
): bigint {
  // A text with more digits is out of every range and slow to parse.
  const value = text.length > DIGITS_MAX ? undefined : BigInt(text);
  if (value !== undefined && value >= min && value <= max) return value;
  const message = `${name} was ${quoteValue(text)}, must be ${min} to ${max}`;
  throw new ServerError('OUT_OF_RANGE', message, name);
}

/** Returns the value of a whole-number parameter, checked against the range of its schema. */
export function parseAmount<Schema extends TObject>(
  schema: Schema,
  name: keyof Static<Schema> & string,
  text: string,
): bigint {
  const property = propertyOf(schema, name);
  const [min, max] = [AMOUNT_MIN, AMOUNT_MAX].map((key) => BigInt(property[key] as string));
  if (min === undefined || max === undefined) throw new Error('Invariant: amounts have ranges');
  return parseInRange(name, text, { min, max });
}

function propertyOf(schema: TObject, name: string): TSchema {
  const property = schema.properties[name];
  if (property === undefined) throw new Error(`Invariant: ${name} is a parameter of its schema`);
  return property;
}

function compileSchema(schema: TObject): ValidateFunction {
  compiler ??= newCompiler();
  const validate = compiler.compile(schema);
  validators.set(schema, validate);
  return validate;
}

function newCompiler(): Ajv {
  const patterns = Object.entries(TEXT_FORMATS).map(([name, rule]) => {
    return [name, 'pattern' in rule ? rule.pattern : ''] as const;
  });
  const isMarketName = (text: string) => Buffer.byteLength(text) <= LIMITS.marketNameBytesMax;
  const others = { 'market-name': isMarketName, 'public-key': isPublicKey };
  const formats = { ...Object.fromEntries(patterns), ...others };
  return new Ajv({ useDefaults: true, formats })
    .addKeyword(ANY_CASE)
    .addKeyword(ANY_TEXT)
    .addKeyword(AMOUNT_MIN)
    .addKeyword(AMOUNT_MAX);
}

/**
 * Converts a text to the type of its schema; an invalid text stays a text, which Ajv then refuses.
 */
function convertText(text: string, schema: TSchema): unknown {
  if (schema['type'] === 'boolean') return flagOf(text.toLowerCase(), schema);
  if (schema[ANY_CASE] === true) return text.toLowerCase();
  if (schema['type'] !== 'integer' || !/^-?\d+$/.test(text)) return text;
  // A number with too many digits is out of every range; it is clamped because Ajv does not treat
  // Infinity as an integer.
  return Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE);
}

function flagOf(word: string, schema: TSchema): unknown {
  return schema[ANY_TEXT] === true || word === 'true' || word === 'false' ? word === 'true' : word;
}

interface RequestValues {
  readonly texts: Texts;
  readonly repeated: Readonly<Record<string, readonly string[]>>;
}

function refusalOf(error: ErrorObject, schema: TObject, given: RequestValues): ServerError {
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty']);
    const rule = ruleOf(propertyOf(schema, missing));
    return new ServerError('MISSING_PARAM', `${missing} must ${rule}, but is missing`, missing);
  }
  const [name = '', index] = error.instancePath.slice(1).split('/');
  const property = propertyOf(schema, name);
  if (error.keyword === 'maxItems') {
    const times = given.repeated[name]?.length;
    const message = `${name} was given ${times} times, must be given at most ${property['maxItems']} times`;
    return new ServerError('OUT_OF_RANGE', message, name);
  }
  const whole = index === undefined ? given.texts.get(name) : given.repeated[name]?.[Number(index)];
  const text = quoteValue(whole ?? '');
  if (error.keyword === 'minimum' || error.keyword === 'maximum') {
    const message = `${name} was ${text}, must be ${property['minimum']} to ${property['maximum']}`;
    return new ServerError('OUT_OF_RANGE', message, name);
  }
  return new ServerError('INVALID_PARAM', `${name} was "${text}", must ${ruleOf(property)}`, name);
}

/**
 * Splits a raw query string (without `?`) into the decoded texts of the known names. On every path,
 * unknown names are ignored, and a known name is given at most once and must be decodable.
 */
export function splitQuery(
  raw: string,
  known: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> {
  return splitRepeating(raw, known, '').texts;
}

/**
 * Splits a query like {@link splitQuery}; a name that may repeat has all its texts, in their order.
 */
export function splitRepeating(
  raw: string,
  known: Readonly<Record<string, unknown>>,
  repeated: string,
): { readonly texts: ReadonlyMap<string, string>; readonly values: readonly string[] } {
  const texts = new Map<string, string>();
  const values: string[] = [];
  for (const part of raw.split('&')) {
    const equals = part.indexOf('=');
    const name = decodeComponent(equals < 0 ? part : part.slice(0, equals));
    if (name === undefined || !Object.hasOwn(known, name)) continue;
    const text = decodeComponent(equals < 0 ? '' : part.slice(equals + 1));
    if (text === undefined) {
      throw new ServerError('INVALID_PARAM', `${name} has a malformed percent code`, name);
    }
    if (name === repeated) {
      values.push(text);
      continue;
    }
    if (texts.has(name)) {
      throw new ServerError('INVALID_PARAM', `${name} was given twice, must be given once`, name);
    }
    texts.set(name, text);
  }
  return { texts, values };
}

function decodeComponent(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
