import { RpcError } from '../../rpc/error.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { parseTransaction, type TransactionLog } from './rpc-results.js';

/**
 * The highest version of a transaction that is asked for: all that the byte of a version holds, because a log is the
 * same in all of them. The others are for a server that checks the value against a list of its own.
 *
 * Source: agave rpc-client-types/src/config.rs RpcTransactionConfig, whose version is a u8.
 */
const VERSIONS_MAX = [255, 1, 0] as const;

/** JSON-RPC: a parameter is not one that the server takes. */
const INVALID_PARAMS_CODE = -32602;

/** Which transaction is read, and at which commitment. */
export interface TransactionQuery {
  readonly signature: string;
  readonly commitment: 'confirmed' | 'finalized';
  readonly signal: AbortSignal;
}

/**
 * The log of a transaction of whatever version; null when the node does not have it.
 *
 * # Errors
 * RpcError, and HistoryError for a response that is no transaction.
 */
export async function readTransaction(
  rpc: NodeRpc,
  { signature, commitment, signal }: TransactionQuery,
): Promise<TransactionLog | null> {
  let refusal: unknown;
  for (const maxSupportedTransactionVersion of VERSIONS_MAX) {
    const config = { commitment, encoding: 'json', maxSupportedTransactionVersion };
    try {
      return await rpc.call('getTransaction', [signature, config], parseTransaction, { signal });
    } catch (error) {
      refusal = error;
      if (!isOfParams(error)) break;
    }
  }
  throw refusal;
}

function isOfParams(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { rpcCode, status } = error.context;
  return rpcCode === INVALID_PARAMS_CODE || status === 400;
}
