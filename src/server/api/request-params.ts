/** The parameters of a request, of its path and its query, and what they are checked against. */
import type { TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { checkParams, splitQuery, type Texts } from './param-check.js';

/** The texts of one request. */
export interface RequestTexts {
  /** The raw query without `?`. */
  readonly query: string;
  /** The texts of the names that the path has in braces, decoded. */
  readonly pathTexts: Texts;
}

/** The markets and the times against which a request is checked. */
export interface ParseContext {
  readonly markets: MarketDirectory;
  /** The chain's time, unix seconds; 0 before it is known. */
  readonly nowSeconds: number;
  /** The wall clock, unix seconds. */
  readonly wallSeconds: number;
}

/** The checked parameters of a request, of its path and its query. Throws a ServerError that names the wrong one. */
export function checkRequest<Schema extends TObject>(
  schema: Schema,
  { query, pathTexts }: RequestTexts,
) {
  const inQuery = Object.entries(schema.properties).filter(([name]) => !pathTexts.has(name));
  const texts = new Map([...splitQuery(query, Object.fromEntries(inQuery)), ...pathTexts]);
  return checkParams(schema, texts);
}

/** A time in unix seconds, of one that may be in milliseconds. */
export function secondsOf<Ts extends number | undefined>(ts: Ts): Ts | number {
  return ts !== undefined && ts > LIMITS.unixSecondsMax ? Math.floor(ts / 1_000) : ts;
}

/** The start of a span of so many seconds. */
export function floorTo(seconds: number, step: number): number {
  return seconds - (seconds % step);
}
