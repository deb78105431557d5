import type { AccountSnapshot } from '../../contract/accounts.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { FeedError } from '../model/error.js';
import {
  ABSENCE_MS_MAX,
  ABSENCE_OTHER_MS_MAX,
  ABSENCE_OTHERS_REST_MS,
  ABSENCE_REREAD_MS,
  ABSENCE_SLOTS_AFTER,
  ABSENCES_MAX,
  ACCOUNTS_PER_READ,
  PROBE_MS_MAX,
  SLOTS_AHEAD_MAX,
  UNPROVEN_SLOTS_AFTER,
  UNPROVEN_SLOTS_MAX,
} from '../model/limits.js';
import { confirmedAccountsParams } from '../model/queries.js';
import { readAccounts } from './account-reading.js';
import type { FeedParts } from './parts.js';
import { UserSearch } from './user-search.js';

/** The connection's interface for absent accounts. */
interface AbsenceConnection {
  /** The newest announced slot; 0 before the first. */
  newestSlot(): number;
  /** Called with accounts that the chain does not contain as of this slot. */
  onGone(pubkeys: readonly string[], slot: number): void;
  /** Called when the socket repeatedly notifies an account that later readings do not contain. */
  onContradiction(pubkey: string): void;
}

/** The slot and the time, monotonic milliseconds, of a first reading or a notification. */
interface Moment {
  readonly slot: number;
  readonly atMs: number;
}

interface NewAccount {
  readonly slot: number;
  readAtSlot: number;
}

/**
 * Finds accounts of the book that do not exist on the chain: closed in the transaction that
 * cancelled their orders, created on an abandoned fork, or never created. No subscription reports
 * such an account, because its owner is no longer the program.
 *
 * An account leaves the book after two readings without it. Both are later than the account's last
 * write, so that a lagging node does not remove a new account. The second reading is at
 * `confirmed`, from another node if one replies, after the socket has passed the first reading.
 *
 * Probes make first readings of accounts in turn. A new account is read separately until a reading
 * at `confirmed` contains it. All users with orders are read when State shows that one of them may
 * have been deleted.
 */
export class Absences {
  readonly #parts: FeedParts;
  readonly #connection: AbsenceConnection;
  readonly #suspects = new Map<string, Moment>();
  readonly #newAccounts = new Map<string, NewAccount>();
  readonly #search: UserSearch;
  /** Aborts when the watched book ends. */
  #life = new AbortController();
  #isConfirming = false;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  /** The number of inconclusive second readings since the last conclusive one. */
  #attempts = 0;
  #othersRestUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedParts, connection: AbsenceConnection) {
    this.#parts = parts;
    this.#connection = connection;
    this.#search = new UserSearch(parts, {
      read: (keys, signal) => this.#readFrom(parts.rpc, keys, { signal, limitMs: PROBE_MS_MAX }),
      onRead: (snapshot) => this.recordReading(snapshot),
    });
  }

  /** All accounts were just read. */
  start(): void {
    this.stop();
    this.#search.start();
  }

  /** Stops because the book is no longer complete, and all accounts will be read again. */
  stop(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#suspects.clear();
    this.#newAccounts.clear();
    this.#search.stop();
    this.#isConfirming = false;
  }

  /** Records that a notification of this slot created an account that was new to the book. */
  addAccount(pubkey: string, slot: number): void {
    if (this.#newAccounts.size >= ABSENCES_MAX || this.#newAccounts.has(pubkey)) return;
    this.#newAccounts.set(pubkey, { slot, readAtSlot: 0 });
  }

  /** Records that a notification of this slot wrote State, which counts the users. */
  recordState(slot: number): void {
    this.#search.recordState(slot);
  }

  /** Records a reading of accounts. The engine must have all notifications. */
  recordReading(snapshot: AccountSnapshot): void {
    const { engine, timers } = this.#parts;
    for (const pubkey of engine.goneAccounts(snapshot)) {
      this.#newAccounts.delete(pubkey);
      if (this.#suspects.size >= ABSENCES_MAX || this.#suspects.has(pubkey)) continue;
      this.#suspects.set(pubkey, { slot: snapshot.slot, atMs: timers.nowMs() });
    }
  }

  async readIfDue(): Promise<void> {
    const { signal } = this.#life;
    if (this.#parts.probeIntervalMs === 0) return this.#confirmIfDue(signal);
    await Promise.all([
      this.#confirmIfDue(signal),
      this.#readNewAccounts(signal),
      this.#search.readIfDue(signal),
    ]);
  }

  async #confirmIfDue(signal: AbortSignal): Promise<void> {
    const { timers } = this.#parts;
    if (this.#isConfirming || timers.nowMs() < this.#dueAtMs) return;
    const keys = this.#passedSuspects();
    if (keys.length === 0) return;
    this.#isConfirming = true;
    const isSettled = await this.#confirmKeys(keys, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#logFailure(error);
      return false;
    });
    if (signal.aborted) return;
    this.#isConfirming = false;
    if (isSettled) this.#attempts = 0;
    else this.#recordVain();
    this.#dueAtMs = timers.nowMs() + (isSettled ? 0 : ABSENCE_REREAD_MS);
  }

  /** Returns the suspects for which the socket has passed the slot of the first reading. */
  #passedSuspects(): readonly string[] {
    const newest = this.#connection.newestSlot();
    const passed: string[] = [];
    for (const [pubkey, first] of this.#suspects) {
      if (passed.length >= ACCOUNTS_PER_READ) break;
      if (newest >= first.slot + ABSENCE_SLOTS_AFTER) passed.push(pubkey);
    }
    return passed;
  }

  /**
   * Reads the suspects a second time; resolves with whether the reading was conclusive for all of
   * them.
   */
  async #confirmKeys(keys: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { engine } = this.#parts;
    const snapshot = await this.#readAgain(keys, signal);
    if (signal.aborted) return false;
    const gone = engine.goneAccounts(snapshot).filter((pubkey) => keys.includes(pubkey));
    const left = keys.filter((pubkey) => !gone.includes(pubkey) && !this.#isOver(pubkey, snapshot));
    for (const pubkey of keys) if (!left.includes(pubkey)) this.#suspects.delete(pubkey);
    if (gone.length > 0) this.#connection.onGone(gone, snapshot.slot);
    return left.length === 0;
  }

  /** Returns whether a reread account exists, or the time limit is reached. */
  #isOver(pubkey: string, { slot }: AccountSnapshot): boolean {
    const first = this.#suspects.get(pubkey);
    if (first === undefined || slot >= first.slot) return true;
    return this.#parts.timers.nowMs() - first.atMs > ABSENCE_MS_MAX;
  }

  /**
   * Counts an inconclusive second reading: the other nodes rest after each was asked twice without
   * a result.
   */
  #recordVain(): void {
    this.#attempts += 1;
    if (this.#attempts < this.#witnesses().length - 1) return;
    this.#attempts = 0;
    this.#othersRestUntilMs = this.#parts.timers.nowMs() + ABSENCE_OTHERS_REST_MS;
  }

  /** Returns the nodes for second readings, in order; the node in use is last, as a fallback. */
  #witnesses(): readonly NodeRpc[] {
    const { rpc, otherRpcs, timers } = this.#parts;
    if (timers.nowMs() < this.#othersRestUntilMs) return [rpc];
    return [...otherRpcs, ...otherRpcs, rpc];
  }

  async #readAgain(keys: readonly string[], signal: AbortSignal): Promise<AccountSnapshot> {
    const { rpc, scanNode, memory } = this.#parts;
    const node = this.#witnesses()[this.#attempts] ?? rpc;
    if (node === rpc) return this.#readFrom(rpc, keys, { signal, limitMs: PROBE_MS_MAX });
    return this.#readFrom(node, keys, {
      signal,
      limitMs: ABSENCE_OTHER_MS_MAX,
      before: (limited) => scanNode.requireChain(node, memory.genesisHash, limited),
    });
  }

  /**
   * Reads new accounts once in each slot, until a reading after their notification contains them,
   * or they are found absent.
   */
  async #readNewAccounts(signal: AbortSignal): Promise<void> {
    const keys = this.#takeNewAccounts();
    if (keys.length === 0) return;
    const options = { signal, limitMs: PROBE_MS_MAX };
    const read = this.#readFrom(this.#parts.rpc, keys, options);
    const snapshot = await read.catch((error: unknown) => {
      if (!signal.aborted) this.#logFailure(error);
      return null;
    });
    if (snapshot === null || signal.aborted) return;
    this.recordReading(snapshot);
    const found = new Set(this.#parts.engine.foundAccounts(snapshot));
    for (const pubkey of keys) {
      const sinceSlots = snapshot.slot - (this.#newAccounts.get(pubkey)?.slot ?? snapshot.slot);
      if (sinceSlots <= 0) continue;
      if (found.has(pubkey)) this.#newAccounts.delete(pubkey);
      else if (sinceSlots >= UNPROVEN_SLOTS_MAX) this.#connection.onContradiction(pubkey);
    }
  }

  /**
   * Returns the new accounts that were not read since the newest slot began, if a node may have
   * passed their notification.
   */
  #takeNewAccounts(): readonly string[] {
    const newest = this.#connection.newestSlot();
    const taken: string[] = [];
    for (const [pubkey, account] of this.#newAccounts) {
      if (taken.length >= ACCOUNTS_PER_READ) break;
      if (account.readAtSlot >= newest || account.slot > newest - UNPROVEN_SLOTS_AFTER) continue;
      account.readAtSlot = newest;
      taken.push(pubkey);
    }
    for (const pubkey of taken) this.#moveToEnd(pubkey);
    return taken;
  }

  /** Unread accounts stay first. */
  #moveToEnd(pubkey: string): void {
    const account = this.#newAccounts.get(pubkey);
    if (account === undefined) return;
    this.#newAccounts.delete(pubkey);
    this.#newAccounts.set(pubkey, account);
  }

  /**
   * Reads accounts at `confirmed`; afterwards the engine has all notifications that arrived
   * meanwhile.
   *
   * # Errors
   * Rejects with an RpcError, an EngineError, or a FeedError for a reading of an implausible slot.
   */
  async #readFrom(
    node: NodeRpc,
    keys: readonly string[],
    limits: ReadLimits,
  ): Promise<AccountSnapshot> {
    const query = { node, keys, params: confirmedAccountsParams(keys), ...limits };
    const { snapshot } = await readAccounts(this.#parts, query);
    const { slot } = snapshot;
    if (slot > this.#connection.newestSlot() + SLOTS_AHEAD_MAX) {
      const message = `reading was as of slot ${slot}, which this chain cannot have reached`;
      throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot });
    }
    await this.#parts.turns.finishRequested();
    return snapshot;
  }

  #logFailure(error: unknown): void {
    this.#parts.transientErrors.logWarning('absent accounts were not read', '', { err: error });
  }
}

interface ReadLimits {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** Runs before the reading, within the same time limit. */
  readonly before?: (signal: AbortSignal) => Promise<void>;
}
