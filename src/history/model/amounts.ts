/** Scales base amounts of the history. */
import { BASE_PLACES } from '../../amounts/decimals.js';

/** Converts a base amount from `decimals` to 1e9, rounded down. */
export function scaledBase(amount: bigint, decimals: number): bigint {
  if (decimals <= BASE_PLACES) return amount * 10n ** BigInt(BASE_PLACES - decimals);
  return amount / 10n ** BigInt(decimals - BASE_PLACES);
}
