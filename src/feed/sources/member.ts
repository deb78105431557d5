import type { SourceStatus } from '../../contract/feed-status.js';
import type { FeedSource } from '../model/feed-source.js';
import {
  CONFIRM_SLOTS,
  JOINED_SLOTS_AFTER,
  LEAD_WEIGHT,
  STEP_SLOTS_MAX,
  TRUSTED_AFTER_MS,
  TRUSTED_AFTER_STATES,
} from './limits.js';

/**
 * What a source may be: `joined` has notified all since the book was read, `joining` all since a slot that a joined one
 * has not passed yet, `interrupted` is one of these that is made again.
 */
export type Standing = 'closed' | 'joining' | 'joined' | 'interrupted';

/** Since when a source is distrusted, and what it did since. */
interface Distrust {
  readonly reason: string;
  /** When it was last wrong, in monotonic milliseconds. */
  wrongAtMs: number;
  /** How often it agreed since. */
  agreed: number;
}

/** One source of a merge: where it stands, what the others think of it, and its figures. */
export class Member {
  standing: Standing = 'closed';
  /** The newest slot that it notified. */
  slot = 0;
  /** The slot before which it notified nothing. */
  firstSlot = 0;
  /** The newest slot that it notified while it kept the book. */
  keptSlot = 0;
  #distrust: Distrust | null = null;
  #closedReason: string | null = null;
  #first = 0;
  #confirmed = 0;
  #leadMs: number | null = null;
  #misses = 0;
  #disagreements = 0;

  constructor(
    readonly source: FeedSource,
    readonly index: number,
  ) {}

  /** What it is called where everybody may read it. */
  get name(): string {
    return `${this.source.kind}:${this.source.name}`;
  }

  get isTrusted(): boolean {
    return this.#distrust === null;
  }

  /** Whether it keeps the book. */
  get isKeeping(): boolean {
    return this.standing === 'joined' && this.isTrusted;
  }

  /** Whether it has notified all of this slot and of those before by now, if it tells all. */
  hasPassed(slot: number): boolean {
    const from = this.firstSlot + JOINED_SLOTS_AFTER;
    const isWhole = this.standing === 'joined' && this.firstSlot > 0 && slot >= from;
    return isWhole && this.slot >= slot + CONFIRM_SLOTS;
  }

  /** Connected, with a gap before what comes now. */
  recordOpened(): void {
    this.standing = 'joining';
    this.firstSlot = 0;
    this.slot = 0;
    this.#closedReason = null;
  }

  /** All accounts are read again, and it has notified all since. */
  recordJoined(): void {
    this.standing = 'joined';
    this.keptSlot = 0;
  }

  /** It stays connected while all accounts are read again: its next slot says where it is. */
  recordRejoined(): void {
    this.standing = 'joining';
    this.firstSlot = 0;
    this.slot = 0;
  }

  recordClosed(reason: string): void {
    this.standing = 'closed';
    this.#closedReason = reason;
  }

  recordSlot(slot: number): void {
    if (this.firstSlot === 0) this.firstSlot = slot;
    this.slot = Math.max(this.slot, slot);
    if (this.isKeeping) this.keptSlot = this.slot;
  }

  /** Whether it is suddenly far beyond itself and all others; that counts as wrong. */
  refusesSlot(slot: number, members: readonly Member[], atMs: number): boolean {
    if (this.slot > 0 && slot <= this.slot + STEP_SLOTS_MAX) return false;
    const others = members.filter((other) => other !== this && other.isKeeping && other.slot > 0);
    const isAlone = others.every((other) => slot > other.slot + STEP_SLOTS_MAX);
    if (others.length > 0 && isAlone) this.recordWrong('other', atMs);
    return others.length > 0 && isAlone;
  }

  recordFirst(): void {
    this.#first += 1;
  }

  /** It notified a state so long before another source, or after where the lead is negative. */
  recordLead(leadMs: number): void {
    this.#leadMs =
      this.#leadMs === null ? leadMs : this.#leadMs + (leadMs - this.#leadMs) * LEAD_WEIGHT;
  }

  /** It notified what another source had notified so long before. */
  recordConfirmed(leadMs: number): void {
    this.#confirmed += 1;
    this.recordLead(-leadMs);
  }

  /** At the end of a slot it had notified of an account what the book has. */
  recordAgreed(): void {
    if (this.#distrust !== null) this.#distrust.agreed += 1;
  }

  /** It did not tell what another one notified, or notified something else. */
  recordWrong(how: 'missed' | 'other', atMs: number): void {
    if (how === 'missed') this.#misses += 1;
    else this.#disagreements += 1;
    if (this.#distrust === null) return;
    this.#distrust.wrongAtMs = atMs;
    this.#distrust.agreed = 0;
  }

  recordDistrusted(reason: string, atMs: number): void {
    this.#distrust = { reason, wrongAtMs: atMs, agreed: 0 };
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
    const states = this.#first + this.#confirmed;
    const { standing } = this;
    const open = this.isTrusted ? 'trusted' : 'distrusted';
    return {
      name: this.name,
      state: standing === 'joined' ? open : standing,
      reason: this.#distrust?.reason ?? this.#closedReason,
      slot: this.slot,
      slotLag: Math.max(0, newestSlot - this.slot),
      states,
      wonShare: states === 0 ? null : this.#first / states,
      leadMs: this.#leadMs,
      misses: this.#misses,
      disagreements: this.#disagreements,
    };
  }
}

/** Has all sources follow these keys. Rejects where none that keeps the book can; another one that cannot is made again. */
export async function followKeys(
  members: readonly Member[],
  keys: readonly string[],
): Promise<void> {
  const followed = members.map(async ({ source, isKeeping }) => {
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
}

/** The slot from which no source that numbers writes keeps the book; infinite while one does. */
export function unnumberedFrom(members: readonly Member[]): number {
  const numbered = members.filter(({ source }) => source.kind === 'grpc');
  if (numbered.some(({ isKeeping }) => isKeeping)) return Number.POSITIVE_INFINITY;
  return Math.max(0, ...numbered.map(({ keptSlot }) => keptSlot));
}
