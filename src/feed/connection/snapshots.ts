import type { AccountSnapshot } from '../../contract/accounts.js';
import { Backoff } from '../../rpc/backoff.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { sleep } from '../../rpc/timers.js';
import {
  type AccountBatch,
  type AccountKind,
  parseMultipleAccounts,
  parseProgramAccounts,
} from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import {
  ACCOUNTS_PER_READ,
  AGREEING_PERCENT,
  MARKETS_MAX,
  READS_MAX,
  REREAD_CAP_MS,
  REREAD_FIRST_MS,
  SCAN_NODE_TIMEOUT_MS,
  SHRUNKEN_PERCENT,
  SHRUNKEN_READS,
  SHRUNKEN_REREAD_MS,
  UNREADABLE_LOGGED_MAX,
  UNREADABLE_SCANS_MAX,
} from '../model/limits.js';
import {
  CLOCK_KEY,
  multipleAccountsParams,
  type ProgramKind,
  programAccountsParams,
} from '../model/queries.js';
import type { FeedParts } from './parts.js';

/** What a reading has to satisfy, and until when it is wanted. */
export interface ReadOptions {
  /** Subscriptions began at this slot: an older reading would leave a gap before them. */
  readonly slotMin: () => number;
  readonly signal: AbortSignal;
  /** Of one try of one call. */
  readonly timeoutMs?: number;
}

/** Reads all accounts of a small kind. */
export function readProgramAccounts(
  parts: FeedParts,
  kind: ProgramKind,
  wish: ReadOptions,
): Promise<AccountBatch> {
  const params = programAccountsParams(parts.programId, kind);
  const parse = (result: unknown): AccountBatch => parseProgramAccounts(kind, result);
  return readNotBefore(parts, wish, async () => {
    const reading = await parts.rpc.call('getProgramAccounts', params, parse, wish);
    if (reading.updates.length <= MARKETS_MAX) return reading;
    const message = `${kind} accounts were ${reading.updates.length}, must be at most ${MARKETS_MAX}`;
    throw new FeedError('ACCOUNTS_EXCEEDED', message, { kind });
  });
}

/** Reads the Clock and these oracles, in hundreds: the Clock is in the first reading. */
export async function readClockAndOracles(
  parts: FeedParts,
  oracleKeys: readonly string[],
  wish: ReadOptions,
): Promise<readonly AccountBatch[]> {
  const keys = [CLOCK_KEY, ...oracleKeys];
  const starts = keys.flatMap((_, index) => (index % ACCOUNTS_PER_READ === 0 ? [index] : []));
  const readings: AccountBatch[] = [];
  for (const start of starts) {
    const part = keys.slice(start, start + ACCOUNTS_PER_READ);
    readings.push(await readNotBefore(parts, wish, () => readAccounts(parts, part, wish)));
  }
  return readings;
}

function readAccounts(
  parts: FeedParts,
  keys: readonly string[],
  wish: ReadOptions,
): Promise<AccountBatch> {
  const parse = (result: unknown): AccountBatch => parseMultipleAccounts(keys, kindOfKey, result);
  return parts.rpc.call('getMultipleAccounts', multipleAccountsParams(keys), parse, wish);
}

function kindOfKey(pubkey: string): AccountKind {
  return pubkey === CLOCK_KEY ? 'clock' : 'oracle';
}

/** Reads all users: from the snapshot node, and when that fails from the node in use. */
export async function readUsers(parts: FeedParts, wish: ReadOptions): Promise<AccountSnapshot> {
  const { scanNode, memory } = parts;
  const { rpc } = scanNode;
  if (rpc === null) return readUsersFrom(parts, parts.rpc, wish);
  try {
    await scanNode.requireChain(rpc, memory.genesisHash, wish.signal);
    const limited = { signal: wish.signal, slotMin: wish.slotMin, timeoutMs: SCAN_NODE_TIMEOUT_MS };
    const users = await readUsersFrom(parts, rpc, limited);
    scanNode.recordSuccess();
    return users;
  } catch (error) {
    throwIfStopped(wish.signal);
    scanNode.recordFailure(error);
  }
  return readUsersFrom(parts, parts.rpc, wish);
}

/**
 * A reading with far fewer users than the last one is what a node under load gives: it counts only
 * when others agree.
 */
async function readUsersFrom(
  parts: FeedParts,
  rpc: NodeRpc,
  wish: ReadOptions,
): Promise<AccountSnapshot> {
  const { memory, transientErrors: trouble } = parts;
  const countMin = (memory.users * SHRUNKEN_PERCENT) / 100;
  const read = async (): Promise<AccountSnapshot> => {
    const users = await readUsersOnce(parts, rpc, wish);
    const context = { users: users.count, usersBefore: memory.users };
    const lacks = users.count < countMin;
    if (lacks) trouble.logWarning('a snapshot has far fewer users than the last', '', context);
    return users;
  };
  const judgement: AgreementRule<AccountSnapshot> = {
    isShrunken: ({ count }) => count < countMin,
    agree: (first, later) => countsAgree(first.count, later.count),
    count: ({ count }) => count,
  };
  return readConfirmed(parts, judgement, { read, signal: wish.signal });
}

function countsAgree(a: number, b: number): boolean {
  return Math.min(a, b) * 100 >= Math.max(a, b) * AGREEING_PERCENT;
}

/**
 * A user that could not be decoded is on chain all the same, but a snapshot without it would take it
 * out of the book: only a reading without such users counts.
 */
async function readUsersOnce(
  parts: FeedParts,
  rpc: NodeRpc,
  wish: ReadOptions,
): Promise<AccountSnapshot> {
  const backoff = newBackoff(parts);
  for (let reading = 1; ; reading += 1) {
    const users = await scanUsers(parts, rpc, wish);
    const { slot, problemCount, problems } = users;
    if (problemCount === 0) return users;
    const context = { slot, problemCount, problems: problems.slice(0, UNREADABLE_LOGGED_MAX) };
    parts.transientErrors.logWarning(
      'users of a reading are unreadable',
      String(problemCount),
      context,
    );
    if (reading >= UNREADABLE_SCANS_MAX) throw unreadableUsersError(users);
    await sleep(parts.timers, backoff.next(), wish.signal);
  }
}

function unreadableUsersError({ problemCount, problems }: AccountSnapshot): FeedError {
  const first = problems[0];
  const example = first === undefined ? '' : ` (${first.pubkey ?? 'no key'}: ${first.code})`;
  const message = `unreadable users were ${problemCount}${example}, must be 0`;
  return new FeedError('MALFORMED_ACCOUNTS_ANSWER', message, { problemCount });
}

function scanUsers(parts: FeedParts, rpc: NodeRpc, wish: ReadOptions): Promise<AccountSnapshot> {
  const params = programAccountsParams(parts.programId, 'user');
  return readNotBefore(parts, wish, async () => {
    const body = await rpc.callRaw('getProgramAccounts', params, wish);
    return parts.engine.decodeSnapshot(body);
  });
}

/**
 * Reads until the slot is not before the wish's: the node may lag behind the one subscribed to. Not
 * everything in a reading can be aborted, so one that comes back too late is thrown away here.
 */
async function readNotBefore<T extends { readonly slot: number }>(
  parts: FeedParts,
  wish: ReadOptions,
  read: () => Promise<T>,
): Promise<T> {
  const backoff = newBackoff(parts);
  for (let reading = 1; ; reading += 1) {
    const result = await read();
    throwIfStopped(wish.signal);
    const slotMin = wish.slotMin();
    if (result.slot >= slotMin) return result;
    if (reading >= READS_MAX) throw staleSlotError(result.slot, slotMin);
    await sleep(parts.timers, backoff.next(), wish.signal);
  }
}

function newBackoff({ random }: FeedParts): Backoff {
  return new Backoff({ firstMs: REREAD_FIRST_MS, capMs: REREAD_CAP_MS, random });
}

function staleSlotError(slot: number, slotMin: number): FeedError {
  const message = `reading was as of slot ${slot}, must be at least ${slotMin}`;
  return new FeedError('SNAPSHOT_SLOT_OUT_OF_RANGE', message, { slot, slotMin });
}

/** How readings of which some lack a part are judged. */
export interface AgreementRule<T> {
  /** Whether it lacks what the last accepted reading had. */
  readonly isShrunken: (reading: T) => boolean;
  /** Whether two shrunken readings tell the same. */
  readonly agree: (first: T, later: T) => boolean;
  /** Sizes, for the error. */
  readonly count: (reading: T) => number;
}

/**
 * A reading that is whole, or one that several readings over some seconds agree with: a node under
 * load gives a part of what there is, or nothing, and gives it more than once.
 *
 * # Errors
 * SNAPSHOT_COUNT_MISMATCH when shrunken readings do not agree.
 */
export async function readConfirmed<T>(
  parts: FeedParts,
  { isShrunken, agree, count }: AgreementRule<T>,
  { read, signal }: { readonly read: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  const first = await read();
  if (!isShrunken(first)) return first;
  const { random, timers } = parts;
  const wait = new Backoff({ firstMs: SHRUNKEN_REREAD_MS, capMs: SHRUNKEN_REREAD_MS, random });
  for (let readings = 2; ; readings += 1) {
    await sleep(timers, wait.next(), signal);
    const later = await read();
    if (!isShrunken(later)) return later;
    if (!agree(first, later)) throw countMismatchError(count(first), count(later));
    if (readings >= SHRUNKEN_READS) return later;
  }
}

function countMismatchError(first: number, later: number): FeedError {
  const message = `accounts were ${first}, then ${later}, must agree`;
  return new FeedError('SNAPSHOT_COUNT_MISMATCH', message, { first, later });
}
