/** The command line of `load`, checked. */

import type { StreamDepth } from '../client/stream/topic.js';
import { CodedError } from '../contract/coded-error.js';
import { STREAM_DEPTHS } from '../follow/follow-options.js';
import * as limits from './limits.js';

/** The reasons why no load was generated; a code is never renamed. */
export type LoadErrorCode = 'INVALID_LOAD_OPTION' | 'LOAD_UNREACHABLE';

/** The one error class of this room. */
export class LoadError extends CodedError<LoadErrorCode> {
  override readonly name = 'LoadError';
}

/** Flags from the command line. */
export interface LoadFlags {
  readonly readers?: string;
  readonly compatible?: string;
  readonly pollers?: string;
  readonly rate?: string;
  readonly markets?: string;
  readonly depth?: string;
  readonly seconds?: string;
  readonly json?: boolean;
}

/** The readers of a run, and its duration. */
export interface LoadOptions {
  /** Address of the service, with its path and without a trailing slash. */
  readonly url: string;
  /** Number of readers of the streaming channel `book`; each reads one market. */
  readonly readers: number;
  /** Number of readers of the compatible channel `orderbook`; each reads one market. */
  readonly compatible: number;
  /** Clients that poll /l2. */
  readonly pollers: number;
  /** Requests of each poller a second. */
  readonly rate: number;
  /** Names; undefined for all served markets. */
  readonly markets: readonly string[] | undefined;
  /** Levels a side. */
  readonly depth: StreamDepth;
  readonly seconds: number;
}

/** Parses the command line. Throws a LoadError for an invalid option. */
export function loadOptions(url: string, flags: LoadFlags): LoadOptions {
  const options = {
    url: serviceUrl(url),
    readers: numberOf('readers', flags.readers ?? '100', [0, limits.READERS_MAX]),
    compatible: numberOf('compatible', flags.compatible ?? '0', [0, limits.READERS_MAX]),
    pollers: numberOf('pollers', flags.pollers ?? '10', [0, limits.POLLERS_MAX]),
    rate: numberOf('rate', flags.rate ?? '10', [1, limits.POLL_RATE_MAX]),
    markets: flags.markets === undefined ? undefined : namesOf(flags.markets),
    depth: depthOf(flags.depth ?? '20'),
    seconds: numberOf('seconds', flags.seconds ?? '30', [1, limits.SECONDS_MAX]),
  };
  const clients = options.readers + options.compatible + options.pollers;
  if (clients === 0)
    throw invalidOption('there is nobody: --readers, --compatible and --pollers were 0');
  return options;
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidOption('the URL must begin with http:// or https://');
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function namesOf(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw invalidOption(`--markets was ${text}, must be names with commas between them`);
}

function depthOf(text: string): StreamDepth {
  const found = STREAM_DEPTHS.find((depth) => String(depth) === text);
  if (found !== undefined) return found;
  throw invalidOption(`--depth was ${text}, must be ${STREAM_DEPTHS.join(', ')}`);
}

function numberOf(name: string, text: string, [min, max]: readonly [number, number]): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw invalidOption(`--${name} was ${text}, must be ${min} to ${max}`);
}

function invalidOption(message: string): LoadError {
  return new LoadError('INVALID_LOAD_OPTION', message);
}
