/** Validates the command line of `shadow`. */
import { CodedError } from '../contract/coded-error.js';
import { FlagReader } from '../contract/flag-reader.js';
import { DURATION_MS_MAX } from './limits.js';

/** The reasons why nothing was compared; a code is never renamed. */
export type ShadowErrorCode = 'INVALID_SHADOW_OPTION' | 'NOTHING_COMPARED';

/** The one error class of this room. */
export class ShadowError extends CodedError<ShadowErrorCode> {
  override readonly name = 'ShadowError';
}

type TextFlag = 'against' | 'url' | 'for' | 'markets' | 'html';

/** Flags from the command line, besides those of a chain. */
export type ShadowFlags = { readonly [Name in TextFlag]?: string } & {
  /** Whether the other server is a slotbook, whose bodies have a state. */
  readonly slotbook?: boolean;
  readonly json?: boolean;
};

const UNIT_S = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Returns the duration of a run. Throws a ShadowError when it is invalid. */
export function durationOf(text = '1m'): number {
  const [, count, unit = 's'] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_S[unit as keyof typeof UNIT_S] * 1_000;
  if (ms > 0 && ms <= DURATION_MS_MAX) return ms;
  throw reader.invalid(`--for was ${text}, must be such as 30s, 1m or 2h, at most 1d`);
}

/** Returns a server's address without a trailing slash. Throws a ShadowError when it is invalid. */
export function addressOf(flag: string, text = 'http://127.0.0.1:8080'): string {
  reader.readAddress(flag, text);
  return text.replace(/\/+$/, '');
}

const reader = new FlagReader((message) => new ShadowError('INVALID_SHADOW_OPTION', message));
