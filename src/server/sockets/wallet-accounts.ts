/**
 * The accounts of followed wallets: those of the book, and those outside it, which are read from the
 * node when a wallet is first followed. An account that is made later comes with the book.
 */
import { LIMITS } from '../../config/limits.js';
import type { AccountSource, ReadWallet } from '../../contract/account-source.js';
import { SocketError } from '../transport/errors.js';

/** The accounts by wallet. One call of the node is open at a time. */
export class WalletAccounts {
  readonly #accounts: Pick<AccountSource, 'ofAuthority'>;
  readonly #read: ReadWallet;
  /** The accounts on chain of the wallets that were followed last. */
  readonly #known = new Map<string, readonly string[]>();
  readonly #waiting = new Set<string>();
  #isReading = false;

  constructor(accounts: Pick<AccountSource, 'ofAuthority'>, read: ReadWallet) {
    this.#accounts = accounts;
    this.#read = read;
  }

  /**
   * Returns the accounts of a wallet as far as they are known. Throws UNKNOWN_ACCOUNT for a wallet
   * that has none.
   */
  listAccounts(authority: string): readonly string[] {
    const known = this.#known.get(authority);
    const isFull = this.#waiting.size >= LIMITS.walletsMax;
    if (known === undefined && !isFull) this.#waiting.add(authority);
    const all = new Set([...this.#accounts.ofAuthority(authority), ...(known ?? [])]);
    if (all.size > 0 || (known === undefined && !isFull)) return [...all];
    throw new SocketError('UNKNOWN_ACCOUNT', `there is no account of a wallet ${authority}`);
  }

  /**
   * Reads the next wallet, unless a call is open; returns whether followers should list again: more
   * is known, or the call failed, after which only a wallet that is still followed waits again.
   */
  async readNext(): Promise<boolean> {
    const [authority] = this.#waiting;
    if (this.#isReading || authority === undefined) return false;
    this.#isReading = true;
    this.#waiting.delete(authority);
    try {
      this.#known.set(authority, await this.#read(authority));
      const [oldest = authority] = this.#known.keys();
      if (this.#known.size > LIMITS.walletsMax) this.#known.delete(oldest);
    } catch {
      // The book's accounts are served meanwhile.
    } finally {
      this.#isReading = false;
    }
    return true;
  }
}
