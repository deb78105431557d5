/** Reads of accounts by themselves that a response did not contain whole. */
import {
  type AccountKind,
  type AccountUpdate,
  parseMultipleAccounts,
} from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import { BROKEN_KEYS_MAX, PROBE_MS_MAX } from '../model/limits.js';
import { multipleAccountsParams, packedAccountsParams } from '../model/queries.js';
import { readAccounts, resultOf } from './account-reading.js';
import type { FeedParts } from './parts.js';
import type { ReadOptions } from './snapshots.js';

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
  options: Pick<ReadOptions, 'chain' | 'signal'>,
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

/** Resolves with the account's state, none when it is closed; null when no node gives it. */
async function readSingle(
  parts: FeedParts,
  { key, kind, slotMin }: Omit<BrokenAccounts, 'keys'> & { readonly key: string },
  { chain, signal }: Pick<ReadOptions, 'chain' | 'signal'>,
): Promise<readonly AccountUpdate[] | null> {
  const { rpc, otherRpcs, scanNode, memory } = parts;
  const isPlain = kind === 'oracle' || kind === 'clock';
  for (const node of [rpc, ...otherRpcs]) {
    try {
      const reading = await readAccounts(parts, {
        node,
        keys: [key],
        params: isPlain ? multipleAccountsParams : packedAccountsParams,
        signal,
        limitMs: PROBE_MS_MAX,
        before: async (limited) => {
          if (node !== rpc) await scanNode.requireChain(node, memory.genesisHash, limited);
        },
      });
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
