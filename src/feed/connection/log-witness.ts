import type { LoggedWrites } from '../../contract/logged-writes.js';
import { readTransaction } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import type { AccountUpdate } from '../model/account-update.js';
import { FeedError } from '../model/error.js';
import { ABSENCE_OTHER_MS_MAX, ACCOUNTS_PER_READ, PROBE_MS_MAX } from '../model/limits.js';
import { packedAccountsParams } from '../model/queries.js';
import { parseWritableKeys } from '../model/rpc-updates.js';
import type { Absences } from './absences.js';
import { type AccountReading, readAccounts, updatesOf } from './account-reading.js';
import {
  LOGGED_KEYS_MAX,
  LOGGED_MS_MAX,
  LOGGED_READS_MAX,
  LOGGED_REREAD_MS,
  LOGGED_SLOTS_AFTER,
  LOGGED_WAIT_MS,
} from './limits.js';
import type { FeedParts } from './parts.js';

/** The connection's interface for what logs name. */
interface WitnessedConnection {
  /** The newest announced slot; 0 before the first. */
  newestSlot(): number;
  /** Whether the slot is plausible for the node. */
  admitsSlot(slot: number): boolean;
  /** The slot of an account's last notification; null without one. */
  notifiedSlot(pubkey: string): number | null;
  /**
   * Applies these accounts unless newer notifications exist; returns the number of applied
   * accounts.
   */
  repairAccounts(accounts: readonly AccountUpdate[]): number;
}

/** The newest transaction that names an account, or a transaction to read. */
interface Named {
  readonly slot: number;
  readonly sinceMs: number;
  /** The book has left the account out until it arrives whole. */
  readonly isLeftOut: boolean;
}

/**
 * Detects lost notifications by the logs of confirmed transactions, which name the users that they
 * wrote. A user without a notification within one more slot is read, and the book gets the state
 * that was read. A lost notification is detected less than two seconds after the end of its slot,
 * and the connection stays open, because the logs name all other lost users.
 *
 * For a transaction whose log is truncated or missing, the accounts that it may write are read.
 * Only probes and audits detect writes without a log.
 */
export class LogWitness {
  readonly #parts: FeedParts;
  readonly #absences: Absences;
  readonly #connection: WitnessedConnection;
  readonly #accounts = new Map<string, Named>();
  /** By signature. */
  readonly #transactions = new Map<string, Named>();
  /** Aborts with the end of the watched book. */
  #life = new AbortController();
  #reads = 0;
  /** Number of failed reads since the last successful read: each failure selects another node. */
  #failures = 0;
  #dueAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedParts, absences: Absences, connection: WitnessedConnection) {
    this.#parts = parts;
    this.#absences = absences;
    this.#connection = connection;
  }

  /** Forgets all named accounts and aborts their reads, because all accounts will be read again. */
  stop(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#accounts.clear();
    this.#transactions.clear();
    this.#reads = 0;
  }

  recordLogged({ slot, users, unread }: LoggedWrites): void {
    const sinceMs = this.#parts.timers.nowMs();
    const named = { slot, sinceMs, isLeftOut: false };
    for (const user of users) this.#addAccount(user, named);
    for (const signature of unread) addNamed(this.#transactions, signature, named);
  }

  /** Reads an account whose state of this slot did not arrive whole. */
  readNow(pubkey: string, slot: number): void {
    this.#addAccount(pubkey, { slot, sinceMs: this.#waitedSinceMs, isLeftOut: true });
  }

  /** Reads accounts that the node in use refuses, and that were not notified, from another node. */
  readElsewhere(keys: readonly string[]): void {
    if (this.#parts.otherRpcs.length === 0) return;
    const slot = this.#connection.newestSlot() - LOGGED_SLOTS_AFTER;
    const sinceMs = this.#waitedSinceMs;
    for (const key of keys) this.#addAccount(key, { slot, sinceMs, isLeftOut: false });
  }

  /**
   * Reads the accounts and transactions that are due, with a few concurrent reads. Never rejects.
   */
  async readIfDue(): Promise<void> {
    const { signal } = this.#life;
    const running: Promise<void>[] = [];
    while (this.#reads < LOGGED_READS_MAX && this.#parts.timers.nowMs() >= this.#dueAtMs) {
      const read = this.#nextRead(signal);
      if (read === null) break;
      this.#reads += 1;
      running.push(read.finally(() => this.#endRead(signal)));
    }
    await Promise.all(running);
  }

  #endRead(signal: AbortSignal): void {
    if (!signal.aborted) this.#reads -= 1;
  }

  #nextRead(signal: AbortSignal): Promise<void> | null {
    const transaction = this.#takeTransaction();
    if (transaction !== null) return this.#readTransaction(transaction, signal);
    const due = this.#takeAccounts();
    return due.size === 0 ? null : this.#readAccounts(due, signal);
  }

  /** Accounts that were named by this time have waited for their notification. */
  get #waitedSinceMs(): number {
    return this.#parts.timers.nowMs() - LOGGED_WAIT_MS;
  }

  #addAccount(pubkey: string, named: Named): void {
    if (!this.#wasNotified(pubkey, named)) addNamed(this.#accounts, pubkey, named);
  }

  #wasNotified(pubkey: string, { slot }: Named): boolean {
    return (this.#connection.notifiedSlot(pubkey) ?? -1) >= slot;
  }

  #isOver({ sinceMs }: Named): boolean {
    return this.#parts.timers.nowMs() - sinceMs > LOGGED_MS_MAX;
  }

  #takeTransaction(): readonly [string, Named] | null {
    for (const [signature, named] of this.#transactions) {
      this.#transactions.delete(signature);
      if (!this.#isOver(named)) return [signature, named];
    }
    return null;
  }

  /**
   * Takes the accounts that were not notified in time. Without slot notifications, time is used
   * instead of slots.
   */
  #takeAccounts(): ReadonlyMap<string, Named> {
    const newest = this.#connection.newestSlot();
    const waitedSinceMs = this.#waitedSinceMs;
    const due = new Map<string, Named>();
    for (const [pubkey, named] of this.#accounts) {
      if (due.size >= ACCOUNTS_PER_READ) break;
      const isSettled = this.#wasNotified(pubkey, named) || this.#isOver(named);
      const isEarly = newest < named.slot + LOGGED_SLOTS_AFTER && named.sinceMs > waitedSinceMs;
      if (isEarly && !isSettled) continue;
      this.#accounts.delete(pubkey);
      if (!isSettled) due.set(pubkey, named);
    }
    return due;
  }

  async #readAccounts(due: ReadonlyMap<string, Named>, signal: AbortSignal): Promise<void> {
    try {
      const keys = [...due.keys()];
      const query = { keys, params: packedAccountsParams, signal };
      const reading = await readAccounts(this.#parts, { ...query, ...this.#nextNode() });
      await this.#parts.turns.finishRequested();
      if (signal.aborted) return;
      this.#takeReading(reading, due);
    } catch (error) {
      if (!signal.aborted) this.#tryLater(due, error);
    }
  }

  /** Applies a read. Accounts are read again when the node's slot was before their transaction. */
  #takeReading(reading: AccountReading, due: ReadonlyMap<string, Named>): void {
    const { counters, log } = this.#parts;
    const { snapshot } = reading;
    const { slot } = snapshot;
    if (slot > this.#connection.newestSlot() && !this.#connection.admitsSlot(slot)) {
      const message = `reading was as of slot ${slot}, which this chain cannot have reached`;
      throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot });
    }
    counters.loggedReads += 1;
    this.#absences.recordReading(snapshot);
    const lacking = this.#findLacking(reading, due);
    if (lacking.size === 0) return;
    const repaired = this.#connection.repairAccounts(updatesOf(reading, this.#parts, lacking));
    counters.loggedRepairs += repaired;
    log.info({ keys: [...lacking], repaired }, 'accounts that were not notified were read');
  }

  /** The accounts that the book lacks; those that this node does not give yet are read again. */
  #findLacking(
    { keys, snapshot }: AccountReading,
    due: ReadonlyMap<string, Named>,
  ): ReadonlySet<string> {
    const broken = new Set(snapshot.problems.map(({ pubkey }) => pubkey));
    for (const pubkey of due.keys()) if (!keys.includes(pubkey)) broken.add(pubkey);
    this.#failures = broken.size === 0 ? 0 : this.#failures + 1;
    const lacking = new Set(this.#parts.engine.lackingAccounts(snapshot));
    const again = new Map<string, Named>();
    for (const [pubkey, named] of due) {
      if (named.isLeftOut) lacking.add(pubkey);
      const isEarly = named.slot >= snapshot.slot || broken.has(pubkey);
      if (isEarly) again.set(pubkey, named);
      if (isEarly || this.#wasNotified(pubkey, named)) lacking.delete(pubkey);
    }
    if (again.size > 0) this.#addAgain(again);
    return lacking;
  }

  async #readTransaction(
    [signature, named]: readonly [string, Named],
    signal: AbortSignal,
  ): Promise<void> {
    const { timers, counters } = this.#parts;
    const { node, before, limitMs } = this.#nextNode();
    try {
      const keys = await withTimeLimit({ timers, limitMs, signal }, async (limited) => {
        await before?.(limited);
        const query = { signature, commitment: 'confirmed', signal: limited } as const;
        return readTransaction(node, query, parseWritableKeys);
      });
      if (signal.aborted) return;
      counters.loggedTransactions += 1;
      this.#failures = 0;
      for (const pubkey of keys) this.#addAccount(pubkey, named);
    } catch (error) {
      if (signal.aborted) return;
      addNamed(this.#transactions, signature, named);
      this.#rest(error);
    }
  }

  #tryLater(due: ReadonlyMap<string, Named>, error: unknown): void {
    this.#addAgain(due);
    this.#rest(error);
  }

  #addAgain(due: ReadonlyMap<string, Named>): void {
    for (const [pubkey, named] of due) addNamed(this.#accounts, pubkey, named);
    this.#dueAtMs = this.#parts.timers.nowMs() + LOGGED_REREAD_MS;
  }

  #rest(error: unknown): void {
    this.#failures += 1;
    this.#dueAtMs = this.#parts.timers.nowMs() + LOGGED_REREAD_MS;
    this.#parts.transientErrors.logWarning('what logs name was not read', '', { err: error });
  }

  /** Returns the current node, and after each failure the next node. */
  #nextNode() {
    const { rpc, otherRpcs, scanNode, memory } = this.#parts;
    const nodes: readonly NodeRpc[] = [rpc, ...otherRpcs];
    const node = nodes[this.#failures % nodes.length] ?? rpc;
    if (node === rpc)
      return { node, limitMs: nodes.length === 1 ? PROBE_MS_MAX : ABSENCE_OTHER_MS_MAX };
    const before = (limited: AbortSignal) =>
      scanNode.requireChain(node, memory.genesisHash, limited);
    return { node, limitMs: ABSENCE_OTHER_MS_MAX, before };
  }
}

function addNamed(all: Map<string, Named>, key: string, named: Named): void {
  const known = all.get(key);
  if (known === undefined && all.size >= LOGGED_KEYS_MAX) return;
  const newest = known === undefined || known.slot < named.slot ? named : known;
  all.set(key, { ...newest, isLeftOut: named.isLeftOut || known?.isLeftOut === true });
}
