import type { AccountUpdate } from '../model/account-update.js';
import { type AccountWrites, isSameState, type SlotWrites } from './account-writes.js';
import { compareClaim, faultOf } from './claims.js';
import { CONFIRM_SLOTS, DISPUTE_MS_MAX, DISPUTES_MAX, READING_AHEAD_SLOTS_MAX } from './limits.js';
import type { Member } from './member.js';
import { plainUpdate } from './plain-update.js';
import { Witnesses, type WitnessOptions } from './witnesses.js';
import type { WriteLedger } from './write-ledger.js';

/** The inputs of a judge, and the listeners to its verdicts. */
interface SourceJudgeOptions extends WitnessOptions {
  readonly members: readonly Member[];
  readonly ledger: WriteLedger;
  /** A disputed account was read. */
  readonly onRead: (update: AccountUpdate) => void;
  /** A source was wrong about an account. */
  readonly onWrong: (member: Member, reason: string) => void;
  /** A source has agreed for long enough. */
  readonly onTrusted: (member: Member) => void;
  /** The chain's slot was read. */
  readonly onSlot: () => void;
}

/** An account that sources disagree about, or that was rolled back to an unknown state. */
interface Dispute {
  readonly pubkey: string;
  readonly kind: AccountUpdate['kind'];
  /** The disputed slot; a reading of a later slot decides. */
  readonly slot: number;
  readonly sinceMs: number;
  /** The disputed writes; null for a rolled-back account. */
  readonly writes: SlotWrites | null;
  /**
   * The first reading of each node, by name; sources may not have passed the slot of a reading yet.
   */
  readonly readings: Map<string, AccountUpdate>;
}

/** A decisive reading, and the sources that agree with it. */
interface Finding {
  readonly account: AccountWrites;
  readonly reading: AccountUpdate;
  readonly right: readonly Member[];
}

/**
 * Compares each source that has passed a slot with the book: for each account written in the slot,
 * the source must have notified the book's state. When a source disagrees, nodes read the account,
 * and a reading that another source has notified decides; a node is no witness for its own
 * subscriptions. While no reading has decided, the book is disputed.
 */
export class SourceJudge {
  readonly witnesses: Witnesses;
  readonly #options: SourceJudgeOptions;
  /** Writes to compare, by slot. */
  readonly #news = new Map<number, Set<SlotWrites>>();
  readonly #disputes = new Map<string, Dispute>();
  /**
   * The slot since which the oracles are followed; sources may have missed earlier writes of them.
   */
  #oraclesFromSlot = 0;

  constructor(options: SourceJudgeOptions) {
    this.#options = options;
    this.witnesses = new Witnesses(options, {
      listAccounts: () => [...this.#disputes.values()],
      onRead: (witness, update) => this.#takeReading(witness, update),
      onSlot: options.onSlot,
    });
  }

  /** The reason why the book is disputed; null when it is not. */
  get reason(): string | null {
    const sinceMs = this.#options.timers.nowMs() - DISPUTE_MS_MAX;
    for (const dispute of this.#disputes.values())
      if (dispute.sinceMs <= sinceMs) return `sources disagree about ${dispute.pubkey}`;
    return null;
  }

  /** Forgets all reports, because all accounts are read again: earlier reports are not judged. */
  forgetAll(): void {
    this.#news.clear();
    this.#disputes.clear();
    this.witnesses.stop();
  }

  /** Call this when the followed oracles change, because sources switch at different times. */
  excuseOracles(): void {
    const { members } = this.#options;
    this.#oraclesFromSlot = Math.max(...members.map(({ slot }) => slot)) + CONFIRM_SLOTS;
  }

  /** A source reported a write. */
  addWrites(writes: SlotWrites): void {
    const { slot } = writes;
    const inSlot = this.#news.get(slot);
    if (inSlot === undefined) this.#news.set(slot, new Set([writes]));
    else inSlot.add(writes);
  }

  /**
   * Reads accounts that were rolled back to unknown states. Returns false when there are too many.
   */
  openLost(lost: readonly AccountUpdate[]): boolean {
    if (this.#disputes.size + lost.length > DISPUTES_MAX) return false;
    for (const { pubkey, kind, slot } of lost) this.#open({ pubkey, kind, slot, writes: null });
    return true;
  }

  /**
   * Call this when a source reported a slot: compares all slots that sources have passed. `newest`
   * is the book's newest slot.
   */
  review(newest: number): void {
    const { members, timers } = this.#options;
    if (members.length > 1) {
      for (const [slot, inSlot] of this.#news) {
        if (slot > newest - CONFIRM_SLOTS) continue;
        for (const writes of inSlot) if (this.#settle(writes)) inSlot.delete(writes);
        if (inSlot.size === 0) this.#news.delete(slot);
      }
    }
    const nowMs = timers.nowMs();
    for (const dispute of this.#disputes.values()) this.#review(dispute);
    for (const member of members) if (member.deservesTrust(nowMs)) this.#options.onTrusted(member);
  }

  get #trusted(): readonly Member[] {
    return this.#options.members.filter(({ isTrusted }) => isTrusted);
  }

  /** Returns true when the comparison is complete; opens a dispute when sources disagree. */
  #settle(writes: SlotWrites): boolean {
    const { members, timers, ledger } = this.#options;
    const { account, slot } = writes;
    const state = ledger.shownAt(account, slot);
    if (state === null || (state.kind === 'oracle' && slot < this.#oraclesFromSlot)) return true;
    if (this.#isDisputed(writes, state)) {
      // The state may be a reading, which does not know the kind of a closed account.
      const { pubkey, kind } = writes.claims.find((claim) => claim !== undefined)?.update ?? state;
      return this.#open({ pubkey, kind, slot, writes });
    }
    if (this.#trusted.some((one) => one.coversSlot(slot) && !one.hasPassed(slot))) return false;
    for (const member of members.filter((one) => one.hasPassed(slot))) {
      const found = compareClaim(ledger, member, { account, slot, state });
      if (found === 'same') member.recordAgreed();
      else if (found === 'other')
        member.recordWrong(faultOf(ledger, member, { account, slot }), timers.nowMs());
    }
    return true;
  }

  /**
   * Returns whether a source that has passed the slot disagrees with the book, or a late write
   * cannot be confirmed.
   */
  #isDisputed({ account, slot, isLate, claims }: SlotWrites, state: AccountUpdate): boolean {
    const reporters = claims.filter(
      (claim) => claim !== undefined && isSameState(claim.update, state),
    );
    const { ledger } = this.#options;
    const able = this.#trusted.filter((one) => one.hasPassed(slot));
    const found = able.map((member) => compareClaim(ledger, member, { account, slot, state }));
    if (found.includes('other')) return true;
    if (reporters.length > 1) return false;
    if (found.includes('silent')) return true;
    return isLate && state.slot === slot && !able.some(({ index }) => claims[index] === undefined);
  }

  /**
   * Opens a dispute; returns false when it must wait, because another dispute about the account is
   * open.
   */
  #open(dispute: Omit<Dispute, 'sinceMs' | 'readings'>): boolean {
    if (this.#disputes.has(dispute.pubkey)) return false;
    if (this.#disputes.size >= DISPUTES_MAX) return true;
    const sinceMs = this.#options.timers.nowMs();
    this.#disputes.set(dispute.pubkey, { ...dispute, sinceMs, readings: new Map() });
    this.witnesses.readSoon();
    return true;
  }

  #review(dispute: Dispute): void {
    const { pubkey, slot, writes, readings } = dispute;
    for (const [name, reading] of readings)
      if (this.#disputes.get(pubkey) === dispute) this.#weighReading(dispute, name, reading);
    if (writes === null || this.#disputes.get(pubkey) !== dispute) return;
    const state = this.#options.ledger.shownAt(writes.account, slot);
    if (state !== null && this.#isDisputed(writes, state)) return;
    // The sources agree by now.
    this.#disputes.delete(pubkey);
    this.addWrites(writes);
  }

  #takeReading(witness: string, read: AccountUpdate): void {
    const dispute = this.#disputes.get(read.pubkey);
    const reading = plainUpdate(read);
    if (reading === null || dispute === undefined || dispute.readings.has(witness)) return;
    const newest = Math.max(...this.#options.members.map(({ slot }) => slot));
    // A reading far ahead belongs to another chain.
    if (reading.slot <= dispute.slot || reading.slot > newest + READING_AHEAD_SLOTS_MAX) return;
    dispute.readings.set(witness, reading);
    this.#weighReading(dispute, witness, reading);
  }

  /**
   * Evaluates a reading: it decides when a source has reported the same state since, or when no
   * source has reported the account.
   */
  #weighReading(dispute: Dispute, witness: string, reading: AccountUpdate): void {
    const trusted = this.#trusted;
    const past = trusted.filter((member) => member.slot > reading.slot);
    if (past.length > 0 && past.every(({ chain }) => chain.hasLeft(reading.slot))) {
      dispute.readings.delete(witness);
      return;
    }
    const isOwn = ({ source }: Member): boolean => source.kind === 'rpc' && source.name === witness;
    const right = trusted.filter((member) => this.#hasNotified(member, dispute, reading));
    const silent = this.#silentUntil(Number.POSITIVE_INFINITY, dispute);
    if (silent.length === trusted.length || !right.every(isOwn)) {
      this.#decide(dispute, reading, right);
      return;
    }
    if (trusted.some((one) => one.coversSlot(reading.slot) && !one.hasPassed(reading.slot))) return;
    dispute.readings.delete(witness);
    const others = reading.closed ? trusted : this.#findAgreeing(dispute, reading);
    if (!others.every(isOwn)) this.#decide(dispute, reading, others);
  }

  /**
   * Returns the trusted sources that have reported nothing about the account up to a reading, where
   * no source reported its state since they joined either.
   */
  #findAgreeing(dispute: Dispute, reading: AccountUpdate): readonly Member[] {
    const { ledger } = this.#options;
    const account = ledger.findAccount(dispute.pubkey);
    if (account === undefined) return this.#trusted;
    const { slot } = reading;
    return this.#silentUntil(slot, dispute).filter(
      (one) => compareClaim(ledger, one, { account, slot, state: reading }) !== 'other',
    );
  }

  /**
   * Returns the trusted sources that have reported nothing about the account since they joined, up
   * to the end of a slot.
   */
  #silentUntil(slot: number, { pubkey }: Dispute): readonly Member[] {
    const { ledger } = this.#options;
    const account = ledger.findAccount(pubkey);
    if (account === undefined) return this.#trusted;
    return this.#trusted.filter((one) => {
      const claim = ledger.claimAt(one, account, slot);
      return claim === null || claim.slot < one.firstSlot;
    });
  }

  /**
   * Returns whether the source had the state at the end of the disputed slot, or reported it up to
   * the reading, also with a slot that it left: a node reports a write with a later slot.
   */
  #hasNotified(member: Member, { pubkey, slot }: Dispute, reading: AccountUpdate): boolean {
    const { ledger } = this.#options;
    const account = ledger.findAccount(pubkey);
    if (account === undefined) return false;
    const since = account.slots.filter((one) => one.slot >= slot && one.slot <= reading.slot);
    const claims = since.map((one) => one.claims[member.index]?.update ?? null);
    return [ledger.claimAt(member, account, slot), ...claims].some(
      (claim) => claim !== null && isSameState(claim, reading),
    );
  }

  /** Ends a dispute: the book gets the reading, and every source but those in `right` is refuted. */
  #decide(dispute: Dispute, reading: AccountUpdate, right: readonly Member[]): void {
    const { ledger, timers, onRead, onWrong } = this.#options;
    const { pubkey } = dispute;
    const account = ledger.findAccount(pubkey);
    const faults =
      account === undefined ? [] : this.#findFaults(dispute, { account, reading, right });
    this.#disputes.delete(pubkey);
    onRead(reading);
    for (const { member, fault } of faults) {
      member.recordWrong(fault, timers.nowMs());
      const what = fault === 'missed' ? 'did not tell of' : 'notified another state of';
      onWrong(member, `it ${what} ${pubkey}`);
    }
  }

  /**
   * Returns the refuted sources: compared at the end of the disputed slot if the right sources had
   * the state then and reported no other until the reading, otherwise at the reading.
   */
  #findFaults({ slot, writes }: Dispute, finding: Finding) {
    const { account, reading, right } = finding;
    const { ledger } = this.#options;
    const hadThen = right.every((one) => {
      const claim = ledger.claimAt(one, account, slot);
      if (one.passedSlot < slot || claim === null || !isSameState(claim, reading)) return false;
      return ledger.claimAt(one, account, reading.slot) === claim;
    });
    const until = hadThen && right.length > 0 ? slot : reading.slot;
    return this.#trusted
      .filter((member) => !right.includes(member))
      .filter((member) =>
        member.hasPassed(until)
          ? this.#isRefuted(member, finding, until)
          : until === slot && writes !== null && this.#hasReportedWrong(member, writes, finding),
      )
      .map((member) => ({ member, fault: faultOf(ledger, member, { account, slot: until }) }));
  }

  #isRefuted(member: Member, { account, reading }: Finding, until: number): boolean {
    const { ledger } = this.#options;
    if (compareClaim(ledger, member, { account, slot: until, state: reading }) !== 'other')
      return false;
    const claim = ledger.claimAt(member, account, until);
    // The source may have reported the state on a fork that it left and may return to.
    return !account.slots.some((one) => {
      const own = one.slot >= (claim?.slot ?? 0) ? one.claims[member.index] : undefined;
      return own !== undefined && isSameState(own.update, reading);
    });
  }

  /**
   * Returns whether a source has reported a wrong state. An intermediate state, and a state on a
   * fork that the source may still leave, do not count.
   */
  #hasReportedWrong(
    member: Member,
    { slot, claims }: SlotWrites,
    { reading, right }: Finding,
  ): boolean {
    const own = claims[member.index];
    if (own === undefined || member.chain.hasLeft(slot)) return false;
    return right.every((one) => {
      const other = claims[one.index];
      // A node does not report that an account is opened and closed in one slot.
      const isSilent = reading.closed && one.source.kind === 'rpc';
      if (other === undefined) return !isSilent && one.hasPassed(slot) && !one.chain.hasLeft(slot);
      // A node may report only the last state of a slot, so the position of its state among the
      // writes is unknown.
      const isPlaced = one.source.kind === 'grpc' || member.source.kind === 'rpc';
      return isPlaced && own.count >= other.count && !isSameState(own.update, other.update);
    });
  }
}
