import type { AccountSnapshot } from '../../contract/accounts.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { sleep, withTimeLimit } from '../../rpc/timers.js';
import { FeedError } from '../model/error.js';
import {
  ABSENCE_CLOCK_SLOTS_MAX,
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
import { CLOCK_KEY, confirmedAccountsParams, confirmedClockParams } from '../model/queries.js';
import { type AccountReading, clockSlotOf, readAccounts } from './account-reading.js';
import type { FeedParts } from './parts.js';

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
 * `confirmed`: all other nodes are asked at once, and the node in use when none of them settles it
 * within {@link ABSENCE_OTHER_MS_MAX} and the socket has passed the first reading. The Clock in a
 * reading of another node shows whether the reading is of its slot, or of the past.
 *
 * Probes make first readings of accounts in turn, and the witness of logs those of a user whose
 * orders a transaction cancelled, as it must before it deletes the user. A new account is read
 * separately until a reading at `confirmed` contains it.
 */
export class Absences {
  readonly #parts: FeedParts;
  readonly #connection: AbsenceConnection;
  readonly #suspects = new Map<string, Moment>();
  readonly #newAccounts = new Map<string, NewAccount>();
  /** Number of readings that lack a new account; kept when the account leaves the book. */
  readonly #lackingReads = new Map<string, number>();
  /** Aborts when the watched book ends. */
  #life = new AbortController();
  #isConfirming = false;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #othersRestUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedParts, connection: AbsenceConnection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  /** A new account that is notified again although later readings lack it; null for none. */
  get unproven(): string | null {
    for (const [pubkey, count] of this.#lackingReads)
      if (count >= UNPROVEN_SLOTS_AFTER && this.#newAccounts.has(pubkey)) return pubkey;
    return null;
  }

  /** Stops because the book is no longer complete, and all accounts will be read again. */
  stop(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#suspects.clear();
    this.#newAccounts.clear();
    this.#lackingReads.clear();
    this.#isConfirming = false;
  }

  /** Records that a notification of this slot created an account that was new to the book. */
  addAccount(pubkey: string, slot: number): void {
    if (this.#newAccounts.size >= ABSENCES_MAX || this.#newAccounts.has(pubkey)) return;
    this.#newAccounts.set(pubkey, { slot, readAtSlot: 0 });
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
    await Promise.all([this.#confirmIfDue(signal), this.#readNewAccounts(signal)]);
  }

  async #confirmIfDue(signal: AbortSignal): Promise<void> {
    const { timers, otherRpcs } = this.#parts;
    if (this.#isConfirming || timers.nowMs() < this.#dueAtMs) return;
    const asksOthers = otherRpcs.length > 0 && timers.nowMs() >= this.#othersRestUntilMs;
    const all = [...this.#suspects.keys()];
    const keys = (asksOthers ? all : this.#passedOf(all)).slice(0, ACCOUNTS_PER_READ);
    if (keys.length === 0) return;
    this.#isConfirming = true;
    if (asksOthers) await this.#confirmElsewhere(keys, signal);
    if (signal.aborted) return;
    const passed = this.#passedOf(keys);
    if (passed.length > 0) await this.#confirmAt(this.#parts.rpc, passed, signal);
    if (signal.aborted) return;
    this.#isConfirming = false;
    const isSettled = this.#leftOf(keys).length === 0;
    this.#dueAtMs = timers.nowMs() + (isSettled ? 0 : ABSENCE_REREAD_MS);
  }

  #leftOf(keys: readonly string[]): readonly string[] {
    return keys.filter((pubkey) => this.#suspects.has(pubkey));
  }

  /** Returns the suspects of these for which the socket has passed the slot of the first reading. */
  #passedOf(keys: readonly string[]): readonly string[] {
    const slotMax = this.#connection.newestSlot() - ABSENCE_SLOTS_AFTER;
    return keys.filter((pubkey) => (this.#suspects.get(pubkey)?.slot ?? slotMax + 1) <= slotMax);
  }

  /**
   * Asks all other nodes until one of them settles the suspects; they rest for a while when one is
   * left that the node in use may settle.
   */
  async #confirmElsewhere(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { otherRpcs, timers } = this.#parts;
    const limits = { timers, limitMs: ABSENCE_OTHER_MS_MAX, signal };
    await withTimeLimit(limits, (limited) =>
      Promise.race(otherRpcs.map((node) => this.#askUntilSettled(node, keys, limited))),
    ).catch(() => undefined);
    if (!signal.aborted && this.#passedOf(keys).length > 0)
      this.#othersRestUntilMs = timers.nowMs() + ABSENCE_OTHERS_REST_MS;
  }

  /** Rejects when the signal aborts. */
  async #askUntilSettled(
    node: NodeRpc,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const left = this.#leftOf(keys);
      if (left.length === 0) return;
      await this.#confirmAt(node, left, signal);
      if (this.#leftOf(left).length > 0) await sleep(this.#parts.timers, ABSENCE_REREAD_MS, signal);
    }
  }

  /** Reads suspects a second time, which settles those that the node has, or lacks as well. */
  async #confirmAt(node: NodeRpc, keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { rpc, scanNode, memory, engine } = this.#parts;
    try {
      const [{ keys: given, snapshot }] = await Promise.all([
        node === rpc ? this.#readFrom(node, keys, signal) : this.#readWithClock(node, keys, signal),
        node === rpc ? undefined : scanNode.requireChain(node, memory.genesisHash, signal),
      ]);
      if (signal.aborted) return;
      const left = this.#leftOf(given);
      const gone = engine.goneAccounts(snapshot).filter((pubkey) => left.includes(pubkey));
      for (const pubkey of left)
        if (gone.includes(pubkey) || this.#isOver(pubkey, snapshot)) this.#suspects.delete(pubkey);
      if (gone.length > 0) this.#connection.onGone(gone, snapshot.slot);
    } catch (error) {
      if (!signal.aborted) this.#logFailure(error);
    }
  }

  /** Returns whether a reread account exists, or the time limit is reached. */
  #isOver(pubkey: string, { slot }: AccountSnapshot): boolean {
    const first = this.#suspects.get(pubkey);
    if (first === undefined || slot >= first.slot) return true;
    return this.#parts.timers.nowMs() - first.atMs > ABSENCE_MS_MAX;
  }

  /**
   * Reads new accounts once in each slot, until a reading after their notification contains them,
   * or they are found absent.
   */
  async #readNewAccounts(signal: AbortSignal): Promise<void> {
    const keys = this.#takeNewAccounts();
    if (keys.length === 0) return;
    const read = this.#readFrom(this.#parts.rpc, keys, signal);
    const reading = await read.catch((error: unknown) => {
      if (!signal.aborted) this.#logFailure(error);
      return null;
    });
    if (reading === null || signal.aborted) return;
    const { keys: given, snapshot } = reading;
    const { slot } = snapshot;
    const sinceSlots = given.map((pubkey) => slot - (this.#newAccounts.get(pubkey)?.slot ?? slot));
    this.recordReading(snapshot);
    const found = new Set(this.#parts.engine.foundAccounts(snapshot));
    for (const [at, pubkey] of given.entries()) {
      const since = sinceSlots[at] ?? 0;
      if (since <= 0) continue;
      if (!found.has(pubkey)) this.#addLackingRead(pubkey, since);
      else for (const accounts of [this.#newAccounts, this.#lackingReads]) accounts.delete(pubkey);
    }
  }

  /** Records a reading without an account, some slots after its notification. */
  #addLackingRead(pubkey: string, sinceSlots: number): void {
    const count = (this.#lackingReads.get(pubkey) ?? 0) + 1;
    if (count > 1 || this.#lackingReads.size < ABSENCES_MAX) this.#lackingReads.set(pubkey, count);
    // An account that left the book with this reading is settled, however old its notification was.
    const isOverdue = sinceSlots >= UNPROVEN_SLOTS_MAX && this.#newAccounts.has(pubkey);
    if (isOverdue || count >= UNPROVEN_SLOTS_MAX) this.#connection.onContradiction(pubkey);
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
    signal: AbortSignal,
    params = confirmedAccountsParams,
  ): Promise<AccountReading> {
    const query = { node, keys, params, signal, limitMs: PROBE_MS_MAX };
    const reading = await readAccounts(this.#parts, query);
    const { slot } = reading.snapshot;
    if (slot > this.#connection.newestSlot() + SLOTS_AHEAD_MAX) {
      const message = `reading was as of slot ${slot}, which this chain cannot have reached`;
      throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot });
    }
    await this.#parts.turns.finishRequested();
    return reading;
  }

  /** Reads accounts as `#readFrom` does. Rejects as well when the node's Clock is of an earlier slot. */
  async #readWithClock(
    node: NodeRpc,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<AccountReading> {
    const reading = await this.#readFrom(node, [...keys, CLOCK_KEY], signal, confirmedClockParams);
    const { slot } = reading.snapshot;
    const clockSlot = clockSlotOf(reading) ?? slot;
    if (clockSlot >= slot - ABSENCE_CLOCK_SLOTS_MAX) return reading;
    const message = `reading was as of slot ${slot}, and its Clock of slot ${clockSlot}`;
    throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot, clockSlot });
  }

  #logFailure(error: unknown): void {
    this.#parts.transientErrors.logWarning('absent accounts were not read', '', { err: error });
  }
}
