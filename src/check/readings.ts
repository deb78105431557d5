/** The calls of a check: each is one that a service makes. */
import { base58 } from '@scure/base';
import { secrets } from '../config/secrets.js';
import type { ChainProgram } from '../contract/program.js';
import type { Timers } from '../contract/timers.js';
import { readClock } from '../feed/connection/chain-time.js';
import { parseClockAccount } from '../feed/model/chain-clock.js';
import { SPOT_ORACLE_OFFSET } from '../feed/model/generated/accounts.js';
import { ACCOUNTS_PER_READ } from '../feed/model/limits.js';
import {
  multipleAccountsParams,
  type ProgramKind,
  packedAccountsParams,
  programAccountsParams,
} from '../feed/model/queries.js';
import { parseMultipleAccounts } from '../feed/model/rpc-updates.js';
import { type ListedSignature, parseSignatures } from '../history/ingest/rpc-results.js';
import { PAGE_SIGNATURES } from '../history/model/limits.js';
import { loggedFailure } from '../rpc/error.js';
import type { NodeRpc } from '../rpc/node-pool.js';
import { PAGES_MAX } from './limits.js';

/** A call's result and its duration, or the reason why there is none. */
export type Timed<T> =
  | { readonly ms: number; readonly value: T }
  | { readonly ms: number; readonly failure: string };

/** Measures a call. */
export async function timeCall<T>(timers: Timers, call: () => Promise<T>): Promise<Timed<T>> {
  const sinceMs = timers.nowMs();
  try {
    const value = await call();
    return { ms: timers.nowMs() - sinceMs, value };
  } catch (error) {
    return { ms: timers.nowMs() - sinceMs, failure: secrets.mask(loggedFailure(error)) };
  }
}

/** A scan of accounts: how many, their bytes, and the keys of the first ones. */
export interface ScannedAccounts {
  readonly count: number;
  readonly bytes: number;
  readonly keys: readonly string[];
}

/** Scans one kind of the program's accounts, with the query of the service. */
export async function scanAccounts(
  rpc: NodeRpc,
  program: ChainProgram,
  kind: ProgramKind,
): Promise<ScannedAccounts> {
  const body = await rpc.callRaw('getProgramAccounts', programAccountsParams(program, kind));
  // The other texts of a body are base58 and base64, so that the name of the key is unique.
  const keys: string[] = [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let count = 0;
  for (let at = text.indexOf(KEY); at !== -1; at = text.indexOf(KEY, at + KEY.length)) {
    count += 1;
    if (keys.length >= ACCOUNTS_PER_READ) continue;
    const found = /^\s*:\s*"([^"]+)"/.exec(text.toString('latin1', at + KEY.length, at + 80));
    if (found?.[1] !== undefined) keys.push(found[1]);
  }
  return { count, bytes: body.length, keys };
}

const KEY = '"pubkey"';

/** Reads accounts as a probe does; returns the bytes of one. */
export async function readAccountBytes(rpc: NodeRpc, keys: readonly string[]): Promise<number> {
  const body = await rpc.callRaw('getMultipleAccounts', packedAccountsParams(keys));
  return body.length / Math.max(1, keys.length);
}

const KEY_BYTES = 32;

/** Returns the oracle of one of these spot markets; null without one. */
export async function readOracleKey(
  rpc: NodeRpc,
  { program }: ChainProgram,
  markets: readonly string[],
): Promise<string | null> {
  const keys = markets.slice(0, ACCOUNTS_PER_READ);
  const batch = await rpc.call('getMultipleAccounts', multipleAccountsParams(keys), (result) =>
    parseMultipleAccounts(keys, () => 'spotMarket', result),
  );
  const at = SPOT_ORACLE_OFFSET[program];
  for (const { data } of batch.updates) {
    const bytes = Buffer.from(data, 'base64').subarray(at, at + KEY_BYTES);
    if (bytes.length === KEY_BYTES && bytes.some((byte) => byte !== 0)) return base58.encode(bytes);
  }
  return null;
}

/** Reads the unix time of the chain's Clock, seconds; null without a Clock. */
export async function readChainSeconds(rpc: NodeRpc): Promise<number | null> {
  const data = await readClock(rpc, new AbortController().signal);
  return parseClockAccount(data ?? '')?.unixSeconds ?? null;
}

/** The newest part of a list of signatures. */
export interface ListedPast {
  readonly count: number;
  /** Unix seconds of its newest and oldest row; null without rows. */
  readonly newestTs: number | null;
  readonly oldestTs: number | null;
  /** Whether the list ends there. */
  readonly isWhole: boolean;
  /** The first block of the node; null when it does not say. */
  readonly firstSlot: number | null;
  /** The slot of the newest row. */
  readonly newestSlot: number;
  /** Bytes of one row. */
  readonly rowBytes: number;
}

const LISTED = { commitment: 'confirmed', limit: PAGE_SIGNATURES };

/** Lists the newest transactions of the program, a few pages, and asks for the node's first block. */
export async function listPast(rpc: NodeRpc, programId: string): Promise<ListedPast> {
  const rows: ListedSignature[] = [];
  let bytes = 0;
  let isWhole = false;
  for (let page = 0; page < PAGES_MAX && !isWhole; page += 1) {
    const config = { ...LISTED, before: rows.at(-1)?.signature };
    const found = await rpc.call('getSignaturesForAddress', [programId, config], (result) => {
      bytes += JSON.stringify(result).length;
      return parseSignatures(result).rows;
    });
    rows.push(...found);
    isWhole = found.length < PAGE_SIGNATURES;
  }
  const readFirst = (result: unknown) => (typeof result === 'number' ? result : null);
  const firstSlot = await rpc.call('getFirstAvailableBlock', [], readFirst).catch(() => null);
  return {
    count: rows.length,
    newestTs: rows[0]?.blockTime ?? null,
    oldestTs: rows.at(-1)?.blockTime ?? null,
    isWhole,
    firstSlot,
    newestSlot: rows[0]?.slot ?? 0,
    rowBytes: bytes / Math.max(1, rows.length),
  };
}

/** The results of the calls. */
export interface NodeReadings {
  readonly users: Timed<ScannedAccounts>;
  readonly markets: Timed<ScannedAccounts>;
  readonly accountBytes: number;
  readonly oracle: string | null;
  readonly past: Timed<ListedPast>;
}
