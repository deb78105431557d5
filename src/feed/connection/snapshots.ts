import type { AccountSnapshot } from '../../contract/accounts.js';
import { Backoff } from '../../rpc/backoff.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { sleep } from '../../rpc/timers.js';
import type { AccountKind } from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import {
  ACCOUNTS_PER_READ,
  MARKETS_MAX,
  READS_MAX,
  REREAD_CAP_MS,
  REREAD_FIRST_MS,
  SCAN_NODE_TIMEOUT_MS,
} from '../model/limits.js';
import {
  CLOCK_KEY,
  multipleAccountsParams,
  type ProgramKind,
  programAccountsParams,
} from '../model/queries.js';
import {
  type AccountBatch,
  parseMultipleAccounts,
  parseProgramAccounts,
} from '../model/rpc-updates.js';
import { readAround } from '../model/spoilers.js';
import { type AgreementRule, readConfirmed } from './agreement.js';
import type { ChainCheck } from './chain-check.js';
import { countsAgree, readsWanted, requirePossible } from './completeness.js';
import type { FeedParts } from './parts.js';
import { raceScans, type Scan, type ScanLimits, type ScanPatience } from './scan-race.js';
import { readSingly } from './single-accounts.js';

/** The minimum slot of a snapshot, and its abort signal. */
export interface ReadOptions {
  /**
   * Returns the slot at which the subscriptions began: an older snapshot would leave a gap before
   * them.
   */
  readonly slotMin: () => number;
  /** Validates the node's slots. */
  readonly chain: Pick<ChainCheck, 'admitsSlot' | 'admitsReading'>;
  readonly signal: AbortSignal;
  /** Time limit of one attempt of one call, milliseconds. */
  readonly timeoutMs?: number;
  /** Called with the size of each received chunk. */
  readonly onBytes?: (count: number) => void;
  /**
   * Whether the book is live meanwhile: a rejection must then not delay the reading of a book that
   * is not live.
   */
  readonly isBackground?: boolean;
}

/** Reads all accounts of a small kind; those that no node gives whole are `broken`. */
export async function readProgramAccounts(
  parts: FeedParts,
  kind: ProgramKind,
  options: ReadOptions,
): Promise<AccountBatch> {
  const params = programAccountsParams(parts, kind);
  const parse = (result: unknown): AccountBatch => parseProgramAccounts(kind, result);
  const read = await readNotBefore(parts, options, async () => {
    const batch = await parts.rpc.call('getProgramAccounts', params, parse, options);
    if (batch.updates.length <= MARKETS_MAX) return batch;
    const message = `the scan had ${batch.updates.length} accounts of ${kind}, must have at most ${MARKETS_MAX}`;
    throw new FeedError('ACCOUNTS_EXCEEDED', message, { kind });
  });
  return withSingles(parts, read, kind, options);
}

/** Adds the accounts that did not arrive whole and are read by themselves. */
async function withSingles(
  parts: FeedParts,
  { slot, updates, broken }: AccountBatch,
  kind: AccountKind,
  options: ReadOptions,
): Promise<AccountBatch> {
  if (broken.length === 0) return { slot, updates, broken };
  const wanted = { keys: broken, kind, slotMin: slot };
  const singles = await readSingly(parts, wanted, options);
  return { slot, updates: [...updates, ...singles.updates], broken: singles.leftOut };
}

/**
 * Reads the Clock and these oracles in batches of a hundred; the first batch contains the Clock.
 * Oracles that no node gives whole are left out.
 *
 * # Errors
 * Rejects with an RpcError, or with a FeedError, also without the Clock.
 */
export async function readClockAndOracles(
  parts: FeedParts,
  oracleKeys: readonly string[],
  options: ReadOptions,
): Promise<readonly AccountBatch[]> {
  const keys = [CLOCK_KEY, ...oracleKeys];
  const starts = keys.flatMap((_, index) => (index % ACCOUNTS_PER_READ === 0 ? [index] : []));
  const batches: AccountBatch[] = [];
  for (const start of starts) {
    const part = keys.slice(start, start + ACCOUNTS_PER_READ);
    const batch = await readBelieved(parts, part, options);
    batches.push(await withSingles(parts, batch, 'oracle', options));
  }
  return batches;
}

/** Reads these until their time is plausible. */
function readBelieved(
  parts: FeedParts,
  keys: readonly string[],
  options: ReadOptions,
): Promise<AccountBatch> {
  const isOfChain = ({ updates }: AccountBatch): boolean =>
    updates.every((update) => options.chain.admitsReading(update));
  return readNotBefore(parts, options, () => readAccounts(parts, keys, options), isOfChain);
}

async function readAccounts(
  { rpc, timers }: FeedParts,
  keys: readonly string[],
  options: ReadOptions,
): Promise<AccountBatch> {
  const wanted = { keys, nowMs: timers.nowMs() };
  const { given, ...batch } = await readAround(rpc, wanted, async (given) => {
    const kindOf = (key: string): AccountKind => (key === CLOCK_KEY ? 'clock' : 'oracle');
    const parse = (result: unknown) => parseMultipleAccounts(given, kindOf, result);
    const params = multipleAccountsParams(given);
    return { given, ...(await rpc.call('getMultipleAccounts', params, parse, options)) };
  });
  const broken = [...batch.broken, ...keys.filter((key) => !given.includes(key))];
  if (!broken.includes(CLOCK_KEY)) return { ...batch, broken };
  throw new FeedError('MALFORMED_ACCOUNTS_ANSWER', 'the Clock of the node could not be read');
}

/**
 * Reads all users: from the snapshot node, or after a failure from the node in use. When a scan is
 * silent or slow, the next node scans as well, and the first complete snapshot is used.
 */
export function readUsers(
  parts: FeedParts,
  options: ReadOptions,
  patience: ScanPatience,
): Promise<AccountSnapshot> {
  const { scanNode, rpc, otherRpcs } = parts;
  const inUse: Scan<AccountSnapshot> = {
    run: (limits) => readUsersFrom(parts, rpc, { ...options, ...limits }),
    isReplaced: false,
  };
  const others = otherRpcs.map((other): Scan<AccountSnapshot> => {
    return {
      run: (limits) => readUsersElsewhere(parts, other, { ...options, ...limits }),
      isReplaced: true,
    };
  });
  const scans = [inUse, ...others];
  if (scanNode.rpc !== null) scans.unshift(scanOfSnapshotNode(parts, scanNode.rpc, options));
  return raceScans(parts, scans, { signal: options.signal, patience });
}

function scanOfSnapshotNode(
  parts: FeedParts,
  rpc: NodeRpc,
  options: ReadOptions,
): Scan<AccountSnapshot> {
  const { scanNode } = parts;
  const run = async (limits: ScanLimits): Promise<AccountSnapshot> => {
    const limited = { ...options, ...limits, timeoutMs: SCAN_NODE_TIMEOUT_MS };
    try {
      const users = await readUsersElsewhere(parts, rpc, limited);
      scanNode.recordSuccess();
      return users;
    } catch (error) {
      // A node that another node overtook had been silent for long.
      if (!options.signal.aborted) scanNode.recordFailure(error);
      throw error;
    }
  };
  return { run, isReplaced: true };
}

/** Reads users from a node other than the one in use, which must be on the same chain. */
async function readUsersElsewhere(
  parts: FeedParts,
  rpc: NodeRpc,
  options: ReadOptions,
): Promise<AccountSnapshot> {
  await parts.scanNode.requireChain(rpc, parts.memory.genesisHash, options.signal);
  return readUsersFrom(parts, rpc, options);
}

/** Reads users; an overloaded node may return too few users or none: see {@link readsWanted}. */
async function readUsersFrom(
  parts: FeedParts,
  rpc: NodeRpc,
  options: ReadOptions,
): Promise<AccountSnapshot> {
  const read = async (): Promise<AccountSnapshot> => {
    const users = await scanUsers(parts, rpc, options);
    requirePossible(parts, users);
    if (readsWanted(parts, users) > 1) logDoubt(parts, users);
    return users;
  };
  const rule: AgreementRule<AccountSnapshot> = {
    readsWanted: (users) => readsWanted(parts, users),
    agree: (first, later) => countsAgree(first.count, later.count),
    count: ({ count }) => count,
  };
  const users = await readConfirmed(parts, rule, { read, signal: options.signal });
  // A scan contains no Clock that could confirm its slot, so the Clock is read as well.
  await readBelieved({ ...parts, rpc }, [CLOCK_KEY], options);
  return users;
}

function logDoubt({ memory, transientErrors, engine }: FeedParts, users: AccountSnapshot): void {
  const { count, positions } = users;
  const census = engine.readCensus();
  const context = { users: count, usersBefore: memory.users, positions, census };
  transientErrors.logWarning('a scan of the users has to be confirmed', '', context);
}

function scanUsers(parts: FeedParts, rpc: NodeRpc, options: ReadOptions): Promise<AccountSnapshot> {
  const params = programAccountsParams(parts, 'user');
  return readNotBefore(parts, options, async () => {
    const body = await rpc.callRaw('getProgramAccounts', params, options);
    return parts.engine.decodeSnapshot(body);
  });
}

/**
 * Reads until the slot is at least `slotMin`, because the node may lag behind the subscribed node,
 * and until the slot is plausible. Not every step of a read can be aborted, so a result after the
 * abort is discarded.
 */
async function readNotBefore<T extends { readonly slot: number }>(
  parts: FeedParts,
  options: ReadOptions,
  read: () => Promise<T>,
  isOfChain: (result: T) => boolean = ({ slot }) => options.chain.admitsSlot(slot),
): Promise<T> {
  const { random } = parts;
  const backoff = new Backoff({ firstMs: REREAD_FIRST_MS, capMs: REREAD_CAP_MS, random });
  for (let attempt = 1; ; attempt += 1) {
    const result = await read();
    throwIfStopped(options.signal);
    const slotMin = options.slotMin();
    const isStale = result.slot < slotMin;
    if (!isStale && isOfChain(result)) return result;
    if (attempt >= READS_MAX)
      throw isStale ? staleSlotError(result.slot, slotMin) : notBelievedError(result.slot);
    await sleep(parts.timers, backoff.next(), options.signal);
  }
}

function staleSlotError(slot: number, slotMin: number): FeedError {
  const message = `snapshot was as of slot ${slot}, must be at least ${slotMin}`;
  return new FeedError('SNAPSHOT_SLOT_OUT_OF_RANGE', message, { slot, slotMin });
}

function notBelievedError(slot: number): FeedError {
  const message = `reading was as of slot ${slot}, which this chain cannot have reached, or of another time`;
  return new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot });
}
