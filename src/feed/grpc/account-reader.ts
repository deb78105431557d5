import { base58 } from '@scure/base';
import type { ChainProgram } from '../../contract/program.js';
import type { StreamAccount } from '../../rpc/grpc/messages.js';
import { type AccountKind, closedAccount } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { CLOCK_KEY, isIdleUser, kindOfAccount } from '../model/queries.js';
import { GRPC_KEYS_MAX } from './limits.js';

const KEY_BYTES = 32;

/**
 * Converts the accounts of a gRPC stream to updates. The stream filters by owner, so all program
 * accounts arrive, and irrelevant ones are dropped here. Users are passed to the core as bytes, the
 * few other accounts as base64.
 */
export class AccountReader {
  readonly #program: ChainProgram;
  /** Base58 by bytes: nearly every account repeats. */
  readonly #texts = new Map<string, string>();
  #followed: ReadonlySet<string> = new Set();

  constructor(program: ChainProgram) {
    this.#program = program;
  }

  /** Follows these accounts in addition to the program's and the Clock. */
  followKeys(keys: readonly string[]): void {
    this.#followed = new Set(keys);
  }

  /**
   * Returns the update; null for an account that the book does not use, `foreign` for an account
   * that was not requested.
   */
  readAccount(account: StreamAccount): SourceUpdate | 'foreign' | null {
    if (account.pubkey.length !== KEY_BYTES || account.owner.length !== KEY_BYTES) return 'foreign';
    const pubkey = this.#textOf(account.pubkey);
    const owner = this.#textOf(account.owner);
    const kind = this.#kindOf(pubkey, owner, account.data);
    if (kind === null || kind === 'foreign') return kind;
    const { slot, writeVersion, data, lamports } = account;
    const isUser = kind === 'user';
    // Nodes do not notify when a user becomes idle, so an idle user leaves the book like a closed
    // one.
    if (lamports === 0 || data.length === 0 || (isUser && isIdleUser(data)))
      return { ...closedAccount({ kind, pubkey, slot }), writeVersion };
    const text = isUser ? data.toString('latin1') : data.toString('base64');
    const encoding = isUser ? 'bytes' : 'base64';
    return { kind, pubkey, owner, slot, data: text, encoding, closed: false, writeVersion };
  }

  #kindOf(pubkey: string, owner: string, data: Buffer): AccountKind | 'foreign' | null {
    if (pubkey === CLOCK_KEY) return 'clock';
    if (this.#followed.has(pubkey)) return 'oracle';
    const { programId, program } = this.#program;
    return owner === programId ? kindOfAccount(program, data) : 'foreign';
  }

  #textOf(key: string): string {
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    if (this.#texts.size >= GRPC_KEYS_MAX) this.#texts.clear();
    const text = base58.encode(Buffer.from(key, 'latin1'));
    this.#texts.set(key, text);
    return text;
  }
}
