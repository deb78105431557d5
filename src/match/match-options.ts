/** Converts the command line of `match` to a query of /match. The service validates the values. */

import { BASE_DECIMALS, QUOTE_DECIMALS } from '../client/amounts.js';
import { CodedError } from '../contract/coded-error.js';
import { FlagReader } from '../contract/flag-reader.js';

/** The reasons why there are no fills to print; a code is never renamed. */
export type MatchErrorCode =
  | 'INVALID_MATCH_OPTION'
  | 'MATCH_UNREACHABLE'
  | 'MATCH_REFUSED'
  | 'MALFORMED_MATCH';

/** The one error class of this room. */
export class MatchError extends CodedError<MatchErrorCode> {
  override readonly name = 'MatchError';
}

/** Flags from the command line. */
export interface MatchFlags {
  readonly url?: string;
  readonly side?: string;
  readonly size?: string;
  readonly quote?: string;
  readonly orderType?: string;
  readonly limitPrice?: string;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
  readonly position?: string;
  readonly auctionStart?: string;
  readonly auctionEnd?: string;
  readonly auctionDuration?: string;
  readonly slotsElapsed?: string;
  /** One `price:size` per maker. */
  readonly jit?: readonly string[];
  readonly taker?: string;
  readonly feeTier?: string;
  readonly referred?: boolean;
  readonly model?: string;
  /** False for `--no-vamm`. */
  readonly vamm?: boolean;
  readonly indicative?: boolean;
  /** Whether to print the body of the response instead of the table. */
  readonly json?: boolean;
  /** Whether the table has every fill, whole keys and raw amounts. */
  readonly raw?: boolean;
}

/** The default address, on this machine. */
const URL_DEFAULT = 'http://127.0.0.1:8080';

/** The decimals of the raw integer of each amount flag. */
const decimalsOf = {
  size: BASE_DECIMALS,
  position: BASE_DECIMALS,
  quote: QUOTE_DECIMALS,
  limitPrice: QUOTE_DECIMALS,
  auctionStart: QUOTE_DECIMALS,
  auctionEnd: QUOTE_DECIMALS,
} as const;

const plain = [
  'side',
  'orderType',
  'auctionDuration',
  'slotsElapsed',
  'taker',
  'feeTier',
  'model',
] as const satisfies readonly string[];

/** Returns the request URL. Throws a MatchError for an invalid command line. */
export function matchUrl(market: string, flags: MatchFlags): URL {
  const url = serviceUrl(flags.url ?? URL_DEFAULT);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/match`;
  for (const [name, value] of queryOf(market, flags)) url.searchParams.append(name, value);
  return url;
}

function queryOf(market: string, flags: MatchFlags): URLSearchParams {
  const query = new URLSearchParams({ marketName: market });
  const texts = flags as Readonly<Record<string, unknown>>;
  for (const name of plain) {
    if (typeof texts[name] === 'string') query.set(name, texts[name]);
  }
  for (const [name, decimals] of Object.entries(decimalsOf)) {
    const text = texts[name];
    if (typeof text === 'string') query.set(name, rawFlag(name, text, decimals));
  }
  for (const offer of flags.jit ?? []) query.append('jit', offerOf(offer));
  for (const name of ['postOnly', 'reduceOnly', 'referred'] as const) {
    if (flags[name]) query.set(name, 'true');
  }
  if (flags.vamm === false) query.set('includeVamm', 'false');
  if (flags.indicative) query.set('includeIndicative', 'true');
  return query;
}

function offerOf(text: string): string {
  const [price = '', size = '', ...more] = text.split(':');
  return [rawFlag('jit', price, QUOTE_DECIMALS), rawFlag('jit', size, BASE_DECIMALS), ...more].join(
    ':',
  );
}

function rawFlag(name: string, text: string, decimals: number): string {
  const found = rawOf(text, decimals);
  if (found !== undefined) return found;
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw reader.invalid(`--${flag} was ${text}, must have at most ${decimals} decimals`);
}

function serviceUrl(text: string): URL {
  const url = reader.readAddress('--url', text);
  if (url.username !== '' || url.password !== '') {
    throw reader.invalid('--url had a user or a password, must have neither');
  }
  return url;
}

const reader = new FlagReader((message) => new MatchError('INVALID_MATCH_OPTION', message));

/**
 * Converts an amount to its raw integer, so that 250 equals 250.0; an invalid number is passed
 * through for the service to reject. Undefined for too many decimals.
 */
export function rawOf(text: string, decimals: number): string | undefined {
  const parts = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (parts === null || text === '' || text === '-') return text;
  const [, sign = '', whole = '', fraction = ''] = parts;
  if (whole + fraction === '' || fraction.length > decimals) return undefined;
  const raw = `${whole}${fraction.padEnd(decimals, '0')}`.replace(/^0+(?=\d)/, '');
  return `${sign}${raw}`;
}
