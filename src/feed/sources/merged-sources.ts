import type { SourceStatus } from '../../contract/feed-status.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { RpcError } from '../../rpc/error.js';
import { type Log, silentLog } from '../../rpc/log.js';
import type { NodeConnection } from '../../rpc/node-pool.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import type { AccountUpdate } from '../model/account-update.js';
import type {
  FeedSource,
  SourceSlot,
  SourceUpdate,
  UpdateHandlers,
  UpdateStream,
} from '../model/feed-source.js';
import {
  AHEAD_MS_MAX,
  AHEAD_SLOTS_MAX,
  AHEAD_SLOTS_REFUTED,
  DISTRUSTED_ALONE_MS,
  LEDGER_SLOTS_MAX,
  SILENT_MS_MAX,
  SLOTS_FAR,
  SOURCES_DOWN_MS_MAX,
} from './limits.js';
import { Member, type Standing } from './member.js';
import { SourceJudge } from './source-judge.js';
import type { Witness } from './witnesses.js';
import { WriteLedger } from './write-ledger.js';

/** The dependencies of merged sources, some of them for tests only. */
interface MergedSourcesOptions {
  readonly sources: readonly FeedSource[];
  /** Nodes that read disputed accounts. */
  readonly witnesses?: readonly Witness[];
  readonly timers: Timers;
  readonly random?: () => number;
  readonly log?: Log;
}

/**
 * Merges several sources into one connection: the newest write wins, whichever source reports it
 * first. The connection is open while a trusted, complete source is open. A source that joins later
 * is complete once another source's slot has passed its first slot. A source that the chain refutes
 * is distrusted: it is only compared until it agrees again.
 */
export class MergedSources implements UpdateStream {
  /**
   * The merge's connection to a node; another node can replace it without a restart of the streams.
   */
  readonly connection: NodeConnection = {
    start: (listener) => this.#startConnection(listener),
    stop: () => this.#leaveConnection(),
    dropConnection: (reason) => this.#dropConnection(reason),
    resetBackoff: () => undefined,
  };
  readonly #members: readonly Member[];
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #ledger: WriteLedger;
  readonly #judge: SourceJudge;
  #listener: RpcSocketListener | null = null;
  #handlers: UpdateHandlers | null = null;
  #isStarted = false;
  #isOpen = false;
  /** The newest announced slot. */
  #announced = 0;
  #giveUp: Timer | null = null;
  #reopen: Timer | null = null;

  constructor(options: MergedSourcesOptions) {
    const { sources, witnesses = [], timers, random = Math.random } = options;
    const members = sources.map((source, index) => new Member(source, index));
    this.#members = members;
    this.#timers = timers;
    this.#log = options.log ?? silentLog;
    const ledger = new WriteLedger(members, {
      onState: (update) => this.#handlers?.onUpdate(update),
      onNews: (writes) => this.#judge.addWrites(writes),
    });
    this.#ledger = ledger;
    this.#judge = new SourceJudge({
      members,
      witnesses,
      timers,
      random,
      ledger,
      onRead: (update) => ledger.recordReading(update),
      onWrong: (member, reason) => this.#distrustMember(member, reason),
      onTrusted: (member) => this.#trustMember(member),
      onSlot: () => this.#reviewMembers(),
    });
  }

  /** The reason why the book is disputed; null when it is not. */
  get dispute(): string | null {
    return this.#handlers === null ? null : this.#judge.reason;
  }

  /**
   * Returns the status of each source, in order. Delays are relative to the sources that keep the
   * book.
   */
  readStatus(): readonly SourceStatus[] {
    const keeping = this.#keeping;
    const counted = keeping.length === 0 ? this.#members : keeping;
    const newest = Math.max(...counted.map(({ slot }) => slot));
    return this.#members.map((member) => member.readStatus(newest));
  }

  stop(): void {
    this.#leaveConnection();
    this.#isStarted = false;
    this.#reopen?.cancel();
    this.#reopen = null;
    for (const member of this.#members) {
      member.standing = 'closed';
      member.source.stop();
    }
  }

  #startConnection(listener: RpcSocketListener): void {
    this.#listener = listener;
    this.#openIfOne();
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const member of this.#members) {
      member.source.start({
        onOpened: () => this.#handleOpened(member),
        onInterrupted: () => this.#handleInterrupted(member),
        onResumed: () => this.#handleResumed(member),
        onClosed: (reason) => this.#handleClosed(member, reason),
        onMalformed: () => this.#handleMalformed(member),
        onSlot: (slot) => this.#handleSlot(member, slot),
        onUpdate: (update) => this.#handleUpdate(member, update),
      });
    }
  }

  #leaveConnection(): void {
    this.#listener = null;
    this.#endConnection();
  }

  #dropConnection(reason: string): void {
    this.#closeAll(reason);
    for (const { source } of this.#members) source.dropConnection(reason);
  }

  async subscribeAll(handlers: UpdateHandlers): Promise<void> {
    if (!this.#isOpen) throw new RpcError('RPC_SOCKET_CLOSED', 'no source is connected');
    this.#handlers = handlers;
    this.#announced = 0;
    // All open sources report completely from now on, while the book is read.
    const open = this.#members.filter(({ standing }) => standing === 'joining');
    for (const member of open) member.recordJoined(this.#timers.nowMs());
    // A source that lags may still report the states that were read; a source that is ahead may be
    // wrong.
    const slots = open.map(({ slot }) => slot).filter((slot) => slot > 0);
    this.#ledger.beginReading(slots.length === 0 ? 0 : Math.max(0, Math.min(...slots) - 1));
    this.#judge.forgetAll();
    this.#reviewMembers();
  }

  /**
   * Rejects when no source that keeps the book can follow the oracles; other failing sources
   * reconnect.
   */
  async followOracles(keys: readonly string[]): Promise<void> {
    this.#judge.excuseOracles();
    const followed = this.#members.map(async ({ source, isKeeping }) => {
      try {
        await source.followKeys(keys);
        return isKeeping;
      } catch (error) {
        source.dropConnection('oracles could not be followed');
        return isKeeping ? error : false;
      }
    });
    const outcomes = await Promise.all(followed);
    const failure = outcomes.find((outcome) => typeof outcome !== 'boolean');
    if (failure !== undefined && !outcomes.includes(true)) throw failure;
    this.#judge.excuseOracles();
  }

  /** Records that a reading of the chain found no such account; no source has reported that. */
  recordAbsence(closed: AccountUpdate): void {
    this.#ledger.recordReading(closed);
    this.#readLost();
  }

  get #keeping(): readonly Member[] {
    return this.#members.filter(({ isKeeping }) => isKeeping);
  }

  #handleOpened(member: Member): void {
    member.recordOpened();
    this.#openIfOne();
  }

  #openIfOne(): void {
    if (this.#isOpen || this.#listener === null) return;
    const open = this.#members.filter(({ standing }) => standing === 'joining');
    if (open.some(({ isTrusted }) => isTrusted)) {
      this.#isOpen = true;
      this.#listener.onOpened();
    } else if (open.length > 0)
      this.#reopen ??= this.#timers.after(DISTRUSTED_ALONE_MS, () => this.#trustWhoIsLeft());
  }

  /**
   * Trusts the remaining sources because no other source connected: the book is read again and
   * checked by probes.
   */
  #trustWhoIsLeft(): void {
    this.#reopen = null;
    if (this.#isOpen) return;
    for (const member of this.#members)
      if (member.standing === 'joining') this.#trustMember(member);
    this.#openIfOne();
  }

  /** Lets sources join, and applies the writes that now count. */
  #reviewMembers(): void {
    if (this.#handlers === null) return;
    const nowMs = this.#timers.nowMs();
    this.#rejoinSilent(nowMs);
    const newest = Math.max(0, ...this.#keeping.map(({ slot }) => slot));
    for (const member of this.#members) {
      if (member.standing === 'joining' && member.continuesAt(newest)) member.standing = 'joined';
      this.#weighReach(member, nowMs);
      if (!member.isKeeping) member.counts = false;
      else if (!member.counts) this.#ledger.trustSource(member);
    }
    this.#ledger.recordProgress(this.#announced - LEDGER_SLOTS_MAX);
    this.#readLost();
  }

  /** Rejoins a source without new slots when others have new slots: it may have missed updates. */
  #rejoinSilent(nowMs: number): void {
    const isSilent = ({ slotAtMs }: Member): boolean => nowMs - slotAtMs >= SILENT_MS_MAX;
    if (this.#keeping.every(isSilent)) return;
    for (const member of this.#members)
      if (member.standing === 'joined' && member.aheadSinceMs === null && isSilent(member))
        member.recordRejoined();
  }

  /**
   * Handles a source ahead of all others and of the chain: it does not keep the book, and is
   * distrusted after some time.
   */
  #weighReach(member: Member, nowMs: number): void {
    if (member.standing !== 'joined') return;
    const { reach, source } = member;
    const others = this.#keeping.filter((one) => one !== member && one.slot > 0);
    const { witnesses } = this.#judge;
    // A node cannot confirm its own slots.
    const own = source.kind === 'rpc' ? source.name : null;
    const read = witnesses.slotBy(nowMs, own);
    const newest = Math.max(read ?? 0, ...others.map((one) => one.slotBy(nowMs)));
    // A single source may be at any slot, unless it was already too far ahead before.
    const isAlone = others.length === 0 && member.aheadSinceMs === null;
    if (isAlone || reach <= newest + AHEAD_SLOTS_MAX) {
      member.aheadSinceMs = null;
      return;
    }
    // A reading reaches a true slot when the reading is late, and when the next slots are skipped.
    if (member.aheadSinceMs === null || witnesses.hasRead(member.aheadSlot, nowMs, own))
      member.recordAhead(nowMs);
    witnesses.readSlot();
    // The nodes' readings may be late.
    const isFar = read !== null && reach > read + AHEAD_SLOTS_REFUTED;
    if (isFar && nowMs - (member.aheadSinceMs ?? nowMs) >= AHEAD_MS_MAX)
      this.#distrustMember(member, `it notified of slot ${reach}, which is ahead of the chain`);
  }

  #handleInterrupted(member: Member): void {
    if (member.standing === 'joined') member.standing = 'interrupted';
    this.#reviewMembers();
    this.#closeIfNone();
  }

  #handleResumed(member: Member): void {
    // Joining took too long, and the old book was dropped, so the book is opened anew.
    if (!this.#isOpen) {
      this.#handleOpened(member);
      return;
    }
    if (member.standing === 'interrupted') member.standing = 'joined';
    // Versions restart, because the new connection may reach another server at the same address.
    member.epoch += 1;
    this.#reviewMembers();
    if (!member.isTrusted) return;
    this.#giveUp?.cancel();
    this.#giveUp = null;
  }

  #handleClosed(member: Member, reason: string): void {
    const wasOpen = member.standing !== 'closed';
    member.recordClosed(reason);
    this.#reviewMembers();
    if (wasOpen || !this.#isOpen) this.#closeIfNone(reason);
  }

  /**
   * Handles a malformed update: other sources may have reported it; with a single source, all
   * accounts must be read again.
   */
  #handleMalformed(member: Member): void {
    if (this.#keeping.every((one) => one === member)) this.#listener?.onMalformed();
    else member.source.dropConnection('a message was unreadable');
  }

  #distrustMember(member: Member, reason: string): void {
    if (!member.isTrusted) return;
    member.recordDistrusted(reason, this.#timers.nowMs());
    this.#log.warn({ source: member.name, reason }, 'a source is distrusted');
    this.#ledger.distrustSource(member);
    this.#reviewMembers();
    this.#closeIfNone('no source is trusted');
  }

  #trustMember(member: Member): void {
    if (member.isTrusted) return;
    member.recordTrusted();
    // Reports from the source's time of distrust stay ignored.
    if (member.isKeeping) member.counts = true;
    this.#reviewMembers();
    this.#log.info({ source: member.name }, 'a source is trusted again');
  }

  /**
   * Closes the connection when no source can complete the book: all accounts are then read again.
   * Until then a book without a keeping source gets stale.
   */
  #closeIfNone(reason = 'no source is connected'): void {
    const has = (standing: Standing): boolean =>
      this.#members.some((member) => member.isTrusted && member.standing === standing);
    if (has('joined') || (this.#handlers === null && has('joining'))) return;
    if (!has('interrupted')) this.#closeAll(reason);
    else this.#giveUp ??= this.#timers.after(SOURCES_DOWN_MS_MAX, () => this.#closeAll(reason));
  }

  #closeAll(reason: string): void {
    this.#endConnection();
    this.#listener?.onClosed(reason);
    this.#openIfOne();
  }

  /** Starts a new connection of the open sources, which reads all accounts. */
  #endConnection(): void {
    this.#giveUp?.cancel();
    this.#giveUp = null;
    this.#handlers = null;
    this.#isOpen = false;
    this.#judge.forgetAll();
    for (const member of this.#members) if (member.standing === 'joined') member.recordRejoined();
  }

  #handleSlot(member: Member, notified: SourceSlot): void {
    const { slot, parent, status } = notified;
    if (this.#isFar(slot)) return;
    const isNew = status === 'begun' || status === 'processed';
    const begins = status === 'begun' && slot > member.slot;
    if (isNew) this.#recordSlot(member, notified);
    if (this.#handlers === null) return;
    if (status === 'dead') this.#ledger.recordDead(member, slot);
    else if (isNew) this.#ledger.reviewSlots(member.chain.recordSlot(slot, parent));
    if (isNew) {
      this.#reviewMembers();
      const newest = Math.max(0, ...this.#keeping.map((one) => one.slot));
      if (member.isKeeping && newest > this.#announced && newest === slot) {
        // Writes of the first slot may precede the subscription, unless the slot begins after it.
        const isWhole = begins || this.#announced > 0;
        this.#announced = newest;
        if (isWhole) this.#handlers.onSlot({ slot, parent });
      }
      this.#judge.review(newest);
    }
    this.#readLost();
  }

  /** Returns whether the slot belongs to another chain, or to none. */
  #isFar(slot: number): boolean {
    return this.#announced > 0 && slot > this.#announced + SLOTS_FAR;
  }

  /** Records a slot; the slot of a source that is ahead only counts for its reach. */
  #recordSlot(member: Member, notified: SourceSlot): void {
    this.#recordReach(member, notified.slot);
    if (member.aheadSinceMs === null) member.recordSlot(notified, this.#timers.nowMs());
  }

  #recordReach(member: Member, slot: number): void {
    if (slot <= member.reach) return;
    member.reach = slot;
    this.#weighReach(member, this.#timers.nowMs());
    if (member.counts && !member.isKeeping) member.counts = false;
  }

  #handleUpdate(member: Member, update: SourceUpdate): void {
    if (this.#handlers === null) return;
    if (this.#isFar(update.slot)) return;
    this.#recordReach(member, update.slot);
    this.#ledger.recordWrite(member, update, this.#timers.nowMs());
  }

  /** Reads the chain for accounts that were rolled back to unknown states. */
  #readLost(): void {
    const lost = this.#ledger.takeLost();
    if (lost.length === 0 || this.#judge.openLost(lost)) return;
    this.#handlers?.onLost(lost.map(({ pubkey }) => pubkey));
  }
}
