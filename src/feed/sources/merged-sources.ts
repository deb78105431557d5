import type { SourceStatus } from '../../contract/feed-status.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { RpcError } from '../../rpc/error.js';
import { type Log, silentLog } from '../../rpc/log.js';
import type { NodeConnection } from '../../rpc/node-pool.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import type { AccountUpdate } from '../model/account-update.js';
import type {
  SourceSlot,
  SourceUpdate,
  UpdateHandlers,
  UpdateStream,
} from '../model/feed-source.js';
import type { LedgerChanges } from './account-writes.js';
import { ChainSlot } from './chain-slot.js';
import { Disputes } from './disputes.js';
import { DISTRUSTED_ALONE_MS, LEDGER_BYTES_MAX, SOURCES_DOWN_MS_MAX } from './limits.js';
import {
  followKeys,
  joinOpen,
  Member,
  newCounter,
  readMembers,
  rejoinSilent,
  type Standing,
  unnumberedFrom,
  untrustedOf,
} from './member.js';
import type { MergedSourcesOptions } from './merged-options.js';
import { ReachGate } from './reach-gate.js';
import { SourceJudge } from './source-judge.js';
import { WriteLedger } from './write-ledger.js';

/**
 * Several sources as one connection: the first that notifies a write wins, the others confirm it. It is open as soon as
 * one of them is, and closes when none is left that is trusted and has notified everything; one that comes later has, once a slot of
 * another has passed its first. One that the others and the chain refute is distrusted: compared alone until it agrees.
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
  readonly #disputes: Disputes;
  readonly #judge: SourceJudge;
  readonly #reach: ReachGate;
  #listener: RpcSocketListener | null = null;
  #handlers: UpdateHandlers | null = null;
  #isStarted = false;
  #isOpen = false;
  /** The newest slot that is notified on. */
  #announced = 0;
  #giveUp: Timer | null = null;
  #reopen: Timer | null = null;

  constructor(options: MergedSourcesOptions) {
    const { sources, witnesses = [], timers, random = Math.random } = options;
    const members = sources.map((source, index) => new Member(source, index));
    this.#members = members;
    this.#timers = timers;
    this.#log = options.log ?? silentLog;
    const ledger = new WriteLedger(sources.length, LEDGER_BYTES_MAX, newCounter(members));
    this.#ledger = ledger;
    const chain = new ChainSlot(witnesses, timers, () => this.#reviewMembers());
    const onWrong = (member: Member, reason: string) => this.#distrustMember(member, reason);
    this.#reach = new ReachGate(members, chain, timers, onWrong);
    this.#disputes = new Disputes({
      ...{ members, witnesses, timers, random, ledger, onWrong },
      onRead: (read) => this.#applyChanges(ledger.recordReading({ ...read, writeVersion: 0 })),
      onEnded: (pubkey) => this.#judge.judgeAgain(pubkey),
    });
    this.#judge = new SourceJudge({
      ...{ members, timers, ledger, disputes: this.#disputes },
      onTrusted: (member) => this.#trustMember(member),
    });
  }

  /** Why the book cannot be believed; null when it can. */
  get dispute(): string | null {
    return this.#handlers === null ? null : this.#disputes.reason;
  }

  /** What each source does, in their order. */
  readStatus(): readonly SourceStatus[] {
    return readMembers(this.#members);
  }

  /** Ends all streams. */
  stop(): void {
    this.#leaveConnection();
    this.#isStarted = false;
    this.#reopen?.cancel();
    this.#reopen = null;
    for (const member of this.#members) member.stop();
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
    this.#ledger.beginReading(joinOpen(this.#members, this.#timers.nowMs()));
    this.#judge.forgetAll();
    this.#reviewMembers();
  }

  /** Rejects where no source that keeps the book can follow them; another one that cannot is made again. */
  async followOracles(keys: readonly string[]): Promise<void> {
    this.#judge.excuseOracles();
    await followKeys(this.#members, keys);
    this.#judge.excuseOracles();
  }

  /** Readings are no claim of any source. */
  recordAbsence(closed: AccountUpdate): void {
    this.#applyChanges(this.#ledger.recordReading({ ...closed, writeVersion: 0 }));
  }

  #handleOpened(member: Member): void {
    member.recordOpened();
    this.#ledger.reopenSource(member.index);
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
    for (const member of this.#members)
      if (member.standing === 'joining') this.#trustMember(member);
    this.#openIfOne();
  }

  /** What a source notifies changes the book while it keeps it, and the ledger knows of each whether it does. */
  #reviewMembers(): void {
    if (this.#handlers === null) return;
    rejoinSilent(this.#members, this.#timers.nowMs());
    for (const member of this.#members) this.#reach.weighReach(member);
    for (const { index, isKeeping } of this.#members) {
      if (isKeeping && this.#ledger.isHeld(index))
        this.#applyChanges(this.#ledger.trustSource(index));
      else if (!isKeeping) this.#ledger.holdSource(index);
    }
    this.#applyChanges(this.#ledger.setUnnumberedFrom(unnumberedFrom(this.#members)));
  }

  #handleInterrupted(member: Member): void {
    if (member.standing === 'joined') member.standing = 'interrupted';
    this.#reviewMembers();
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

  /** Others have what this one may have missed; where it is alone all is read again. */
  #handleMalformed(member: Member): void {
    const isAlone = this.#members.every((other) => other === member || !other.isKeeping);
    if (isAlone) this.#listener?.onMalformed();
    else member.source.dropConnection('a message was unreadable');
  }

  #distrustMember(member: Member, reason: string): void {
    if (!member.isTrusted) return;
    member.recordDistrusted(reason, this.#timers.nowMs());
    this.#log.warn({ source: member.name, reason }, 'a source is distrusted');
    const untrusted = untrustedOf(this.#members);
    this.#applyChanges(this.#ledger.distrustSource(member.index, untrusted), untrusted);
    this.#reviewMembers();
    this.#closeIfNone('no source is trusted');
  }

  #trustMember(member: Member): void {
    if (member.isTrusted) return;
    member.recordTrusted();
    // What it notified alone while it was distrusted stays as it is.
    if (member.isKeeping) this.#ledger.admitSource(member.index);
    this.#reviewMembers();
    this.#log.info({ source: member.name }, 'a source is trusted again');
  }

  /** A book that no source keeps is as old as its last slot; one that none can make whole any more is read again. */
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
    const isNew = status === 'begun' || status === 'processed';
    if (isNew) this.#reach.recordSlot(member, notified);
    if (this.#handlers === null) return;
    if (isNew) {
      this.#reach.joinBehind();
      this.#reviewMembers();
    }
    this.#applyChanges(this.#ledger.recordSlot(member.index, notified));
    if (!isNew) return;
    this.#judge.judgeSlots();
    if (!member.isKeeping || slot <= this.#announced) return;
    this.#announced = slot;
    this.#handlers?.onSlot({ slot, parent });
  }

  #handleUpdate(member: Member, update: SourceUpdate): void {
    if (this.#handlers === null) return;
    const isFurther = this.#reach.recordReach(member, update.slot);
    if (isFurther && !member.isKeeping) this.#reviewMembers();
    this.#applyChanges(this.#ledger.recordWrite(member.index, update, this.#timers.nowMs()));
  }

  /** What is lost these sources (bits) alone had notified. */
  #applyChanges({ apply, lost }: LedgerChanges, tellers = 0): void {
    for (const update of apply) {
      this.#handlers?.onUpdate(update);
      this.#judge.recordWrite(update);
    }
    // Nobody notified what they were before: only the chain can.
    if (lost.length === 0 || this.#disputes.openLost(lost, tellers)) return;
    this.#handlers?.onLost(lost.map(({ pubkey }) => pubkey));
  }
}
