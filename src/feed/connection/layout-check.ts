import { createHash } from 'node:crypto';
import type { AccountSnapshot, LayoutSample } from '../../contract/accounts.js';
import { FeedError } from '../model/error.js';
import { LAYOUT_SAMPLES } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * Checks some users of a scan against rules that the program obeys. A program that was upgraded to
 * another layout breaks these rules, and its bytes, read by this layout, would result in a book of
 * plausible but wrong prices. Returns the users.
 *
 * # Errors
 * Throws LAYOUT_MISMATCH.
 */
export function requireLayout(
  { engine, programId }: FeedParts,
  users: AccountSnapshot,
): AccountSnapshot {
  for (const sample of engine.layoutSamples(users, LAYOUT_SAMPLES)) {
    const { pubkey } = sample;
    const contradiction =
      sample.contradiction ?? (isDerived(sample) ? null : 'its address is of another owner');
    if (contradiction === null) continue;
    const message = `user account ${pubkey} contradicts the layout of program ${programId}: ${contradiction}`;
    throw new FeedError('LAYOUT_MISMATCH', message, { pubkey, programId });
  }
  return users;
}

/** The last seed is the largest byte that gives a valid address. */
function isDerived({ address, seeds, end }: LayoutSample): boolean {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const bytes = Buffer.from(seeds + bump.toString(16).padStart(2, '0') + end, 'hex');
    if (createHash('sha256').update(bytes).digest('hex') === address) return true;
  }
  return false;
}
