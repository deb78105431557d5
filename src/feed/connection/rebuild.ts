import type { AccountSnapshot, SnapshotReport } from '../../contract/accounts.js';
import type { AccountKind, AccountUpdate } from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import {
  REPLAY_CHARS_MAX,
  REPLAY_SLICE_UPDATES_MAX,
  REPLAY_SLICE_UPDATES_MIN,
  REPLAY_SLICES,
  REPLAY_UPDATES_MAX,
  SHRUNKEN_READS,
  SNAPSHOT_SLICE_USERS,
} from '../model/limits.js';
import { MARKET_KINDS, type ProgramKind } from '../model/queries.js';
import type { AccountBatch } from '../model/rpc-updates.js';
import { applyUpdate, closeAccount } from './account-changes.js';
import { type AgreementRule, readConfirmed } from './agreement.js';
import { requireState } from './completeness.js';
import { requireLayout } from './layout-check.js';
import type { FeedParts } from './parts.js';
import { REBUILD_PATIENCE } from './scan-race.js';
import { readBrokenUsers } from './single-accounts.js';
import type { AccountState } from './slot-tracking.js';
import {
  type ReadOptions,
  readClockAndOracles,
  readProgramAccounts,
  readUsers,
} from './snapshots.js';
import type { OracleSubscriptions } from './subscriptions.js';

/** The lowest slot from which buffered updates are applied, by the readings. */
class ReadSlots {
  readonly #byKind = new Map<AccountKind, number>();
  readonly #byKey = new Map<string, number>();
  /** The users that no node gave whole. */
  usersLeftOut: readonly string[] = [];
  #slotMax = 0;

  /** The newest slot read. */
  get slotMax(): number {
    return this.#slotMax;
  }

  setKind(kind: AccountKind, slot: number): void {
    this.#byKind.set(kind, slot);
    this.#slotMax = Math.max(this.#slotMax, slot);
  }

  setKey(pubkey: string, slot: number): void {
    this.#byKey.set(pubkey, slot);
    this.#slotMax = Math.max(this.#slotMax, slot);
  }

  /**
   * Returns whether an update must be applied. An update of the snapshot's own slot is applied,
   * because the snapshot may be of an earlier point in that slot.
   */
  acceptsUpdate({ pubkey, kind, slot }: AccountUpdate): boolean {
    return slot >= (this.#byKey.get(pubkey) ?? this.#byKind.get(kind) ?? 0);
  }

  /**
   * Records that a replayed state of the account is later than the snapshot. Later updates of any
   * slot are then accepted, because a lower slot is a revert of that state.
   */
  markOvertaken({ pubkey }: AccountUpdate): void {
    this.#byKey.set(pubkey, 0);
  }
}

/**
 * Reads all accounts into the book: first markets and State, because they name the oracles, then
 * the Clock and the oracles, then all users. Nothing else may reach the engine meanwhile.
 */
export async function readEverything(
  parts: FeedParts,
  oracles: OracleSubscriptions,
  newOptions: () => ReadOptions,
): Promise<ReadSlots> {
  const slots = new ReadSlots();
  const options = newOptions();
  const markets = await readMarkets(parts, options);
  for (const [kind, slot] of markets.slots) slots.setKind(kind, slot);
  applyMarkets(parts, markets, () => true);
  parts.turns.runTurn();
  await oracles.followMarkets();
  for (const batch of await readClockAndOracles(parts, oracles.followedKeys(), newOptions())) {
    for (const update of batch.updates) applyUpdate(parts, update);
    for (const update of batch.updates) slots.setKey(update.pubkey, batch.slot);
  }
  await takeUsers(parts, slots, options);
  return slots;
}

/** Reads all users into the book. */
async function takeUsers(parts: FeedParts, slots: ReadSlots, options: ReadOptions): Promise<void> {
  const users = requireLayout(parts, await readUsers(parts, options, REBUILD_PATIENCE));
  const singles = await readBrokenUsers(parts, users, options);
  slots.setKind('user', users.slot);
  for (const { pubkey, slot } of singles.updates) slots.setKey(pubkey, slot);
  slots.usersLeftOut = singles.leftOut;
  // The socket's first slot may be announced after the book is live, and the previous connection
  // may have led to another chain: only the snapshots have a slot of this chain.
  parts.clock.advanceTo(slots.slotMax);
  parts.turns.runTurn();
  await applyUsers(parts, users, options.signal);
  for (const update of singles.updates) applyUpdate(parts, update);
}

/** All market and State accounts, each kind as of its own slot. */
export interface MarketAccounts {
  readonly slots: ReadonlyMap<ProgramKind, number>;
  readonly slotMin: number;
  readonly slotMax: number;
  readonly updates: readonly AccountUpdate[];
  /** Those that no node gives whole; the book keeps them as they are. */
  readonly broken: readonly string[];
}

/**
 * Reads markets and State without applying them. A market is closed, and its book emptied, only
 * when several snapshots lack it, because an overloaded node may return a part of the accounts.
 */
export function readMarkets(parts: FeedParts, options: ReadOptions): Promise<MarketAccounts> {
  const read = async (): Promise<MarketAccounts> => {
    const markets = await readMarketsOnce(parts, options);
    requireState(parts, markets.updates);
    const missing = missingMarkets(parts, markets);
    if (missing.length > 0) {
      parts.transientErrors.logWarning('a scan lacks markets of the last one', missing.join(), {
        missing,
      });
    }
    return markets;
  };
  const rule: AgreementRule<MarketAccounts> = {
    readsWanted: (markets) => (missingMarkets(parts, markets).length > 0 ? SHRUNKEN_READS : 1),
    agree: (first, later) => {
      return missingMarkets(parts, first).join() === missingMarkets(parts, later).join();
    },
    count: ({ updates }) => updates.length,
  };
  return readConfirmed(parts, rule, { read, signal: options.signal });
}

function missingMarkets({ memory }: FeedParts, read: MarketAccounts): readonly string[] {
  const found = new Set([...read.updates.map(({ pubkey }) => pubkey), ...read.broken]);
  return [...memory.markets].filter((key) => !found.has(key));
}

async function readMarketsOnce(parts: FeedParts, options: ReadOptions): Promise<MarketAccounts> {
  const slots = new Map<ProgramKind, number>();
  const batches: AccountBatch[] = [];
  for (const kind of MARKET_KINDS) {
    const batch = await readProgramAccounts(parts, kind, options);
    slots.set(kind, batch.slot);
    batches.push(batch);
  }
  const slotMin = Math.min(...slots.values());
  const slotMax = Math.max(...slots.values());
  const updates = batches.flatMap((batch) => batch.updates);
  return { slots, slotMin, slotMax, updates, broken: batches.flatMap(({ broken }) => broken) };
}

/**
 * Applies the markets that are newer than their notifications, and closes markets of the last
 * snapshot that this newer snapshot lacks. Returns the number of closed markets.
 */
export function applyMarkets(
  parts: FeedParts,
  markets: MarketAccounts,
  isNewer: (state: AccountState) => boolean,
): number {
  const { slotMin: slot, updates, broken } = markets;
  let closed = 0;
  const marketKeys = new Set([...updates.map((update) => update.pubkey), ...broken]);
  for (const update of updates) if (isNewer(update)) applyUpdate(parts, update);
  for (const pubkey of missingMarkets(parts, markets)) {
    if (isNewer({ pubkey, slot })) {
      closeAccount(parts, pubkey, slot);
      closed += 1;
    } else marketKeys.add(pubkey);
  }
  parts.memory.markets = marketKeys;
  return closed;
}

/**
 * Applies a snapshot of all users. Each slice is a turn of the engine and of the event loop, so
 * that neither is blocked. Users that the snapshot lacks are removed: in a rebuild all of them, in
 * a live book only those last updated before the snapshot's slot.
 */
export async function applyUsers(
  parts: FeedParts,
  users: AccountSnapshot,
  signal: AbortSignal,
): Promise<SnapshotReport> {
  const { turns, counters, memory } = parts;
  const { slot, count } = users;
  throwIfStopped(signal);
  turns.moveBook().beginSnapshot(users);
  for (let from = 0; from < count; from += SNAPSHOT_SLICE_USERS) {
    turns.moveBook().applySnapshot(users, from, SNAPSHOT_SLICE_USERS);
    turns.runTurn();
    await turns.nextTurn();
    throwIfStopped(signal);
  }
  const report = turns.moveBook().endSnapshot();
  // The turn ends now and not with the next turn of the event loop, because users were removed: a
  // reader in between would get the new book under the sequence number of the old one.
  turns.runTurn();
  const { seen, added, changed, removed } = report;
  if (memory.users > 0) {
    counters.usersAdded += added;
    counters.usersChanged += changed;
    counters.usersRemoved += removed;
  }
  memory.users = count;
  parts.log.info({ slot, count, seen, added, changed, removed }, 'users read');
  return report;
}

/** The filter of a replay, its end condition, and its target. */
export interface ReplayOptions {
  readonly slots: ReadSlots;
  readonly signal: AbortSignal;
  readonly apply: (update: AccountUpdate) => void;
}

/**
 * Replays the buffered updates of a reading, oldest first. New updates join the buffer, so the
 * replay ends with an empty buffer and without another turn of the event loop.
 */
export async function replayUpdates(
  parts: FeedParts,
  buffer: ReplayBuffer,
  { slots, signal, apply }: ReplayOptions,
): Promise<void> {
  for (let updates = buffer.takeUpdates(); updates.length > 0; updates = buffer.takeUpdates()) {
    // A slice grows with the number of updates, so that the replay is faster than new arrivals.
    const share = Math.ceil(updates.length / REPLAY_SLICES);
    const slice = Math.min(Math.max(share, REPLAY_SLICE_UPDATES_MIN), REPLAY_SLICE_UPDATES_MAX);
    for (let from = 0; from < updates.length; from += slice) {
      parts.turns.runTurn();
      await parts.turns.nextTurn();
      throwIfStopped(signal);
      replaySlice(parts, updates.slice(from, from + slice), { slots, signal, apply });
    }
  }
}

function replaySlice(
  parts: FeedParts,
  updates: readonly AccountUpdate[],
  { slots, apply }: ReplayOptions,
): void {
  for (const update of updates) {
    if (slots.acceptsUpdate(update)) {
      apply(update);
      slots.markOvertaken(update);
      parts.counters.replayed += 1;
    } else parts.counters.replayedTooOld += 1;
  }
}

/** The buffered updates of a reading, in the order of arrival. */
export class ReplayBuffer {
  readonly #updatesMax: number;
  #updates: AccountUpdate[] = [];
  #chars = 0;

  constructor(updatesMax: number = REPLAY_UPDATES_MAX) {
    this.#updatesMax = updatesMax;
  }

  /**
   * Adds an update. Throws REPLAY_BUFFER_EXCEEDED when the buffer is full: the reading is then
   * incomplete.
   */
  addUpdate(update: AccountUpdate): void {
    this.#chars += update.data.length;
    if (this.#updates.length >= this.#updatesMax || this.#chars > REPLAY_CHARS_MAX) {
      const message = `updates kept were ${this.#updates.length}, must be at most ${this.#updatesMax}`;
      throw new FeedError('REPLAY_BUFFER_EXCEEDED', message, { chars: this.#chars });
    }
    this.#updates.push(update);
  }

  everyUpdate(test: (update: AccountUpdate) => boolean): boolean {
    return this.#updates.every(test);
  }

  takeUpdates(): readonly AccountUpdate[] {
    const taken = this.#updates;
    this.#updates = [];
    this.#chars = 0;
    return taken;
  }
}
