/** The command line of `load`, checked. */

import type { StreamDepth } from '../client/stream/topic.js';
import { CodedError } from '../contract/coded-error.js';
import { FlagReader } from '../contract/flag-reader.js';
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
  const { origin, pathname } = reader.readAddress('the URL', url);
  const { READERS_MAX, POLLERS_MAX, POLL_RATE_MAX, SECONDS_MAX } = limits;
  const options = {
    url: (origin + pathname).replace(/\/+$/, ''),
    readers: reader.readWhole('readers', flags.readers ?? '100', [0, READERS_MAX]),
    compatible: reader.readWhole('compatible', flags.compatible ?? '0', [0, READERS_MAX]),
    pollers: reader.readWhole('pollers', flags.pollers ?? '10', [0, POLLERS_MAX]),
    rate: reader.readWhole('rate', flags.rate ?? '10', [1, POLL_RATE_MAX]),
    markets: flags.markets === undefined ? undefined : namesOf(flags.markets),
    depth: reader.readChoice('depth', flags.depth ?? '20', STREAM_DEPTHS),
    seconds: reader.readWhole('seconds', flags.seconds ?? '30', [1, SECONDS_MAX]),
  };
  const clients = options.readers + options.compatible + options.pollers;
  if (clients === 0)
    throw reader.invalid('there is nobody: --readers, --compatible and --pollers were 0');
  return options;
}

function namesOf(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw reader.invalid(`--markets was ${text}, must be names with commas between them`);
}

const reader = new FlagReader((message) => new LoadError('INVALID_LOAD_OPTION', message));
