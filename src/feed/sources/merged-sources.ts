import { RpcError } from '../../rpc/error.js';
import type { NodeConnection } from '../../rpc/node-pool.js';
import type { RpcSocketListener } from '../../rpc/socket.js';
import { systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import type {
  FeedSource,
  SourceSlot,
  SourceUpdate,
  UpdateHandlers,
  UpdateStream,
} from '../model/feed-source.js';
import { JOINED_SLOTS_AFTER, SOURCES_DOWN_MS_MAX } from './limits.js';
import { type LedgerChanges, WriteLedger } from './write-ledger.js';

/**
 * What a source may be: `joined` has notified all since the book was read, `joining` all since a slot that a joined one
 * has not passed yet, `interrupted` is one of these that is made again.
 */
type Standing = 'closed' | 'joining' | 'joined' | 'interrupted';

interface Member {
  readonly source: FeedSource;
  standing: Standing;
  /** The newest slot that it notified. */
  slot: number;
  /** The slot before which it notified nothing. */
  firstSlot: number;
}

/** What a merge is made of, and what a test may replace. */
export interface MergedSourcesOptions {
  readonly sources: readonly FeedSource[];
  readonly timers?: Timers;
}

/**
 * Several sources as one connection: the first that notifies a write wins, the others confirm it. It is open as soon as
 * one of them is, and closes when none is left that has notified everything; one that comes later has, once a slot of
 * another has passed its first.
 */
export class MergedSources implements NodeConnection, UpdateStream {
  readonly #members: readonly Member[];
  readonly #timers: Timers;
  readonly #ledger: WriteLedger;
  #listener: RpcSocketListener | null = null;
  #handlers: UpdateHandlers | null = null;
  #isOpen = false;
  /** The newest slot that is notified on. */
  #announced = 0;
  #giveUp: Timer | null = null;

  constructor({ sources, timers = systemTimers }: MergedSourcesOptions) {
    this.#members = sources.map((source) => {
      return { source, standing: 'closed', slot: 0, firstSlot: 0 };
    });
    this.#timers = timers;
    this.#ledger = new WriteLedger(sources.length);
  }

  start(listener: RpcSocketListener): void {
    this.#listener = listener;
    this.#members.forEach((member, index) => {
      member.source.start({
        onOpened: () => this.#handleOpened(member),
        onInterrupted: () => this.#handleInterrupted(member),
        onResumed: () => this.#handleResumed(member),
        onClosed: (reason) => this.#handleClosed(member, reason),
        onMalformed: () => this.#listener?.onMalformed(),
        onSlot: (slot) => this.#handleSlot(index, slot),
        onUpdate: (update) => this.#handleUpdate(index, update),
      });
    });
  }

  stop(): void {
    this.#listener = null;
    this.#handlers = null;
    this.#isOpen = false;
    this.#giveUp?.cancel();
    for (const member of this.#members) {
      member.standing = 'closed';
      member.source.stop();
    }
  }

  dropConnection(reason: string): void {
    this.#closeAll(reason);
    for (const { source } of this.#members) source.dropConnection(reason);
  }

  resetBackoff(): void {}

  async subscribeAll(_programId: string, handlers: UpdateHandlers): Promise<void> {
    if (!this.#isOpen) throw new RpcError('RPC_SOCKET_CLOSED', 'no source is connected');
    this.#handlers = handlers;
    this.#announced = 0;
    for (const member of this.#members) if (member.standing === 'joining') joinMember(member);
    this.#ledger.beginReading(Math.max(0, this.#newestSlot - 1));
  }

  async followOracles(keys: readonly string[]): Promise<void> {
    await Promise.all(this.#members.map(({ source }) => source.followKeys(keys)));
  }

  get #newestSlot(): number {
    return Math.max(0, ...this.#members.map(({ slot }) => slot));
  }

  #handleOpened(member: Member): void {
    member.standing = 'joining';
    member.firstSlot = 0;
    member.slot = 0;
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#listener?.onOpened();
  }

  #handleInterrupted(member: Member): void {
    if (member.standing === 'joined') member.standing = 'interrupted';
    this.#closeIfNone();
  }

  #handleResumed(member: Member): void {
    // It took too long, and the book of before was given up.
    if (!this.#isOpen) {
      this.#handleOpened(member);
      return;
    }
    if (member.standing === 'interrupted') member.standing = 'joined';
    this.#giveUp?.cancel();
    this.#giveUp = null;
  }

  #handleClosed(member: Member, reason: string): void {
    const wasOpen = member.standing !== 'closed';
    member.standing = 'closed';
    if (wasOpen || !this.#isOpen) this.#closeIfNone(reason);
  }

  /** A book that no source keeps is as old as its last slot; one that none can make whole any more is read again. */
  #closeIfNone(reason = 'no source is connected'): void {
    const has = (standing: Standing): boolean =>
      this.#members.some((member) => member.standing === standing);
    if (has('joined') || (this.#handlers === null && has('joining'))) return;
    if (!has('interrupted')) {
      this.#closeAll(reason);
      return;
    }
    this.#giveUp ??= this.#timers.after(SOURCES_DOWN_MS_MAX, () => this.#closeAll(reason));
  }

  #closeAll(reason: string): void {
    this.#giveUp?.cancel();
    this.#giveUp = null;
    this.#handlers = null;
    this.#isOpen = false;
    this.#listener?.onClosed(reason);
    // Those that are open begin a new connection, which reads all accounts.
    const rest = this.#members.filter(({ standing }) => standing !== 'closed');
    for (const member of rest) if (member.standing !== 'interrupted') member.standing = 'joining';
    if (this.#listener === null || rest.every(({ standing }) => standing !== 'joining')) return;
    this.#isOpen = true;
    this.#listener.onOpened();
  }

  #handleSlot(index: number, notified: SourceSlot): void {
    const member = this.#members[index];
    if (member === undefined) return;
    const { slot, parent, status } = notified;
    const isNew = status === 'begun' || status === 'processed';
    if (isNew) {
      if (member.firstSlot === 0) member.firstSlot = slot;
      member.slot = Math.max(member.slot, slot);
    }
    this.#applyChanges(this.#ledger.recordSlot(index, notified));
    if (!isNew || this.#handlers === null) return;
    if (member.standing === 'joined') this.#joinBehind(slot);
    if (member.standing !== 'joined' || slot <= this.#announced) return;
    this.#announced = slot;
    this.#handlers.onSlot({ slot, parent });
  }

  /** What a source notified from its first slot on continues what a joined one notified until then. */
  #joinBehind(slot: number): void {
    for (const member of this.#members) {
      if (member.standing !== 'joining' || member.firstSlot === 0) continue;
      if (slot >= member.firstSlot + JOINED_SLOTS_AFTER) joinMember(member);
    }
  }

  #handleUpdate(index: number, update: SourceUpdate): void {
    if (this.#handlers === null) return;
    this.#applyChanges(this.#ledger.recordWrite(index, update));
  }

  #applyChanges({ apply, lost }: LedgerChanges): void {
    for (const update of apply) this.#handlers?.onUpdate(update);
    // Nobody notified what they were before: only the chain can.
    if (lost.length > 0) this.#handlers?.onLost(lost.map(({ pubkey }) => pubkey));
  }
}

function joinMember(member: Member): void {
  member.standing = 'joined';
}
