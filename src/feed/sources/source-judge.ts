import type { Timers } from '../../contract/timers.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { type ClaimComparison, compareClaim, faultOf, isTeller } from './claims.js';
import type { Disputes } from './disputes.js';
import {
  CONFIRM_SLOTS,
  FORK_MS_MAX,
  JOINED_SLOTS_AFTER,
  LATE_WRITES_MAX,
  LEDGER_SLOTS_MAX,
} from './limits.js';
import type { Member } from './member.js';
import type { WriteLedger } from './write-ledger.js';

/** What a judge compares, and whom it tells. */
export interface SourceJudgeOptions {
  readonly members: readonly Member[];
  readonly ledger: WriteLedger;
  readonly disputes: Disputes;
  readonly timers: Timers;
  /** A source has agreed for long enough. */
  readonly onTrusted: (member: Member) => void;
}

/** A write that is compared once more. */
interface LateWrite {
  readonly pubkey: string;
  readonly slot: number;
  readonly sinceMs: number;
  readonly atMs: number;
}

/**
 * Judges sources by each other: each, when it is two slots further, must have notified of a slot what the book has of it, whoever
 * notified that and whether or not he goes on himself. A write that comes when others are past its slot is compared then. Where one
 * disagrees a dispute begins.
 */
export class SourceJudge {
  readonly #options: SourceJudgeOptions;
  /** By account and slot. */
  readonly #late = new Map<string, LateWrite>();
  /** Of oracles that are followed since then sources may have missed something. */
  #oraclesFromSlot = 0;

  constructor(options: SourceJudgeOptions) {
    this.#options = options;
  }

  /** All accounts are read again: nothing of before is judged. */
  forgetAll(): void {
    this.#late.clear();
    this.#options.disputes.clear();
  }

  /** Other oracles are followed from now on, by some sources earlier than by others. */
  excuseOracles(): void {
    const { members } = this.#options;
    this.#oraclesFromSlot = Math.max(...members.map(({ slot }) => slot)) + CONFIRM_SLOTS;
  }

  /** A write changed the book: where some source is past its slot it is compared with that one once more. */
  recordWrite({ pubkey, slot }: SourceUpdate): void {
    if (!this.#options.members.some(({ judgedTo }) => judgedTo >= slot)) return;
    const nowMs = this.#options.timers.nowMs();
    const waitMs = this.#options.ledger.isOffChain(slot) ? FORK_MS_MAX : 0;
    this.#judgeLater({ pubkey, slot, sinceMs: nowMs, atMs: nowMs + waitMs });
  }

  /** What the book has of the account by now is compared once more. */
  judgeAgain(pubkey: string): void {
    const shown = this.#options.ledger.shownAt(pubkey, Number.POSITIVE_INFINITY);
    if (shown !== null) this.recordWrite(shown);
  }

  /** A source notified of a slot: judges what each has passed by now. */
  judgeSlots(): void {
    const { members, disputes, timers } = this.#options;
    const nowMs = timers.nowMs();
    const keeping = members.filter(({ isKeeping }) => isKeeping);
    if (members.length < 2 || keeping.length === 0) return;
    const newest = Math.max(...keeping.map(({ slot }) => slot));
    for (const member of members)
      this.#judgeMember(member, Math.min(member.passedSlot, newest - CONFIRM_SLOTS), nowMs);
    this.#judgeLateWrites(nowMs);
    disputes.review(nowMs);
    for (const member of members) {
      if (member.deservesTrust(nowMs)) this.#options.onTrusted(member);
    }
  }

  #judgeMember(member: Member, until: number, nowMs: number): void {
    if (member.standing !== 'joined' || member.firstSlot === 0) return;
    const from = Math.max(
      member.judgedTo + 1,
      member.firstSlot + JOINED_SLOTS_AFTER,
      until - LEDGER_SLOTS_MAX,
    );
    for (let slot = from; slot <= until; slot += 1) this.#judgeSlot(member, slot, nowMs);
    member.judgedTo = Math.max(member.judgedTo, until);
  }

  #judgeSlot(member: Member, slot: number, nowMs: number): void {
    const { ledger } = this.#options;
    const accounts = ledger.accountsIn(slot);
    if (accounts.length === 0) return;
    // A slot of another fork is left out soon, and else it is judged as any other.
    const isFork = ledger.isOffChain(slot);
    const atMs = nowMs + FORK_MS_MAX;
    for (const pubkey of accounts) {
      if (isFork) this.#judgeLater({ pubkey, slot, sinceMs: nowMs, atMs });
      else this.#judgeAccount(member, pubkey, slot, nowMs);
    }
  }

  #judgeLater(write: LateWrite): void {
    const key = `${write.pubkey} ${write.slot}`;
    if (this.#late.size < LATE_WRITES_MAX && !this.#late.has(key)) this.#late.set(key, write);
  }

  #judgeLateWrites(nowMs: number): void {
    for (const [key, { pubkey, slot, sinceMs, atMs }] of this.#late) {
      if (atMs > nowMs) continue;
      this.#late.delete(key);
      const able = this.#options.members.filter(
        (member) => member.judgedTo >= slot && member.hasPassed(slot),
      );
      for (const member of able) this.#judgeAccount(member, pubkey, slot, sinceMs);
      this.#doubtUnseen(able, pubkey, slot, sinceMs);
    }
  }

  /** What came late, of a slot before that of which all others notify, only the chain can confirm. */
  #doubtUnseen(able: readonly Member[], pubkey: string, slot: number, sinceMs: number): void {
    const { ledger, disputes } = this.#options;
    const [state, tellers] = [ledger.shownAt(pubkey, slot), ledger.tellersAt(pubkey, slot)];
    if (state === null || state.slot !== slot) return;
    // Two that notified it confirm each other.
    if ((tellers & (tellers - 1)) !== 0) return;
    const isSeen = able.some((member) => member.isTrusted && !isTeller(tellers, member));
    if (!isSeen) disputes.open({ pubkey, slot, sinceMs, state, tellers });
  }

  #judgeAccount(member: Member, pubkey: string, slot: number, sinceMs: number): void {
    const { ledger, disputes, timers } = this.#options;
    const state = ledger.shownAt(pubkey, slot);
    if (state?.kind === 'oracle' && slot < this.#oraclesFromSlot) return;
    const comparison = compareClaim(ledger, member, { pubkey, slot, state });
    if (comparison === 'unknown') return;
    if (comparison === 'same' || comparison === 'later') member.recordAgreed();
    else if (!member.isTrusted) this.#recordWrong(member, comparison, pubkey, slot, timers.nowMs());
    else if (state !== null) {
      const tellers = ledger.tellersAt(pubkey, slot);
      // A node cannot say whether the account is closed; where two others do, it is.
      if (comparison === 'silent' && (tellers & (tellers - 1)) !== 0) return;
      disputes.open({ pubkey, slot, sinceMs, state, tellers });
    }
  }

  #recordWrong(
    member: Member,
    comparison: ClaimComparison,
    pubkey: string,
    slot: number,
    nowMs: number,
  ): void {
    if (comparison === 'silent') return;
    member.recordWrong(faultOf(this.#options.ledger, member, pubkey, slot), nowMs);
  }
}
