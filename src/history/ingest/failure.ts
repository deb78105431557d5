import { RpcError } from '../../rpc/error.js';
import { HistoryError } from '../model/error.js';

/** The node's fault, as opposed to that of the store or of this program. */
export function isReadingFailure(error: unknown): error is Error {
  if (error instanceof RpcError) return error.code !== 'RPC_ABORTED';
  return error instanceof HistoryError && error.code === 'MALFORMED_HISTORY_ANSWER';
}
