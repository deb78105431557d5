/**
 * The fees of a fill in the first tier of the chain's State account; no account has traded enough
 * for another tier. Amounts are quote at 1e6.
 *
 * Source: programs/drift/src/math/fees.rs.
 */

/**
 * Fees in hundred-thousandths of the quote: the taker pays ten basis points, of which the maker
 * gets two.
 */
const TAKER_FEE = 100n;
const MAKER_REBATE = 20n;
const QUOTE_PARTS = 100_000n;
/** Divisor of the fee for the filler's share: a tenth, at most a cent for a recent order. */
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
