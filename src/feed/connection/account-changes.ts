/** Applies account changes to the book and to the feed's memory of it. */
import { type AccountUpdate, closedAccount } from '../model/account-update.js';
import type { FeedParts } from './parts.js';

/** Passes one account state to the engine, or to the clock. */
export function applyUpdate(parts: FeedParts, update: AccountUpdate): void {
  const { kind, pubkey, slot, data } = update;
  if (kind === 'clock') parts.clock.readAccount(data);
  else if (update.closed) closeAccount(parts, pubkey, slot);
  else {
    if (kind !== 'user') parts.memory.texts.set(pubkey, data);
    if (kind === 'state') parts.memory.state = pubkey;
    parts.engine.push(update);
  }
}

/** Removes an account from the book. */
export function closeAccount({ engine, memory }: FeedParts, pubkey: string, slot: number): void {
  memory.texts.delete(pubkey);
  if (memory.state === pubkey) memory.state = null;
  engine.pushClosed(pubkey, slot);
}

/** Returns whether the book lacks this user, market or State. */
export function isNewToBook(
  { engine, memory }: FeedParts,
  { kind, pubkey }: AccountUpdate,
): boolean {
  if (kind === 'user') return !engine.hasUser(pubkey);
  return kind !== 'oracle' && kind !== 'clock' && !memory.texts.has(pubkey);
}

/** Removes an account that does not exist on the chain as of this slot. */
export function letGo(parts: FeedParts, pubkey: string, slot: number): void {
  const { memory, updates } = parts;
  const kind = memory.texts.has(pubkey) ? 'oracle' : 'user';
  updates.recordAbsence?.(closedAccount({ kind, pubkey, slot }));
  memory.markets = new Set([...memory.markets].filter((market) => market !== pubkey));
  closeAccount(parts, pubkey, slot);
}
