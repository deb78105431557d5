import { base58 } from '@scure/base';
import type { ChainProgram, ProgramName } from '../../contract/program.js';
import type { AccountKind } from './account-update.js';
import { ACCOUNTS, USER_IDLE_OFFSET } from './generated/accounts.js';

/** The Clock sysvar account. */
export const CLOCK_KEY = 'SysvarC1ock11111111111111111111111111111111';

/** The book reads slots that were just processed; the default of an RPC server is `finalized`. */
const COMMITMENT = 'processed';

/** Kinds returned by a scan of the program's accounts. */
export type ProgramKind = Extract<AccountKind, 'user' | 'perpMarket' | 'spotMarket' | 'state'>;

/** The kinds that are read completely and in JavaScript: several hundred accounts at most. */
export const MARKET_KINDS: readonly ProgramKind[] = ['state', 'spotMarket', 'perpMarket'];
/** All kinds returned by a scan of the program's accounts. */
export const PROGRAM_KINDS: readonly ProgramKind[] = ['user', ...MARKET_KINDS];

/** Base58 of one zero byte. */
const ZERO_BYTE = '1';

/**
 * Returns the filters of a scan. Users are filtered by `idle` and never by `has_open_order`: with
 * that filter the last cancellation of a user would not be notified, because the account no longer
 * matches.
 */
function filtersOf(program: ProgramName, kind: ProgramKind): readonly object[] {
  const { discriminator, bytesMax } = ACCOUNTS[program][kind];
  const start = base58.encode(Buffer.from(discriminator, 'hex'));
  const filters: object[] = [{ memcmp: { offset: 0, bytes: start } }];
  if (bytesMax !== null) filters.push({ dataSize: bytesMax });
  const offset = USER_IDLE_OFFSET[program];
  if (kind === 'user') filters.push({ memcmp: { offset, bytes: ZERO_BYTE } });
  return filters;
}

/** Returns the kind of a program account; null for a kind that scans do not request. */
export function kindOfAccount(program: ProgramName, data: Buffer): ProgramKind | null {
  const start = data.toString('hex', 0, 8);
  const isOf = (kind: ProgramKind): boolean => {
    const { discriminator, bytesMin, bytesMax } = ACCOUNTS[program][kind];
    const isLong = data.length >= bytesMin && data.length <= (bytesMax ?? data.length);
    return isLong && start === discriminator;
  };
  return PROGRAM_KINDS.find(isOf) ?? null;
}

/**
 * Returns whether a user is idle; scans omit idle users, because they have no orders. The length of
 * the account determines its program.
 */
export function isIdleUser(data: Buffer): boolean {
  const program = data.length > ACCOUNTS.drift.user.bytesMax ? 'velocity' : 'drift';
  return data[USER_IDLE_OFFSET[program]] !== 0;
}

/**
 * The encoding of program accounts: compressed accounts take a tenth of the size; plain ones can be
 * compared.
 */
export type ProgramEncoding = 'base64' | 'base64+zstd';

/** Parameters of programSubscribe. */
export function programSubscribeParams(
  { programId, program }: ChainProgram,
  kind: ProgramKind,
  encoding: ProgramEncoding,
): readonly unknown[] {
  const filters = filtersOf(program, kind);
  return [programId, { encoding, commitment: COMMITMENT, filters }];
}

/** Returns the parameters of getProgramAccounts; the response contains its slot. */
export function programAccountsParams(
  { programId, program }: ChainProgram,
  kind: ProgramKind,
): readonly unknown[] {
  const filters = filtersOf(program, kind);
  const config = { encoding: 'base64+zstd', commitment: COMMITMENT, withContext: true, filters };
  return [programId, config];
}

/**
 * Returns the parameters of accountSubscribe: plain base64, because the Clock is decoded here,
 * without zstd.
 */
export function accountSubscribeParams(pubkey: string): readonly unknown[] {
  return [pubkey, { encoding: 'base64', commitment: COMMITMENT }];
}

/** Parameters of getMultipleAccounts. */
export function multipleAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64', commitment: COMMITMENT }];
}

/**
 * Returns the parameters of getMultipleAccounts for accounts that the engine decodes: a user
 * compresses to a tenth.
 */
export function packedAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64+zstd', commitment: COMMITMENT }];
}

/**
 * Returns the same parameters with the commitment `confirmed`, at which no fork can be abandoned
 * any more.
 */
export function confirmedAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64+zstd', commitment: 'confirmed' }];
}

/** Returns the same parameters with plain base64, because a Clock is decoded here, without zstd. */
export function confirmedClockParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64', commitment: 'confirmed' }];
}
