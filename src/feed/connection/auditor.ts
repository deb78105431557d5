import { Backoff } from '../../rpc/backoff.js';
import type { AccountUpdate } from '../model/account-update.js';
import {
  AUDIT_DIFFERENCES_MAX,
  AUDIT_DIFFERENCES_ONE_IN,
  AUDIT_INTERRUPTIONS_MAX,
  AUDIT_SLOTS_AFTER,
  AUDIT_WAIT_INTERVALS_MAX,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';
import {
  applyMarkets,
  applyUpdate,
  applyUsers,
  type MarketAccounts,
  readMarkets,
} from './rebuild.js';
import { AUDIT_PATIENCE } from './scan-race.js';
import { type AccountState, waitForSlot } from './slot-tracking.js';
import { type ReadOptions, readClockAndOracles, readUsers } from './snapshots.js';

/** The connection as an audit sees it. */
export interface AuditedConnection {
  /** The newest slot announced on the socket; 0 before the first. */
  newestSlot(): number;
  /** Whether a state read of a market, State or oracle is later than the last one notified. */
  isNewer(state: AccountState): boolean;
  /** The oracles that are followed. */
  oracleKeys(): readonly string[];
  /** Options of a read that begins now, until the signal aborts. */
  newReadOptions(signal: AbortSignal): ReadOptions;
  /** So many accounts had changed without a notification: more than a sound node would lose. */
  onLoss(differences: number): void;
}

/** What one audit repaired. */
interface Repairs {
  /** Accounts that the book lacked or had in another state: updates that were missed. */
  readonly differences: number;
  /** Accounts that are gone, closed or idle: no node notifies of them, so none was missed. */
  readonly removals: number;
  /**
   * The differences that only a lost notification explains: those of users and oracles. A market is
   * compared as it was packed, and another machine may pack the same bytes otherwise.
   */
  readonly missed: number;
}

/**
 * Reads all accounts at intervals while the book is live, repairs what differs and counts it: 0 when
 * nothing was missed. Accounts that are gone are counted apart, because this is the only way
 * to notice them: one that no longer matches its subscription is not notified.
 *
 * An audit that finds few differences leaves the book `live`; with more of them the connection is given
 * up, because it loses messages between two audits as well. It never throws: one that fails is
 * counted, and the wait for the next one grows, because the scan is heavy for a node.
 */
export class Auditor {
  readonly #parts: FeedParts;
  readonly #connection: AuditedConnection;
  #running: AbortController | null = null;
  /** Audits in a row that were put off. */
  #interruptions = 0;
  readonly #backoff: Backoff;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: FeedParts, connection: AuditedConnection) {
    this.#parts = parts;
    this.#connection = connection;
    const { auditIntervalMs, random } = parts;
    const capMs = auditIntervalMs * AUDIT_WAIT_INTERVALS_MAX;
    this.#backoff = new Backoff({ firstMs: auditIntervalMs * 2, capMs, random });
  }

  /** The book was read just now: the first audit is due one interval later. */
  start(): void {
    this.#backoff.reset();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
  }

  /** The book is complete no more: an audit under way applies nothing further. */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#running?.abort();
    this.#running = null;
  }

  /** The chain went back: what was read before may be of the fork that is gone. */
  postponeAudit(): void {
    if (this.#running === null || this.#interruptions >= AUDIT_INTERRUPTIONS_MAX) return;
    this.#interruptions += 1;
    this.stop();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
    this.#parts.log.info({}, 'the audit is put off: the chain went back');
  }

  /** Audits when it is time and no audit runs. Never rejects. */
  async auditIfDue(): Promise<void> {
    const { timers, turns, auditIntervalMs } = this.#parts;
    const due = timers.nowMs() >= this.#dueAtMs && turns.state === 'live';
    if (!due || this.#running !== null) return;
    const running = new AbortController();
    this.#running = running;
    let waitMs = auditIntervalMs;
    try {
      const { users, ...repairs } = await this.#runAudit(running.signal);
      this.#recordSuccess(repairs);
      const missedMax = Math.max(AUDIT_DIFFERENCES_MAX, users / AUDIT_DIFFERENCES_ONE_IN);
      if (repairs.missed > missedMax) this.#connection.onLoss(repairs.missed);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#recordFailure(error);
      waitMs = this.#backoff.next();
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#scheduleAudit(waitMs);
  }

  #scheduleAudit(waitMs: number): void {
    const { auditIntervalMs, timers } = this.#parts;
    if (auditIntervalMs > 0) this.#dueAtMs = timers.nowMs() + waitMs;
  }

  #recordSuccess({ differences, removals }: Repairs): void {
    const { counters, memory, log, wallMs } = this.#parts;
    this.#backoff.reset();
    this.#interruptions = 0;
    counters.audits += 1;
    counters.auditDifferences += differences;
    counters.auditRemovals += removals;
    memory.lastAudit = { ts: wallMs(), ok: true, differences };
    if (differences > 0) log.warn({ differences, removals }, 'the audit repaired accounts');
    else if (removals > 0) log.info({ removals }, 'the audit took closed and idle accounts out');
  }

  #recordFailure(error: unknown): void {
    const { counters, memory, log, wallMs } = this.#parts;
    counters.auditFailures += 1;
    memory.lastAudit = { ts: wallMs(), ok: false, differences: 0 };
    log.warn({ err: error }, 'the audit failed');
  }

  async #runAudit(signal: AbortSignal): Promise<Repairs & { readonly users: number }> {
    const parts = this.#parts;
    const options = { ...this.#connection.newReadOptions(signal), isBackground: true };
    const markets = await readMarkets(parts, options);
    const batches = await readClockAndOracles(parts, this.#connection.oracleKeys(), options);
    const users = await readUsers(parts, options, AUDIT_PATIENCE);
    const slots = batches.map(({ slot }) => slot);
    const slot = Math.max(markets.slotMax, users.slot, ...slots) + AUDIT_SLOTS_AFTER;
    await waitForSlot(parts, () => this.#connection.newestSlot(), { slot, signal });
    const oracles = batches.flatMap(({ updates }) => updates);
    const others = this.#applyMarketsAndOracles(markets, oracles);
    const { added, changed, removed } = await applyUsers(parts, users, signal);
    return {
      users: users.count,
      differences: others.differences + added + changed,
      removals: others.removals + removed,
      missed: others.missed + added + changed,
    };
  }

  /**
   * Applies what was read of markets, State and oracles where it is newer than the last notification.
   * The engine applies these accounts without comparing slots, so older states are left out here.
   */
  #applyMarketsAndOracles(markets: MarketAccounts, oracles: readonly AccountUpdate[]): Repairs {
    const parts = this.#parts;
    const isNewer = (state: AccountState): boolean => this.#connection.isNewer(state);
    const isOther = ({ pubkey, data }: AccountUpdate): boolean =>
      parts.memory.texts.get(pubkey) !== data;
    const newerOracles = oracles.filter((update) => update.kind === 'oracle' && isNewer(update));
    const missed = newerOracles.filter(isOther).length;
    const differences = markets.updates.filter(isNewer).filter(isOther).length + missed;
    const removals = applyMarkets(parts, markets, isNewer);
    for (const update of newerOracles) applyUpdate(parts, update);
    parts.turns.requestTurn();
    return { differences, removals, missed };
  }
}
