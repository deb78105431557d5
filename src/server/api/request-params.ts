/**
 * The parameters of a request, from its path and its query, and the context that validates them.
 */
import type { TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { checkParams, splitQuery, type Texts } from './param-check.js';

/** The texts of one request. */
export interface RequestTexts {
  /** The raw query without `?`. */
  readonly query: string;
  /** The decoded values of the names that the path has in braces. */
  readonly pathTexts: Texts;
}

/** The markets and the times that the validation of a request needs. */
export interface ParseContext {
  readonly markets: MarketDirectory;
  /** The chain's time, unix seconds; 0 before it is known. */
  readonly nowSeconds: number;
  /** The wall clock, unix seconds. */
  readonly wallSeconds: number;
}

/**
 * Returns the checked parameters from the path and the query of a request. Throws a ServerError
 * that names the wrong parameter.
 */
export function checkRequest<Schema extends TObject>(
  schema: Schema,
  { query, pathTexts }: RequestTexts,
) {
  const inQuery = Object.entries(schema.properties).filter(([name]) => !pathTexts.has(name));
  const texts = new Map([...splitQuery(query, Object.fromEntries(inQuery)), ...pathTexts]);
  return checkParams(schema, texts);
}

/** Converts a time in unix seconds or milliseconds to unix seconds. */
export function secondsOf<Ts extends number | undefined>(ts: Ts): Ts | number {
  return ts !== undefined && ts > LIMITS.unixSecondsMax ? Math.floor(ts / 1_000) : ts;
}

/** Rounds a time down to a multiple of `step` seconds. */
export function floorTo(seconds: number, step: number): number {
  return seconds - (seconds % step);
}
