import type { SourceStatus } from '../../contract/feed-status.js';
import { RpcError } from '../../rpc/error.js';
import { type Log, silentLog } from '../../rpc/log.js';
import type { NodeConnection } from '../../rpc/node-pool.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import { systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import type {
  SourceSlot,
  SourceUpdate,
  UpdateHandlers,
  UpdateStream,
} from '../model/feed-source.js';
import type { LedgerChanges } from './account-writes.js';
import {
  DISTRUSTED_ALONE_MS,
  JOINED_SLOTS_AFTER,
  LEDGER_BYTES_MAX,
  SOURCES_DOWN_MS_MAX,
} from './limits.js';
import { followKeys, Member, type Standing, unnumberedFrom } from './member.js';
import type { MergedSourcesOptions } from './merged-options.js';
import { SourceJudge } from './source-judge.js';
import { WriteLedger } from './write-ledger.js';

/**
 * Several sources as one connection: the first that notifies a write wins, the others confirm it. It is open as soon as
 * one of them is, and closes when none is left that is trusted and has notified everything; one that comes later has, once a slot of
 * another has passed its first. A source that the others and the chain refute is distrusted: what it tells is compared
 * alone, until it has agreed for a while.
 */
export class MergedSources implements UpdateStream {
  /** What a node is followed over: another one takes it over with all streams as they are. */
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
  /** The newest slot that is notified on. */
  #announced = 0;
  #giveUp: Timer | null = null;
  #reopen: Timer | null = null;

  constructor(options: MergedSourcesOptions) {
    const { sources, witnesses = [], timers = systemTimers, random = Math.random } = options;
    const members = sources.map((source, index) => new Member(source, index));
    this.#members = members;
    this.#timers = timers;
    this.#log = options.log ?? silentLog;
    this.#ledger = new WriteLedger(sources.length, LEDGER_BYTES_MAX, {
      onFirst: (source) => members[source]?.recordFirst(),
      onConfirmed: (source, first, leadMs) => {
        members[source]?.recordConfirmed(leadMs);
        members[first]?.recordLead(leadMs);
      },
    });
    const ledger = this.#ledger;
    this.#judge = new SourceJudge({
      ...{ members, witnesses, timers, random, ledger },
      onWrong: (member, reason) => this.#distrustMember(member, reason),
      onTrusted: (member) => this.#trustMember(member),
      onRead: (read) => this.#applyChanges(ledger.recordReading({ ...read, writeVersion: 0 })),
    });
  }

  /** Why the book cannot be believed; null when it can. */
  get dispute(): string | null {
    return this.#handlers === null ? null : this.#judge.dispute;
  }

  /** What each source does, in their order. */
  readStatus(): readonly SourceStatus[] {
    const newest = Math.max(0, ...this.#members.map(({ slot }) => slot));
    return this.#members.map((member) => member.readStatus(newest));
  }

  /** Ends all streams. */
  stop(): void {
    this.#leaveConnection();
    this.#isStarted = false;
    this.#reopen?.cancel();
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

  async subscribeAll(_programId: string, handlers: UpdateHandlers): Promise<void> {
    if (!this.#isOpen) throw new RpcError('RPC_SOCKET_CLOSED', 'no source is connected');
    this.#handlers = handlers;
    this.#announced = 0;
    const open = this.#members.filter(({ standing }) => standing === 'joining');
    for (const member of open) member.recordJoined();
    for (const { index, isKeeping } of this.#members) {
      if (isKeeping) this.#ledger.trustSource(index);
      else this.#ledger.holdSource(index);
    }
    // One that is behind may still notify what the reading has, and one that is ahead may be wrong.
    const slots = open.map(({ slot }) => slot).filter((slot) => slot > 0);
    this.#ledger.beginReading(slots.length === 0 ? 0 : Math.max(0, Math.min(...slots) - 1));
    this.#judge.forgetAll();
    this.#weighNumbers();
  }

  /** Rejects where no source that keeps the book can follow them; another one that cannot is made again. */
  async followOracles(keys: readonly string[]): Promise<void> {
    this.#judge.excuseOracles();
    await followKeys(this.#members, keys);
    this.#judge.excuseOracles();
  }

  #handleOpened(member: Member): void {
    member.recordOpened();
    this.#ledger.forgetVersions(member.index);
    this.#ledger.holdSource(member.index);
    this.#openIfOne();
  }

  #openIfOne(): void {
    if (this.#isOpen || this.#listener === null) return;
    const open = this.#members.filter(({ standing }) => standing === 'joining');
    if (open.some(({ isTrusted }) => isTrusted)) {
      this.#isOpen = true;
      this.#listener.onOpened();
      return;
    }
    if (open.length > 0)
      this.#reopen ??= this.#timers.after(DISTRUSTED_ALONE_MS, () => this.#trustWhoIsLeft());
  }

  /** No other source has come: the book is read again, and probes judge it. */
  #trustWhoIsLeft(): void {
    this.#reopen = null;
    if (this.#isOpen) return;
    for (const member of this.#members) {
      if (member.standing === 'joining') this.#trustMember(member);
    }
    this.#openIfOne();
  }

  /** While no source that numbers writes keeps the book, the others tell how the slots end that it was in. */
  #weighNumbers(): void {
    this.#applyChanges(this.#ledger.setUnnumberedFrom(unnumberedFrom(this.#members)));
  }

  #handleInterrupted(member: Member): void {
    if (member.standing === 'joined') member.standing = 'interrupted';
    this.#weighNumbers();
    this.#closeIfNone();
  }

  #handleResumed(member: Member): void {
    // It took too long, and the book of before was given up.
    if (!this.#isOpen) {
      this.#handleOpened(member);
      return;
    }
    if (member.standing === 'interrupted') member.standing = 'joined';
    this.#ledger.forgetVersions(member.index);
    this.#weighNumbers();
    if (!member.isTrusted) return;
    this.#giveUp?.cancel();
    this.#giveUp = null;
  }

  #handleClosed(member: Member, reason: string): void {
    const wasOpen = member.standing !== 'closed';
    member.recordClosed(reason);
    this.#weighNumbers();
    if (wasOpen || !this.#isOpen) this.#closeIfNone(reason);
  }

  /** Others have what this one may have missed; where it is alone all is read again. */
  #handleMalformed(member: Member): void {
    const others = this.#members.filter((other) => other !== member && other.isKeeping);
    if (others.length === 0) this.#listener?.onMalformed();
    else member.source.dropConnection('a message was unreadable');
  }

  #distrustMember(member: Member, reason: string): void {
    if (!member.isTrusted) return;
    member.recordDistrusted(reason, this.#timers.nowMs());
    this.#log.warn({ source: member.name, reason }, 'a source is distrusted');
    const { apply, lost } = this.#ledger.distrustSource(member.index);
    const isRead = this.#judge.readLost(lost, member);
    this.#applyChanges({ apply, lost: isRead ? [] : lost });
    this.#weighNumbers();
    this.#closeIfNone('no source is trusted');
  }

  #trustMember(member: Member): void {
    if (member.isTrusted) return;
    member.recordTrusted();
    if (member.isKeeping) this.#applyChanges(this.#ledger.trustSource(member.index));
    this.#weighNumbers();
    this.#log.info({ source: member.name }, 'a source is trusted again');
  }

  /** A book that no source keeps is as old as its last slot; one that none can make whole any more is read again. */
  #closeIfNone(reason = 'no source is connected'): void {
    const has = (standing: Standing): boolean =>
      this.#members.some((member) => member.isTrusted && member.standing === standing);
    if (has('joined') || (this.#handlers === null && has('joining'))) return;
    if (!has('interrupted')) {
      this.#closeAll(reason);
      return;
    }
    this.#giveUp ??= this.#timers.after(SOURCES_DOWN_MS_MAX, () => this.#closeAll(reason));
  }

  #closeAll(reason: string): void {
    this.#endConnection();
    this.#listener?.onClosed(reason);
    this.#openIfOne();
  }

  /** Those that are open begin a new connection, which reads all accounts. */
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
    if (member.refusesSlot(slot, this.#members, this.#timers.nowMs())) return;
    const isNew = status === 'begun' || status === 'processed';
    if (isNew) member.recordSlot(slot);
    this.#applyChanges(this.#ledger.recordSlot(member.index, notified));
    if (!isNew || this.#handlers === null) return;
    if (member.isKeeping) this.#joinBehind(slot);
    this.#judge.judgeSlots();
    if (!member.isKeeping || slot <= this.#announced) return;
    this.#announced = slot;
    this.#handlers?.onSlot({ slot, parent });
  }

  /** What a source notified from its first slot on continues what a joined one notified until then. */
  #joinBehind(slot: number): void {
    for (const member of this.#members) {
      if (member.standing !== 'joining' || member.firstSlot === 0) continue;
      if (slot < member.firstSlot + JOINED_SLOTS_AFTER) continue;
      member.standing = 'joined';
      if (member.isTrusted) this.#applyChanges(this.#ledger.trustSource(member.index));
      this.#weighNumbers();
    }
  }

  #handleUpdate(member: Member, update: SourceUpdate): void {
    const atMs = this.#timers.nowMs();
    if (this.#handlers === null || member.refusesSlot(update.slot, this.#members, atMs)) return;
    this.#applyChanges(this.#ledger.recordWrite(member.index, update, atMs));
  }

  #applyChanges({ apply, lost }: LedgerChanges): void {
    for (const update of apply) this.#handlers?.onUpdate(update);
    // Nobody notified what they were before: only the chain can.
    if (lost.length > 0) this.#handlers?.onLost(lost.map(({ pubkey }) => pubkey));
  }
}
