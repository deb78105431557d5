import { base58 } from '@scure/base';
import type { AccountKind } from './account-update.js';
import { ACCOUNTS, USER_IDLE_OFFSET } from './generated/accounts.js';

/** The Clock sysvar account. */
export const CLOCK_KEY = 'SysvarC1ock11111111111111111111111111111111';

/** The book reads just processed slots; an RPC server's default is `finalized`. */
const COMMITMENT = 'processed';

/** Kinds returned by a scan of the program's accounts. */
export type ProgramKind = Extract<AccountKind, 'user' | 'perpMarket' | 'spotMarket' | 'state'>;

/** The kinds that are read as a whole and in JavaScript: several hundred accounts at most. */
export const MARKET_KINDS: readonly ProgramKind[] = ['state', 'spotMarket', 'perpMarket'];
/** All kinds returned by a scan of the program's accounts. */
export const PROGRAM_KINDS: readonly ProgramKind[] = ['user', ...MARKET_KINDS];

/** Base58 of one zero byte. */
const ZERO_BYTE = '1';

/**
 * Users are filtered by `idle` and never by `has_open_order`: with that filter the last cancel of a
 * user would not be notified, because the account no longer matches.
 */
function filtersOf(kind: ProgramKind): readonly object[] {
  const start = base58.encode(Buffer.from(ACCOUNTS[kind].discriminator, 'hex'));
  const filters: object[] = [
    { memcmp: { offset: 0, bytes: start } },
    { dataSize: ACCOUNTS[kind].bytes },
  ];
  if (kind === 'user') filters.push({ memcmp: { offset: USER_IDLE_OFFSET, bytes: ZERO_BYTE } });
  return filters;
}

/** The kinds by their discriminators. */
const KINDS: ReadonlyMap<string, ProgramKind> = new Map(
  PROGRAM_KINDS.map((kind) => [ACCOUNTS[kind].discriminator, kind]),
);

/** The kind of a program account; null for one that scans do not request. */
export function kindOfAccount(data: Buffer): ProgramKind | null {
  const kind = KINDS.get(data.toString('hex', 0, 8));
  return kind !== undefined && ACCOUNTS[kind].bytes === data.length ? kind : null;
}

/** Whether a user is idle: scans omit it, because it has no orders. */
export function isIdleUser(data: Buffer): boolean {
  return data[USER_IDLE_OFFSET] !== 0;
}

/** The encoding of program accounts: compressed ones take a tenth, plain ones can be compared. */
export type ProgramEncoding = 'base64' | 'base64+zstd';

/** Parameters of programSubscribe. */
export function programSubscribeParams(
  programId: string,
  kind: ProgramKind,
  encoding: ProgramEncoding,
): readonly unknown[] {
  const filters = filtersOf(kind);
  return [programId, { encoding, commitment: COMMITMENT, filters }];
}

/** Parameters of getProgramAccounts, with the slot of the response. */
export function programAccountsParams(programId: string, kind: ProgramKind): readonly unknown[] {
  const filters = filtersOf(kind);
  const config = { encoding: 'base64+zstd', commitment: COMMITMENT, withContext: true, filters };
  return [programId, config];
}

/** Parameters of accountSubscribe. Plain base64, because the Clock is decoded here, without zstd. */
export function accountSubscribeParams(pubkey: string): readonly unknown[] {
  return [pubkey, { encoding: 'base64', commitment: COMMITMENT }];
}

/** Parameters of getMultipleAccounts. */
export function multipleAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64', commitment: COMMITMENT }];
}

/** Parameters of getMultipleAccounts for accounts that the engine decodes: a user compresses to a tenth. */
export function packedAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64+zstd', commitment: COMMITMENT }];
}

/** The same at `confirmed`, where no fork can be abandoned any more. */
export function confirmedAccountsParams(keys: readonly string[]): readonly unknown[] {
  return [keys, { encoding: 'base64+zstd', commitment: 'confirmed' }];
}
