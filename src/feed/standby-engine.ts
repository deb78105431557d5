import type {
  AccountSnapshot,
  LayoutSample,
  RawAccount,
  SnapshotReport,
} from '../contract/accounts.js';
import type { Census, EpochEngine, TurnChanges, UserPage } from '../contract/feed-engine.js';
import type { FeedState } from '../contract/feed-status.js';
import type { IndicativeOutcome, IndicativePolicy, MakerQuotes } from '../contract/indicative.js';
import { RecentUpdates } from './recent-updates.js';

/** A snapshot that is being applied, and the number of its applied accounts. */
interface OpenSnapshot {
  readonly snapshot: AccountSnapshot;
  applied: number;
}

/** The log's book at the failover. */
interface LogState {
  readonly engine: EpochEngine;
  readonly slot: number;
  /** Returns the slots of the accounts (base58) that were written in this slot or later. */
  readonly writtenFrom: (slot: number) => ReadonlyMap<string, number>;
}

/** Dependencies of a standby's feed. */
interface StandbyEngineOptions {
  /** The engine with the feed's own book, used until the failover. */
  readonly warm: EpochEngine;
  readonly bytesMax: number;
  /** Number of slots by which a core may receive a slot's accounts late. */
  readonly lateSlots: number;
}

/**
 * The engine of a standby's feed: keeps its own book current and, for the failover, buffers the
 * feed's recent updates. After the failover it forwards to the engine with the log's book.
 */
export class StandbyEngine implements EpochEngine {
  readonly #updates: RecentUpdates;
  readonly #lateSlots: number;
  #engine: EpochEngine;
  #isWarm = true;
  /** The slot from which on the buffered updates are complete. */
  #coveredFrom = Number.POSITIVE_INFINITY;
  #state: FeedState = 'rebuilding';
  #clock = { slot: 0, unixSeconds: 0 };
  /**
   * The slots of accounts that this node may not have reached yet, until it is well past the
   * previous core's node.
   */
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

  /** Bytes of buffered updates. */
  get heldBytes(): number {
    return this.#updates.bytes;
  }

  /** Records the slot of the log's book, which includes all older updates. */
  noteLogSlot(slot: number): void {
    this.#updates.forgetBefore(slot - this.#lateSlots);
  }

  /**
   * Switches to the engine with the log's book: adds the buffered updates that are newer than it,
   * for the next turn. Returns whether the book is then complete; otherwise all accounts must be
   * read again.
   */
  switchTo({ engine, slot: logSlot, writtenFrom }: LogState): boolean {
    this.#engine = engine;
    this.#isWarm = false;
    this.#logSlot = logSlot;
    engine.setState(this.#state);
    const { slot, unixSeconds } = this.#clock;
    const isWhole = this.#coveredFrom + this.#lateSlots <= logSlot;
    // Reread accounts have this node's state.
    this.#written = isWhole ? writtenFrom(Math.min(slot, logSlot) - this.#lateSlots) : null;
    for (const update of this.#updates.takeAll()) {
      if ('data' in update) this.push(update);
      else this.pushClosed(update.pubkey, update.slot);
      if (engine.isFull) engine.applyAdded();
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

  get isFull(): boolean {
    return this.#engine.isFull;
  }

  applyAdded(): void {
    this.#engine.applyAdded();
  }

  setClock(slot: number, unixSeconds: number): void {
    this.#clock = { slot, unixSeconds };
    // A node that is behind the previous core's node is still catching up.
    if (slot < this.#logSlot) return;
    // Another subscription may notify a slot before its accounts arrive.
    if (slot >= this.#logSlot + this.#lateSlots) this.#written = null;
    this.#engine.setClock(slot, unixSeconds);
  }

  setState(state: FeedState): void {
    this.#state = state;
    this.#engine.setState(state);
  }

  setEpoch(epoch: string): void {
    // Another chain has its own slots.
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

  /** Ends the snapshot, and stores its slot: earlier changes may be in the snapshot alone. */
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

  layoutSamples(snapshot: AccountSnapshot, count: number): readonly LayoutSample[] {
    return this.#engine.layoutSamples(snapshot, count);
  }

  hasUser(pubkey: string): boolean {
    return this.#engine.hasUser(pubkey);
  }

  usersInTurn(from: number, count: number): UserPage {
    return this.#engine.usersInTurn(from, count);
  }

  readCensus(): Census {
    return this.#engine.readCensus();
  }

  /**
   * Returns whether the log's book has a later state of an account. Within one slot it may have an
   * earlier write.
   */
  #isOlder({ pubkey, slot }: { readonly pubkey: string; readonly slot: number }): boolean {
    return slot < (this.#written?.get(pubkey) ?? 0);
  }

  /** Applies a partly applied snapshot to the other engine as well. */
  #applyAgain(engine: EpochEngine): void {
    if (this.#open === null) return;
    const { snapshot, applied } = this.#open;
    engine.beginSnapshot(snapshot);
    engine.applySnapshot(snapshot, 0, applied);
  }
}
