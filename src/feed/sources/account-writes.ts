/** The writes of one account as a ledger keeps them, and what follows from them. */
import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { LEDGER_ENTRY_BYTES } from './limits.js';

/** One state, and who notified it. */
export interface NotifiedState {
  readonly update: SourceUpdate;
  /** The first source that notified it, and when, in monotonic milliseconds. */
  readonly first: number;
  readonly atMs: number;
  /** The sources that notified it, as bits. */
  tellers: number;
}

/** What sources notified of one account in one slot. */
export interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** In their order; the last one is the state at the end of the slot as far as it is known. */
  states: NotifiedState[];
  /** Of each source: the last state that it notified, whatever became of it. */
  readonly claims: (SourceUpdate | null)[];
  /** Of each source: the version of the last write that it notified, or -1. */
  readonly versions: number[];
  /** Of each source: which of the states it notified last, or -1. */
  readonly notified: number[];
  /** Bytes of all of them. */
  bytes: number;
}

/** What is kept of one account. */
export interface AccountWrites {
  readonly pubkey: string;
  /** Those that are not final, by slot. */
  readonly slots: SlotWrites[];
  /** The last one that is final; its data may be dropped, its slot never is. */
  base: SourceUpdate | null;
  baseSlot: number;
  /** The sources that notified it, as bits: all of them of what was read. */
  baseTellers: number;
}

/** What a write, or the end of a fork, does to the book. */
export interface LedgerChanges {
  /** States to apply, in this order. One of a lower slot than the book has is an account that goes back. */
  readonly apply: readonly SourceUpdate[];
  /** Accounts that go back to a state that is not known here. */
  readonly lost: readonly SourceUpdate[];
}

/** Nothing changes. */
export const NOTHING: LedgerChanges = { apply: [], lost: [] };

/** Two changes of the book, one after the other. */
export function joinChanges(one: LedgerChanges, other: LedgerChanges): LedgerChanges {
  return { apply: [...one.apply, ...other.apply], lost: [...one.lost, ...other.lost] };
}

/** What a ledger reports of its sources, by their numbers. */
export interface LedgerListener {
  /** A source notified a state first. */
  onFirst(source: number): void;
  /** A source notified a state that another one had notified so many milliseconds before. */
  onConfirmed(source: number, first: number, leadMs: number): void;
}

/** Reports to nobody. */
export const NOBODY: LedgerListener = { onFirst: () => undefined, onConfirmed: () => undefined };

/** The newest writes that changed the book; what sources that are not trusted notified never did. */
export function shownOf({ slots }: AccountWrites): SlotWrites | undefined {
  return slots.findLast(({ states }) => states.length > 0);
}

/** Whether two sources notified the same of an account. */
export function isSameState(one: AccountUpdate, other: AccountUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

/** The state that the book has; null where it is not known here. */
export function stateOf(account: AccountWrites): SourceUpdate | null {
  return shownOf(account)?.states.at(-1)?.update ?? account.base;
}

/** The last of the writes up to the end of a slot in which `pick` finds something; null where there is none that is not final. */
export function lastUpTo<Found>(
  { slots }: AccountWrites,
  slot: number,
  pick: (writes: SlotWrites) => Found | null | undefined,
): Found | null {
  for (let at = slots.length - 1; at >= 0; at -= 1) {
    const writes = slots[at];
    const found = writes === undefined || writes.slot > slot ? null : pick(writes);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}

/**
 * Takes what the sources of the mask `without` alone notified out of the states of a slot: where the last state is theirs alone, what another
 * source notified replaces it, unless that one is of the mask `held`, which does not keep the book.
 */
export function takeOthersState(writes: SlotWrites, without: number, held = 0): void {
  const { claims, notified } = writes;
  const last = writes.states.at(-1);
  if (last === undefined || (last.tellers & ~without) !== 0) return;
  const others = claims.flatMap((update, source) =>
    update !== null && ((without | held) & (1 << source)) === 0 ? [{ update, source }] : [],
  );
  const other = others.find(({ update }) => update.writeVersion > 0) ?? others[0];
  forgetStates(writes);
  if (other === undefined) return;
  const { update, source } = other;
  notified[source] = 0;
  writes.states = [{ update, first: source, atMs: last.atMs, tellers: 1 << source }];
}

/** Empties the states of the slot, so that the book takes none of it; what each source notified is kept. */
export function forgetStates(writes: SlotWrites): void {
  writes.notified.fill(-1);
  writes.states = [];
}

/**
 * Forgets what the sources of the mask `sources` notified of a slot; what those of the mask `held` notified does not replace it. Returns false
 * where nothing is left of the slot.
 */
export function forgetClaims(writes: SlotWrites, sources: number, held: number): boolean {
  takeOthersState(writes, sources, held);
  writes.claims.forEach((_, source) => {
    if ((sources & (1 << source)) === 0) return;
    writes.claims[source] = null;
    writes.notified[source] = -1;
  });
  return writes.states.length > 0 || writes.claims.some((claim) => claim !== null);
}

/** Bytes of all states, each counted once, and of what holds them. */
export function bytesOf({ states, claims }: SlotWrites): number {
  let bytes = LEDGER_ENTRY_BYTES;
  for (const { update } of states) bytes += update.data.length;
  claims.forEach((claim, source) => {
    if (claim === null || states.some(({ update }) => update === claim)) return;
    if (claims.indexOf(claim) === source) bytes += claim.data.length;
  });
  return bytes;
}

/** The writes of an account in a slot, made where there were none. */
export function findSlot(
  account: AccountWrites,
  slot: number,
  sourceCount: number,
): { readonly writes: SlotWrites; readonly isNew: boolean } {
  const { slots } = account;
  let at = slots.length;
  while (at > 0 && (slots[at - 1]?.slot ?? 0) > slot) at -= 1;
  const found = slots[at - 1];
  if (found?.slot === slot) return { writes: found, isNew: false };
  const none = new Array<number>(sourceCount).fill(-1);
  const claims = none.map(() => null);
  const writes = {
    account,
    slot,
    states: [],
    claims,
    versions: none,
    notified: [...none],
    bytes: 0,
  };
  slots.splice(at, 0, writes);
  return { writes, isNew: true };
}

/** What a ledger asks of a state that is new to it. */
export interface NewState {
  readonly source: number;
  readonly added: SourceUpdate;
  /** Whether a source that numbers writes has notified, or will, of all of the slot. */
  readonly isNumberedWhole: boolean;
}

/** Whether a new state of a trusted source is one of the slot's. */
export function canAdd(
  { states, notified, versions }: SlotWrites,
  { source, added, isNumberedWhole }: NewState,
): boolean {
  const isNumbered = added.writeVersion > 0;
  if (!isNumbered && isNumberedWhole && versions.some((version) => version > 0)) return false;
  // A source that is behind another one and notifies what that one did not is no news of the end of the slot.
  const at = notified[source] ?? -1;
  return !states.some(({ update }, index) => {
    const isOfNumbered = update.writeVersion > 0;
    return index > at && (isNumbered ? isOfNumbered : isNumberedWhole || !isOfNumbered);
  });
}

/**
 * Adds a state behind the last one that its source notified; of a full list it takes the last place. Returns whether it is the last one of the slot: what
 * a node notified of the end of the slot stays there, while a source that numbers writes is on its way to it.
 */
export function addBehind(
  { states, notified }: SlotWrites,
  { added, isFull }: { readonly added: NotifiedState; readonly isFull: boolean },
): boolean {
  const { first: source, update } = added;
  const behind = (notified[source] ?? -1) + 1;
  const isOnItsWay = update.writeVersion > 0 && behind < states.length;
  if (isFull && isOnItsWay) return false;
  if (isFull) states.pop();
  const at = isOnItsWay ? behind : states.length;
  notified.forEach((index, other) => {
    if (isOnItsWay && index >= at) notified[other] = index + 1;
  });
  states.splice(at, 0, added);
  notified[source] = at;
  return !isOnItsWay;
}

/** Changes what is kept of accounts; returns what that does to the book. */
export function changeAccounts(
  accounts: Iterable<AccountWrites>,
  change: (account: AccountWrites) => void,
): LedgerChanges {
  const [apply, lost]: [SourceUpdate[], SourceUpdate[]] = [[], []];
  for (const account of accounts) {
    const before = stateOf(account);
    change(account);
    const now = stateOf(account);
    if (now !== null && now !== before) apply.push(now);
    else if (now === null && before !== null) lost.push(before);
  }
  return { apply, lost };
}
