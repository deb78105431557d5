import type { AccountSnapshot } from '../../contract/accounts.js';
import { parseJson } from '../../rpc/json.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import { type AccountUpdate, parseMultipleAccounts } from '../model/account-update.js';
import type { FeedParts } from './parts.js';

/** One read of some accounts: its keys, the response, and its decoded content. */
export interface AccountReading {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  readonly snapshot: AccountSnapshot;
}

/** The node, the accounts and the time limit of a read. */
interface AccountQuery {
  readonly node: NodeRpc;
  readonly keys: readonly string[];
  /** Of getMultipleAccounts. */
  readonly params: readonly unknown[];
  readonly signal: AbortSignal;
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
  return withTimeLimit({ timers, limitMs, signal }, async (limited) => {
    await before?.(limited);
    const options = { signal: limited, timeoutMs: limitMs, isBackground: true };
    const body = await node.callRaw('getMultipleAccounts', params, options);
    return { keys, body, snapshot: await engine.decodeSnapshot(body, keys) };
  });
}

/** Returns the given accounts from a read; closed accounts are omitted. */
export function updatesOf(
  { keys, body }: AccountReading,
  { memory }: FeedParts,
  wanted: ReadonlySet<string>,
): readonly AccountUpdate[] {
  const { result } = parseJson(body) as { readonly result: unknown };
  const kindOf = (pubkey: string) => (memory.texts.has(pubkey) ? 'oracle' : 'user');
  const { updates } = parseMultipleAccounts(keys, kindOf, result);
  return updates.filter(({ pubkey, closed }) => wanted.has(pubkey) && !closed);
}
