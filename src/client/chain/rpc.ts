/** Requests to a Solana node over HTTP. */

import { base64, bytesOfBase64 } from '../base64.js';
import { type Clock, type Environment, type Fetch, retry, systemClock } from '../environment.js';
import { ClientError } from '../error.js';
import { integer, list, object, objectOf, orNull, type Read, text } from '../fields.js';
import * as limits from '../limits.js';

/** How a node is reached. */
export interface RpcOptions extends Environment {
  /** Where the node answers, `http` or `https`. */
  readonly rpcUrl: string;
  /** Milliseconds for one try; 20,000 by default. */
  readonly timeoutMs?: number;
}

/** An account as a node gives it. */
interface ChainAccount {
  /** Base58. */
  readonly address: string;
  readonly bytes: Uint8Array;
}

/** Selects the accounts that contain these bytes at an offset. */
export interface AccountFilter {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Reads the data of an account: a list of base64 text and encoding name. */
const data: Read<Uint8Array> = (value, place) => {
  const [encoded] = list(text)(value, place);
  const bytes = encoded === undefined ? null : bytesOfBase64(encoded);
  if (bytes !== null) return bytes;
  throw new ClientError('MALFORMED_ANSWER', `${place} is not base64`);
};

/** Reads an account from a list of program accounts or from a notification. */
export const programAccount: Read<ChainAccount> = (value, place) => {
  const { pubkey, account } = object({ pubkey: text, account: object({ data }) })(value, place);
  return { address: pubkey, bytes: account.data };
};

/** A filter in the node's format. */
export function memcmpFilter({ offset, bytes }: AccountFilter): object {
  return { memcmp: { offset, bytes: base64(bytes), encoding: 'base64' } };
}

/** The error code of a node for a slot that it has not reached; other nodes report a text only. */
const BEHIND = -32_016;

/**
 * An RPC client for one node. Failed calls are retried; the last failure is thrown as a
 * ClientError.
 */
export class Rpc {
  readonly #url: string;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #id = 0;
  #seenSlot = 0n;

  constructor(options: RpcOptions) {
    this.#url = options.rpcUrl;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#clock = options.clock ?? systemClock;
    this.#timeoutMs = options.timeoutMs ?? limits.REQUEST_MS_MAX;
  }

  /**
   * Records the slot of a notification as the minimum for later responses, because several nodes
   * may share one address. 0 resets the minimum for a new connection, which may lead to another
   * chain.
   */
  noteSlot(slot: bigint): void {
    if (slot === 0n || slot > this.#seenSlot) this.#seenSlot = slot;
  }

  /** Returns all accounts of a program that pass the filters. */
  async fetchProgramAccounts(
    programId: string,
    filters: readonly AccountFilter[],
    signal: AbortSignal,
  ): Promise<readonly ChainAccount[]> {
    const options = { ...this.#readOptions(), filters: filters.map(memcmpFilter) };
    const result = await this.#callWithRetries('getProgramAccounts', [programId, options], signal);
    return list(programAccount)(result, 'accounts');
  }

  /** Returns accounts by address, in order; null for an account that does not exist. */
  async fetchAccounts(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Uint8Array | null)[]> {
    const found: (Uint8Array | null)[] = [];
    for (let at = 0; at < addresses.length; at += limits.RPC_ACCOUNTS_MAX) {
      const some = addresses.slice(at, at + limits.RPC_ACCOUNTS_MAX);
      const result = await this.#callWithRetries(
        'getMultipleAccounts',
        [some, this.#readOptions()],
        signal,
      );
      const { value } = object({ value: list(orNull(object({ data }))) })(result, 'accounts');
      if (value.length !== some.length) {
        const message = `${some.length} accounts were requested, ${value.length} were returned`;
        throw new ClientError('MALFORMED_ANSWER', message);
      }
      found.push(...value.map((account) => account?.data ?? null));
    }
    return found;
  }

  /** The slot that the node works on. */
  async fetchSlot(signal: AbortSignal): Promise<bigint> {
    const result = await this.#callWithRetries('getSlot', [{ commitment: 'processed' }], signal);
    return integer(result, 'slot');
  }

  #readOptions(): object {
    const minContextSlot = this.#seenSlot === 0n ? {} : { minContextSlot: Number(this.#seenSlot) };
    return { encoding: 'base64', commitment: 'processed', ...minContextSlot };
  }

  #callWithRetries(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const clock = this.#clock;
    const timeoutMs = this.#timeoutMs;
    const retryDelayOf = ({ code }: ClientError): number | undefined =>
      code === 'REFUSED' || code === 'ABORTED' ? undefined : 0;
    const retriesMax = limits.RETRIES_MAX;
    return retry(
      { clock, timeoutMs, retriesMax, signal, subject: method, retryDelayOf },
      (ending) => this.#postRequest(method, params, ending),
    );
  }

  async #postRequest(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    this.#id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params });
    const headers = { 'Content-Type': 'application/json' };
    const init = { signal, method: 'POST', headers, body, cache: 'no-store' } as const;
    const response = await this.#fetch(this.#url, init);
    if (!response.ok) {
      const message = `${method} was answered with the status ${response.status}`;
      throw new ClientError('HTTP_STATUS', message, {}, { status: response.status });
    }
    return resultOf(await response.json(), method);
  }
}

function resultOf(answer: unknown, method: string): unknown {
  const { error, result } = objectOf(answer, method);
  if (error === undefined) return result;
  const { code, message } = objectOf(error, `${method}.error`);
  const text = `${method}: ${String(message).slice(0, limits.TEXT_CHARS_MAX)} (${String(code)})`;
  const isBehind = code === BEHIND || /minimum context slot/i.test(text);
  throw new ClientError(isBehind ? 'NOT_READY' : 'REFUSED', text);
}
