/** Reads of accounts by themselves that a response did not contain whole. */
import type { AccountSnapshot } from '../../contract/accounts.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import type { AccountKind, AccountUpdate } from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import { BROKEN_KEYS_MAX, PROBE_MS_MAX } from '../model/limits.js';
import { multipleAccountsParams, packedAccountsParams } from '../model/queries.js';
import { parseMultipleAccounts } from '../model/rpc-updates.js';
import { readAccounts, resultOf } from './account-reading.js';
import type { ChainCheck } from './chain-check.js';
import type { FeedParts } from './parts.js';

/** The check of the node's slots, and the abort signal. */
interface SingleOptions {
  readonly chain: Pick<ChainCheck, 'admitsReading'>;
  readonly signal: AbortSignal;
}

/** The accounts that a scan or a call did not contain whole. */
interface BrokenAccounts {
  readonly keys: readonly string[];
  readonly kind: AccountKind;
  /** The lowest slot of their reads. */
  readonly slotMin: number;
}

/** The accounts that could be read by themselves, and the keys of the others. */
export interface SingleAccounts {
  readonly updates: readonly AccountUpdate[];
  readonly leftOut: readonly string[];
}

/**
 * Reads accounts by themselves that a response did not contain whole, from any node. Those that no
 * node gives are left out, and logged.
 *
 * # Errors
 * Rejects with MALFORMED_ACCOUNTS_ANSWER when more accounts than are named did not arrive whole.
 */
export async function readSingly(
  parts: FeedParts,
  { keys, kind, slotMin }: BrokenAccounts,
  options: SingleOptions,
): Promise<SingleAccounts> {
  if (keys.length >= BROKEN_KEYS_MAX) {
    const message = `${keys.length} accounts of ${kind} did not arrive whole`;
    throw new FeedError('MALFORMED_ACCOUNTS_ANSWER', message, { kind });
  }
  const read: (readonly AccountUpdate[] | null)[] = [];
  for (const key of keys) read.push(await readSingle(parts, { key, kind, slotMin }, options));
  throwIfStopped(options.signal);
  const leftOut = keys.filter((_, index) => read[index] === null);
  if (leftOut.length > 0)
    parts.transientErrors.logWarning('no node gives these accounts whole', leftOut.join(), {
      keys: leftOut,
      kind,
    });
  return { updates: read.flatMap((updates) => updates ?? []), leftOut };
}

/**
 * Reads the users of a scan by themselves that the scan did not contain whole.
 *
 * # Errors
 * Rejects with MALFORMED_ACCOUNTS_ANSWER for users without a key, or too many of them.
 */
export async function readBrokenUsers(
  parts: FeedParts,
  { slot, problems, problemCount }: AccountSnapshot,
  options: SingleOptions,
): Promise<SingleAccounts> {
  const keys = problems.flatMap(({ pubkey }) => pubkey ?? []);
  if (keys.length === problemCount)
    return readSingly(parts, { keys, kind: 'user', slotMin: slot }, options);
  const message = `${problemCount} users of the scan could not be read`;
  throw new FeedError('MALFORMED_ACCOUNTS_ANSWER', message, { problemCount });
}

/** Resolves with the account's state, none when it is closed; null when no node gives it. */
async function readSingle(
  parts: FeedParts,
  { key, kind, slotMin }: Omit<BrokenAccounts, 'keys'> & { readonly key: string },
  { chain, signal }: SingleOptions,
): Promise<readonly AccountUpdate[] | null> {
  const isPlain = kind === 'oracle' || kind === 'clock';
  const params = isPlain ? multipleAccountsParams : packedAccountsParams;
  const limits = { params, signal, limitMs: PROBE_MS_MAX };
  for (const node of [parts.rpc, ...parts.otherRpcs]) {
    const before = (limited: AbortSignal) => requireChainOf(parts, node, limited);
    try {
      const reading = await readAccounts(parts, { node, keys: [key], before, ...limits });
      const { updates } = parseMultipleAccounts([key], () => kind, resultOf(reading.body));
      const isWhole = reading.snapshot.problemCount === 0 && reading.snapshot.slot >= slotMin;
      const isOfChain = updates.every((update) => chain.admitsReading(update));
      if (isWhole && isOfChain) return updates.filter(({ closed }) => !closed);
    } catch {
      throwIfStopped(signal);
    }
  }
  return null;
}

/** The node in use has been checked when its connection began. */
async function requireChainOf(
  { rpc, scanNode, memory }: FeedParts,
  node: NodeRpc,
  signal: AbortSignal,
): Promise<void> {
  if (node !== rpc) await scanNode.requireChain(node, memory.genesisHash, signal);
}
