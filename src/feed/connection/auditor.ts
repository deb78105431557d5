import { Backoff } from '../../rpc/backoff.js';
import type { AccountUpdate } from '../model/account-update.js';
import { FeedError } from '../model/error.js';
import {
  AUDIT_DIFFERENCES_MAX,
  AUDIT_DIFFERENCES_ONE_IN,
  AUDIT_INTERRUPTIONS_MAX,
  AUDIT_SLOTS_AFTER,
  AUDIT_WAIT_INTERVALS_MAX,
  GAP_AUDIT_MS_MIN,
} from '../model/limits.js';
import { applyUpdate } from './account-changes.js';
import type { FeedParts } from './parts.js';
import { applyMarkets, applyUsers, type MarketAccounts, readMarkets } from './rebuild.js';
import { AUDIT_PATIENCE } from './scan-race.js';
import { readBrokenUsers } from './single-accounts.js';
import { type AccountState, waitForSlot } from './slot-tracking.js';
import { type ReadOptions, readClockAndOracles, readUsers } from './snapshots.js';

/** The connection's interface for audits. */
interface AuditedConnection {
  /** The newest announced slot; 0 before the first. */
  newestSlot(): number;
  /**
   * Returns whether a read state of a market, State or oracle is later than the last notified
   * state.
   */
  isNewer(state: AccountState): boolean;
  oracleKeys(): readonly string[];
  newReadOptions(signal: AbortSignal): ReadOptions;
  /**
   * Called with the number of accounts that changed without a notification, when it is more than a
   * sound node loses.
   */
  onLoss(differences: number): void;
}

interface Repairs {
  /** Number of accounts that the book lacked or had in another state: missed updates. */
  readonly differences: number;
  /**
   * Number of removed accounts, closed or idle. Nodes send no notification for these, so no update
   * was missed.
   */
  readonly removals: number;
  /**
   * Number of differences that only a lost notification explains: users and oracles. Markets are
   * compared in compressed form, and another machine may compress the same bytes differently.
   */
  readonly missed: number;
}

/**
 * Reads all accounts at intervals while the book is live, repairs differences and counts them; 0
 * means that no update was missed. Removed accounts are counted separately, because only audits
 * find them: an account that no longer matches its subscription is not notified.
 *
 * After an audit with few differences the book stays `live`; with more, the connection is dropped,
 * because it also loses messages between audits. Audits never throw: a failed audit is counted, and
 * the delay before the next one grows, because scans are heavy for a node.
 *
 * A gap in the slots requests an audit as soon as possible, because a probe that agrees with the
 * book has read only a few accounts. An audit that starts after the end of a gap covers all earlier
 * gaps; after a failure its retry comes sooner than usual.
 */
export class Auditor {
  readonly #parts: FeedParts;
  readonly #connection: AuditedConnection;
  #running: AbortController | null = null;
  /** Whether the last started audit was the first since the end of a gap. */
  #isForGap = false;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  #gapDueAtMs = Number.POSITIVE_INFINITY;
  readonly #gapBackoff: Backoff;
  /** Consecutive postponed audits. */
  #interruptions = 0;
  readonly #backoff: Backoff;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: FeedParts, connection: AuditedConnection) {
    this.#parts = parts;
    this.#connection = connection;
    const { auditIntervalMs, random } = parts;
    const capMs = auditIntervalMs * AUDIT_WAIT_INTERVALS_MAX;
    this.#backoff = new Backoff({ firstMs: auditIntervalMs * 2, capMs, random });
    this.#gapBackoff = new Backoff({ firstMs: GAP_AUDIT_MS_MIN * 2, capMs, random });
  }

  /** Starts auditing; the book was just read, so the first audit is due one interval later. */
  start(): void {
    this.#backoff.reset();
    this.#gapBackoff.reset();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
  }

  /**
   * Stops auditing because the book is no longer complete; a running audit applies nothing further.
   */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#gapDueAtMs = Number.POSITIVE_INFINITY;
    this.#running?.abort();
    this.#running = null;
  }

  /**
   * Records that a gap in the slots has ended: an audit is due, or due soon if one has just begun.
   * Has no effect when audits are disabled.
   */
  auditGap(): void {
    const { auditIntervalMs, timers } = this.#parts;
    if (auditIntervalMs === 0) return;
    this.#gapDueAtMs = Math.max(timers.nowMs(), this.#beganAtMs + GAP_AUDIT_MS_MIN);
  }

  /**
   * Restarts a running audit after a revert of the chain, because its readings may belong to the
   * abandoned fork.
   */
  postponeAudit(): void {
    if (this.#running === null || this.#interruptions >= AUDIT_INTERRUPTIONS_MAX) return;
    this.#interruptions += 1;
    const isForGap = this.#isForGap || this.#gapDueAtMs < Number.POSITIVE_INFINITY;
    this.stop();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
    if (isForGap) this.auditGap();
    this.#parts.log.info({}, 'the audit is put off: the chain went back');
  }

  /** Runs an audit when one is due and none is running. Never rejects. */
  async auditIfDue(): Promise<void> {
    if (this.#running !== null || !this.#isDue()) return;
    const running = this.#beginAudit();
    let waitMs = this.#parts.auditIntervalMs;
    try {
      const { users, ...repairs } = await this.#runAudit(running.signal);
      this.#recordSuccess(repairs);
      const missedMax = Math.max(AUDIT_DIFFERENCES_MAX, users / AUDIT_DIFFERENCES_ONE_IN);
      if (repairs.missed > missedMax) this.#connection.onLoss(repairs.missed);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#recordFailure(error);
      waitMs = this.#backoff.next();
      if (this.#isForGap) this.#retryGapAudit();
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#scheduleAudit(waitMs);
  }

  /**
   * Returns whether an audit is due. A gap may have just ended: the book is then not live before a
   * probe agrees with it.
   */
  #isDue(): boolean {
    const { timers, turns } = this.#parts;
    const nowMs = timers.nowMs();
    return nowMs >= this.#gapDueAtMs || (nowMs >= this.#dueAtMs && turns.state === 'live');
  }

  #beginAudit(): AbortController {
    const running = new AbortController();
    this.#running = running;
    this.#isForGap = this.#gapDueAtMs < Number.POSITIVE_INFINITY;
    this.#gapDueAtMs = Number.POSITIVE_INFINITY;
    this.#beganAtMs = this.#parts.timers.nowMs();
    return running;
  }

  /** Schedules the retry of an audit for a gap; a gap that ended meanwhile makes it earlier. */
  #retryGapAudit(): void {
    const atMs = this.#parts.timers.nowMs() + this.#gapBackoff.next();
    this.#gapDueAtMs = Math.min(this.#gapDueAtMs, atMs);
  }

  #scheduleAudit(waitMs: number): void {
    const { auditIntervalMs, timers } = this.#parts;
    if (auditIntervalMs > 0) this.#dueAtMs = timers.nowMs() + waitMs;
  }

  #recordSuccess({ differences, removals }: Repairs): void {
    const { counters, memory, log, timers } = this.#parts;
    this.#backoff.reset();
    this.#gapBackoff.reset();
    this.#interruptions = 0;
    counters.audits += 1;
    counters.auditDifferences += differences;
    counters.auditRemovals += removals;
    memory.lastAudit = { ts: timers.unixMs(), ok: true, differences };
    if (differences > 0) log.warn({ differences, removals }, 'the audit repaired accounts');
    else if (removals > 0) log.info({ removals }, 'the audit took closed and idle accounts out');
  }

  #recordFailure(error: unknown): void {
    const { counters, memory, log, timers } = this.#parts;
    counters.auditFailures += 1;
    memory.lastAudit = { ts: timers.unixMs(), ok: false, differences: 0 };
    log.warn({ err: error }, 'the audit failed');
  }

  async #runAudit(signal: AbortSignal): Promise<Repairs & { readonly users: number }> {
    const parts = this.#parts;
    const options = { ...this.#connection.newReadOptions(signal), isBackground: true };
    const markets = await readMarkets(parts, options);
    const batches = await readClockAndOracles(parts, this.#connection.oracleKeys(), options);
    const users = await readUsers(parts, options, AUDIT_PATIENCE);
    const { updates: singles, leftOut } = await readBrokenUsers(parts, users, options);
    if (leftOut.length > 0) throw leftOutError(leftOut);
    const slots = batches.map(({ slot }) => slot);
    const slot = Math.max(markets.slotMax, users.slot, ...slots) + AUDIT_SLOTS_AFTER;
    await waitForSlot(parts, () => this.#connection.newestSlot(), { slot, signal });
    const oracles = batches.flatMap(({ updates }) => updates);
    const others = this.#applyMarketsAndOracles(markets, oracles);
    // Their slots are not before the scan's, so that its end does not remove them.
    for (const update of singles) applyUpdate(parts, update);
    const { added, changed, removed } = await applyUsers(parts, users, signal);
    return {
      users: users.count,
      differences: others.differences + added + changed,
      removals: others.removals + removed,
      missed: others.missed + added + changed,
    };
  }

  /**
   * Applies read markets, State and oracles that are newer than the last notification. The engine
   * applies these accounts without comparing slots, so older states are filtered out before.
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

/** A scan that lacks a user would remove it from the book. */
function leftOutError(keys: readonly string[]): FeedError {
  const message = `no node gives ${keys.length} users whole, the first is ${keys[0]}`;
  return new FeedError('MALFORMED_ACCOUNTS_ANSWER', message);
}
