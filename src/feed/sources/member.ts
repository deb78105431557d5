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
 * The standing of a source: `joined` has notified all since the book was read, `joining` all since a slot that a joined one
 * has not passed yet, `interrupted` is a joined one that is made again.
 */
export type Standing = 'closed' | 'joining' | 'joined' | 'interrupted';

/** Since when a source is distrusted, and how it did since. */
interface Distrust {
  readonly reason: string;
  /** When it was last wrong, in monotonic milliseconds. */
  wrongAtMs: number;
  /** How often it agreed since. */
  agreed: number;
}

/** One source of a merge: its standing, the trust in it, and its figures. */
export class Member {
  standing: Standing = 'closed';
  chain = new SourceChain();
  /** Number of its connection: versions of writes compare within one. */
  epoch = 0;
  /** Whether its writes change the book. */
  counts = false;
  /** The newest slot that it notified. */
  slot = 0;
  /** When it notified that slot, in monotonic milliseconds. */
  slotAtMs = 0;
  /** The newest slot that two slots of its chain follow. */
  passedSlot = 0;
  /** The first slot that it notified. */
  firstSlot = 0;
  /** The newest slot of which it notified anything, believed or not. */
  reach = 0;
  /** Since when its reach is beyond all others and the chain; null while it is not. */
  aheadSinceMs: number | null = null;
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

  /** Its public name. */
  get name(): string {
    return `${this.source.kind}:${this.source.name}`;
  }

  get isTrusted(): boolean {
    return this.#distrust === null;
  }

  /** Whether it keeps the book. */
  get isKeeping(): boolean {
    return this.standing === 'joined' && this.isTrusted && this.aheadSinceMs === null;
  }

  /** Whether it notifies of all writes of this slot and of later ones, sooner or later. */
  coversSlot(slot: number): boolean {
    const from = this.firstSlot + JOINED_SLOTS_AFTER;
    return this.standing === 'joined' && this.firstSlot > 0 && slot >= from;
  }

  /** Whether it has notified of all writes of this slot and of those before by now. */
  hasPassed(slot: number): boolean {
    return this.coversSlot(slot) && this.passedSlot >= slot;
  }

  /** Connected, with a gap before the next write. */
  recordOpened(): void {
    this.recordRejoined();
    this.epoch += 1;
    this.#closedReason = null;
  }

  /** All accounts are read again; it notifies of all writes since. */
  recordJoined(atMs: number): void {
    this.standing = 'joined';
    this.firstSlot = this.slot;
    this.slotAtMs = atMs;
    this.chain = new SourceChain();
  }

  /** It stays connected, and joins again behind its next slot. */
  recordRejoined(): void {
    this.standing = 'joining';
    this.counts = false;
    this.firstSlot = 0;
    this.slot = 0;
    this.passedSlot = 0;
    this.reach = 0;
    this.aheadSinceMs = null;
  }

  recordClosed(reason: string): void {
    this.standing = 'closed';
    this.counts = false;
    this.#closedReason = reason;
  }

  recordSlot({ slot, parent }: SourceSlot, atMs: number): void {
    if (this.firstSlot === 0) this.firstSlot = slot;
    if (slot <= this.slot) return;
    // The slot before is not the parent where it is of a fork, or was not announced.
    this.passedSlot = Math.max(this.passedSlot, (parent ?? this.slot) - 1);
    this.slot = slot;
    this.slotAtMs = atMs;
  }

  /** The slot that it may be at by now. */
  slotBy(nowMs: number): number {
    return this.slot + Math.floor((nowMs - this.slotAtMs) / SLOT_MS_MIN);
  }

  /** Whether its writes from its first slot on continue those of another source up to this slot. */
  continuesAt(slot: number): boolean {
    return (
      this.firstSlot > 0 &&
      slot >= this.firstSlot + JOINED_SLOTS_AFTER &&
      slot <= this.slot + JOINED_SLOTS_BEHIND_MAX
    );
  }

  /** It notified a state before all others. */
  recordFirst(): void {
    this.#states += 1;
    this.#first += 1;
  }

  /** It notified a state that another one had notified. */
  recordConfirmed(): void {
    this.#states += 1;
  }

  /** It notified a state so long before another source, after it where the lead is negative. */
  recordLead(leadMs: number): void {
    this.#leadMs =
      this.#leadMs === null ? leadMs : this.#leadMs + (leadMs - this.#leadMs) * LEAD_WEIGHT;
  }

  /** At the end of a slot it had notified the state that the book has. */
  recordAgreed(): void {
    if (this.#distrust !== null) this.#distrust.agreed += 1;
  }

  /** It missed a write, or notified another state. */
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

  /** Whether it has agreed for long enough since it was distrusted. */
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
