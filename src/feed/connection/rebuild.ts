import type { AccountSnapshot, SnapshotReport } from '../../contract/accounts.js';
import { nextTurn } from '../../rpc/timers.js';
import type { AccountBatch, AccountKind, AccountUpdate } from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import {
  REPLAY_CHARS_MAX,
  REPLAY_SLICE_UPDATES,
  REPLAY_UPDATES_MAX,
  SNAPSHOT_SLICE_USERS,
} from '../model/limits.js';
import { MARKET_KINDS, type ProgramKind } from '../model/queries.js';
import type { FeedParts } from './parts.js';
import type { AccountState } from './slot-tracking.js';
import {
  type AgreementRule,
  type ReadOptions,
  readClockAndOracles,
  readConfirmed,
  readProgramAccounts,
  readUsers,
} from './snapshots.js';
import type { OracleSubscriptions } from './subscriptions.js';

/** From which slot on a buffered update is not older than what was read. */
export class ReadSlots {
  readonly #byKind = new Map<AccountKind, number>();
  readonly #byKey = new Map<string, number>();
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

  /** An update of the reading's own slot counts: the reading may have been earlier within it. */
  acceptsUpdate({ pubkey, kind, slot }: AccountUpdate): boolean {
    return slot >= (this.#byKey.get(pubkey) ?? this.#byKind.get(kind) ?? 0);
  }

  /** The socket has told a later state than the reading: a lower slot behind it is a revert. */
  markOvertaken({ pubkey }: AccountUpdate): void {
    this.#byKey.set(pubkey, 0);
  }
}

/**
 * Reads everything into the book: markets and State first, because they name the oracles, then the
 * Clock and the oracles, then all users. Meanwhile nothing else may reach the engine.
 */
export async function readEverything(
  parts: FeedParts,
  oracles: OracleSubscriptions,
  newWish: () => ReadOptions,
): Promise<ReadSlots> {
  const slots = new ReadSlots();
  const wish = newWish();
  const markets = await readMarkets(parts, wish);
  for (const [kind, slot] of markets.slots) slots.setKind(kind, slot);
  applyMarkets(parts, markets, () => true);
  parts.turns.runTurn();
  await oracles.followMarkets();
  for (const reading of await readClockAndOracles(parts, oracles.followedKeys(), newWish())) {
    for (const update of reading.updates) applyUpdate(parts, update);
    for (const update of reading.updates) slots.setKey(update.pubkey, reading.slot);
  }
  const users = await readUsers(parts, wish);
  slots.setKind('user', users.slot);
  // The first slot of the socket may be announced after the book is live, and the last connection
  // may have led to another chain: only the readings tell where this one stands.
  parts.clock.advanceTo(slots.slotMax);
  parts.turns.runTurn();
  await applyUsers(parts, users, wish.signal);
  return slots;
}

/** All markets and State accounts, each kind as of its own slot. */
export interface MarketAccounts {
  readonly slots: ReadonlyMap<ProgramKind, number>;
  readonly slotMin: number;
  readonly slotMax: number;
  readonly updates: readonly AccountUpdate[];
}

/**
 * Reads the markets and State, and changes nothing. A market is closed, and its book emptied, only
 * when several readings lack it: a node under load gives a part of what there is.
 */
export function readMarkets(parts: FeedParts, wish: ReadOptions): Promise<MarketAccounts> {
  const read = async (): Promise<MarketAccounts> => {
    const markets = await readMarketsOnce(parts, wish);
    const missing = missingMarkets(parts, markets);
    if (missing.length > 0) {
      parts.transientErrors.logWarning('a reading lacks markets of the last', missing.join(), {
        missing,
      });
    }
    return markets;
  };
  const judgement: AgreementRule<MarketAccounts> = {
    isShrunken: (markets) => missingMarkets(parts, markets).length > 0,
    agree: (first, later) => {
      return missingMarkets(parts, first).join() === missingMarkets(parts, later).join();
    },
    count: ({ updates }) => updates.length,
  };
  return readConfirmed(parts, judgement, { read, signal: wish.signal });
}

function missingMarkets({ memory }: FeedParts, { updates }: MarketAccounts): readonly string[] {
  const found = new Set(updates.map(({ pubkey }) => pubkey));
  return [...memory.markets].filter((key) => !found.has(key));
}

async function readMarketsOnce(parts: FeedParts, wish: ReadOptions): Promise<MarketAccounts> {
  const slots = new Map<ProgramKind, number>();
  const readings: AccountBatch[] = [];
  for (const kind of MARKET_KINDS) {
    const reading = await readProgramAccounts(parts, kind, wish);
    slots.set(kind, reading.slot);
    readings.push(reading);
  }
  const slotMin = Math.min(...slots.values());
  const slotMax = Math.max(...slots.values());
  return { slots, slotMin, slotMax, updates: readings.flatMap(({ updates }) => updates) };
}

/**
 * Hands over the markets that are news, and closes those of the last reading that are gone and of
 * which that is news. Answers how many it closed.
 */
export function applyMarkets(
  parts: FeedParts,
  markets: MarketAccounts,
  isNews: (state: AccountState) => boolean,
): number {
  const { slotMin: slot, updates } = markets;
  let closed = 0;
  const kept = new Set(updates.map((update) => update.pubkey));
  for (const update of updates) if (isNews(update)) applyUpdate(parts, update);
  for (const pubkey of missingMarkets(parts, markets)) {
    if (isNews({ pubkey, slot })) {
      closeAccount(parts, pubkey, slot);
      closed += 1;
    } else kept.add(pubkey);
  }
  parts.memory.markets = kept;
  return closed;
}

/** Hands one state to the engine, or to the clock. */
export function applyUpdate(parts: FeedParts, update: AccountUpdate): void {
  const { kind, pubkey, slot, data } = update;
  if (kind === 'clock') parts.clock.readAccount(data);
  else if (update.closed) closeAccount(parts, pubkey, slot);
  else {
    if (kind !== 'user') parts.memory.texts.set(pubkey, data);
    parts.engine.push(update);
  }
}

function closeAccount({ engine, memory }: FeedParts, pubkey: string, slot: number): void {
  memory.texts.delete(pubkey);
  engine.close(pubkey, slot);
}

/**
 * Applies a reading of all users. Each slice is a turn of the engine and of the loop, so that
 * neither is blocked. Users that the reading lacks leave: all of them while the book is rebuilt, in
 * a live book those of slots before the reading's.
 */
export async function applyUsers(
  parts: FeedParts,
  users: AccountSnapshot,
  signal: AbortSignal,
): Promise<SnapshotReport> {
  const { engine, turns, counters, memory } = parts;
  const { slot, count } = users;
  throwIfStopped(signal);
  engine.beginSnapshot(users);
  for (let from = 0; from < count; from += SNAPSHOT_SLICE_USERS) {
    engine.applySnapshot(users, from, SNAPSHOT_SLICE_USERS);
    turns.runTurn();
    await nextTurn();
    throwIfStopped(signal);
  }
  const report = engine.endSnapshot();
  // Now and not with the loop's next turn: users have left, and a reader that came first would get
  // the book without them under the number that names the book with them.
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

/**
 * Replays what arrived during the reading, oldest first. Updates that arrive meanwhile join the
 * buffer, so it ends with the buffer empty and no turn of the loop after that.
 */
export async function replayUpdates(
  parts: FeedParts,
  buffer: ReplayBuffer,
  slots: ReadSlots,
  signal: AbortSignal,
): Promise<void> {
  for (let updates = buffer.takeUpdates(); updates.length > 0; updates = buffer.takeUpdates()) {
    for (let from = 0; from < updates.length; from += REPLAY_SLICE_UPDATES) {
      if (from > 0) {
        parts.turns.runTurn();
        await nextTurn();
        throwIfStopped(signal);
      }
      replaySlice(parts, updates.slice(from, from + REPLAY_SLICE_UPDATES), slots);
    }
  }
}

function replaySlice(parts: FeedParts, updates: readonly AccountUpdate[], slots: ReadSlots): void {
  for (const update of updates) {
    if (slots.acceptsUpdate(update)) {
      applyUpdate(parts, update);
      slots.markOvertaken(update);
      parts.counters.replayed += 1;
    } else parts.counters.replayedTooOld += 1;
  }
}

/** Updates that arrived while the accounts were read, in the order of their arrival. */
export class ReplayBuffer {
  readonly #updatesMax: number;
  #updates: AccountUpdate[] = [];
  #chars = 0;

  constructor(updatesMax: number = REPLAY_UPDATES_MAX) {
    this.#updatesMax = updatesMax;
  }

  /** Keeps an update. Throws REPLAY_BUFFER_EXCEEDED when it is full: then nothing is complete. */
  addUpdate(update: AccountUpdate): void {
    this.#chars += update.data.length;
    if (this.#updates.length >= this.#updatesMax || this.#chars > REPLAY_CHARS_MAX) {
      const message = `updates kept were ${this.#updates.length}, must be at most ${this.#updatesMax}`;
      throw new FeedError('REPLAY_BUFFER_EXCEEDED', message, { chars: this.#chars });
    }
    this.#updates.push(update);
  }

  /** Hands all updates over and is empty. */
  takeUpdates(): readonly AccountUpdate[] {
    const taken = this.#updates;
    this.#updates = [];
    this.#chars = 0;
    return taken;
  }
}
