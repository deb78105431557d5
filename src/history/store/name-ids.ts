import { ACCOUNTS_CACHED_MAX } from '../model/limits.js';
import { decodeBase58, encodeBase58 } from './base58.js';
import type { Connection } from './connection.js';
import { blobSum, damagedError, requireSum, rowSum } from './row-sum.js';

const keyBytes = 32;
/** Number of accounts per network query: more make the text long, fewer cost more round trips. */
const accountsAtOnce = 500;
const accountShape = { table: 'accounts', columns: ['key', 'sum'] };
const explanationShape = { table: 'explanations', columns: ['name', 'sum'] };

/**
 * Ids of accounts and explanations: a trade names three accounts in nine bytes instead of 99. Ids
 * are cached; `clearCache` drops the ids of a failed write.
 */
export class NameIds {
  readonly #connection: Connection;
  readonly #accounts = new Map<string, number>();
  readonly #keys = new Map<number, string>();
  readonly #explanations = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** Prefetched accounts that have no id yet. */
  readonly #absent = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the id of an account; assigns one if it has none. */
  accountId(key: string): number {
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const bytes = bytesOf(key);
    // A prefetched account is new only once.
    const stored = this.#absent.delete(key) ? null : this.#findStoredId(bytes);
    const id = stored ?? this.#connection.addNumberedRow(accountShape, [bytes, blobSum(bytes)]);
    this.#cacheAccount(id, key);
    return id;
  }

  /**
   * Runs `work`, which uses the ids of these accounts. A server returns them in one query, because
   * each query costs a round trip.
   */
  expectAccounts<T>(keys: ReadonlySet<string>, work: () => T): T {
    if (this.#connection.engine === 'file') return work();
    const unknown = [...keys].filter((key) => !this.#accounts.has(key));
    try {
      for (let at = 0; at < unknown.length; at += accountsAtOnce) {
        this.#readExpected(unknown.slice(at, at + accountsAtOnce));
      }
      return work();
    } finally {
      this.#absent.clear();
    }
  }

  #readExpected(keys: readonly string[]): void {
    for (const key of keys) this.#absent.add(key);
    const text = `select id, key from accounts where key in (${keys.map(() => '?').join()})`;
    for (const [id, bytes] of this.#connection.readRows(text, keys.map(bytesOf))) {
      const key = encodeBase58(bytes as Uint8Array);
      this.#absent.delete(key);
      this.#cacheAccount(Number(id), key);
    }
  }

  /** Returns the id of an account, or null for an unknown account. */
  findAccountId(key: string): number | null {
    const bytes = decodeBase58(key, keyBytes);
    return bytes === null ? null : (this.#accounts.get(key) ?? this.#findStoredId(bytes));
  }

  #findStoredId(bytes: Uint8Array): number | null {
    const text = 'select id from accounts where key = ?';
    const [id] = this.#connection.readRow(text, [bytes]) ?? [];
    return id === undefined ? null : Number(id);
  }

  accountKey(id: number): string {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const text = 'select key, sum from accounts where id = ?';
    const [bytes, sum = null] = this.#connection.readRow(text, [id]) ?? [];
    if (!(bytes instanceof Uint8Array)) throw damagedError('accounts');
    requireSum('accounts', sum, blobSum(bytes));
    const key = encodeBase58(bytes);
    this.#cacheAccount(id, key);
    return key;
  }

  /** Returns the id of an explanation; assigns one if it has none. */
  explanationId(name: string): number {
    const known = this.#explanations.get(name);
    if (known !== undefined) return known;
    const id =
      this.findExplanationId(name) ??
      this.#connection.addNumberedRow(explanationShape, [name, rowSum([name])]);
    this.#explanations.set(name, id);
    this.#names.set(id, name);
    return id;
  }

  /** Returns the id of an explanation, or null for an unknown one. */
  findExplanationId(name: string): number | null {
    const [id] =
      this.#connection.readRow('select id from explanations where name = ?', [name]) ?? [];
    return id === undefined ? null : Number(id);
  }

  explanationName(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const text = 'select name, sum from explanations where id = ?';
    const [name, sum = null] = this.#connection.readRow(text, [id]) ?? [];
    if (typeof name !== 'string') throw damagedError('explanations');
    requireSum('explanations', sum, rowSum([name]));
    this.#names.set(id, name);
    return name;
  }

  /** Clears the cache, because the ids assigned last may not be stored. */
  clearCache(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#explanations.clear();
    this.#names.clear();
    this.#absent.clear();
  }

  #cacheAccount(id: number, key: string): void {
    if (this.#accounts.size >= ACCOUNTS_CACHED_MAX || this.#keys.size >= ACCOUNTS_CACHED_MAX) {
      this.#accounts.clear();
      this.#keys.clear();
    }
    this.#accounts.set(key, id);
    this.#keys.set(id, key);
  }
}

function bytesOf(key: string): Uint8Array {
  const bytes = decodeBase58(key, keyBytes);
  if (bytes === null) throw new Error(`an account was ${key}, must be 32 bytes in base58`);
  return bytes;
}
