import { Backoff } from '../../rpc/backoff.js';
import { type Timer, withTimeLimit } from '../../rpc/timers.js';
import type { AccountBatch, AccountKind, AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { isSameState } from './account-writes.js';
import { type Dispute, type JudgeOptions, readAccounts } from './disputes.js';
import {
  CONFIRM_MS_MAX,
  CONFIRM_SLOTS,
  DISPUTE_MS_MAX,
  DISPUTE_READ_INTERVAL_MS,
  DISPUTE_READ_INTERVAL_MS_MAX,
  DISPUTE_READ_MS_MAX,
  DISPUTES_MAX,
  LEDGER_SLOTS_MAX,
} from './limits.js';
import type { Member } from './member.js';
import { plainUpdate } from './plain-update.js';

/**
 * Judges sources by each other: two slots later each must have notified of an account what the book has. Where one has not,
 * the account is read: the chain decides who is wrong, and a node is no witness for its own subscriptions. Where the chain does not
 * decide in time, more than half of the sources do; where there is no such majority the book is in dispute.
 */
export class SourceJudge {
  readonly #options: JudgeOptions;
  readonly #backoff: Backoff;
  readonly #disputes = new Map<string, Dispute>();
  /** Slots that the first source has passed, not judged yet, oldest first. */
  #waiting: { readonly slot: number; readonly passedAtMs: number }[] = [];
  #queuedSlot = 0;
  /** Of oracles that are followed since then sources may have missed something. */
  #oraclesFromSlot = 0;
  #nextRead: Timer | null = null;
  #reading: AbortController | null = null;

  constructor(options: JudgeOptions) {
    this.#options = options;
    const { random } = options;
    const [firstMs, capMs] = [DISPUTE_READ_INTERVAL_MS, DISPUTE_READ_INTERVAL_MS_MAX];
    this.#backoff = new Backoff({ firstMs, capMs, random });
  }

  /** Why the book cannot be believed; null when it can. */
  get dispute(): string | null {
    const nowMs = this.#options.timers.nowMs();
    for (const { pubkey, sinceMs } of this.#disputes.values()) {
      if (nowMs - sinceMs >= DISPUTE_MS_MAX) return `sources disagree about ${pubkey}`;
    }
    return null;
  }

  /** All accounts are read again: nothing of before is judged. */
  forgetAll(): void {
    this.#disputes.clear();
    this.#waiting = [];
    this.#queuedSlot = 0;
    this.#nextRead?.cancel();
    this.#nextRead = null;
    this.#reading?.abort();
    this.#reading = null;
  }

  /** Other oracles are followed from now on, by some sources earlier than by others. */
  excuseOracles(): void {
    const { members } = this.#options;
    this.#oraclesFromSlot = Math.max(...members.map(({ slot }) => slot)) + CONFIRM_SLOTS;
  }

  /** A source notified of a slot: judges what all have passed by now. */
  judgeSlots(): void {
    const { members, timers } = this.#options;
    const nowMs = timers.nowMs();
    const keeping = members.filter(({ isKeeping }) => isKeeping);
    if (keeping.length === 0) return;
    this.#queueSlots(Math.max(...keeping.map(({ slot }) => slot)) - CONFIRM_SLOTS, nowMs);
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const { slot, passedAtMs } = next;
      const isPassed = keeping.every((member) => member.slot >= slot + CONFIRM_SLOTS);
      if (!isPassed && nowMs - passedAtMs < CONFIRM_MS_MAX) break;
      this.#waiting.shift();
      this.#judgeSlot(slot, nowMs);
    }
    this.#reviewDisputes(nowMs);
    for (const member of members) {
      if (member.deservesTrust(nowMs)) this.#options.onTrusted(member);
    }
  }

  #queueSlots(until: number, passedAtMs: number): void {
    if (this.#queuedSlot === 0 || until - this.#queuedSlot > LEDGER_SLOTS_MAX)
      this.#queuedSlot = until - 1;
    while (this.#queuedSlot < until) {
      this.#queuedSlot += 1;
      this.#waiting.push({ slot: this.#queuedSlot, passedAtMs });
    }
  }

  #judgeSlot(slot: number, nowMs: number): void {
    const { members, ledger } = this.#options;
    const judged = members.filter((member) => member.hasPassed(slot));
    if (!judged.some(({ isTrusted }) => isTrusted) || judged.length < 2) return;
    for (const pubkey of ledger.accountsIn(slot)) {
      const shown = ledger.shownAt(pubkey, slot);
      if (shown?.kind === 'oracle' && slot < this.#oraclesFromSlot) continue;
      for (const member of judged) {
        if (this.#agreesWith(member, pubkey, slot, shown)) member.recordAgreed();
        else if (!member.isTrusted) member.recordWrong(this.#wrongOf(member, pubkey, slot), nowMs);
        else if (shown !== null) this.#openDispute(pubkey, shown.kind, slot, nowMs);
      }
    }
  }

  #agreesWith(member: Member, pubkey: string, slot: number, state: AccountUpdate | null): boolean {
    const { ledger } = this.#options;
    const claim = ledger.claimAt(member.index, pubkey, slot);
    if (state === null) return claim === null;
    if (claim !== null && isSameState(claim, state)) return true;
    if (member.source.kind === 'grpc' || claim?.slot === slot) return false;
    // A node notifies nobody of accounts that are closed or idle, and perhaps of the last of several slots alone.
    const later = ledger.claimAt(member.index, pubkey, slot + CONFIRM_SLOTS);
    return state.closed || (later !== claim && later !== null);
  }

  #wrongOf(member: Member, pubkey: string, slot: number): 'missed' | 'other' {
    const claim = this.#options.ledger.claimAt(member.index, pubkey, slot);
    return claim === null || claim.slot < slot ? 'missed' : 'other';
  }

  /** What the book has of these a source notified alone that is not trusted any more: they are read. False where they are too many. */
  readLost(lost: readonly SourceUpdate[], toldBy: Member): boolean {
    const sinceMs = this.#options.timers.nowMs();
    if (this.#disputes.size + lost.length > DISPUTES_MAX) return false;
    for (const { pubkey, kind, slot } of lost) {
      this.#disputes.set(pubkey, { pubkey, kind, slot, sinceMs, readings: new Map(), toldBy });
    }
    this.#readSoon();
    return true;
  }

  #openDispute(pubkey: string, kind: AccountKind, slot: number, sinceMs: number): void {
    if (this.#disputes.has(pubkey) || this.#disputes.size >= DISPUTES_MAX) return;
    const readings = new Map<string, AccountUpdate>();
    this.#disputes.set(pubkey, { pubkey, kind, slot, sinceMs, readings, toldBy: null });
    this.#readSoon();
  }

  #readSoon(): void {
    if (this.#nextRead !== null || this.#reading !== null || this.#disputes.size === 0) return;
    this.#backoff.reset();
    void this.#readDisputed();
  }

  /** Ends disputes in which all agree by now, and those of which enough is known. */
  #reviewDisputes(nowMs: number): void {
    for (const dispute of this.#disputes.values()) {
      if (dispute.toldBy !== null) {
        if (this.#isToldByOthers(dispute)) this.#disputes.delete(dispute.pubkey);
        continue;
      }
      for (const [name, reading] of dispute.readings) this.#weighReading(dispute, name, reading);
      if (this.#disputes.get(dispute.pubkey) !== dispute) continue;
      const parties = this.#partiesOf(dispute.slot);
      if (parties.length < 2 && this.#isOneInterrupted()) continue;
      const [largest = []] = this.#groupsOf(dispute, parties);
      const isOver = nowMs - dispute.sinceMs >= DISPUTE_MS_MAX;
      if (largest.length === parties.length) this.#disputes.delete(dispute.pubkey);
      else if (isOver && largest.length * 2 > parties.length)
        this.#decide(dispute, parties, largest);
    }
  }

  /** Whether a trusted source has notified of it by now. */
  #isToldByOthers({ pubkey, slot }: Dispute): boolean {
    const { members, ledger } = this.#options;
    return members.some(({ isTrusted, index }) => {
      const claim = ledger.claimAt(index, pubkey, Number.POSITIVE_INFINITY);
      return isTrusted && claim !== null && claim.slot >= slot;
    });
  }

  /** The trusted sources that have notified all of this slot. */
  #partiesOf(slot: number): readonly Member[] {
    return this.#options.members.filter((member) => member.isTrusted && member.hasPassed(slot));
  }

  /** Whether one goes on soon with what it missed. */
  #isOneInterrupted(): boolean {
    return this.#options.members.some(({ isTrusted, standing }) => {
      return isTrusted && standing === 'interrupted';
    });
  }

  /** Who tells the same of the account as of now, the most first. */
  #groupsOf({ pubkey }: Dispute, parties: readonly Member[]): readonly (readonly Member[])[] {
    const passed = Math.min(...parties.map(({ slot }) => slot)) - CONFIRM_SLOTS;
    const groups = new Map<string, Member[]>();
    for (const member of parties) {
      const claim = this.#options.ledger.claimAt(member.index, pubkey, passed);
      const key = claim === null ? '' : `${claim.owner} ${claim.data}`;
      groups.set(key, [...(groups.get(key) ?? []), member]);
    }
    return [...groups.values()].sort((one, other) => other.length - one.length);
  }

  async #readDisputed(): Promise<void> {
    const { witnesses, timers } = this.#options;
    const reading = new AbortController();
    this.#nextRead = null;
    this.#reading = reading;
    const disputes = [...this.#disputes.values()];
    const limit = { timers, limitMs: DISPUTE_READ_MS_MAX, signal: reading.signal };
    const reads = witnesses.map(async ({ name, rpc }) => {
      const read = (signal: AbortSignal) => readAccounts(rpc, disputes, signal);
      const batch = await withTimeLimit(limit, read).catch(() => null);
      if (batch === null || reading.signal.aborted) return;
      for (const dispute of disputes) this.#takeReading(dispute, name, batch);
    });
    await Promise.all(reads);
    if (reading.signal.aborted) return;
    this.#reading = null;
    if (this.#disputes.size === 0) return;
    this.#nextRead = timers.after(this.#backoff.next(), () => void this.#readDisputed());
  }

  #takeReading(dispute: Dispute, name: string, { updates }: AccountBatch): void {
    const read = updates.find(({ pubkey }) => pubkey === dispute.pubkey);
    const update = read === undefined ? null : plainUpdate(read);
    // What was notified at the end of that slot may be in later slots alone.
    if (update === null || update.slot <= dispute.slot) return;
    if (this.#disputes.get(dispute.pubkey) !== dispute || dispute.readings.has(name)) return;
    const { toldBy } = dispute;
    if (toldBy !== null) {
      if (toldBy.source.kind === 'rpc' && toldBy.source.name === name) return;
      this.#disputes.delete(dispute.pubkey);
      this.#options.onRead(update);
      return;
    }
    dispute.readings.set(name, update);
    this.#weighReading(dispute, name, update);
  }

  /** A reading decides when it is what one side tells: at the end of the disputed slot, or at that of its own. */
  #weighReading(dispute: Dispute, name: string, reading: AccountUpdate): void {
    const parties = this.#partiesOf(dispute.slot);
    const isPassed = parties.every((member) => member.hasPassed(reading.slot));
    for (const slot of isPassed ? [dispute.slot, reading.slot] : [dispute.slot]) {
      const agreeing = parties.filter((member) => {
        return this.#agreesWith(member, dispute.pubkey, slot, reading);
      });
      // Who notified nothing since the book was read is not refuted by a state that nobody tells.
      const isUnknown = agreeing.length === 0 && slot === reading.slot;
      const right = isUnknown ? this.#silentOf(dispute, parties, slot) : agreeing;
      const isOwn = ({ source }: Member): boolean => source.kind === 'rpc' && source.name === name;
      if (right.every(isOwn)) continue;
      this.#decide(dispute, parties, right, reading);
      return;
    }
    if (isPassed) dispute.readings.delete(name);
  }

  #silentOf({ pubkey }: Dispute, parties: readonly Member[], slot: number): readonly Member[] {
    const { ledger } = this.#options;
    return parties.filter(({ index }) => ledger.claimAt(index, pubkey, slot) === null);
  }

  #decide(
    { pubkey, slot }: Dispute,
    parties: readonly Member[],
    right: readonly Member[],
    reading?: AccountUpdate,
  ): void {
    this.#disputes.delete(pubkey);
    const nowMs = this.#options.timers.nowMs();
    const wrong = parties.filter((member) => !right.includes(member));
    const hows = wrong.map((member) => this.#wrongOf(member, pubkey, slot));
    if (reading !== undefined) this.#options.onRead(reading);
    wrong.forEach((member, at) => {
      const how = hows[at] ?? 'other';
      member.recordWrong(how, nowMs);
      const what = how === 'missed' ? 'did not tell of' : 'notified another state of';
      this.#options.onWrong(member, `it ${what} ${pubkey}`);
    });
  }
}
