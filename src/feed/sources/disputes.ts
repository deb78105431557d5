import type { Timers } from '../../contract/timers.js';
import type { AccountUpdate } from '../model/account-update.js';
import { isSameState } from './account-writes.js';
import { cameLater, compareClaim, faultOf, groupClaims, hasLeftState, isTeller } from './claims.js';
import { DISPUTE_MS_MAX, DISPUTES_MAX, READING_AHEAD_SLOTS_MAX } from './limits.js';
import type { Member } from './member.js';
import { plainUpdate } from './plain-update.js';
import { RepeatedReadings, type Witness } from './repeated-readings.js';
import type { WriteLedger } from './write-ledger.js';

/** What disputes are settled by, and who is notified. */
export interface DisputesOptions {
  readonly members: readonly Member[];
  readonly ledger: WriteLedger;
  readonly witnesses: readonly Witness[];
  readonly timers: Timers;
  readonly random: () => number;
  /** A source was wrong about an account. */
  readonly onWrong: (member: Member, reason: string) => void;
  /** What an account is, where the book may have had something else. */
  readonly onRead: (update: AccountUpdate) => void;
  /** The account is in doubt no more; what came meanwhile was not judged. */
  readonly onEnded: (pubkey: string) => void;
}

/** A state of the book that is in doubt. */
export interface Doubt {
  readonly pubkey: string;
  /** At whose end. */
  readonly slot: number;
  readonly sinceMs: number;
  readonly state: AccountUpdate;
  /** The sources that notified it, as bits. */
  readonly tellers: number;
}

interface Dispute extends Doubt {
  /** What nodes read of it first, each by its name; the sources may not have passed that slot yet. */
  readonly readings: Map<string, AccountUpdate>;
}

interface Verdict {
  /** The state that is right at the end of this slot; null where nobody notified one. */
  readonly slot: number;
  readonly state: AccountUpdate | null;
  readonly right: readonly Member[];
  /** What decided, where that was a reading. */
  readonly reading?: AccountUpdate;
}

/**
 * The states of the book that are in doubt. Nodes read them, and the chain decides who is wrong; a node is no witness for its own
 * subscriptions. Where the chain does not decide in time more than half of the sources do, and two of them at least; without
 * such a majority the book cannot be believed, until a source that did not notify what was in doubt has the same as the book.
 */
export class Disputes {
  readonly #options: DisputesOptions;
  readonly #readings: RepeatedReadings;
  readonly #disputes = new Map<string, Dispute>();

  constructor(options: DisputesOptions) {
    this.#options = options;
    this.#readings = new RepeatedReadings(options, {
      listAccounts: () => [...this.#disputes.values()].map(({ state }) => state),
      onRead: (name, batch) => {
        for (const update of batch.updates) this.#takeReading(name, update);
      },
    });
  }

  /** Why the book cannot be believed; null when it can. */
  get reason(): string | null {
    const nowMs = this.#options.timers.nowMs();
    for (const { pubkey, sinceMs } of this.#disputes.values()) {
      if (nowMs - sinceMs >= DISPUTE_MS_MAX) return `sources disagree about ${pubkey}`;
    }
    return null;
  }

  clear(): void {
    this.#disputes.clear();
    this.#readings.stop();
  }

  /** The account is in doubt from now on, unless it is already, or too many are. */
  open(doubt: Doubt): void {
    if (this.#disputes.has(doubt.pubkey) || this.#disputes.size >= DISPUTES_MAX) return;
    this.#disputes.set(doubt.pubkey, { ...doubt, readings: new Map() });
    this.#readings.readSoon();
  }

  /** These went back to what is not known, and are in doubt until they are read. False where they are too many. */
  openLost(lost: readonly AccountUpdate[], tellers: number): boolean {
    if (this.#disputes.size + lost.length > DISPUTES_MAX) return false;
    const sinceMs = this.#options.timers.nowMs();
    for (const state of lost) {
      const { pubkey, slot } = state;
      this.#disputes.set(pubkey, { pubkey, slot, sinceMs, state, tellers, readings: new Map() });
    }
    this.#readings.readSoon();
    return true;
  }

  /** Ends those of which enough is known by now. */
  review(nowMs: number): void {
    for (const dispute of this.#disputes.values()) {
      for (const [name, reading] of dispute.readings) {
        if (this.#isOpen(dispute)) this.#weighReading(dispute, name, reading);
      }
      if (this.#isOpen(dispute)) this.#weighClaims(dispute, nowMs);
    }
  }

  #isOpen(dispute: Dispute): boolean {
    return this.#disputes.get(dispute.pubkey) === dispute;
  }

  get #trusted(): readonly Member[] {
    return this.#options.members.filter(({ isTrusted }) => isTrusted);
  }

  /** The trusted sources that have notified all of the slot. */
  #partiesOf({ slot }: Dispute): readonly Member[] {
    return this.#trusted.filter((member) => member.hasPassed(slot));
  }

  /** Whether all have notified what was read that ever will. */
  #havePassed({ slot }: AccountUpdate): boolean {
    return this.#trusted.every((one) => one.hasPassed(slot) || !one.coversSlot(slot));
  }

  #compare(member: Member, pubkey: string, slot: number, state: AccountUpdate | null) {
    return compareClaim(this.#options.ledger, member, { pubkey, slot, state });
  }

  /** What the sources have of it now: they may have come to agree, and in the end most of them are right. */
  #weighClaims(dispute: Dispute, nowMs: number): void {
    const { pubkey } = dispute;
    const parties = this.#partiesOf(dispute);
    if (parties.length === 0) return;
    const slot = Math.min(...parties.map((member) => member.passedSlot));
    if (this.#isConfirmed(dispute, slot, parties)) this.#end(pubkey);
    else if (nowMs - dispute.sinceMs >= DISPUTE_MS_MAX) this.#followMost(dispute, slot, parties);
  }

  /** Whether none has another state than the book, and one has the same that did not notify what was in doubt. */
  #isConfirmed({ pubkey, tellers }: Dispute, slot: number, parties: readonly Member[]): boolean {
    const state = this.#options.ledger.shownAt(pubkey, slot);
    const found = parties.map((member) => this.#compare(member, pubkey, slot, state));
    if (state === null || found.includes('other')) return false;
    return parties.some((member, at) => found[at] === 'same' && !isTeller(tellers, member));
  }

  #followMost(dispute: Dispute, slot: number, parties: readonly Member[]): void {
    const { pubkey } = dispute;
    const [most = []] = groupClaims(this.#options.ledger, parties, { pubkey, slot });
    const [first] = most;
    if (first === undefined || most.length < 2 || most.length * 2 <= parties.length) return;
    const state = this.#options.ledger.claimAt(first.index, pubkey, slot);
    this.#decide(dispute, { slot, state, right: most });
  }

  #takeReading(name: string, read: AccountUpdate): void {
    const dispute = this.#disputes.get(read.pubkey);
    const reading = plainUpdate(read);
    if (reading === null || dispute === undefined || dispute.readings.has(name)) return;
    // What was notified at the end of that slot may be in later slots alone; one far ahead is of another chain.
    const newest = Math.max(...this.#options.members.map(({ slot }) => slot));
    if (reading.slot <= dispute.slot || reading.slot > newest + READING_AHEAD_SLOTS_MAX) return;
    dispute.readings.set(name, reading);
    this.#weighReading(dispute, name, reading);
  }

  /** A reading decides when it is what one side notified: at the end of the slot in doubt, or in that of its own. */
  #weighReading(dispute: Dispute, name: string, reading: AccountUpdate): void {
    const isOwn = ({ source }: Member): boolean => source.kind === 'rpc' && source.name === name;
    if (this.#isOfFork(reading)) {
      dispute.readings.delete(name);
      return;
    }
    const tellers = this.#options.members.filter((member) => isTeller(dispute.tellers, member));
    if (tellers.some(isOwn) && isSameState(reading, dispute.state)) {
      dispute.readings.delete(name);
      return;
    }
    const isUnknown = this.#trusted.every(
      (member) => this.#claimBy(member, dispute, Number.POSITIVE_INFINITY) === null,
    );
    const found = isUnknown
      ? { slot: dispute.slot, right: this.#trusted }
      : this.#findRight(dispute, reading, isOwn);
    if (found !== null) this.#decide(dispute, { ...found, state: reading, reading });
    else if (this.#havePassed(reading)) this.#weighLast(dispute, name, reading);
  }

  /** Whether all that went on from the slot of a reading, or from another one, have left it. */
  #isOfFork({ slot }: AccountUpdate): boolean {
    const past = this.#trusted.filter((member) => member.slot > slot);
    return past.length > 0 && past.every(({ index }) => this.#options.ledger.hasLeft(index, slot));
  }

  /** Who is right by a reading, and at the end of which slot; null where that is not known yet. */
  #findRight(
    dispute: Dispute,
    reading: AccountUpdate,
    isOwn: (member: Member) => boolean,
  ): { readonly slot: number; readonly right: readonly Member[] } | null {
    const hasIt = (slot: number): readonly Member[] =>
      this.#trusted.filter((member) => this.#hasRead(member, dispute, reading, slot));
    const then = hasIt(dispute.slot);
    // It may have been written since: who has it by now was right before, too.
    const isSince = this.#trusted.some((member) => {
      const has = this.#compare(member, dispute.pubkey, reading.slot, reading) === 'same';
      return has && !then.includes(member);
    });
    if (!isSince && !then.every(isOwn)) return { slot: dispute.slot, right: then };
    const now = hasIt(reading.slot);
    if (!now.every(isOwn)) return { slot: reading.slot, right: now };
    // What a node notified itself it does not prove, and no other state either; and one that is behind may still come to it.
    if (now.length > 0 || !this.#havePassed(reading)) return null;
    // The node may have read the slot before its end.
    const before = hasIt(reading.slot - 1);
    return before.every(isOwn) ? null : { slot: reading.slot - 1, right: before };
  }

  /** Whether what was read is what the source had notified up to the end of the slot. */
  #hasRead(member: Member, dispute: Dispute, reading: AccountUpdate, slot: number): boolean {
    const passed = slot === dispute.slot ? slot : reading.slot;
    if (member.hasPassed(passed))
      return this.#compare(member, dispute.pubkey, slot, reading) === 'same';
    return isTeller(dispute.tellers, member) && isSameState(reading, dispute.state);
  }

  /**
   * All are past a reading that is nobody's. Who notified nothing since the book was read is not refuted by it, nor is anybody by an
   * account that is gone; every other such reading is made again.
   */
  #weighLast(dispute: Dispute, name: string, reading: AccountUpdate): void {
    dispute.readings.delete(name);
    const { slot } = reading;
    const parties = this.#trusted.filter((member) => member.hasPassed(slot));
    const right = reading.closed
      ? parties
      : parties.filter((member) => this.#claimBy(member, dispute, slot) === null);
    const isOwn = ({ source }: Member): boolean => source.kind === 'rpc' && source.name === name;
    if (!right.every(isOwn)) this.#decide(dispute, { slot, state: reading, right, reading });
  }

  #claimBy({ index }: Member, { pubkey }: Dispute, slot: number): AccountUpdate | null {
    return this.#options.ledger.claimAt(index, pubkey, slot);
  }

  #decide(dispute: Dispute, verdict: Verdict): void {
    const { ledger, members, timers, onRead, onWrong } = this.#options;
    const { pubkey } = dispute;
    const { slot, state, reading } = verdict;
    const wrong = members.filter((member) => this.#isWrong(member, dispute, verdict));
    const faults = wrong.map((member) => faultOf(ledger, member, pubkey, slot));
    this.#end(pubkey);
    if (reading !== undefined) onRead(reading);
    wrong.forEach((member, at) => {
      const fault = faults[at] ?? 'other';
      member.recordWrong(fault, timers.nowMs());
      const what = fault === 'missed' ? 'did not tell of' : 'notified another state of';
      onWrong(member, `it ${what} ${pubkey}`);
    });
    if (reading !== undefined || state === null) return;
    // Who notified the other state may be gone, so that nothing was taken back.
    const shown = ledger.shownAt(pubkey, slot);
    if (shown === null || !isSameState(shown, state)) onRead({ ...state, slot: slot + 1 });
  }

  #isWrong(member: Member, dispute: Dispute, { slot, state, right }: Verdict): boolean {
    if (!member.isTrusted || right.includes(member)) return false;
    const { pubkey } = dispute;
    const { ledger } = this.#options;
    if (member.hasPassed(slot)) {
      if (this.#compare(member, pubkey, slot, state) !== 'other') return false;
      if (hasLeftState(ledger, member, { pubkey, slot, state })) return false;
      return !cameLater(ledger, member, { pubkey, slot, right });
    }
    if (slot !== dispute.slot || !isTeller(dispute.tellers, member)) return false;
    if (state !== null && isSameState(state, dispute.state)) return false;
    // It may still leave a slot that those have left.
    if (right.some(({ index }) => ledger.hasLeft(index, dispute.state.slot))) return false;
    // It is refuted once it is past the slot, or when one that numbers all writes of the slot had another one at its end.
    // It may have been on the way to what those notified at the end.
    const tellers = ledger.tellersOf(dispute.state);
    if (right.some((one) => isTeller(tellers, one))) return false;
    const isNumbered = right.some(({ source }) => source.kind === 'grpc');
    return isNumbered || member.passedSlot >= slot;
  }

  #end(pubkey: string): void {
    this.#disputes.delete(pubkey);
    this.#options.onEnded(pubkey);
  }
}
