import type { AccountSnapshot, RawAccount, SnapshotReport } from '../contract/accounts.js';
import type { Census, EpochEngine, TurnChanges, UserPage } from '../contract/feed-engine.js';
import type { FeedState } from '../contract/feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from '../contract/indicative.js';
import { RecentUpdates } from './recent-updates.js';

/** A snapshot that is being applied, and how many of its accounts were. */
interface OpenSnapshot {
  readonly snapshot: AccountSnapshot;
  applied: number;
}

/** The book of the log at the take-over. */
export interface LogState {
  readonly engine: EpochEngine;
  readonly slot: number;
  /** The slots of accounts (base58) that were written in this slot or later. */
  readonly writtenFrom: (slot: number) => ReadonlyMap<string, number>;
}

/** What the feed of a standby works with. */
export interface StandbyEngineOptions {
  /** The engine whose book the feed holds meanwhile. */
  readonly warm: EpochEngine;
  /** Bytes of updates that are held for the take-over. */
  readonly bytesMax: number;
  /** Slots behind one in which a core may still receive what is of it. */
  readonly lateSlots: number;
}

/**
 * The engine of a standby's feed: holds a book of its own warm and, for when the standby takes over, what the feed received lately. From then on it is
 * the engine that has the book of the log.
 */
export class StandbyEngine implements EpochEngine {
  readonly #updates: RecentUpdates;
  readonly #lateSlots: number;
  #engine: EpochEngine;
  #isWarm = true;
  /** From this slot on all that changed is among the updates. */
  #coveredFrom = Number.POSITIVE_INFINITY;
  #state: FeedState = 'rebuilding';
  #clock = { slot: 0, unixSeconds: 0 };
  /** Until the own node is well past where that of the core before was: the slots of accounts that it may not have come to yet. */
  #written: ReadonlyMap<string, number> | null = null;
  #logSlot = 0;
  #open: OpenSnapshot | null = null;

  constructor({ warm, bytesMax, lateSlots }: StandbyEngineOptions) {
    this.#engine = warm;
    this.#updates = new RecentUpdates(bytesMax);
    this.#lateSlots = lateSlots;
  }

  get epoch(): string {
    return this.#engine.epoch;
  }

  /** Bytes of updates that are held. */
  get heldBytes(): number {
    return this.#updates.bytes;
  }

  /** The log has the book of this slot: what is older is in it. */
  noteLogSlot(slot: number): void {
    this.#updates.forgetBefore(slot - this.#lateSlots);
  }

  /**
   * Goes on with the engine that has the book of the log: gives it what the feed received meanwhile and is not older there, which the
   * next turn has. Returns whether that is all; where it is not, the accounts are to be read again.
   */
  switchTo({ engine, slot: logSlot, writtenFrom }: LogState): boolean {
    this.#engine = engine;
    this.#isWarm = false;
    this.#logSlot = logSlot;
    engine.setState(this.#state);
    const { slot, unixSeconds } = this.#clock;
    const isWhole = this.#coveredFrom + this.#lateSlots <= logSlot;
    // What is read again is as this node has it.
    this.#written = isWhole ? writtenFrom(Math.min(slot, logSlot) - this.#lateSlots) : null;
    for (const update of this.#updates.takeAll()) {
      if ('data' in update) this.push(update);
      else this.pushClosed(update.pubkey, update.slot);
    }
    this.setClock(slot, unixSeconds);
    this.#applyAgain(engine);
    return isWhole;
  }

  push(account: RawAccount): void {
    if (this.#isWarm && !this.#updates.addUpdate(account)) this.#coveredFrom = account.slot;
    if (!this.#isOlder(account)) this.#engine.push(account);
  }

  pushClosed(pubkey: string, slot: number): void {
    if (this.#isWarm && !this.#updates.addUpdate({ pubkey, slot })) this.#coveredFrom = slot;
    if (!this.#isOlder({ pubkey, slot })) this.#engine.pushClosed(pubkey, slot);
  }

  setClock(slot: number, unixSeconds: number): void {
    this.#clock = { slot, unixSeconds };
    // A node that is behind that of the core before catches up.
    if (slot < this.#logSlot) return;
    // A slot may be notified of before its accounts are, by another subscription.
    if (slot >= this.#logSlot + this.#lateSlots) this.#written = null;
    this.#engine.setClock(slot, unixSeconds);
  }

  setState(state: FeedState): void {
    this.#state = state;
    this.#engine.setState(state);
  }

  setEpoch(epoch: string): void {
    // Another chain has slots of its own.
    this.#logSlot = 0;
    this.#written = null;
    this.#engine.setEpoch(epoch);
  }

  setIndicativePolicy(policy: IndicativePolicy): void {
    this.#engine.setIndicativePolicy(policy);
  }

  setIndicative(quotes: MakerQuotes): IndicativeOutcome {
    return this.#engine.setIndicative(quotes);
  }

  indicativeDueMs(): number | null {
    return this.#engine.indicativeDueMs();
  }

  endTurn(tsMs: number): TurnChanges {
    return this.#engine.endTurn(tsMs);
  }

  decodeSnapshot(body: Uint8Array, keys?: readonly string[]): Promise<AccountSnapshot> {
    return this.#engine.decodeSnapshot(body, keys);
  }

  beginSnapshot(snapshot: AccountSnapshot): void {
    this.#open = { snapshot, applied: 0 };
    this.#engine.beginSnapshot(snapshot);
  }

  applySnapshot(snapshot: AccountSnapshot, from: number, count: number): number {
    if (this.#open !== null) this.#open.applied = from + count;
    return this.#engine.applySnapshot(snapshot, from, count);
  }

  /** What changed before a snapshot may be in it alone. */
  endSnapshot(): SnapshotReport {
    if (this.#open !== null) this.#coveredFrom = this.#open.snapshot.slot;
    this.#open = null;
    return this.#engine.endSnapshot();
  }

  oracleKeys(): readonly string[] {
    return this.#engine.oracleKeys();
  }

  lackingAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.lackingAccounts(snapshot);
  }

  goneAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.goneAccounts(snapshot);
  }

  foundAccounts(snapshot: AccountSnapshot): readonly string[] {
    return this.#engine.foundAccounts(snapshot);
  }

  hasUser(pubkey: string): boolean {
    return this.#engine.hasUser(pubkey);
  }

  usersWithOrders(from: number, count: number): UserPage {
    return this.#engine.usersWithOrders(from, count);
  }

  readCensus(): Census {
    return this.#engine.readCensus();
  }

  /** Whether the book of the log has a later state of an account. Of one slot it may have the first of several writes. */
  #isOlder({ pubkey, slot }: { readonly pubkey: string; readonly slot: number }): boolean {
    return slot < (this.#written?.get(pubkey) ?? 0);
  }

  /** A snapshot that is half applied is applied to the other engine as well. */
  #applyAgain(engine: EpochEngine): void {
    if (this.#open === null) return;
    const { snapshot, applied } = this.#open;
    engine.beginSnapshot(snapshot);
    engine.applySnapshot(snapshot, 0, applied);
  }
}
