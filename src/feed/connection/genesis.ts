import type { CallOptions } from '../../rpc/client.js';
import { FeedError } from '../model/error.js';
import type { FeedRpc } from '../model/feed-rpc.js';

/** Base58 of 32 bytes is not longer. */
const HASH_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{1,44}$/;

/** Asks a node for the hash that names its chain. It is logged and shown, so it must be a hash. */
export function readGenesisHash(rpc: FeedRpc, options: CallOptions): Promise<string> {
  return rpc.call('getGenesisHash', [], parseGenesisHash, options);
}

function parseGenesisHash(result: unknown): string {
  if (typeof result === 'string' && HASH_PATTERN.test(result)) return result;
  const message = 'answer to getGenesisHash was no hash, must be base58 of 32 bytes';
  throw new FeedError('MALFORMED_ACCOUNTS_ANSWER', message);
}
