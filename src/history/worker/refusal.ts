import type { RefusedQuery } from '../../contract/as-of-source.js';
import { HistoryError } from '../model/error.js';
import { StoreError } from '../store/error.js';

/** Converts an error for clients, without details of the machine. */
export function refusalOf(error: unknown): RefusedQuery {
  if (error instanceof HistoryError) {
    return { code: error.code, message: error.message, param: error.param };
  }
  if (error instanceof StoreError) {
    return { code: 'NOT_READY', message: 'the history cannot be read', param: null };
  }
  return { code: 'INTERNAL', message: 'the history failed to answer', param: null };
}
