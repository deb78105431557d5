import { nextTurn, sleep } from '../rpc/timers.js';
import { FeedError } from './error.js';
import {
  AUDIT_SLOT_POLL_MS,
  AUDIT_SLOT_WAIT_MS,
  AUDIT_SLOTS_HEARD_AFTER,
  AUDIT_WAIT_INTERVALS_MAX,
} from './limits.js';
import type { FeedParts } from './parts.js';
import { type ReadingWish, readUsers } from './readings.js';
import {
  type AccountState,
  applyMarkets,
  applyUsers,
  type MarketReadings,
  readMarkets,
} from './rebuild.js';

/** What an audit has to know of the connection it judges. */
export interface AuditedConnection {
  /** The newest slot announced on the socket; 0 before the first. */
  slot(): number;
  /** Whether the reading has a later state of a market or State account than the socket told. */
  isNews(state: AccountState): boolean;
  /** A reading from now on, wanted until the signal aborts. */
  wish(signal: AbortSignal): ReadingWish;
}

/**
 * Reads everything again now and then while the book is live, repairs what differs and counts it.
 * This is the only way to notice an account that was closed: one that no longer matches its
 * subscription is not notified. The count is 0 otherwise, when nothing was missed.
 *
 * An audit never takes the book out of `live`, and never throws: one that fails is counted, and the
 * wait for the next one grows, because the scan it asks for is heavy.
 */
export class Auditor {
  readonly #parts: FeedParts;
  readonly #connection: AuditedConnection;
  #running: AbortController | null = null;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #waitIntervals = 1;

  constructor(parts: FeedParts, connection: AuditedConnection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  /** The book was read just now: the first audit is due one interval later. */
  start(): void {
    this.#waitIntervals = 1;
    this.#plan();
  }

  /** The book is complete no more: an audit under way applies nothing further. */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#running?.abort();
    this.#running = null;
  }

  /** Audits when it is time and no audit runs. Never rejects. */
  async look(): Promise<void> {
    const { timers, turns, counters, log } = this.#parts;
    const due = timers.nowMs() >= this.#dueAtMs && turns.state === 'live';
    if (!due || this.#running !== null) return;
    const running = new AbortController();
    this.#running = running;
    try {
      await this.#audit(running.signal);
      counters.audits += 1;
      this.#waitIntervals = 1;
    } catch (error) {
      if (running.signal.aborted) return;
      counters.auditFailures += 1;
      this.#waitIntervals = Math.min(this.#waitIntervals * 2, AUDIT_WAIT_INTERVALS_MAX);
      log.warn({ err: error }, 'the audit failed');
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#plan();
  }

  #plan(): void {
    const { auditIntervalMs, timers } = this.#parts;
    if (auditIntervalMs === 0) return;
    this.#dueAtMs = timers.nowMs() + auditIntervalMs * this.#waitIntervals;
  }

  async #audit(signal: AbortSignal): Promise<void> {
    const parts = this.#parts;
    const wish = this.#connection.wish(signal);
    const markets = await readMarkets(parts, wish);
    const users = await readUsers(parts, wish);
    await this.#untilHeard(Math.max(markets.slotMax, users.slot), signal);
    this.#applyMarkets(markets);
    const { added, changed, removed } = await applyUsers(parts, users, signal);
    const differences = added + changed + removed;
    parts.counters.auditDifferences += differences;
    if (differences === 0) return;
    parts.log.warn({ added, changed, removed }, 'the audit repaired accounts');
  }

  /** Markets come by the door of the live stream, which does not look at slots. */
  #applyMarkets(markets: MarketReadings): void {
    applyMarkets(this.#parts, markets, (state) => this.#connection.isNews(state));
    this.#parts.turns.request();
  }

  /**
   * Waits until the socket has told what the reading holds. The two come by different ways, and a
   * change that is only still on its way is no difference.
   */
  async #untilHeard(slot: number, signal: AbortSignal): Promise<void> {
    const { timers } = this.#parts;
    const wanted = slot + AUDIT_SLOTS_HEARD_AFTER;
    const endMs = timers.nowMs() + AUDIT_SLOT_WAIT_MS;
    while (this.#connection.slot() < wanted) {
      if (timers.nowMs() >= endMs) throw notHeard(this.#connection.slot(), wanted);
      await sleep(timers, AUDIT_SLOT_POLL_MS, signal);
    }
    // What was announced in this turn of the loop may still be followed by its accounts.
    await nextTurn();
    signal.throwIfAborted();
  }
}

function notHeard(slot: number, wanted: number): FeedError {
  const message = `slot of the socket was ${slot}, must reach ${wanted} within ${AUDIT_SLOT_WAIT_MS} ms`;
  return new FeedError('SNAPSHOT_SLOT_OUT_OF_RANGE', message, { slot, wanted });
}
