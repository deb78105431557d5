import type { AccountSnapshot } from '../../contract/accounts.js';
import { parseJson } from '../../rpc/json.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import type { AccountUpdate } from '../model/account-update.js';
import { parseClockAccount } from '../model/chain-clock.js';
import { CLOCK_KEY } from '../model/queries.js';
import { parseMultipleAccounts } from '../model/rpc-updates.js';
import { readAround } from '../model/spoilers.js';
import type { FeedParts } from './parts.js';

/**
 * One read of some accounts: the keys of those that the node gives, the response, and its decoded
 * content.
 */
export interface AccountReading {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  readonly snapshot: AccountSnapshot;
  /** When the response was read, monotonic milliseconds. */
  readonly atMs: number;
}

/** The node, the accounts and the time limit of a read. */
interface AccountQuery {
  readonly node: NodeRpc;
  readonly keys: readonly string[];
  /** Returns the parameters of getMultipleAccounts. */
  readonly params: (keys: readonly string[]) => readonly unknown[];
  readonly signal: AbortSignal;
  /** Of one call; accounts that spoil it are found with further calls. */
  readonly limitMs: number;
  /** Is called before the read, within the same time limit. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
}

/**
 * Reads some accounts in the background of a live book.
 *
 * # Errors
 * Rejects with an RpcError or an EngineError.
 */
export function readAccounts(
  { engine, timers }: FeedParts,
  { node, keys, params, signal, limitMs, before }: AccountQuery,
): Promise<AccountReading> {
  const wanted = { keys, nowMs: timers.nowMs() };
  return readAround(node, wanted, (given) =>
    withTimeLimit({ timers, limitMs, signal }, async (limited) => {
      await before?.(limited);
      const options = { signal: limited, timeoutMs: limitMs, isBackground: true };
      const body = await node.callRaw('getMultipleAccounts', params(given), options);
      const snapshot = await engine.decodeSnapshot(body, given);
      return { keys: given, body, snapshot, atMs: timers.nowMs() };
    }),
  );
}

/** Returns the result of a response that was decoded. */
export function resultOf(body: Uint8Array): unknown {
  return (parseJson(body) as { readonly result: unknown }).result;
}

/** Returns the given accounts from a read; closed accounts are omitted. */
export function updatesOf(
  { keys, body }: AccountReading,
  { memory }: FeedParts,
  wanted: ReadonlySet<string>,
): readonly AccountUpdate[] {
  const kindOf = (pubkey: string) => (memory.texts.has(pubkey) ? 'oracle' : 'user');
  const { updates } = parseMultipleAccounts(keys, kindOf, resultOf(body));
  return updates.filter(({ pubkey, closed }) => wanted.has(pubkey) && !closed);
}

/** Returns the slot of the Clock in a reading; undefined without a Clock. */
export function clockSlotOf({ keys, body }: AccountReading): number | undefined {
  const { updates } = parseMultipleAccounts(keys, () => 'clock', resultOf(body));
  const clock = updates.find(({ pubkey }) => pubkey === CLOCK_KEY);
  return parseClockAccount(clock?.data ?? '')?.slot;
}
