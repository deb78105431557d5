import type { AccountProblem } from '../../contract/accounts.js';
import type { LoggedWrites } from '../../contract/logged-writes.js';
import { Backoff } from '../../rpc/backoff.js';
import { sleep } from '../../rpc/timers.js';
import type { AccountUpdate, AnnouncedSlot } from '../model/account-update.js';
import {
  FeedError,
  isChainClockError,
  isOtherChain,
  isRefusedContent,
  throwIfStopped,
} from '../model/error.js';
import {
  BOOTSTRAP_BACKOFF_CAP_MS,
  BOOTSTRAP_BACKOFF_FIRST_MS,
  BROKEN_KEYS_MAX,
  READ_SLOTS_AFTER,
  RESYNC_BACKOFF_CAP_MS,
  RESYNC_BACKOFF_FIRST_MS,
} from '../model/limits.js';
import { Absences } from './absences.js';
import { applyUpdate, isNewToBook, letGo } from './account-changes.js';
import { Auditor } from './auditor.js';
import { ChainCheck } from './chain-check.js';
import { takeFirstTime } from './chain-time.js';
import { ClockPoller } from './clock-poller.js';
import { isQuarantineExceeded, requireFewQuarantined } from './completeness.js';
import { GenesisCheck } from './genesis-check.js';
import { LogWitness } from './log-witness.js';
import type { FeedParts, NewestSlot } from './parts.js';
import { Probe } from './probe.js';
import { ReplayBuffer, readEverything, replayUpdates } from './rebuild.js';
import type { SessionListener } from './session-listener.js';
import { LastNotifiedSlots, waitForFirstSlot, waitForSlot } from './slot-tracking.js';
import { type ReadOptions, readClockAndOracles } from './snapshots.js';
import { OracleSubscriptions } from './subscriptions.js';
import { requireLikelySlot } from './takeover-check.js';

/** `waiting` drops updates: a full snapshot follows. */
type FeedPhase = 'waiting' | 'snapshot' | 'live';

/**
 * One connection, from its subscriptions through the full snapshot to the live stream. It ends with
 * its connection; the next session starts from the beginning, because changes in between are
 * unknown.
 */
export class FeedSession {
  readonly #parts: FeedParts;
  readonly #listener: SessionListener;
  readonly #stop = new AbortController();
  readonly #oracles: OracleSubscriptions;
  readonly #buffer: ReplayBuffer;
  readonly #auditor: Auditor;
  readonly #probe: Probe;
  readonly #absences: Absences;
  readonly #witness: LogWitness;
  readonly #clockPoller: ClockPoller;
  readonly #chain: ChainCheck;
  readonly #genesis: GenesisCheck;
  readonly #resyncs: Backoff;
  readonly #notifiedSlots = new LastNotifiedSlots();
  /** The chain's position before this connection. */
  readonly #newestBefore: NewestSlot;
  #phase: FeedPhase = 'waiting';
  #failure: FeedError | null = null;
  #liveAtMs = Number.NEGATIVE_INFINITY;
  /** Whether a gap in the slots ended during the reading, which may be older than that end. */
  #gapEnded = false;
  #followAgain = false;
  #followRunning = false;

  constructor(parts: FeedParts, listener: SessionListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#newestBefore = parts.memory.newest;
    this.#oracles = new OracleSubscriptions(parts);
    this.#buffer = new ReplayBuffer(parts.replayUpdatesMax);
    this.#chain = new ChainCheck(parts);
    this.#genesis = new GenesisCheck(parts);
    this.#auditor = new Auditor(parts, {
      newestSlot: () => this.#chain.announced,
      isNewer: (state) => this.#notifiedSlots.isNewer(state),
      oracleKeys: () => this.#oracles.followedKeys(),
      newReadOptions: (signal) => this.#newReadOptions(signal),
      onLoss: (count) => this.#handleLoss(`an audit found ${count} accounts that had changed`),
    });
    this.#absences = new Absences(parts, {
      newestSlot: () => this.#chain.announced,
      onGone: (keys, slot) => this.#letGo(keys, slot),
      onContradiction: (key) => this.#handleLoss(`no read has ${key}, which was notified again`),
    });
    this.#witness = new LogWitness(parts, this.#absences, {
      newestSlot: () => this.#chain.announced,
      admitsSlot: (slot) => this.#chain.admitsSlot(slot),
      notifiedSlot: (key) => this.#notifiedSlots.slotOf(key),
      repairAccounts: (accounts) => this.#repairAccounts(accounts),
    });
    this.#probe = new Probe(parts, this.#absences, {
      newestSlot: () => this.#chain.announced,
      mayBeOfFork: (key) => this.#chain.mayBeAbandoned(this.#notifiedSlots.slotOf(key)),
      admitsSlot: (slot) => this.#chain.admitsSlot(slot),
      oracleKeys: () => this.#oracles.followedKeys(),
      repairUsers: (users) => this.#repairAccounts(users),
      onLoss: ([first = '', ...others]) => {
        const among = others.length === 0 ? '' : ` and ${others.length} others`;
        this.#handleLoss(`a read found that ${first}${among} had changed`);
      },
      onUnproven: () => this.#listener.onGap('no read has agreed since messages may be missing'),
      onRefused: (keys) => this.#witness.readElsewhere(keys),
    });
    this.#clockPoller = new ClockPoller(parts, () =>
      this.#readOracles(this.#oracles.followedKeys()),
    );
    this.#resyncs = new Backoff({
      firstMs: RESYNC_BACKOFF_FIRST_MS,
      capMs: RESYNC_BACKOFF_CAP_MS,
      random: parts.random,
    });
  }

  get isLive(): boolean {
    return this.#phase === 'live';
  }

  /** Subscribes and reads until the book is live. Rejects when a subscription fails. */
  async runUntilLive(): Promise<void> {
    await this.#subscribeAll();
    await this.#rebuildUntilLive();
  }

  /** Closes the session after its connection ended: it sends nothing more to the engine. */
  close(): void {
    this.#stopWatching();
    this.#stop.abort();
  }

  /** Reads all accounts again when too many are malformed; the book is not live until few are. */
  async resyncIfQuarantined(): Promise<void> {
    if (this.#phase !== 'live' || !isQuarantineExceeded(this.#parts)) return;
    await this.resyncBook('too many accounts are malformed');
  }

  /**
   * These accounts did not arrive whole: they are read by themselves. With an unknown one, or more
   * than are named, all accounts are read again.
   */
  async readBroken(problems: readonly AccountProblem[]): Promise<void> {
    const keys = problems.flatMap(({ pubkey }) => pubkey ?? []);
    if (keys.length < problems.length || keys.length >= BROKEN_KEYS_MAX) return this.resyncBook();
    for (const key of keys) {
      const slot = this.#notifiedSlots.slotOf(key) ?? this.#chain.announced;
      this.#notifiedSlots.forget(key);
      this.#witness.readNow(key, slot);
    }
  }

  /** A notification may be missing: reads all accounts again, with growing delays. */
  async resyncBook(reason = 'a message was unreadable'): Promise<void> {
    if (this.#phase !== 'live') {
      const message = 'a message was unreadable while the accounts were read';
      this.#failure ??= new FeedError('NOTIFICATION_GAP', message);
      return;
    }
    this.#parts.counters.resyncs += 1;
    this.#stopWatching();
    this.#listener.onRebuilding(reason);
    const sinceMs = this.#parts.timers.nowMs() - this.#liveAtMs;
    if (sinceMs >= RESYNC_BACKOFF_CAP_MS) this.#resyncs.reset();
    await this.#sleepFor(Math.max(0, this.#resyncs.next() - sinceMs));
    await this.#rebuildUntilLive();
  }

  /** Call this after a turn that changed markets, because their oracles may have changed. */
  async followOracles(): Promise<void> {
    this.#followAgain = true;
    if (this.#followRunning || this.#phase !== 'live') return;
    this.#followRunning = true;
    try {
      while (this.#followAgain && this.#phase === 'live') {
        this.#followAgain = false;
        const added = await this.#oracles.followMarkets();
        if (added.length > 0) await this.#readOracles(added);
      }
    } finally {
      this.#followRunning = false;
    }
  }

  /** Reads the Clock, together with the oracles, while the Clock's subscription is silent. */
  pollClock(): Promise<void> {
    return this.#clockPoller.pollIfDue(this.#stop.signal);
  }

  /**
   * Asks the node for its slot again after implausible slots, and for its chain and the other nodes
   * when due. Rejects when the slot is implausible, or the chain is another one.
   */
  async checkChain(): Promise<void> {
    const { signal } = this.#stop;
    await Promise.all([
      this.#chain.checkIfWanted(signal),
      this.#chain.checkPace(signal),
      this.#genesis.checkIfDue(signal),
    ]);
  }

  auditIfDue(): Promise<void> {
    return this.#auditor.auditIfDue();
  }

  /** Transactions are confirmed that wrote these accounts. */
  recordLogged(writes: readonly LoggedWrites[]): void {
    for (const one of writes) this.#witness.recordLogged(one);
  }

  /** Probes the subscriptions when due, and reads accounts that may be missing or not notified. */
  async probeIfDue(): Promise<void> {
    await Promise.all([
      this.#probe.probeIfDue(),
      this.#absences.readIfDue(),
      this.#witness.readIfDue(),
    ]);
  }

  /** Why a complete book may be wrong although slots come; null when it is not. */
  get dispute(): string | null {
    if (this.#chain.isNotifiedAhead)
      return 'an account was notified of a slot ahead of the announced slots';
    const { unproven } = this.#absences;
    return unproven === null ? null : `no read has ${unproven}, which was notified again`;
  }

  /** Whether messages of a gap may be lost and no read has verified the book yet. */
  get isInDoubt(): boolean {
    return this.#probe.isInDoubt;
  }

  /**
   * Puts the book in doubt, because slots resume after a long gap: it lags until a probe agrees
   * with it, and an audit reads all other accounts. During a full reading the gap is remembered
   * until the book would be live.
   */
  doubtBook(): void {
    this.#gapEnded = true;
    if (this.#phase !== 'live') return;
    this.#gapEnded = false;
    this.#probe.doubtBook();
    this.#auditor.auditGap();
  }

  /** Stops the checks of a complete book: the book lacks updates until it is read again. */
  #stopWatching(): void {
    this.#phase = 'waiting';
    this.#auditor.stop();
    this.#probe.stop();
    this.#absences.stop();
    this.#witness.stop();
  }

  /** Handles the loss of an unknown number of updates: only a new connection can be trusted. */
  #handleLoss(finding: string): void {
    if (this.#phase !== 'live') return;
    this.#parts.counters.losses += 1;
    this.close();
    this.#listener.onLoss(`the node lost notifications: ${finding}`);
  }

  #subscribeAll(): Promise<void> {
    return this.#parts.updates.subscribeAll({
      onSlot: (notified) => this.#handleSlot(notified),
      onUpdate: (update) => this.#handleUpdate(update),
      onLost: () =>
        this.#listener.onGap('a dead slot took back writes whose earlier state is unknown'),
    });
  }

  #handleSlot(notified: AnnouncedSlot | null): void {
    if (notified === null || this.#stop.signal.aborted) return;
    const wasAhead = this.#chain.isNotifiedAhead;
    if (!this.#chain.announceSlot(notified)) return;
    this.#listener.onSlot();
    if (wasAhead && !this.#chain.isNotifiedAhead) this.doubtBook();
    if (this.#phase === 'live') this.#parts.turns.requestTurn();
  }

  #handleUpdate(update: AccountUpdate | null): void {
    if (this.#stop.signal.aborted) return;
    this.#parts.counters.notifications += 1;
    if (update !== null && !this.#chain.admitsUpdate(update)) {
      // The Clock is read instead; of other accounts a state may now be missing.
      if (update.kind !== 'clock') this.#handleUnreadable();
      return;
    }
    if (update?.kind === 'clock') this.#clockPoller.recordNotification();
    // After a revert, running readings may belong to the abandoned fork.
    if (update !== null && this.#notifiedSlots.recordNotification(update))
      this.#auditor.postponeAudit();
    if (update?.kind === 'user') this.#parts.memory.recentUsers.addKey(update.pubkey);
    if (update === null) this.#handleUnreadable();
    else if (this.#phase === 'live') this.#applyUpdate(update);
    else if (this.#phase === 'snapshot') this.#bufferUpdate(update);
  }

  /** Handles an unreadable notification: the book lacks the update of an unknown account. */
  #handleUnreadable(): void {
    this.#parts.counters.malformedNotifications += 1;
    this.#listener.onGap('a message was unreadable');
  }

  #applyUpdate(update: AccountUpdate): void {
    this.#applyNotified(update);
    this.#parts.turns.requestTurn();
  }

  /** Applies a notification; a reading must confirm an account that is new to the book. */
  #applyNotified(update: AccountUpdate): void {
    const { pubkey, slot, closed } = update;
    if (!closed && isNewToBook(this.#parts, update)) this.#absences.addAccount(pubkey, slot);
    applyUpdate(this.#parts, update);
  }

  /** Buffers an update. On overflow the running snapshot fails, and the buffer is emptied. */
  #bufferUpdate(update: AccountUpdate): void {
    try {
      this.#buffer.addUpdate(update);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.#failure ??= error;
      this.#buffer.takeUpdates();
    }
  }

  async #rebuildUntilLive(): Promise<void> {
    const backoff = new Backoff({
      firstMs: BOOTSTRAP_BACKOFF_FIRST_MS,
      capMs: BOOTSTRAP_BACKOFF_CAP_MS,
      random: this.#parts.random,
    });
    for (let tried = await this.#tryRebuild(); tried !== 'live'; tried = await this.#tryRebuild()) {
      // A complete but wrong reading may persist, and each retry costs a scan, so the delays grow.
      await this.#sleepFor(tried === 'refused' ? this.#resyncs.next() : backoff.next());
    }
  }

  async #tryRebuild(): Promise<'live' | 'failed' | 'refused'> {
    this.#parts.counters.rebuilds += 1;
    this.#buffer.takeUpdates();
    this.#failure = null;
    this.#phase = 'snapshot';
    try {
      await this.#readAndReplay();
    } catch (error) {
      this.#phase = 'waiting';
      if (this.#stop.signal.aborted || isOtherChain(error) || isChainClockError(error)) throw error;
      this.#parts.counters.rebuildFailures += 1;
      // The reading may be of an implausible slot, so the next slot may be lower.
      this.#parts.clock.forgetSlot();
      this.#listener.onReadFailure(error);
      return isRefusedContent(error) ? 'refused' : 'failed';
    }
    this.#phase = 'live';
    this.#liveAtMs = this.#parts.timers.nowMs();
    this.#auditor.start();
    this.#probe.start();
    if (this.#gapEnded) this.doubtBook();
    this.#listener.onLive();
    return 'live';
  }

  /**
   * Whether this is the first book of this connection; later books compare with the connection's
   * own slots, because the previous node was left long ago.
   */
  get #isFirstBook(): boolean {
    return this.#liveAtMs === Number.NEGATIVE_INFINITY;
  }

  async #readAndReplay(): Promise<void> {
    const { signal } = this.#stop;
    await this.#genesis.beginChain((genesis) => this.#listener.onGenesis(genesis), signal);
    await this.#chain.begin(signal);
    throwIfStopped(signal);
    await takeFirstTime(this.#parts, signal);
    throwIfStopped(signal);
    if (this.#isFirstBook) await requireLikelySlot(this.#parts, this.#newestBefore, signal);
    throwIfStopped(signal);
    if (!this.#buffer.everyUpdate((update) => this.#chain.admitsUpdate(update)))
      throw new FeedError(
        'NOTIFICATION_GAP',
        'an account was notified as of a slot that the chain cannot have reached',
      );
    // Outdated snapshots can be recognised only after the first slot, because a node may lag behind
    // its own socket.
    await waitForFirstSlot(this.#parts, () => this.#chain.announced, signal);
    this.#gapEnded = false;
    const slots = await readEverything(this.#parts, this.#oracles, () => this.#newReadOptions());
    this.#chain.recordSlot(slots.slotMax);
    await this.#waitForSlot(slots.slotMax);
    this.#absences.stop();
    const apply = (update: AccountUpdate): void => this.#applyNotified(update);
    await replayUpdates(this.#parts, this.#buffer, { slots, signal, apply });
    if (this.#failure !== null) throw this.#failure;
    this.#parts.turns.runRequested();
    requireFewQuarantined(this.#parts);
    for (const key of slots.usersLeftOut) this.#witness.readNow(key, slots.slotMax);
  }

  /**
   * Returns the options of a read that begins now. A slot is announced at its start, so the last
   * processed slot is the previous one. Before any announcement the first slot counts, which
   * follows the subscriptions.
   */
  #newReadOptions(signal = this.#stop.signal): ReadOptions {
    const chain = this.#chain;
    const from = chain.announced;
    const slotMin = (): number => Math.max(0, (from > 0 ? from : chain.announcedFirst) - 1);
    return { slotMin, chain, signal };
  }

  /** Waits until a socket that notifies slots has notified the state of a snapshot's slot. */
  async #waitForSlot(slotRead: number): Promise<void> {
    const wanted = { slot: slotRead + READ_SLOTS_AFTER, signal: this.#stop.signal };
    const announced = (): number => this.#chain.announced;
    if (announced() > 0) await waitForSlot(this.#parts, announced, wanted);
  }

  async #readOracles(keys: readonly string[]): Promise<void> {
    const liveAtMs = this.#liveAtMs;
    const revertCount = this.#notifiedSlots.revertCount;
    const isCurrent = (): boolean => this.#phase === 'live' && this.#liveAtMs === liveAtMs;
    const options = { ...this.#newReadOptions(), isBackground: true };
    const batches = await readClockAndOracles(this.#parts, keys, options);
    const updates = batches.flatMap((batch) => batch.updates);
    const isClock = ({ kind }: AccountUpdate): boolean => kind === 'clock';
    if (isCurrent()) for (const update of updates.filter(isClock)) this.#applyUpdate(update);
    // While the socket lags, the book would combine the new prices with older orders.
    await this.#waitForSlot(Math.max(...batches.map(({ slot }) => slot)));
    if (!isCurrent()) return;
    for (const update of updates) {
      const mayBeReverted =
        revertCount !== this.#notifiedSlots.revertCount &&
        this.#notifiedSlots.hasSlot(update.pubkey);
      if (isClock(update) || mayBeReverted || !this.#notifiedSlots.isNewer(update)) continue;
      this.#notifiedSlots.recordApplied(update);
      this.#applyUpdate(update);
    }
  }

  /** Removes accounts that do not exist as of a slot, unless a later notification exists. */
  #letGo(keys: readonly string[], slot: number): void {
    const { counters, log, memory, turns } = this.#parts;
    const gone = keys.filter((pubkey) => this.#notifiedSlots.isNewer({ pubkey, slot }));
    for (const pubkey of gone) {
      letGo(this.#parts, pubkey, slot);
      this.#notifiedSlots.forget(pubkey);
      // The next probes detect wrong readings.
      memory.recentUsers.addKey(pubkey);
    }
    turns.requestTurn();
    counters.absences += gone.length;
    if (gone.length > 0)
      log.info({ keys: gone, slot }, 'accounts left the book: two readings lack them');
    if (memory.state === null) this.#listener.onGap('the State account of the program is gone');
  }

  /** Applies read accounts without newer notifications; returns the number of applied accounts. */
  #repairAccounts(accounts: readonly AccountUpdate[]): number {
    const newer = accounts.filter((account) => this.#notifiedSlots.isNewer(account));
    for (const account of newer) {
      this.#notifiedSlots.recordApplied(account);
      this.#applyUpdate(account);
    }
    return newer.length;
  }

  #sleepFor(delayMs: number): Promise<void> {
    return sleep(this.#parts.timers, delayMs, this.#stop.signal);
  }
}
