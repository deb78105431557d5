import { Backoff } from '../../rpc/backoff.js';
import type { AccountUpdate } from '../model/account-update.js';
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
 *
 * A gap in the slots asks for an audit at once: a probe that agrees with the book has read a few accounts only. One that
 * begins after a gap has ended is for all gaps before it, and one that fails is tried again sooner than the others.
 */
export class Auditor {
  readonly #parts: FeedParts;
  readonly #connection: AuditedConnection;
  #running: AbortController | null = null;
  /** Whether the audit that began last was the first since the end of a gap. */
  #isForGap = false;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  /** When the audit that a gap asks for is due. */
  #gapDueAtMs = Number.POSITIVE_INFINITY;
  readonly #gapBackoff: Backoff;
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
    this.#gapBackoff = new Backoff({ firstMs: GAP_AUDIT_MS_MIN * 2, capMs, random });
  }

  /** The book was read just now: the first audit is due one interval later. */
  start(): void {
    this.#backoff.reset();
    this.#gapBackoff.reset();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
  }

  /** The book is complete no more: an audit under way applies nothing further. */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#gapDueAtMs = Number.POSITIVE_INFINITY;
    this.#running?.abort();
    this.#running = null;
  }

  /** A gap in the slots has ended: an audit is due, or soon where one has begun just before. Where audits are off there is none. */
  auditGap(): void {
    const { auditIntervalMs, timers } = this.#parts;
    if (auditIntervalMs === 0) return;
    this.#gapDueAtMs = Math.max(timers.nowMs(), this.#beganAtMs + GAP_AUDIT_MS_MIN);
  }

  /** The chain went back: what was read before may be of the fork that is gone. */
  postponeAudit(): void {
    if (this.#running === null || this.#interruptions >= AUDIT_INTERRUPTIONS_MAX) return;
    this.#interruptions += 1;
    const isForGap = this.#isForGap || this.#gapDueAtMs < Number.POSITIVE_INFINITY;
    this.stop();
    this.#scheduleAudit(this.#parts.auditIntervalMs);
    if (isForGap) this.auditGap();
    this.#parts.log.info({}, 'the audit is put off: the chain went back');
  }

  /** Audits when it is time and no audit runs. Never rejects. */
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

  /** A gap may have ended just now, and the book is not live before a probe agrees with it. */
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

  /** A gap that ended meanwhile asks for an earlier one. */
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
