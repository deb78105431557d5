import type { AccountSnapshot } from '../../contract/accounts.js';
import { Backoff } from '../../rpc/backoff.js';
import { parseJson } from '../../rpc/json.js';
import { withTimeLimit } from '../../rpc/timers.js';
import { type AccountUpdate, parseMultipleAccounts } from '../model/account-update.js';
import {
  ACCOUNTS_PER_READ,
  PROBE_BACKOFF_CAP_MS,
  PROBE_INTERVALS_A_TURN,
  PROBE_MS_MAX,
  PROBE_OTHERS_IN_TURN,
  PROBE_REPAIRS_MAX,
  PROBE_REPAIRS_MS,
  PROBE_SLOTS_AFTER,
  PROBES_PER_INTERVAL_MAX,
} from '../model/limits.js';
import { packedAccountsParams } from '../model/queries.js';
import type { FeedParts } from './parts.js';

/** The connection as a probe sees it. */
export interface ProbedConnection {
  /** The newest slot announced on the socket; 0 before the first. */
  newestSlot(): number;
  /** Whether what was last notified of this account may be of a fork that the chain has left. */
  mayBeOfFork(pubkey: string): boolean;
  /** Whether the node can be at this slot. */
  admitsSlot(slot: number): boolean;
  /** The oracles that are followed. */
  oracleKeys(): readonly string[];
  /** Applies these users where nothing newer was notified; returns how many. */
  repairUsers(users: readonly AccountUpdate[]): number;
  /** These accounts have changed, and the socket did not notify of it. */
  onLoss(pubkeys: readonly string[]): void;
}

/** One read: what it asked for, the response, and what that holds. */
interface Reading {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  readonly snapshot: AccountSnapshot;
}

/** Accounts that differed when they were read, and that may only have been on their way. */
interface Suspicion {
  readonly reading: Reading;
  readonly keys: readonly string[];
}

/** How many probes it takes to read so many markets, State and oracles in a few intervals, if that is possible. */
export function probesPerInterval(others: number): number {
  const reads = Math.ceil(others / PROBE_OTHERS_IN_TURN);
  const wanted = Math.ceil(reads / PROBE_INTERVALS_A_TURN);
  return Math.max(1, Math.min(wanted, PROBES_PER_INTERVAL_MAX));
}

/**
 * Reads a few accounts each second, or more often where there are many markets, while the book is live
 * and compares them with it: users that were notified last, then users with orders, markets, State and
 * oracles in turn. So a subscription that is silent, or loses messages, is found within seconds, whichever
 * it is; in a market in which nothing changes all of them are equal.
 *
 * A difference is proof only when two reads of different slots found it, and the socket has passed
 * the first of them by some slots: HTTP and the socket may be different machines, either may lag,
 * and a fork may be abandoned. A state of the slot of the last notification, or of an earlier one,
 * is none. Nor is a read that fails.
 *
 * It proves that messages are lost, except of a few users that were last notified in a fork which the chain has left a
 * while ago: no node notifies of users that go back with it. They are repaired, and the book stays live.
 */
export class Probe {
  readonly #parts: FeedParts;
  readonly #connection: ProbedConnection;
  readonly #backoff: Backoff;
  #running: AbortController | null = null;
  #suspicion: Suspicion | null = null;
  /** Of each user that was repaired, within the last {@link PROBE_REPAIRS_MS}. */
  #repairedAtMs: readonly number[] = [];
  #dueAtMs = Number.POSITIVE_INFINITY;
  #userAt = 0;
  #otherAt = 0;

  constructor(parts: FeedParts, connection: ProbedConnection) {
    this.#parts = parts;
    this.#connection = connection;
    const { probeIntervalMs: firstMs, random } = parts;
    this.#backoff = new Backoff({ firstMs, capMs: PROBE_BACKOFF_CAP_MS, random });
  }

  /** The book was read just now, and may have missed what was notified meanwhile: it is probed at once. */
  start(): void {
    this.#backoff.reset();
    this.#suspicion = null;
    this.#scheduleProbe(-this.#parts.probeIntervalMs);
  }

  /** The book is complete no more: what is being read says nothing about it. */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#running?.abort();
    this.#running = null;
  }

  /** Probes when it is time and no probe runs. Never rejects. */
  async probeIfDue(): Promise<void> {
    const { timers, turns, counters, transientErrors } = this.#parts;
    const due = timers.nowMs() >= this.#dueAtMs && turns.state === 'live';
    if (!due || this.#running !== null) return;
    const running = new AbortController();
    this.#running = running;
    const startedAtMs = timers.nowMs();
    let waitMs = 0;
    try {
      const reading = await this.#readAccounts(running.signal);
      if (running.signal.aborted) return;
      counters.probes += 1;
      this.#backoff.reset();
      if (this.#isOfChain(reading.snapshot)) this.#compareReading(reading);
    } catch (error) {
      if (running.signal.aborted) return;
      counters.probeFailures += 1;
      transientErrors.logWarning('accounts were not read for a probe', '', { err: error });
      waitMs = this.#backoff.next();
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#scheduleProbe(waitMs - (timers.nowMs() - startedAtMs));
  }

  /** So much later than the time between two probes from now, or earlier. */
  #scheduleProbe(extraMs: number): void {
    const { probeIntervalMs, timers } = this.#parts;
    if (probeIntervalMs === 0) return;
    const spacingMs = probeIntervalMs / probesPerInterval(this.#otherKeys().length);
    this.#dueAtMs = timers.nowMs() + Math.max(0, spacingMs + extraMs);
  }

  #readAccounts(signal: AbortSignal): Promise<Reading> {
    const { rpc, engine, timers } = this.#parts;
    const keys = this.#chooseKeys();
    const params = packedAccountsParams(keys);
    const limit = { timers, limitMs: PROBE_MS_MAX, signal };
    return withTimeLimit(limit, async (limited) => {
      const options = { signal: limited, timeoutMs: PROBE_MS_MAX, isBackground: true };
      const body = await rpc.callRaw('getMultipleAccounts', params, options);
      return { keys, body, snapshot: await engine.decodeSnapshot(body, keys) };
    });
  }

  /** Suspects first, so that each next read settles what the one before has found; users in turn fill it. */
  #chooseKeys(): readonly string[] {
    const { memory, engine } = this.#parts;
    const others = this.#otherKeys();
    const othersFrom = this.#otherAt < others.length ? this.#otherAt : 0;
    this.#otherAt = othersFrom + PROBE_OTHERS_IN_TURN;
    const keys = [
      ...(this.#suspicion?.keys ?? []),
      ...memory.recentUsers.keys(),
      ...others.slice(othersFrom, this.#otherAt),
    ].slice(0, ACCOUNTS_PER_READ);
    const users = engine.usersWithOrders(this.#userAt, ACCOUNTS_PER_READ - keys.length);
    this.#userAt = users.next;
    return [...new Set([...keys, ...users.keys])];
  }

  /** A read from before what the socket announced is late, and no sign of a chain that went back. */
  #isOfChain({ slot }: AccountSnapshot): boolean {
    return slot <= this.#connection.newestSlot() || this.#connection.admitsSlot(slot);
  }

  #compareReading(reading: Reading): void {
    const before = this.#suspicion?.reading;
    const missed = this.#findMissed(reading);
    if (before === undefined || missed.length === 0) return;
    if (!this.#areOfFork(missed)) {
      this.#connection.onLoss(missed);
      return;
    }
    this.#repairUsers(missed, before);
    this.#suspectLacking(reading);
  }

  /** What else the reading found, or has changed since what was repaired: the next one settles it. */
  #suspectLacking(reading: Reading): void {
    const { engine, turns } = this.#parts;
    turns.runRequested();
    const keys = engine.lackingAccounts(reading.snapshot);
    this.#suspicion = keys.length === 0 ? null : { reading, keys };
  }

  /** The accounts of which a notification is missing for sure. */
  #findMissed(reading: Reading): readonly string[] {
    const { engine, turns } = this.#parts;
    turns.runRequested();
    const lacking = engine.lackingAccounts(reading.snapshot);
    const before = this.#suspicion;
    const stillLacking = new Set(
      before === null ? [] : engine.lackingAccounts(before.reading.snapshot),
    );
    const twice = lacking.filter((key) => stillLacking.has(key));
    if (before === null || twice.length === 0) {
      this.#suspicion = lacking.length === 0 ? null : { reading, keys: lacking };
      return [];
    }
    // What was read first stays: only of that is it known since when the socket lacks it.
    this.#suspicion = { reading: before.reading, keys: twice };
    const firstSlot = before.reading.snapshot.slot;
    const isSettled = this.#connection.newestSlot() >= firstSlot + PROBE_SLOTS_AFTER;
    return isSettled && reading.snapshot.slot > firstSlot ? twice : [];
  }

  /** Whether forks that were abandoned explain it: a few users, each last notified in one of them. */
  #areOfFork(keys: readonly string[]): boolean {
    const nowMs = this.#parts.timers.nowMs();
    const sinceMs = nowMs - PROBE_REPAIRS_MS;
    this.#repairedAtMs = this.#repairedAtMs.filter((atMs) => atMs > sinceMs);
    const areFew = this.#repairedAtMs.length + keys.length <= PROBE_REPAIRS_MAX;
    const others = new Set(this.#otherKeys());
    return areFew && keys.every((key) => !others.has(key) && this.#connection.mayBeOfFork(key));
  }

  /** As they were read first: the socket has passed that slot, so nothing older is notified any more. */
  #repairUsers(keys: readonly string[], { keys: keysRead, body }: Reading): void {
    const { counters, timers, log } = this.#parts;
    const { result } = parseJson(body) as { readonly result: unknown };
    const { updates } = parseMultipleAccounts(keysRead, () => 'user', result);
    const wanted = updates.filter(({ pubkey }) => keys.includes(pubkey));
    const repaired = this.#connection.repairUsers(wanted);
    const atMs = timers.nowMs();
    this.#repairedAtMs = [...this.#repairedAtMs, ...wanted.map(() => atMs)];
    counters.probeRepairs += repaired;
    log.warn({ keys, repaired }, 'a probe repaired users after a fork');
  }

  /** Markets, State and oracles. */
  #otherKeys(): readonly string[] {
    return [...this.#parts.memory.markets, ...this.#connection.oracleKeys()];
  }
}
