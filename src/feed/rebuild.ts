import { nextTurn } from '../rpc/timers.js';
import type { AccountKind, AccountUpdate, Reading } from './account-update.js';
import { FeedError } from './error.js';
import type { FeedSnapshot } from './feed-engine.js';
import { REPLAY_SLICE_UPDATES, SNAPSHOT_SLICE_USERS } from './limits.js';
import type { Oracles } from './oracles.js';
import type { FeedParts } from './parts.js';
import { MARKET_KINDS } from './queries.js';
import {
  type ReadingWish,
  readClockAndOracles,
  readProgramAccounts,
  readUsers,
} from './readings.js';
import type { ReplayBuffer } from './replay-buffer.js';

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
  accepts({ pubkey, kind, slot }: AccountUpdate): boolean {
    return slot >= (this.#byKey.get(pubkey) ?? this.#byKind.get(kind) ?? 0);
  }
}

/**
 * Reads everything into the book: markets and State first, because they name the oracles, then the
 * Clock and the oracles, then all users. Meanwhile nothing else may reach the engine.
 */
export async function readEverything(
  parts: FeedParts,
  oracles: Oracles,
  newWish: () => ReadingWish,
): Promise<ReadSlots> {
  const slots = new ReadSlots();
  const wish = newWish();
  await readMarkets(parts, slots, wish);
  parts.turns.run();
  await oracles.follow();
  for (const reading of await readClockAndOracles(parts, oracles.keys(), newWish())) {
    for (const update of reading.updates) applyUpdate(parts, update);
    for (const update of reading.updates) slots.setKey(update.pubkey, reading.slot);
  }
  const users = await readUsers(parts, wish);
  slots.setKind('user', users.slot);
  // The first slot of the socket may be announced after the book is live, and the last connection
  // may have led to another chain: only the readings tell where this one stands.
  parts.clock.tick(slots.slotMax);
  parts.turns.run();
  await applyUsers(parts, users, wish.signal);
  return slots;
}

async function readMarkets(parts: FeedParts, slots: ReadSlots, wish: ReadingWish): Promise<void> {
  const readings: Reading[] = [];
  for (const kind of MARKET_KINDS) {
    const reading = await readProgramAccounts(parts, kind, wish);
    slots.setKind(kind, reading.slot);
    readings.push(reading);
  }
  const updates = readings.flatMap((reading) => reading.updates);
  const found = new Set(updates.map((update) => update.pubkey));
  const slot = Math.min(...readings.map((reading) => reading.slot));
  for (const update of updates) applyUpdate(parts, update);
  for (const key of parts.memory.markets) if (!found.has(key)) parts.engine.close(key, slot);
  parts.memory.markets = found;
}

/** Hands one state to the engine, or to the clock. */
export function applyUpdate(parts: FeedParts, update: AccountUpdate): void {
  if (update.kind === 'clock') parts.clock.readAccount(update.data);
  else if (update.closed) parts.engine.close(update.pubkey, update.slot);
  else parts.engine.push(update);
}

/** Each slice is a turn of the engine and of the loop, so that neither is blocked. */
async function applyUsers(
  parts: FeedParts,
  users: FeedSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { engine, turns, counters, memory } = parts;
  engine.beginSnapshot(users);
  for (let from = 0; from < users.count; from += SNAPSHOT_SLICE_USERS) {
    engine.applySnapshot(users, from, SNAPSHOT_SLICE_USERS);
    turns.run();
    await nextTurn();
    if (signal.aborted) throw stopped();
  }
  const report = engine.endSnapshot();
  const { seen, added, changed, removed } = report;
  if (memory.users > 0) {
    counters.usersAdded += added;
    counters.usersChanged += changed;
    counters.usersRemoved += removed;
  }
  memory.users = users.count;
  const { slot, count, problems } = users;
  parts.log.info({ slot, count, seen, added, changed, removed }, 'users read');
  if (problems.length > 0) parts.log.warn({ problems }, 'accounts of the reading are unreadable');
}

/**
 * Replays what arrived during the reading, oldest first. Updates that arrive meanwhile join the
 * buffer, so it ends with the buffer empty and no turn of the loop after that.
 */
export async function replay(
  parts: FeedParts,
  buffer: ReplayBuffer,
  slots: ReadSlots,
  signal: AbortSignal,
): Promise<void> {
  for (let updates = buffer.take(); updates.length > 0; updates = buffer.take()) {
    for (let from = 0; from < updates.length; from += REPLAY_SLICE_UPDATES) {
      if (from > 0) {
        parts.turns.run();
        await nextTurn();
        if (signal.aborted) throw stopped();
      }
      replaySlice(parts, updates.slice(from, from + REPLAY_SLICE_UPDATES), slots);
    }
  }
}

function replaySlice(parts: FeedParts, updates: readonly AccountUpdate[], slots: ReadSlots): void {
  for (const update of updates) {
    if (slots.accepts(update)) {
      applyUpdate(parts, update);
      parts.counters.replayed += 1;
    } else parts.counters.replayedTooOld += 1;
  }
}

function stopped(): FeedError {
  return new FeedError('FEED_STOPPED', 'the connection ended while the accounts were read');
}
