import type { AccountSnapshot } from '../../contract/accounts.js';
import { SLOT_MS } from '../../contract/program.js';
import type { AccountUpdate } from '../model/account-update.js';
import { PROBE_MS_MAX, PROBE_REPAIRS_MAX, PROBE_REPAIRS_MS } from '../model/limits.js';
import { packedAccountsParams } from '../model/queries.js';
import type { Absences } from './absences.js';
import { type AccountReading, readAccounts, updatesOf } from './account-reading.js';
import { Doubt } from './doubt.js';
import type { FeedParts } from './parts.js';
import { ProbedKeys, probesPerInterval } from './probed-keys.js';
import { Suspects } from './suspects.js';

/** The connection's interface for probes. */
interface ProbedConnection {
  /** The newest announced slot; 0 before the first. */
  newestSlot(): number;
  /** Whether this account's last notification may belong to an abandoned fork. */
  mayBeOfFork(pubkey: string): boolean;
  /** Whether the slot is plausible for the node. */
  admitsSlot(slot: number): boolean;
  oracleKeys(): readonly string[];
  /** Applies these users unless newer notifications exist; returns the number of applied users. */
  repairUsers(users: readonly AccountUpdate[]): number;
  /** These accounts changed without a notification. */
  onLoss(pubkeys: readonly string[]): void;
  /** Called when no read has agreed with a book in doubt for too long. */
  onUnproven(): void;
  /** The node refuses these accounts. */
  onRefused(pubkeys: readonly string[]): void;
}

/**
 * Reads a few accounts each second, or more often with many markets, while the book is live, and
 * compares them with the book: recently notified users, then users in turn, markets, State and
 * oracles in turn. A silent or lossy subscription of any kind is found within seconds; without
 * losses all accounts are equal.
 *
 * A difference is conclusive only when two reads of different slots found it, and the socket has
 * passed the slot of the first read by some slots: HTTP and the socket may be different machines,
 * either may lag, and a fork may be abandoned. A state of the last notification's slot or earlier
 * is inconclusive, and so is a failed read.
 *
 * Without failed reads, an order of a live book with a lost message of a market, State or oracle is
 * wrong for less than two seconds: the first read starts after 1.1 s at most (the interval, and
 * 100 ms between checks), and the book is in doubt a slot later. The socket passes the read another
 * slot later, and the next check reads again. If slots are lost as well, the next slot comes up to
 * 2.5 s after the last one; after that the book is not live.
 *
 * Slots that resume after a long gap do not tell whether messages were lost. The book stays in
 * doubt until a later read agrees with it, including messages in flight.
 *
 * A probe that finds differences concludes that messages are lost, except for a few users last
 * notified in a recently abandoned fork: nodes send no notification of their revert. These users
 * are repaired, and the book stays live.
 */
export class Probe {
  readonly #parts: FeedParts;
  readonly #absences: Absences;
  readonly #connection: ProbedConnection;
  #running: AbortController | null = null;
  readonly #suspects: Suspects;
  readonly #keys: ProbedKeys;
  /** The slot of the socket up to which suspects were compared. */
  #comparedAtSlot = 0;
  readonly #doubt = new Doubt();
  /** The times at which users were repaired within the last {@link PROBE_REPAIRS_MS}. */
  #repairedAtMs: readonly number[] = [];
  #dueAtMs = Number.POSITIVE_INFINITY;
  #isWaiting = false;

  constructor(parts: FeedParts, absences: Absences, connection: ProbedConnection) {
    this.#parts = parts;
    this.#absences = absences;
    this.#connection = connection;
    this.#suspects = new Suspects(parts.engine);
    this.#keys = new ProbedKeys(parts, () => connection.oracleKeys());
  }

  /**
   * Starts probing, with an immediate probe, because the book was just read and may have missed
   * notifications meanwhile.
   */
  start(): void {
    this.stop();
    this.#readSoon();
  }

  /** Whether messages may be lost and no read has verified the book yet. */
  get isInDoubt(): boolean {
    return this.#doubt.isOpen;
  }

  /**
   * Puts the book in doubt, because slots resume after a long gap. Without probes a doubt could
   * never end, so there is none.
   */
  doubtBook(): void {
    const { probeIntervalMs, timers } = this.#parts;
    if (probeIntervalMs === 0) return;
    this.#abortRead();
    // A slot is announced at its start, so the loss was in the previous slot at the latest.
    this.#doubt.open(this.#connection.newestSlot() - 1, timers.nowMs());
    this.#readSoon();
  }

  /** Stops probing, because the book is no longer complete; running reads are discarded. */
  stop(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    this.#suspects.clear();
    this.#doubt.end();
    this.#abortRead();
  }

  /** Probes when a probe is due and none is running. Never rejects. */
  async probeIfDue(): Promise<void> {
    if (this.#isWaiting) return;
    if (this.isInDoubt || this.#hasUnnotified() || this.#hasOnePassed()) await this.#waitForBook();
    this.#doubtUnnotified();
    this.#endDoubt();
    if (this.#running === null && this.#isDue()) await this.#runProbe();
  }

  async #runProbe(): Promise<void> {
    const { timers, counters, transientErrors } = this.#parts;
    const running = new AbortController();
    this.#running = running;
    const startedAtMs = timers.nowMs();
    try {
      // Suspects come first, so that each read decides about the findings of the previous read.
      const keys = this.#keys.nextKeys(this.#suspects.keys());
      const reading = await this.#readAccounts(keys, running.signal);
      if (running.signal.aborted) return;
      counters.probes += 1;
      this.#connection.onRefused(keys.filter((key) => !reading.keys.includes(key)));
      if (this.#isOfChain(reading.snapshot)) await this.#compareReading(reading, running.signal);
    } catch (error) {
      if (running.signal.aborted) return;
      counters.probeFailures += 1;
      transientErrors.logWarning('accounts were not read for a probe', '', { err: error });
    }
    if (running.signal.aborted) return;
    this.#running = null;
    this.#scheduleProbe(startedAtMs - timers.nowMs());
  }

  #abortRead(): void {
    this.#running?.abort();
    this.#running = null;
  }

  #readSoon(): void {
    this.#scheduleProbe(-this.#parts.probeIntervalMs);
  }

  #isDue(): boolean {
    const { timers, turns } = this.#parts;
    if (turns.state !== 'live' && !this.isInDoubt) return false;
    return timers.nowMs() >= this.#dueAtMs || this.#canSettleNow();
  }

  /**
   * Returns whether the socket has just passed the first read of a suspect that still differs: the
   * next read then decides.
   */
  #canSettleNow(): boolean {
    if (!this.#hasOnePassed()) return false;
    const after = this.#comparedAtSlot;
    this.#suspects.forgetNotified();
    this.#comparedAtSlot = this.#connection.newestSlot();
    return this.#suspects.hasOnePassed({ after, until: this.#comparedAtSlot });
  }

  #hasOnePassed(): boolean {
    const slots = { after: this.#comparedAtSlot, until: this.#connection.newestSlot() };
    return this.#suspects.hasOnePassed(slots);
  }

  /** Waits until the book has all notifications, without rendering pending frames now. */
  async #waitForBook(): Promise<void> {
    this.#isWaiting = true;
    await this.#parts.turns.finishRequested();
    this.#isWaiting = false;
  }

  /**
   * Returns whether a market, State or oracle, which no log names, differed in a read before the
   * announced slot and was not notified for the time of a slot: nodes notify after they announce.
   */
  #hasUnnotified(): boolean {
    const [slot, sinceMs] = [this.#connection.newestSlot(), this.#parts.timers.nowMs() - SLOT_MS];
    return this.#keys.haveOther(this.#suspects.keysUntil(slot - 1, sinceMs));
  }

  /** Puts the book in doubt about such accounts. The engine must have all notifications. */
  #doubtUnnotified(): void {
    this.#suspects.forgetNotified();
    if (this.isInDoubt || !this.#hasUnnotified()) return;
    this.#doubt.open(this.#connection.newestSlot(), this.#parts.timers.nowMs());
  }

  /**
   * Ends the doubt when the book has everything that the verifying read found, or when there is no
   * such read.
   */
  #endDoubt(): void {
    if (!this.isInDoubt) return;
    const { slotRead } = this.#doubt;
    this.#suspects.forgetNotified();
    if (slotRead !== null && this.#suspects.keysUntil(slotRead).length === 0) this.#doubt.end();
    else if (this.#doubt.isOverdue(this.#parts.timers.nowMs())) this.#connection.onUnproven();
  }

  /** Schedules the next probe, `extraMs` after the usual interval. */
  #scheduleProbe(extraMs: number): void {
    const { probeIntervalMs, timers } = this.#parts;
    if (probeIntervalMs === 0) return;
    const spacingMs = probeIntervalMs / probesPerInterval(this.#keys.otherKeys().length);
    this.#dueAtMs = timers.nowMs() + Math.max(0, spacingMs + extraMs);
  }

  #readAccounts(keys: readonly string[], signal: AbortSignal): Promise<AccountReading> {
    const query = { node: this.#parts.rpc, keys, params: packedAccountsParams };
    return readAccounts(this.#parts, { ...query, limitMs: PROBE_MS_MAX, signal });
  }

  /**
   * Returns whether a read belongs to the chain. A read older than the socket's slots is late; it
   * does not mean that the chain reverted.
   */
  #isOfChain({ slot }: AccountSnapshot): boolean {
    return slot <= this.#connection.newestSlot() || this.#connection.admitsSlot(slot);
  }

  async #compareReading(reading: AccountReading, signal: AbortSignal): Promise<void> {
    const { turns } = this.#parts;
    await turns.finishRequested();
    if (signal.aborted) return;
    this.#comparedAtSlot = this.#connection.newestSlot();
    this.#absences.recordReading(reading.snapshot);
    const missed = this.#suspects.compareReading(reading, this.#comparedAtSlot);
    if (missed.length > 0) await this.#handleMissed(missed, reading);
    if (signal.aborted) return;
    this.#doubt.recordRead(reading.snapshot.slot);
    this.#endDoubt();
  }

  /**
   * Repairs users whose missed notifications an abandoned fork explains; reports all others as
   * lost. Accounts that still differ after the repair are suspected until the next read.
   */
  async #handleMissed(missed: readonly string[], reading: AccountReading): Promise<void> {
    if (!this.#areOfFork(missed)) {
      this.#connection.onLoss(missed);
      return;
    }
    this.#repairUsers(missed);
    await this.#parts.turns.finishRequested();
    this.#suspects.suspectLacking(reading);
  }

  /**
   * Returns whether abandoned forks explain the differences: a few users, each last notified in an
   * abandoned fork.
   */
  #areOfFork(keys: readonly string[]): boolean {
    const nowMs = this.#parts.timers.nowMs();
    const sinceMs = nowMs - PROBE_REPAIRS_MS;
    this.#repairedAtMs = this.#repairedAtMs.filter((atMs) => atMs > sinceMs);
    const areFew = this.#repairedAtMs.length + keys.length <= PROBE_REPAIRS_MAX;
    const areUsers = !this.#keys.haveOther(keys);
    return areFew && areUsers && keys.every((key) => this.#connection.mayBeOfFork(key));
  }

  /**
   * Repairs users from their first readings: the socket has passed that slot, so nothing older
   * follows.
   */
  #repairUsers(keys: readonly string[]): void {
    const { counters, timers, log } = this.#parts;
    const wanted = [...this.#suspects.takeKeys(keys)].flatMap(([key, reading]) =>
      updatesOf(reading, this.#parts, new Set([key])),
    );
    const repaired = this.#connection.repairUsers(wanted);
    const atMs = timers.nowMs();
    this.#repairedAtMs = [...this.#repairedAtMs, ...wanted.map(() => atMs)];
    counters.probeRepairs += repaired;
    log.warn({ keys, repaired }, 'a probe repaired users after a fork');
  }
}
