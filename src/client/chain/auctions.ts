/**
 * Follows orders in auction, for which makers compete, on the chain.
 *
 * ```ts
 * const auctions = new Auctions({ rpcUrl: 'http://127.0.0.1:8899' });
 * auctions.onUpdate(({ address, orders }) => console.log(address, orders));
 * auctions.open();
 * ```
 */
import { STATE_KIND } from '../accounts/generated/state.js';
import { type Order, USER_KIND } from '../accounts/generated/user.js';
import { isKind } from '../accounts/reading.js';
import { decodeUser, type UserAccount } from '../accounts/user.js';
import { ClientError } from '../error.js';
import { Listeners } from '../listeners.js';
import type { ChainOptions } from './chain-book.js';
import { isInAuction } from './order-rules.js';
import { ProgramAccounts } from './program-accounts.js';
import type { SlotSchedule } from './slot-clock.js';
import { filtersOf, ofKind } from './user-filters.js';
import { isOfVelocity, type VelocityUser, velocityState, velocityUser } from './velocity.js';

/** A user account with its orders that are in auction. */
export interface UserAuctions {
  /** Base58. */
  readonly address: string;
  readonly account: UserAccount | VelocityUser;
  /** The slot at which the auctions were evaluated. */
  readonly slot: bigint;
  /** The orders with a running auction; empty when the last auction has ended. */
  readonly orders: readonly Order[];
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
  readonly #users = new Map<string, UserAccount | VelocityUser>();
  readonly #updates = new Listeners<UserAuctions>();
  readonly #errors = new Listeners<ClientError>();
  /**
   * Accounts that arrived before the first slot of the connection, which their evaluation needs.
   */
  readonly #unjudged = new Map<string, Uint8Array | null>();
  #isSlotKnown = false;
  #slot = 0n;
  /** The lengths of slots; null when all have 400 ms. */
  #slots: SlotSchedule | null = null;

  /** Throws WEBSOCKET_NOT_FOUND without a WebSocket class. */
  constructor(options: ChainOptions) {
    const { programId, isVelocity, notIdle, hasOpenAuction } = filtersOf(options);
    // Velocity's state has the lengths of slots, by which auctions end.
    const state = isVelocity ? [[ofKind(STATE_KIND)]] : [];
    this.#accounts = new ProgramAccounts(
      {
        ...options,
        programId,
        watched: [[ofKind(USER_KIND), notIdle], ...state],
        read: [...state, [ofKind(USER_KIND), hasOpenAuction]],
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
      if (isKind(bytes, STATE_KIND)) {
        this.#slots = velocityState(bytes, STATE_KIND).slots;
        return;
      }
      const view = this.#viewOf(address, userOf(bytes));
      const isNews = view.orders.length > 0 || this.#users.has(address);
      if (view.orders.length > 0) this.#users.set(address, view.account);
      else this.#users.delete(address);
      if (isNews) this.#updates.emit(view);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.#users.delete(address);
      this.#errors.emit(error);
    }
  }

  /** Finds the auctions that a new slot ends, because the node does not notify of their end. */
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

  #viewOf(address: string, account: UserAccount | VelocityUser): UserAuctions {
    const slot = this.#slot;
    const orders = account.orders.filter((order) => isInAuction(order, slot, this.#slots));
    return { address, account, slot, orders };
  }
}

function userOf(bytes: Uint8Array): UserAccount | VelocityUser {
  return isOfVelocity(bytes, USER_KIND) ? velocityUser(bytes, USER_KIND) : decodeUser(bytes);
}
