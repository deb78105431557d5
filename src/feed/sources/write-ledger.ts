import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { LEDGER_BYTES_KEPT, LEDGER_BYTES_MAX, LEDGER_ENTRY_BYTES } from './limits.js';
import type { Member } from './member.js';

/** The last write of one account in one slot by one source. */
interface Claim {
  readonly update: SourceUpdate;
  /** Its place among the writes of the account in the slot, from 1. */
  readonly count: number;
  /** Rises with each claim. */
  readonly order: number;
  /** Whether it may change the book. */
  counts: boolean;
  /** Of the connection that notified last: its number, its writes in the slot, and the version of the last one. */
  epoch: number;
  seen: number;
  version: number;
}

/** What sources notified of one account in one slot. */
export interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** By source. */
  claims: (Claim | undefined)[];
  /** Whether it is a reading of the chain, which all sources have. */
  isRead: boolean;
  /** Whether a source had passed the slot before the first write of it came. */
  isLate: boolean;
  /** Whether the state of a source that numbers no write is shown until a source that does has come to it. */
  isUnnumbered: boolean;
  /** The most writes that a source notified, and who notified the last of them first, at which monotonic millisecond. */
  count: number;
  first: Member;
  atMs: number;
  bytes: number;
}

/** What is kept of one account. */
export interface AccountWrites {
  readonly pubkey: string;
  /** By slot. */
  readonly slots: SlotWrites[];
  /** The state that the book has; null where it is not known here. */
  shown: SourceUpdate | null;
}

/** Receives what changes. */
export interface LedgerListener {
  /** The book has this state from now on; one of a lower slot than before is an account that goes back. */
  onState(update: SourceUpdate): void;
  /** Sources are to be compared about an account in a slot. */
  onNews(writes: SlotWrites): void;
}

/** Whether two sources notified the same of an account. */
export function isSameState(one: AccountUpdate, other: AccountUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

/**
 * The last write of each source by account and slot, of slots that are not final; of older slots the last one of each account. The book
 * has the state of the newest slot, and of one slot the state of the source that notified most writes of it. A claim counts no more
 * when its slot is dead, or left by its source, or when its source is distrusted.
 */
export class WriteLedger {
  readonly #members: readonly Member[];
  readonly #listener: LedgerListener;
  readonly #bytesMax: number;
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, Set<SlotWrites>>();
  /** Whether a source that numbers writes keeps the book. */
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

  /** The accounts are read again: what was notified before counts no more, and nothing of an earlier slot does. */
  beginReading(firstSlot: number): void {
    this.#accounts.clear();
    this.#bySlot.clear();
    this.#lost = [];
    this.#bytes = 0;
    this.#firstSlot = firstSlot;
    this.#finalSlot = -1;
  }

  /** Takes the accounts that went back to a state which is not known here. */
  takeLost(): readonly SourceUpdate[] {
    const lost = this.#lost;
    this.#lost = [];
    return lost;
  }

  findAccount(pubkey: string): AccountWrites | undefined {
    return this.#accounts.get(pubkey);
  }

  /** The state that the book has at the end of a slot. */
  shownAt({ slots }: AccountWrites, slot: number): SourceUpdate | null {
    for (let at = slots.length - 1; at >= 0; at -= 1) {
      const writes = slots[at];
      const state = writes === undefined || writes.slot > slot ? null : this.#stateOf(writes);
      if (state !== null) return state;
    }
    return null;
  }

  /** The last state up to the end of a slot by one source; null where it is not known here. */
  claimAt({ index, chain }: Member, account: AccountWrites, slot: number): SourceUpdate | null {
    const writes = account.slots.findLast(
      (one) =>
        one.slot <= slot &&
        one.claims[index] !== undefined &&
        (one.isRead || !chain.hasLeft(one.slot)),
    );
    return writes?.claims[index]?.update ?? null;
  }

  /** A source notified a write, at this monotonic millisecond. */
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

  /** An account was read from the chain as of this slot. A write of the slot itself may be later than the reading. */
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

  /** A source left these slots, or came back to them. */
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

  /** Sources joined, left or passed slots; up to this one all are final. */
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

  /** From now on the writes of a source change the book, those of its connection until now as well. */
  trustSource(member: Member): void {
    member.counts = true;
    this.#count(member, ({ counts, epoch }) => counts || epoch === member.epoch);
  }

  /** From now on nothing of a source changes the book, also nothing that it notified. */
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

  /** Whether the claim is news. */
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
      // Another connection notifies again what led to the last write.
      Object.assign(before, { epoch, seen, version });
      return false;
    }
    this.#weighKinds(writes, update);
    this.#order += 1;
    const order = before !== undefined && before.count === seen ? before.order : this.#order;
    // A node notifies the last of several slots alone, with the number of the last one.
    const { shown } = writes.account;
    const isRepeated =
      version === 0 && shown !== null && shown.slot < writes.slot && isSameState(shown, update);
    const state = known?.update ?? (isRepeated ? shown : update);
    claims[index] = { update: state, count: seen, order, counts, epoch, seen, version };
    return true;
  }

  /** A node that notifies first shows the end of the slot, until a source that numbers writes has come to it. */
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

  /** Gives the book the state of an account, where that is another one now. */
  #show(account: AccountWrites): void {
    const before = account.shown;
    const now = this.shownAt(account, Number.POSITIVE_INFINITY);
    if (now === before) return;
    account.shown = now;
    if (now === null && before !== null) this.#lost.push(before);
    else if (now !== null && (before === null || !isSameState(before, now)))
      this.#listener.onState(now);
  }

  /** The state at the end of a slot; null where nothing counts. */
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

  /** The writes of an account in a slot, made where there are none; `member` is the first that has any. */
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
    // What is not kept is not gone back to.
    if (claims.some((claim) => claim?.update === account.shown)) account.shown = null;
    if (account.slots.length === 0) this.#accounts.delete(account.pubkey);
    this.#bytes -= bytes;
    const inSlot = this.#bySlot.get(slot);
    inSlot?.delete(writes);
    if (inSlot?.size === 0) this.#bySlot.delete(slot);
  }

  /** Counts the bytes of writes that have changed, a state of two sources once. */
  #weigh(writes: SlotWrites): void {
    let bytes = LEDGER_ENTRY_BYTES;
    writes.claims.forEach((claim, at) => {
      const isFirst = writes.claims.findIndex((one) => one?.update === claim?.update) === at;
      if (claim !== undefined && isFirst) bytes += claim.update.data.length;
    });
    this.#bytes += bytes - writes.bytes;
    writes.bytes = bytes;
  }

  /** Up to this slot nothing changes any more: of each account the last writes are kept. */
  #finalize(slot: number): void {
    for (const final of [...this.#bySlot.keys()].sort((one, other) => one - other)) {
      if (final <= this.#finalSlot || final > slot) continue;
      for (const writes of [...(this.#bySlot.get(final) ?? [])]) this.#finalizeWrites(writes);
    }
    this.#finalSlot = slot;
    for (const { chain } of this.#members) chain.forgetUpTo(slot);
  }

  /** Of the older writes the claims of sources that have the same state are kept. */
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

  /** What goes back to a state that was dropped is read from the chain. */
  #dropOldest(): void {
    const slots = [...this.#bySlot.keys()].sort((one, other) => one - other);
    for (const slot of slots.slice(0, -1)) {
      if (this.#bytes <= this.#bytesMax * LEDGER_BYTES_KEPT) return;
      for (const writes of [...(this.#bySlot.get(slot) ?? [])]) this.#remove(writes);
      this.#finalSlot = Math.max(this.#finalSlot, slot);
    }
  }
}
