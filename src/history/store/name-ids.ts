import { ACCOUNTS_CACHED_MAX } from '../model/limits.js';
import { decodeBase58, encodeBase58 } from './base58.js';
import type { Connection } from './connection.js';
import { blobSum, damagedError, requireSum, rowSum } from './row-sum.js';

const keyBytes = 32;
const accountShape = { table: 'accounts', columns: ['key', 'sum'] };
const explanationShape = { table: 'explanations', columns: ['name', 'sum'] };

/**
 * Numbers for accounts and explanations, so that a trade names three accounts in nine bytes and not in
 * 99. Those in use are remembered; what a failed write gave out is forgotten by `forget`.
 */
export class NameIds {
  readonly #connection: Connection;
  readonly #accounts = new Map<string, number>();
  readonly #keys = new Map<number, string>();
  readonly #explanations = new Map<string, number>();
  readonly #names = new Map<number, string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The number of an account, given out when it has none. */
  accountId(key: string): number {
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const bytes = decodeBase58(key, keyBytes);
    if (bytes === null) throw new Error(`an account was ${key}, must be 32 bytes in base58`);
    const stored = this.#findStoredId(bytes);
    const id =
      stored === null
        ? this.#connection.addNumberedRow(accountShape, [bytes, blobSum(bytes)])
        : stored;
    this.#cacheAccount(id, key);
    return id;
  }

  /** The number of an account, or null when nothing has it. */
  findAccountId(key: string): number | null {
    const bytes = decodeBase58(key, keyBytes);
    return bytes === null ? null : (this.#accounts.get(key) ?? this.#findStoredId(bytes));
  }

  #findStoredId(bytes: Uint8Array): number | null {
    const text = 'select id from accounts where key = ?';
    const [id] = this.#connection.readRow(text, [bytes]) ?? [];
    return id === undefined ? null : Number(id);
  }

  /** The account of a number. */
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

  /** The number of an explanation, given out when it has none. */
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

  /** The number of an explanation, or null when nothing has it. */
  findExplanationId(name: string): number | null {
    const [id] =
      this.#connection.readRow('select id from explanations where name = ?', [name]) ?? [];
    return id === undefined ? null : Number(id);
  }

  /** The explanation of a number. */
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

  /** Forgets everything: what was given out last may not be stored. */
  clearCache(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#explanations.clear();
    this.#names.clear();
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
