import type { AccountSnapshot } from '../../contract/accounts.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import {
  ABSENCE_MS_MAX,
  ABSENCE_REREAD_MS,
  ABSENCE_SLOTS_AFTER,
  ABSENCES_MAX,
  ACCOUNTS_PER_READ,
  PROBE_MS_MAX,
  PROBE_UNPROVEN_USERS,
  SLOTS_APART_MAX,
  UNPROVEN_SLOTS_AFTER,
} from '../model/limits.js';
import { confirmedAccountsParams } from '../model/queries.js';
import type { FeedParts } from './parts.js';

/** The connection as the search for absent accounts sees it. */
export interface AbsenceConnection {
  /** The newest slot announced on the socket; 0 before the first. */
  newestSlot(): number;
  /** The chain does not have these accounts as of this slot. */
  onGone(pubkeys: readonly string[], slot: number): void;
}

/** When an account was read or notified first: the slot, and monotonic milliseconds. */
interface Moment {
  readonly slot: number;
  readonly atMs: number;
}

/**
 * Accounts that the book has and the chain has not: closed in the transaction that cancelled their orders, made on a
 * fork that the chain left, or never made. No subscription reports such an account, because its owner is no longer the
 * program.
 *
 * An account leaves the book on two readings without it. Both are later than the account's last write, so that a node
 * that lags says nothing of a new account. The second reading is at `confirmed`, of another node where there is one that
 * answers, and is made when the socket has passed the first reading.
 *
 * A user that is new to the book is unproven until a later reading has it.
 */
export class Absences {
  readonly #parts: FeedParts;
  readonly #connection: AbsenceConnection;
  readonly #suspects = new Map<string, Moment>();
  /** Users that are new to the book, and when they were notified. */
  readonly #unproven = new Map<string, Moment>();
  #running: AbortController | null = null;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  /** Second readings since the last one that settled an account. */
  #attempts = 0;

  constructor(parts: FeedParts, connection: AbsenceConnection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  /** Some users that are new to the book, the oldest first, when a node can be past the slot in which they were notified. */
  unprovenUsers(): readonly string[] {
    if (this.#unproven.size === 0) return [];
    const slotMax = this.#connection.newestSlot() - UNPROVEN_SLOTS_AFTER;
    const old = [...this.#unproven].filter(([, { slot }]) => slot <= slotMax);
    return old.slice(0, PROBE_UNPROVEN_USERS).map(([pubkey]) => pubkey);
  }

  /** A notification of this slot made a user that the book did not have. */
  addUser(pubkey: string, slot: number): void {
    if (this.#unproven.size >= ABSENCES_MAX || this.#unproven.has(pubkey)) return;
    this.#unproven.set(pubkey, { slot, atMs: this.#parts.timers.nowMs() });
  }

  /** Accounts were read at `processed`. The engine must have what was notified. */
  recordReading(snapshot: AccountSnapshot): void {
    const { engine, timers } = this.#parts;
    const nowMs = timers.nowMs();
    for (const pubkey of engine.goneAccounts(snapshot)) {
      if (this.#suspects.size >= ABSENCES_MAX) break;
      if (!this.#suspects.has(pubkey))
        this.#suspects.set(pubkey, { slot: snapshot.slot, atMs: nowMs });
    }
    if (this.#unproven.size === 0) return;
    for (const pubkey of engine.foundUsers(snapshot)) this.#unproven.delete(pubkey);
    for (const [pubkey, { atMs }] of this.#unproven)
      if (nowMs - atMs > ABSENCE_MS_MAX) this.#unproven.delete(pubkey);
  }

  /** The book is complete no more, and all accounts are read again. */
  stop(): void {
    this.#suspects.clear();
    this.#unproven.clear();
    this.#running?.abort();
    this.#running = null;
  }

  /** Reads absent accounts a second time when it is time. Never rejects. */
  async confirmIfDue(): Promise<void> {
    const { timers, transientErrors } = this.#parts;
    if (this.#running !== null || timers.nowMs() < this.#dueAtMs) return;
    const keys = this.#passedKeys();
    if (keys.length === 0) return;
    const running = new AbortController();
    this.#running = running;
    try {
      await this.#confirmKeys(keys, running.signal);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#attempts += 1;
      transientErrors.logWarning('absent accounts were not read again', '', { err: error });
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#dueAtMs = timers.nowMs() + ABSENCE_REREAD_MS;
  }

  /** Those of which the socket has notified all that their first reading holds. */
  #passedKeys(): readonly string[] {
    const newest = this.#connection.newestSlot();
    const passed = [...this.#suspects].filter(([, first]) => {
      return newest >= first.slot + ABSENCE_SLOTS_AFTER;
    });
    return passed.slice(0, ACCOUNTS_PER_READ).map(([pubkey]) => pubkey);
  }

  async #confirmKeys(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { turns, engine } = this.#parts;
    const snapshot = await this.#readConfirmed(keys, signal);
    await turns.finishRequested();
    if (signal.aborted) return;
    const isOfChain = snapshot.slot <= this.#connection.newestSlot() + SLOTS_APART_MAX;
    const gone = isOfChain ? engine.goneAccounts(snapshot) : [];
    const left = keys.filter((pubkey) => !gone.includes(pubkey) && !this.#isOver(pubkey, snapshot));
    for (const pubkey of keys) if (!left.includes(pubkey)) this.#suspects.delete(pubkey);
    this.#attempts = left.length === 0 ? 0 : this.#attempts + 1;
    for (const pubkey of gone) this.#unproven.delete(pubkey);
    if (gone.length > 0) this.#connection.onGone(gone, snapshot.slot);
  }

  /** Whether an account that was read again is there, or no reading settles it. */
  #isOver(pubkey: string, { slot }: AccountSnapshot): boolean {
    const first = this.#suspects.get(pubkey);
    if (first === undefined || slot >= first.slot) return true;
    return this.#parts.timers.nowMs() - first.atMs > ABSENCE_MS_MAX;
  }

  /** From the other nodes first; the node in use follows when they fail or lag. */
  #readConfirmed(keys: readonly string[], signal: AbortSignal): Promise<AccountSnapshot> {
    const { rpc, otherRpcs, engine, timers, scanNode, memory } = this.#parts;
    const nodes: readonly NodeRpc[] = [...otherRpcs, rpc];
    const node = nodes[this.#attempts % nodes.length] ?? rpc;
    return withTimeLimit({ timers, limitMs: PROBE_MS_MAX, signal }, async (limited) => {
      if (node !== rpc) await scanNode.requireChain(node, memory.genesisHash, limited);
      const options = { signal: limited, timeoutMs: PROBE_MS_MAX, isBackground: true };
      const body = await node.callRaw(
        'getMultipleAccounts',
        confirmedAccountsParams(keys),
        options,
      );
      return engine.decodeSnapshot(body, keys);
    });
  }
}
