/**
 * Follows orders in auction, for which makers compete, on the chain.
 *
 * ```ts
 * const auctions = new Auctions({ rpcUrl: 'http://127.0.0.1:8899' });
 * auctions.onUpdate(({ address, orders }) => console.log(address, orders));
 * auctions.open();
 * ```
 */
import { type Order, USER_KIND } from '../accounts/generated/user.js';
import { decodeUser, type UserAccount } from '../accounts/user.js';
import { ClientError } from '../error.js';
import { Listeners } from '../listeners.js';
import type { ChainOptions } from './chain-book.js';
import { ProgramAccounts } from './program-accounts.js';
import {
  HAS_OPEN_AUCTION,
  NOT_IDLE,
  ofKind,
  PROGRAM_ID,
  VELOCITY_PROGRAM_ID,
} from './user-filters.js';

/** A user account with its orders that are in auction. */
export interface UserAuctions {
  /** Base58. */
  readonly address: string;
  readonly account: UserAccount;
  /** The slot at which the auctions were evaluated. */
  readonly slot: bigint;
  /** The orders with a running auction; empty when the last auction has ended. */
  readonly orders: readonly Order[];
}

/**
 * Returns whether the auction of an order is running: it has ended when more slots have passed than
 * its duration.
 *
 * @example
 * const taking = user.orders.filter((order) => isInAuction(order, slot));
 */
export function isInAuction({ auctionDuration, slot }: Order, now: bigint): boolean {
  return auctionDuration !== 0 && now - slot <= BigInt(auctionDuration);
}

/**
 * Reads the accounts with the program's auction flag, follows every active account, and evaluates
 * their orders at each slot. All active accounts must be followed: a node that filters by the flag
 * does not notify of the fill or cancellation that clears the flag.
 *
 * @example
 * const auctions = new Auctions({ rpcUrl: 'http://127.0.0.1:8899' });
 * auctions.onUpdate(({ address, orders }) => console.log(address, orders.length));
 * auctions.open();
 */
export class Auctions {
  readonly #accounts: ProgramAccounts;
  readonly #users = new Map<string, UserAccount>();
  readonly #updates = new Listeners<UserAuctions>();
  readonly #errors = new Listeners<ClientError>();
  /**
   * Accounts that arrived before the first slot of the connection, which their evaluation needs.
   */
  readonly #unjudged = new Map<string, Uint8Array | null>();
  #isSlotKnown = false;
  #slot = 0n;

  /**
   * Throws WEBSOCKET_NOT_FOUND without a WebSocket class, and INVALID_OPTION for Velocity, whose
   * accounts are not read here.
   */
  constructor(options: ChainOptions) {
    const programId = options.programId ?? PROGRAM_ID;
    if (programId === VELOCITY_PROGRAM_ID) {
      throw new ClientError('INVALID_OPTION', 'auctions are read of Drift v2 alone', { programId });
    }
    this.#accounts = new ProgramAccounts(
      {
        ...options,
        programId,
        watched: [[ofKind(USER_KIND), NOT_IDLE]],
        read: [[ofKind(USER_KIND), HAS_OPEN_AUCTION]],
      },
      {
        account: (address, bytes) => this.#handleAccount(address, bytes),
        synced: () => {},
        lost: () => this.#forgetSlot(),
        failed: (error) => this.#errors.emit(error),
      },
    );
    this.#accounts.slots.add((slot) => this.#handleSlot(slot));
  }

  /** Connects, unless it does already. */
  open(): void {
    this.#accounts.open();
  }

  /** Stops following: no listener is called any more. It can be opened again. */
  close(): void {
    this.#accounts.close();
    this.#forgetSlot();
    this.#users.clear();
  }

  /**
   * Registers a listener for changed accounts; it is called once more when an account's last
   * auction has ended.
   */
  onUpdate(listener: (auctions: UserAuctions) => void): () => void {
    return this.#updates.add(listener);
  }

  /** Registers a listener for failures, which are retried automatically; returns its unsubscribe function. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** All accounts with orders in auction now. */
  active(): readonly UserAuctions[] {
    const all = [...this.#users].map(([address, account]) => this.#viewOf(address, account));
    return all.filter(({ orders }) => orders.length > 0);
  }

  #forgetSlot(): void {
    this.#isSlotKnown = false;
    this.#unjudged.clear();
  }

  #handleAccount(address: string, bytes: Uint8Array | null): void {
    if (!this.#isSlotKnown) {
      this.#unjudged.set(address, bytes);
      return;
    }
    if (bytes === null) {
      this.#emitEnded(address);
      return;
    }
    try {
      const account = decodeUser(bytes);
      const view = this.#viewOf(address, account);
      const isNews = view.orders.length > 0 || this.#users.has(address);
      if (view.orders.length > 0) this.#users.set(address, account);
      else this.#users.delete(address);
      if (isNews) this.#updates.emit(view);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.#users.delete(address);
      this.#errors.emit(error);
    }
  }

  /** The node does not notify of the end of an auction, so each new slot is checked. */
  #handleSlot(slot: bigint): void {
    this.#slot = slot;
    this.#isSlotKnown = true;
    for (const [address, bytes] of this.#unjudged) this.#handleAccount(address, bytes);
    this.#unjudged.clear();
    for (const [address, account] of this.#users) {
      if (this.#viewOf(address, account).orders.length === 0) this.#emitEnded(address);
    }
  }

  #emitEnded(address: string): void {
    const account = this.#users.get(address);
    if (account === undefined) return;
    this.#users.delete(address);
    this.#updates.emit({ address, account, slot: this.#slot, orders: [] });
  }

  #viewOf(address: string, account: UserAccount): UserAuctions {
    const slot = this.#slot;
    return { address, account, slot, orders: account.orders.filter((o) => isInAuction(o, slot)) };
  }
}
