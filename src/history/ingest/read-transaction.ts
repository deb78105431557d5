import { RpcError } from '../../rpc/error.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { parseTransaction, type TransactionLog } from './rpc-results.js';

/**
 * The requested maximum transaction versions: all that a byte can hold, because logs have the same
 * format in all versions. The lower values are for servers that validate the parameter.
 *
 * Source: agave rpc-client-types/src/config.rs RpcTransactionConfig, whose version is a u8.
 */
const VERSIONS_MAX = [255, 1, 0] as const;

const INVALID_PARAMS_CODE = -32602;

/** The transaction to read, and the commitment. */
interface TransactionQuery {
  readonly signature: string;
  readonly commitment: 'confirmed' | 'finalized';
  readonly signal: AbortSignal;
}

/**
 * Reads the log of a transaction of any version; null when the node lacks it.
 *
 * # Errors
 * RpcError, and HistoryError for a malformed response.
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
