import type { CallOptions, RpcClient } from './client.js';
import { RpcError } from './error.js';
import { isRecord } from './http-response.js';
import { ACCOUNT_TEXT_BYTES_MAX } from './limits.js';

/**
 * Reads the data of up to 100 accounts as base64, in the order of their keys: empty for an account
 * of another owner, null for a missing account; of a large one only its beginning. It is one
 * background call of getMultipleAccounts at `processed`, the commitment of the feed.
 *
 * # Errors
 * Rejects with an RpcError, also when the response does not have exactly one account for each key.
 */
export function readAccountTexts(
  rpc: Pick<RpcClient, 'call'>,
  { keys, owner }: { readonly keys: readonly string[]; readonly owner: string },
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  const dataSlice = { offset: 0, length: ACCOUNT_TEXT_BYTES_MAX };
  const options = { encoding: 'base64', commitment: 'processed', dataSlice };
  const parse = (result: unknown): readonly (string | null)[] =>
    valuesOf(result, keys.length).map((account) => textOf(account, owner));
  return rpc.call('getMultipleAccounts', [keys, options], parse, { signal, isBackground: true });
}

function valuesOf(result: unknown, count: number): readonly unknown[] {
  const value = isRecord(result) ? result['value'] : undefined;
  if (Array.isArray(value) && value.length === count) return value;
  throw malformedError('getMultipleAccounts', `must hold ${count} accounts`);
}

function textOf(account: unknown, owner: string): string | null {
  if (account === null) return null;
  if (isRecord(account) && account['owner'] !== owner) return '';
  const data: unknown = isRecord(account) ? account['data'] : undefined;
  if (Array.isArray(data) && typeof data[0] === 'string' && data[1] === 'base64') return data[0];
  throw malformedError('getMultipleAccounts', 'must hold base64 or null for each');
}

/** Base58 of 32 bytes. */
const HASH_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Reads the genesis hash, which identifies a node's chain. It is validated, because it is logged,
 * displayed and used in file names.
 *
 * # Errors
 * Rejects with an RpcError, also for an invalid hash.
 */
export function readGenesisHash(
  rpc: Pick<RpcClient, 'call'>,
  options: CallOptions = {},
): Promise<string> {
  return rpc.call('getGenesisHash', [], parseGenesisHash, options);
}

function parseGenesisHash(result: unknown): string {
  if (typeof result === 'string' && HASH_PATTERN.test(result)) return result;
  throw malformedError('getGenesisHash', 'must be base58 of 32 bytes');
}

/**
 * Reads the current slot of a node, at `processed`.
 *
 * # Errors
 * Rejects with an RpcError, also for a malformed response.
 */
export function readSlot(rpc: Pick<RpcClient, 'call'>, options: CallOptions = {}): Promise<number> {
  return rpc.call('getSlot', [{ commitment: 'processed' }], parseSlot, options);
}

function parseSlot(result: unknown): number {
  if (typeof result === 'number' && Number.isSafeInteger(result) && result >= 0) return result;
  throw malformedError('getSlot', 'must be a slot');
}

/**
 * Reads the minimum fees with which the node's last 150 blocks wrote to all of these accounts: one
 * fee for each block, unordered, in micro-lamports per compute unit. It is one background call of
 * getRecentPrioritizationFees.
 *
 * # Errors
 * Rejects with an RpcError, also for a malformed response.
 */
export function readPriorityFees(
  rpc: Pick<RpcClient, 'call'>,
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const options = { signal, isBackground: true };
  return rpc.call('getRecentPrioritizationFees', [accounts], parseFees, options);
}

function parseFees(result: unknown): readonly number[] {
  const fees = Array.isArray(result) ? result.map(feeOf) : [undefined];
  if (fees.every((fee) => fee !== undefined)) return fees;
  throw malformedError('getRecentPrioritizationFees', 'must be a list of fees');
}

function feeOf(row: unknown): number | undefined {
  const fee = isRecord(row) ? row['prioritizationFee'] : undefined;
  return typeof fee === 'number' && Number.isSafeInteger(fee) && fee >= 0 ? fee : undefined;
}

function malformedError(method: string, rule: string): RpcError {
  const message = `answer to ${method} was malformed, ${rule}`;
  return new RpcError('MALFORMED_RPC_ANSWER', message, { method });
}

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
 * Reads a transaction of any version. The parser gets null when the node does not have the
 * transaction.
 *
 * # Errors
 * RpcError, and the parser's errors.
 */
export async function readTransaction<T>(
  rpc: Pick<RpcClient, 'call'>,
  { signature, commitment, signal }: TransactionQuery,
  parse: (result: unknown) => T,
): Promise<T> {
  let refusal: unknown;
  for (const maxSupportedTransactionVersion of VERSIONS_MAX) {
    const config = { commitment, encoding: 'json', maxSupportedTransactionVersion };
    try {
      return await rpc.call('getTransaction', [signature, config], parse, { signal });
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
