/**
 * The fees of a fill, by the first tier of the chain's State account; no account has traded enough
 * for another. Amounts are quote at 1e6.
 *
 * Source: programs/drift/src/math/fees.rs.
 */

/** Parts of the quote in a hundred thousand: ten basis points, of which the maker gets two. */
const TAKER_FEE = 100n;
const MAKER_REBATE = 20n;
const QUOTE_PARTS = 100_000n;
/** The filler gets a tenth of the fee, at most a cent for an order of the last slots. */
const FILLER_PART = 10n;
const FILLER_REWARD_MAX = 10_000n;

/** The taker's fee, rounded up. */
export function takerFee(quote: bigint): bigint {
  return (quote * TAKER_FEE + QUOTE_PARTS - 1n) / QUOTE_PARTS;
}

/** The maker's rebate, rounded down. */
export function makerRebate(quote: bigint): bigint {
  return (quote * MAKER_REBATE) / QUOTE_PARTS;
}

/** The filler's part of a taker's fee. */
export function fillerReward(fee: bigint): bigint {
  const part = fee / FILLER_PART;
  return part < FILLER_REWARD_MAX ? part : FILLER_REWARD_MAX;
}
