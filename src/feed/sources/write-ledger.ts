import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { LEDGER_BYTES_KEPT, LEDGER_BYTES_MAX, LEDGER_ENTRY_BYTES } from './limits.js';
import type { Member } from './member.js';

/** A source's last write of one account in one slot. */
interface Claim {
  readonly update: SourceUpdate;
  /** The number of the write among the account's writes in the slot, from 1. */
  readonly count: number;
  /** Increases with each claim. */
  readonly order: number;
  /** Whether the claim may change the book. */
  counts: boolean;
  /**
   * The connection that reported last: its number, its writes in the slot, and the version of the
   * last write.
   */
  epoch: number;
  seen: number;
  version: number;
}

/** The reports on one account in one slot. */
export interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** Claims by source. */
  claims: (Claim | undefined)[];
  /** Whether the state is a reading of the chain, which all sources share. */
  isRead: boolean;
  /** Whether a source had passed the slot before the slot's first write came. */
  isLate: boolean;
  /** Whether the state of a source without versions is shown until a source with versions reaches it. */
  isUnnumbered: boolean;
  /**
   * The maximum number of writes that a source reported, the first source to report the last of
   * them, and the monotonic milliseconds of that report.
   */
  count: number;
  first: Member;
  atMs: number;
  bytes: number;
}

/** The stored writes of one account. */
export interface AccountWrites {
  readonly pubkey: string;
  /** Writes by slot. */
  readonly slots: SlotWrites[];
  /** The book's state; null when unknown. */
  shown: SourceUpdate | null;
}

/** Receives the changes. */
export interface LedgerListener {
  /** The book's new state; a state of a lower slot rolls the account back. */
  onState(update: SourceUpdate): void;
  /** Sources must be compared about an account in a slot. */
  onNews(writes: SlotWrites): void;
}

/** Whether two reports on an account have the same state. */
export function isSameState(one: AccountUpdate, other: AccountUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

/**
 * Stores each source's last write by account and slot while slots are not final, and the last write
 * of each account in older slots. The book has the newest slot's state; within a slot, the state of
 * the source that reported the most writes. A claim is invalid when its slot is dead, when its
 * source left the slot's fork, or when its source is distrusted.
 */
export class WriteLedger {
  readonly #members: readonly Member[];
  readonly #listener: LedgerListener;
  readonly #bytesMax: number;
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, Set<SlotWrites>>();
  /** Whether a source with write versions keeps the book. */
  #isNumbered = true;
  #lost: SourceUpdate[] = [];
  #order = 0;
  #bytes = 0;
  #firstSlot = 0;
  #finalSlot = -1;

  constructor(
    members: readonly Member[],
    listener: LedgerListener,
    bytesMax: number = LEDGER_BYTES_MAX,
  ) {
    this.#members = members;
    this.#listener = listener;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All accounts are read again: earlier reports and earlier slots are ignored. */
  beginReading(firstSlot: number): void {
    this.#accounts.clear();
    this.#bySlot.clear();
    this.#lost = [];
    this.#bytes = 0;
    this.#firstSlot = firstSlot;
    this.#finalSlot = -1;
  }

  /** Takes the accounts that were rolled back to unknown states. */
  takeLost(): readonly SourceUpdate[] {
    const lost = this.#lost;
    this.#lost = [];
    return lost;
  }

  findAccount(pubkey: string): AccountWrites | undefined {
    return this.#accounts.get(pubkey);
  }

  /** The book's state at the end of a slot. */
  shownAt({ slots }: AccountWrites, slot: number): SourceUpdate | null {
    for (let at = slots.length - 1; at >= 0; at -= 1) {
      const writes = slots[at];
      const state = writes === undefined || writes.slot > slot ? null : this.#stateOf(writes);
      if (state !== null) return state;
    }
    return null;
  }

  /** One source's last state up to the end of a slot; null when unknown. */
  claimAt({ index, chain }: Member, account: AccountWrites, slot: number): SourceUpdate | null {
    const writes = account.slots.findLast(
      (one) =>
        one.slot <= slot &&
        one.claims[index] !== undefined &&
        (one.isRead || !chain.hasLeft(one.slot)),
    );
    return writes?.claims[index]?.update ?? null;
  }

  /** Records a source's write at this monotonic millisecond. */
  recordWrite(member: Member, update: SourceUpdate, nowMs: number): void {
    const { pubkey, slot } = update;
    if (slot < this.#firstSlot || slot <= this.#finalSlot || member.chain.isDead(slot)) return;
    const [oldest] = this.#accounts.get(pubkey)?.slots ?? [];
    if (oldest?.isRead === true && slot <= oldest.slot) return;
    const writes = this.#writesOf(pubkey, slot, member);
    if (!this.#addClaim(writes, member, update, nowMs)) return;
    this.#weigh(writes);
    if (writes.account.shown === null || writes.account.shown.slot <= slot)
      this.#show(writes.account);
    this.#listener.onNews(writes);
    if (this.#bytes > this.#bytesMax) this.#dropOldest();
  }

  /**
   * Records a reading of an account as of this slot. A write in the same slot may be newer than the
   * reading.
   */
  recordReading(update: AccountUpdate): void {
    const slot = update.slot - 1;
    const [oldest] = this.#accounts.get(update.pubkey)?.slots ?? [];
    if (oldest?.isRead === true && slot <= oldest.slot) return;
    const [member] = this.#members;
    if (member === undefined) return;
    const writes = this.#writesOf(update.pubkey, slot, member);
    const claim = { update: { ...update, writeVersion: 0 }, count: 1, order: 0, counts: true };
    const read = { ...claim, epoch: -1, seen: 0, version: 0 };
    writes.claims = this.#members.map(() => read);
    writes.isRead = true;
    this.#weigh(writes);
    const { account } = writes;
    for (const one of account.slots.filter((older) => older.slot < slot)) this.#remove(one);
    this.#show(account);
  }

  /** A source left these slots, or returned to them. */
  reviewSlots(slots: readonly number[]): void {
    for (const slot of slots)
      for (const { account } of this.#bySlot.get(slot) ?? []) this.#show(account);
  }

  /** The slot is dead for a source. */
  recordDead({ index, chain }: Member, slot: number): void {
    chain.recordDead(slot);
    for (const writes of [...(this.#bySlot.get(slot) ?? [])]) {
      if (writes.isRead || writes.claims[index] === undefined) continue;
      writes.claims[index] = undefined;
      this.#show(writes.account);
      if (writes.claims.every((claim) => claim === undefined)) this.#remove(writes);
      else this.#weigh(writes);
    }
  }

  /** Sources joined, left or passed slots; all slots up to `finalSlot` are final. */
  recordProgress(finalSlot: number): void {
    const isNumbered = this.#members.some(
      ({ isKeeping, source }) => isKeeping && source.kind === 'grpc',
    );
    if (isNumbered !== this.#isNumbered) {
      this.#isNumbered = isNumbered;
      for (const account of this.#accounts.values()) this.#show(account);
    }
    if (finalSlot > this.#finalSlot) this.#finalize(finalSlot);
  }

  /** Makes a source's writes change the book, including earlier writes of its connection. */
  trustSource(member: Member): void {
    member.counts = true;
    this.#count(member, ({ counts, epoch }) => counts || epoch === member.epoch);
  }

  /** Makes a source's writes invalid, including earlier writes. */
  distrustSource(member: Member): void {
    member.counts = false;
    this.#count(member, () => false);
  }

  #count({ index }: Member, counts: (claim: Claim) => boolean): void {
    for (const account of this.#accounts.values()) {
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
    const known = claims.find((one) => one !== undefined && isSameState(one.update, update));
    this.#recordFigures(writes, member, { seen, isKnown: known !== undefined, nowMs });
    if (before !== undefined && seen < before.count) {
      // After a reconnect, a source repeats the writes before its last write.
      Object.assign(before, { epoch, seen, version });
      return false;
    }
    this.#weighKinds(writes, update);
    this.#order += 1;
    const order = before !== undefined && before.count === seen ? before.order : this.#order;
    // A node reports only the last of several slots, under the last slot's number.
    const { shown } = writes.account;
    const isRepeated =
      version === 0 && shown !== null && shown.slot < writes.slot && isSameState(shown, update);
    const state = known?.update ?? (isRepeated ? shown : update);
    claims[index] = { update: state, count: seen, order, counts, epoch, seen, version };
    return true;
  }

  /** A node's report shows the end of the slot until a source with versions reaches that state. */
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

  #recordFigures(
    writes: SlotWrites,
    member: Member,
    { seen, isKnown, nowMs }: { seen: number; isKnown: boolean; nowMs: number },
  ): void {
    if (seen <= (writes.claims[member.index]?.count ?? 0)) return;
    if (!isKnown && seen > writes.count) {
      writes.count = seen;
      writes.first = member;
      writes.atMs = nowMs;
      member.recordFirst();
      return;
    }
    member.recordConfirmed();
    if (!isKnown || writes.first === member) return;
    writes.first.recordLead(nowMs - writes.atMs);
    member.recordLead(writes.atMs - nowMs);
  }

  /** Updates the book's state of an account if it differs. */
  #show(account: AccountWrites): void {
    const before = account.shown;
    const now = this.shownAt(account, Number.POSITIVE_INFINITY);
    if (now === before) return;
    account.shown = now;
    if (now === null && before !== null) this.#lost.push(before);
    else if (now !== null && (before === null || !isSameState(before, now)))
      this.#listener.onState(now);
  }

  /** The state at the end of a slot; null without a valid claim. */
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

  /** The account's writes in a slot, created if missing; `member` is the first reporting source. */
  #writesOf(pubkey: string, slot: number, member: Member): SlotWrites {
    let account = this.#accounts.get(pubkey);
    if (account === undefined) {
      account = { pubkey, slots: [], shown: null };
      this.#accounts.set(pubkey, account);
    }
    const { slots } = account;
    let at = slots.length;
    while (at > 0 && (slots[at - 1]?.slot ?? 0) > slot) at -= 1;
    const found = slots[at - 1];
    if (found?.slot === slot) return found;
    const isLate = this.#members.some(
      (one) => one !== member && one.standing === 'joined' && one.passedSlot >= slot,
    );
    const claims = this.#members.map(() => undefined);
    const kind = { isRead: false, isLate, isUnnumbered: false };
    const writes = { account, slot, claims, ...kind, count: 0, first: member, atMs: 0, bytes: 0 };
    slots.splice(at, 0, writes);
    const inSlot = this.#bySlot.get(slot);
    if (inSlot === undefined) this.#bySlot.set(slot, new Set([writes]));
    else inSlot.add(writes);
    return writes;
  }

  #remove(writes: SlotWrites): void {
    const { account, slot, claims, bytes } = writes;
    account.slots.splice(account.slots.indexOf(writes), 1);
    // A dropped state cannot be rolled back to.
    if (claims.some((claim) => claim?.update === account.shown)) account.shown = null;
    if (account.slots.length === 0) this.#accounts.delete(account.pubkey);
    this.#bytes -= bytes;
    const inSlot = this.#bySlot.get(slot);
    inSlot?.delete(writes);
    if (inSlot?.size === 0) this.#bySlot.delete(slot);
  }

  /** Updates the byte count of changed writes; a state shared by two sources counts once. */
  #weigh(writes: SlotWrites): void {
    let bytes = LEDGER_ENTRY_BYTES;
    writes.claims.forEach((claim, at) => {
      const isFirst = writes.claims.findIndex((one) => one?.update === claim?.update) === at;
      if (claim !== undefined && isFirst) bytes += claim.update.data.length;
    });
    this.#bytes += bytes - writes.bytes;
    writes.bytes = bytes;
  }

  /** Slots up to this one are final: only the last writes of each account are kept. */
  #finalize(slot: number): void {
    for (const final of [...this.#bySlot.keys()].sort((one, other) => one - other)) {
      if (final <= this.#finalSlot || final > slot) continue;
      for (const writes of [...(this.#bySlot.get(final) ?? [])]) this.#finalizeWrites(writes);
    }
    this.#finalSlot = slot;
    for (const { chain } of this.#members) chain.forgetUpTo(slot);
  }

  /** In older slots, only claims with the final state are kept. */
  #finalizeWrites(writes: SlotWrites): void {
    const { account, slot, claims } = writes;
    const state = this.#stateOf(writes);
    if (state === null) {
      this.#remove(writes);
      return;
    }
    const older = account.slots.filter((one) => one.slot < slot);
    claims.forEach((_, index) => {
      const claim = [writes, ...older].flatMap((one) => one.claims[index] ?? []);
      claims[index] = claim.find((one) => isSameState(one.update, state));
    });
    for (const claim of claims) if (claim !== undefined) claim.counts = true;
    for (const one of older) this.#remove(one);
  }

  /** Accounts that need a dropped state are read from the chain. */
  #dropOldest(): void {
    const slots = [...this.#bySlot.keys()].sort((one, other) => one - other);
    for (const slot of slots.slice(0, -1)) {
      if (this.#bytes <= this.#bytesMax * LEDGER_BYTES_KEPT) return;
      for (const writes of [...(this.#bySlot.get(slot) ?? [])]) this.#remove(writes);
      this.#finalSlot = Math.max(this.#finalSlot, slot);
    }
  }
}
