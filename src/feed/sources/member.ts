import type { SourceStatus } from '../../contract/feed-status.js';
import type { FeedSource, SourceSlot } from '../model/feed-source.js';
import type { LedgerListener } from './account-writes.js';
import {
  JOINED_SLOTS_AFTER,
  JOINED_SLOTS_BEHIND_MAX,
  LEAD_WEIGHT,
  SILENT_MS_MAX,
  SLOT_MS_MIN,
  STALLED_SLOTS,
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
  /** The newest slot behind which there are two others in the chain that it notifies of. */
  passedSlot = 0;
  /** When that was, in monotonic milliseconds. */
  slotAtMs = 0;
  /** The newest slot of which it notified anything, also a write. */
  reach = 0;
  /** Since when that is beyond all others and the chain; null while it is not. */
  aheadSinceMs: number | null = null;
  /** The slot before which it notified nothing. */
  firstSlot = 0;
  /** The newest slot in which it was compared with the book. */
  judgedTo = 0;
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
    return this.standing === 'joined' && this.isTrusted && this.aheadSinceMs === null;
  }

  /** Whether it has notified all of this slot and of those before by now, if it tells all. */
  hasPassed(slot: number): boolean {
    return this.coversSlot(slot) && this.passedSlot >= slot;
  }

  /** Whether it notifies all of this slot and of those behind it, sooner or later. */
  coversSlot(slot: number): boolean {
    const from = this.firstSlot + JOINED_SLOTS_AFTER;
    return this.standing === 'joined' && this.firstSlot > 0 && slot >= from;
  }

  /** Connected, with a gap before what comes now. */
  recordOpened(): void {
    this.recordRejoined();
    this.#closedReason = null;
  }

  /** All accounts are read again, and it has notified all since; what it notified before counts no more. */
  recordJoined(atMs: number): void {
    this.standing = 'joined';
    this.firstSlot = this.slot;
    this.slotAtMs = atMs;
    this.keptSlot = 0;
  }

  /** It stays connected, and its next slot says where it is. */
  recordRejoined(): void {
    this.standing = 'joining';
    this.firstSlot = 0;
    this.slot = 0;
    this.passedSlot = 0;
    this.reach = 0;
    this.judgedTo = 0;
    this.aheadSinceMs = null;
  }

  stop(): void {
    this.standing = 'closed';
    this.source.stop();
  }

  recordClosed(reason: string): void {
    this.standing = 'closed';
    this.#closedReason = reason;
  }

  recordSlot({ slot, parent }: SourceSlot, atMs: number): void {
    if (this.firstSlot === 0) this.firstSlot = slot;
    if (slot > this.slot) {
      // The slot before is not the parent where it is of a fork, or was not announced.
      this.passedSlot = Math.max(this.passedSlot, (parent ?? this.slot) - 1);
      this.slot = slot;
      this.slotAtMs = atMs;
    }
    this.reach = Math.max(this.reach, slot);
    if (this.isKeeping) this.keptSlot = this.slot;
  }

  /** It notified of a slot that others may be beyond when they have not notified for a while. */
  slotBy(nowMs: number): number {
    return this.slot + Math.floor((nowMs - this.slotAtMs) / SLOT_MS_MIN);
  }

  /** Whether what it notified from its first slot on continues what another one notified up to this slot. */
  continuesAt(slot: number): boolean {
    return (
      this.firstSlot > 0 &&
      slot >= this.firstSlot + JOINED_SLOTS_AFTER &&
      slot <= this.slot + JOINED_SLOTS_BEHIND_MAX
    );
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

/** Counts who notified a state first, and who confirmed it. */
export function newCounter(members: readonly Member[]): LedgerListener {
  return {
    onFirst: (source) => members[source]?.recordFirst(),
    onConfirmed: (source, first, leadMs) => {
      members[source]?.recordConfirmed(leadMs);
      members[first]?.recordLead(leadMs);
    },
  };
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

/** The slot from which no source that numbers writes keeps the book, and keeps up; infinite while one does. */
export function unnumberedFrom(members: readonly Member[]): number {
  const numbered = members.filter(({ source }) => source.kind === 'grpc');
  const newest = Math.max(0, ...members.map(({ isKeeping, slot }) => (isKeeping ? slot : 0)));
  if (numbered.some(({ isKeeping, slot }) => isKeeping && slot + STALLED_SLOTS >= newest))
    return Number.POSITIVE_INFINITY;
  return Math.max(0, ...numbered.map(({ keptSlot }) => keptSlot));
}

/** A source that notifies of no more slots, while another one does, joins again: it may have missed anything. */
export function rejoinSilent(members: readonly Member[], nowMs: number): void {
  const isSilent = ({ slotAtMs }: Member): boolean => nowMs - slotAtMs >= SILENT_MS_MAX;
  if (!members.some((member) => member.isKeeping && !isSilent(member))) return;
  for (const member of members) {
    const isBehind = member.standing === 'joined' && member.aheadSinceMs === null;
    if (isBehind && isSilent(member)) member.recordRejoined();
  }
}

/** The sources that are not trusted, as bits. */
export function untrustedOf(members: readonly Member[]): number {
  return members.reduce(
    (bits, { isTrusted, index }) => (isTrusted ? bits : bits | (1 << index)),
    0,
  );
}

/** Where the others that keep the book may be by now; null where none does. */
export function slotOfOthers(
  members: readonly Member[],
  except: Member,
  nowMs: number,
): number | null {
  let newest: number | null = null;
  for (const member of members) {
    if (member !== except && member.isKeeping && member.slot > 0)
      newest = Math.max(newest ?? 0, member.slotBy(nowMs));
  }
  return newest;
}

/** All that are open notify everything from now on, while the book is read. Returns the slot before which nothing counts. */
export function joinOpen(members: readonly Member[], nowMs: number): number {
  const open = members.filter(({ standing }) => standing === 'joining');
  for (const member of open) member.recordJoined(nowMs);
  // One that is behind may still notify what the reading has, and one that is ahead may be wrong.
  const slots = open.map(({ slot }) => slot).filter((slot) => slot > 0);
  return slots.length === 0 ? 0 : Math.max(0, Math.min(...slots) - 1);
}

/** What each source does; those that keep the book say how far the others are behind. */
export function readMembers(members: readonly Member[]): readonly SourceStatus[] {
  const keeping = members.filter(({ isKeeping }) => isKeeping);
  const counted = keeping.length === 0 ? members : keeping;
  const newest = Math.max(0, ...counted.map(({ slot }) => slot));
  return members.map((member) => member.readStatus(newest));
}
