import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import {
  type AccountWrites,
  type Claim,
  isSameState,
  recordFigures,
  type SlotWrites,
  stateToKeep,
} from './account-writes.js';
import { KeptWrites } from './kept-writes.js';
import { LEDGER_BYTES_KEPT, LEDGER_BYTES_MAX } from './limits.js';
import type { Member } from './member.js';

/** Receives what changes. */
interface LedgerListener {
  /** Called with the book's new state; a state of a lower slot rolls the account back. */
  onState(update: SourceUpdate): void;
  /** Called when sources must be compared about an account in a slot. */
  onNews(writes: SlotWrites): void;
}

/**
 * Stores each source's last write by account and slot while slots are not final, and the last write
 * of each account in older slots. The book has the newest slot's state; within a slot, that of the
 * source with the most writes. Claims of dead or left slots, and of distrusted sources, are invalid.
 */
export class WriteLedger {
  readonly #members: readonly Member[];
  readonly #listener: LedgerListener;
  readonly #bytesMax: number;
  #kept: KeptWrites;
  /** Whether a source with write versions keeps the book. */
  #isNumbered = true;
  #lost: SourceUpdate[] = [];
  #order = 0;
  #firstSlot = 0;
  #finalSlot = -1;

  constructor(
    members: readonly Member[],
    listener: LedgerListener,
    bytesMax: number = LEDGER_BYTES_MAX,
  ) {
    this.#members = members;
    this.#kept = new KeptWrites(members);
    this.#listener = listener;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all states. */
  get bytes(): number {
    return this.#kept.bytes;
  }

  /** Starts again because all accounts are read: earlier reports and earlier slots are ignored. */
  beginReading(firstSlot: number): void {
    this.#kept = new KeptWrites(this.#members);
    this.#lost = [];
    this.#firstSlot = firstSlot;
    this.#finalSlot = -1;
  }

  /** Takes the accounts that were rolled back to unknown states. */
  takeLost(): readonly SourceUpdate[] {
    return this.#lost.splice(0);
  }

  findAccount(pubkey: string): AccountWrites | undefined {
    return this.#kept.findAccount(pubkey);
  }

  /** Returns the book's state at the end of a slot. */
  shownAt({ slots }: AccountWrites, slot: number): SourceUpdate | null {
    for (let at = slots.length - 1; at >= 0; at -= 1) {
      const writes = slots[at];
      const state = writes === undefined || writes.slot > slot ? null : this.#stateOf(writes);
      if (state !== null) return state;
    }
    return null;
  }

  /** Returns one source's last state up to the end of a slot; null when unknown. */
  claimAt({ index, chain }: Member, account: AccountWrites, slot: number): SourceUpdate | null {
    const writes = account.slots.findLast(
      (one) =>
        one.slot <= slot &&
        one.claims[index] !== undefined &&
        (one.isRead || !chain.hasLeft(one.slot)),
    );
    return writes?.claims[index]?.update ?? null;
  }

  /** Records a source's write, at a monotonic time in milliseconds. */
  recordWrite(member: Member, update: SourceUpdate, nowMs: number): void {
    const { pubkey, slot } = update;
    if (slot < this.#firstSlot || slot <= this.#finalSlot || member.chain.isDead(slot)) return;
    const [oldest] = this.#kept.findAccount(pubkey)?.slots ?? [];
    if (oldest?.isRead === true && slot <= oldest.slot) return;
    const writes = this.#kept.writesOf(pubkey, slot, member);
    if (!this.#addClaim(writes, member, update, nowMs)) return;
    this.#kept.weigh(writes);
    if (writes.account.shown === null || writes.account.shown.slot <= slot)
      this.#show(writes.account);
    this.#listener.onNews(writes);
    if (this.#kept.bytes > this.#bytesMax) this.#dropOldest();
  }

  /** Records a reading of an account; a write in the same slot may be newer than the reading. */
  recordReading(update: AccountUpdate): void {
    const slot = update.slot - 1;
    const [oldest] = this.#kept.findAccount(update.pubkey)?.slots ?? [];
    if (oldest?.isRead === true && slot <= oldest.slot) return;
    const [member] = this.#members;
    if (member === undefined) return;
    const writes = this.#kept.writesOf(update.pubkey, slot, member);
    const claim = { update: { ...update, writeVersion: 0 }, count: 1, order: 0, counts: true };
    const read = { ...claim, epoch: -1, seen: 0, version: 0 };
    writes.claims = this.#members.map(() => read);
    writes.isRead = true;
    this.#kept.weigh(writes);
    const { account } = writes;
    for (const one of account.slots.filter((older) => older.slot < slot)) this.#kept.remove(one);
    this.#show(account);
  }

  /**
   * Call this when a source left these slots or returned to them. A node may have reported a write of
   * an earlier slot with a slot that it left, and never repeats it.
   */
  reviewSlots(slots: readonly number[]): void {
    const accounts = slots.flatMap((slot) => this.#kept.writesIn(slot).map((one) => one.account));
    const shown = accounts.flatMap((one) => (one.shown?.writeVersion === 0 ? one.shown : []));
    for (const account of accounts) this.#show(account);
    this.#lost.push(...this.#kept.findUnknown(shown));
  }

  /** Takes back the states that a source reported for a slot, because the slot is dead for it. */
  recordDead({ index, chain }: Member, slot: number): void {
    chain.recordDead(slot);
    for (const writes of this.#kept.writesIn(slot)) {
      if (writes.isRead || writes.claims[index] === undefined) continue;
      writes.claims[index] = undefined;
      this.#show(writes.account);
      if (writes.claims.every((claim) => claim === undefined)) this.#kept.remove(writes);
      else this.#kept.weigh(writes);
    }
  }

  /** Call this when sources joined, left or passed slots; all slots up to `finalSlot` are final. */
  recordProgress(finalSlot: number): void {
    const isNumbering = ({ isKeeping, source }: Member) => isKeeping && source.kind === 'grpc';
    const isNumbered = this.#members.some(isNumbering);
    if (isNumbered !== this.#isNumbered) {
      this.#isNumbered = isNumbered;
      for (const account of this.#kept.accounts()) this.#show(account);
    }
    if (finalSlot > this.#finalSlot) this.#finalize(finalSlot);
  }

  /** Makes a source's writes change the book, including earlier writes of its connection. */
  trustSource(member: Member): void {
    member.counts = true;
    this.#count(member, ({ counts, epoch }) => counts || epoch === member.epoch);
  }

  /** Invalidates all writes of a source. States in slots that no other one covers are unknown. */
  distrustSource(member: Member): void {
    member.counts = false;
    const shown = this.#kept.shownStates();
    this.#count(member, () => false);
    this.#lost.push(...this.#kept.findUnknown(shown));
  }

  #count({ index }: Member, counts: (claim: Claim) => boolean): void {
    for (const account of this.#kept.accounts()) {
      for (const { claims, isRead } of account.slots) {
        const claim = claims[index];
        if (claim !== undefined && !isRead) claim.counts = counts(claim);
      }
      this.#show(account);
    }
  }

  /** Returns whether the claim is new. */
  #addClaim(writes: SlotWrites, member: Member, update: SourceUpdate, nowMs: number): boolean {
    const { claims } = writes;
    const { index, epoch, counts } = member;
    const { writeVersion: version } = update;
    const before = claims[index];
    const isSameConnection = before?.epoch === epoch;
    if (isSameConnection && version > 0 && version <= before.version) return false;
    if (isSameConnection && version === 0 && isSameState(before.update, update)) return false;
    const seen = (isSameConnection ? before.seen : 0) + 1;
    const isKnown = claims.some((one) => one !== undefined && isSameState(one.update, update));
    recordFigures(writes, member, { seen, isKnown, nowMs });
    if (before !== undefined && seen < before.count) {
      // After a reconnect, a source repeats the writes before its last write.
      Object.assign(before, { epoch, seen, version });
      return false;
    }
    this.#weighKinds(writes, update);
    this.#order += 1;
    const order = before !== undefined && before.count === seen ? before.order : this.#order;
    const kept = stateToKeep(writes, update);
    claims[index] = { update: kept, count: seen, order, counts, epoch, seen, version };
    return true;
  }

  /** A node's report is the end of the slot until a source with versions reports that state. */
  #weighKinds(writes: SlotWrites, update: SourceUpdate): void {
    const { shown } = writes.account;
    const isNumbered = update.writeVersion > 0;
    const others = writes.claims.filter((claim) => claim !== undefined);
    if (isNumbered)
      writes.isUnnumbered &&= !others.some((claim) => isSameState(claim.update, update));
    else if (!others.some((claim) => claim.update.writeVersion > 0))
      writes.isUnnumbered =
        shown === null || shown.slot > writes.slot || !isSameState(shown, update);
  }

  /** Passes the state of an account to the book when it has changed. */
  #show(account: AccountWrites): void {
    const before = account.shown;
    const now = this.shownAt(account, Number.POSITIVE_INFINITY);
    if (now === before) return;
    account.shown = now;
    if (now === null && before !== null) this.#lost.push(before);
    else if (now !== null && (before === null || !isSameState(before, now))) {
      this.#listener.onState(now);
      // The source may have reported the state before its reports counted.
      const writes = account.slots.findLast(({ claims }) =>
        claims.some((claim) => claim?.update === now),
      );
      if (writes?.isRead === false) this.#listener.onNews(writes);
    }
  }

  /** Returns the state at the end of a slot; null without a valid claim. */
  #stateOf(writes: SlotWrites): SourceUpdate | null {
    if (writes.isRead) return writes.claims[0]?.update ?? null;
    const numbered = this.#findBest(writes, ({ writeVersion }) => writeVersion > 0);
    const other = this.#findBest(writes, ({ writeVersion }) => writeVersion === 0);
    if (numbered === null || other === null) return (numbered ?? other)?.update ?? null;
    writes.isUnnumbered ||= !this.#isNumbered;
    return (writes.isUnnumbered ? other : numbered).update;
  }

  #findBest(writes: SlotWrites, isOfKind: (update: SourceUpdate) => boolean): Claim | null {
    let best: Claim | null = null;
    for (const { index, chain } of this.#members) {
      const claim = writes.claims[index];
      if (claim === undefined || !claim.counts || !isOfKind(claim.update)) continue;
      if (chain.hasLeft(writes.slot)) continue;
      const isBetter =
        best === null ||
        claim.count > best.count ||
        (claim.count === best.count && claim.order < best.order);
      if (isBetter) best = claim;
    }
    return best;
  }

  /** Makes all slots up to this one final: only the last writes of each account are kept. */
  #finalize(slot: number): void {
    for (const final of this.#kept.listSlots()) {
      if (final <= this.#finalSlot || final > slot) continue;
      for (const writes of this.#kept.writesIn(final)) this.#finalizeWrites(writes);
    }
    this.#finalSlot = slot;
    for (const { chain } of this.#members) chain.forgetUpTo(slot);
  }

  /** In older slots, only claims with the final state are kept. */
  #finalizeWrites(writes: SlotWrites): void {
    const { account, slot, claims } = writes;
    const state = this.#stateOf(writes);
    if (state === null) {
      this.#kept.remove(writes);
      return;
    }
    const older = account.slots.filter((one) => one.slot < slot);
    claims.forEach((_, index) => {
      const claim = [writes, ...older].flatMap((one) => one.claims[index] ?? []);
      claims[index] = claim.find((one) => isSameState(one.update, state));
    });
    for (const claim of claims) if (claim !== undefined) claim.counts = true;
    for (const one of older) this.#kept.remove(one);
  }

  /** Drops the oldest slots; accounts that need a dropped state are read from the chain. */
  #dropOldest(): void {
    const slots = this.#kept.listSlots();
    for (const slot of slots.slice(0, -1)) {
      if (this.#kept.bytes <= this.#bytesMax * LEDGER_BYTES_KEPT) return;
      for (const writes of this.#kept.writesIn(slot)) this.#kept.remove(writes);
      this.#finalSlot = Math.max(this.#finalSlot, slot);
    }
  }
}
