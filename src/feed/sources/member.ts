import type { SourceStatus } from '../../contract/feed-status.js';
import type { FeedSource, SourceSlot } from '../model/feed-source.js';
import {
  JOINED_SLOTS_AFTER,
  JOINED_SLOTS_BEHIND_MAX,
  LEAD_WEIGHT,
  SLOT_MS_MIN,
  TRUSTED_AFTER_MS,
  TRUSTED_AFTER_STATES,
} from './limits.js';
import { SourceChain } from './source-chain.js';

/**
 * `joined`: complete since the book was read. `joining`: complete since a slot that no joined
 * source has passed yet. `interrupted`: a joined source that reconnects.
 */
export type Standing = 'closed' | 'joining' | 'joined' | 'interrupted';

/** The record of a distrusted source. */
interface Distrust {
  readonly reason: string;
  /** The last fault, in monotonic milliseconds. */
  wrongAtMs: number;
  /** The number of agreements since that fault. */
  agreed: number;
}

/** One merged source: its standing, its trust and its statistics. */
export class Member {
  standing: Standing = 'closed';
  chain = new SourceChain();
  /** The number of its connection: versions of writes are comparable within one connection. */
  epoch = 0;
  /** Whether the source's writes change the book. */
  counts = false;
  /** The newest reported slot. */
  slot = 0;
  /** Monotonic milliseconds of that slot's report. */
  slotAtMs = 0;
  /** The newest slot with two reported descendants. */
  passedSlot = 0;
  /** The first reported slot. */
  firstSlot = 0;
  /**
   * The source must know all states of this slot and of later slots: it is the second in the chain
   * after the first reported slot, because an RPC node may report a write with the next slot.
   */
  #completeSlot = Number.POSITIVE_INFINITY;
  /** The newest slot in any report of the source, plausible or not. */
  reach = 0;
  /**
   * The time since which `reach` is ahead of all other sources, and no node has read a slot that
   * the source reported before; null when it is not ahead.
   */
  aheadSinceMs: number | null = null;
  /** `reach` at that time. */
  aheadSlot = 0;
  #distrust: Distrust | null = null;
  #closedReason: string | null = null;
  #states = 0;
  #first = 0;
  #leadMs: number | null = null;
  #misses = 0;
  #disagreements = 0;

  constructor(
    readonly source: FeedSource,
    readonly index: number,
  ) {}

  /** The public name. */
  get name(): string {
    return `${this.source.kind}:${this.source.name}`;
  }

  get isTrusted(): boolean {
    return this.#distrust === null;
  }

  /** Whether the source keeps the book, so that its reports change the book. */
  get isKeeping(): boolean {
    return this.standing === 'joined' && this.isTrusted && this.aheadSinceMs === null;
  }

  /** Returns whether the source reports all writes of this slot and of later slots. */
  coversSlot(slot: number): boolean {
    return this.standing === 'joined' && slot >= this.#completeSlot;
  }

  /** Returns whether the source has reported all writes up to this slot. */
  hasPassed(slot: number): boolean {
    return this.coversSlot(slot) && this.passedSlot >= slot;
  }

  /** Records that the source connected; there is a gap before its next write. */
  recordOpened(): void {
    this.recordRejoined();
    this.epoch += 1;
    this.#closedReason = null;
  }

  /** Records that all accounts are read again; later reports of the source are complete. */
  recordJoined(atMs: number): void {
    this.standing = 'joined';
    this.firstSlot = this.slot;
    this.#completeSlot = Number.POSITIVE_INFINITY;
    this.slotAtMs = atMs;
    this.chain = new SourceChain();
  }

  /** Records that the source stays connected and joins again after its next slot. */
  recordRejoined(): void {
    this.standing = 'joining';
    this.counts = false;
    this.firstSlot = 0;
    this.#completeSlot = Number.POSITIVE_INFINITY;
    this.slot = 0;
    this.passedSlot = 0;
    this.reach = 0;
    this.aheadSinceMs = null;
  }

  /** Records that `reach` is ahead from now on. */
  recordAhead(nowMs: number): void {
    this.aheadSinceMs = nowMs;
    this.aheadSlot = this.reach;
  }

  recordClosed(reason: string): void {
    this.standing = 'closed';
    this.counts = false;
    this.#closedReason = reason;
  }

  recordSlot({ slot, parent }: SourceSlot, atMs: number): void {
    if (this.firstSlot === 0) this.firstSlot = slot;
    if (slot <= this.slot) return;
    // On a fork, or after a slot that was not reported, the parent is not the previous slot.
    this.passedSlot = Math.max(this.passedSlot, (parent ?? this.slot) - 1);
    this.slot = slot;
    this.slotAtMs = atMs;
    if (this.passedSlot >= this.firstSlot) this.#completeSlot = Math.min(this.#completeSlot, slot);
  }

  /** The source's estimated slot now. */
  slotBy(nowMs: number): number {
    return this.slot + Math.floor((nowMs - this.slotAtMs) / SLOT_MS_MIN);
  }

  /** Returns whether the source's writes continue another source's writes that end at this slot. */
  continuesAt(slot: number): boolean {
    return (
      this.firstSlot > 0 &&
      slot >= this.firstSlot + JOINED_SLOTS_AFTER &&
      slot <= this.slot + JOINED_SLOTS_BEHIND_MAX
    );
  }

  /** Records that the source was the first to report a state. */
  recordFirst(): void {
    this.#states += 1;
    this.#first += 1;
  }

  /** The source confirmed another source's state. */
  recordConfirmed(): void {
    this.#states += 1;
  }

  /**
   * Records that the source reported a state `leadMs` before another source; negative means after
   * it.
   */
  recordLead(leadMs: number): void {
    this.#leadMs =
      this.#leadMs === null ? leadMs : this.#leadMs + (leadMs - this.#leadMs) * LEAD_WEIGHT;
  }

  /** Records that the source's state at the end of a slot equals the book's. */
  recordAgreed(): void {
    if (this.#distrust !== null) this.#distrust.agreed += 1;
  }

  /** Records that the source missed a write, or reported another state. */
  recordWrong(fault: 'missed' | 'other', atMs: number): void {
    if (fault === 'missed') this.#misses += 1;
    else this.#disagreements += 1;
    if (this.#distrust === null) return;
    this.#distrust.wrongAtMs = atMs;
    this.#distrust.agreed = 0;
  }

  recordDistrusted(reason: string, atMs: number): void {
    this.#distrust = { reason, wrongAtMs: atMs, agreed: 0 };
    this.counts = false;
  }

  recordTrusted(): void {
    this.#distrust = null;
  }

  /** Returns whether the source has agreed for long enough to be trusted again. */
  deservesTrust(nowMs: number): boolean {
    if (this.#distrust === null) return false;
    const { wrongAtMs, agreed } = this.#distrust;
    return agreed >= TRUSTED_AFTER_STATES && nowMs - wrongAtMs >= TRUSTED_AFTER_MS;
  }

  readStatus(newestSlot: number): SourceStatus {
    const open = this.isTrusted ? 'trusted' : 'distrusted';
    return {
      name: this.name,
      state: this.standing === 'joined' ? open : this.standing,
      reason: this.#distrust?.reason ?? this.#closedReason,
      slot: this.slot,
      slotLag: Math.max(0, newestSlot - this.slot),
      states: this.#states,
      wonShare: this.#states === 0 ? null : this.#first / this.#states,
      leadMs: this.#leadMs,
      misses: this.#misses,
      disagreements: this.#disagreements,
    };
  }
}
