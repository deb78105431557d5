/**
 * The accounts of followed wallets: those of the book, and those outside it, which are read from the
 * node when a wallet is first followed. An account that is made later comes with the book.
 */
import { LIMITS } from '../../config/limits.js';
import type { AccountSource, ReadWallet } from '../../contract/account-source.js';
import { ClientTurns, FairShare } from '../../contract/fair-share.js';
import { SocketError } from '../transport/errors.js';

/** A wallet that waits for its reading, and a client that follows it. */
interface WaitingWallet {
  readonly authority: string;
  readonly client: string | undefined;
}

/** The accounts by wallet. One call of the node is open at a time, for each client in its turn. */
export class WalletAccounts {
  readonly #accounts: Pick<AccountSource, 'ofAuthority'>;
  readonly #read: ReadWallet;
  /** The accounts on chain of the wallets that were followed last. */
  readonly #known = new Map<string, readonly string[]>();
  /** By client and wallet, because each client of a wallet has turns. */
  readonly #waiting = new Map<string, WaitingWallet>();
  /** The wallets that may still wait. */
  readonly #share = new FairShare(LIMITS.walletsMax);
  readonly #turns = new ClientTurns();
  #isReading = false;

  constructor(accounts: Pick<AccountSource, 'ofAuthority'>, read: ReadWallet) {
    this.#accounts = accounts;
    this.#read = read;
  }

  /**
   * Returns the accounts of a wallet as far as they are known. Throws UNKNOWN_ACCOUNT for a wallet
   * that has none, LIMIT_EXCEEDED when too many wallets wait, of all clients or of this one.
   */
  listAccounts(authority: string, client: string | undefined): readonly string[] {
    const known = this.#known.get(authority);
    const waits = known === undefined && this.#addWaiting({ authority, client });
    const all = new Set([...this.#accounts.ofAuthority(authority), ...(known ?? [])]);
    if (all.size > 0 || waits) return [...all];
    if (known !== undefined) {
      throw new SocketError('UNKNOWN_ACCOUNT', `there is no account of a wallet ${authority}`);
    }
    const message = `${this.#share.free} more wallets may wait, and of no address more than that`;
    throw new SocketError('LIMIT_EXCEEDED', message);
  }

  /**
   * Reads the next wallet, unless a call is open; returns whether followers should list again: more
   * is known, or the call failed, after which only a wallet that is still followed waits again.
   */
  async readNext(): Promise<boolean> {
    const next = this.#isReading ? undefined : this.#turns.takeNext(this.#waiting.values());
    if (next === undefined) return false;
    const { authority } = next;
    this.#isReading = true;
    for (const [key, wallet] of this.#waiting) {
      if (wallet.authority !== authority) continue;
      this.#waiting.delete(key);
      this.#share.give(wallet.client);
    }
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

  /** Returns false when the client may have no further wallet wait. */
  #addWaiting(wallet: WaitingWallet): boolean {
    const key = `${wallet.client} ${wallet.authority}`;
    if (this.#waiting.has(key)) return true;
    if (!this.#share.take(wallet.client)) return false;
    this.#waiting.set(key, wallet);
    return true;
  }
}
