/** What candles take of a fill, and which fills they take. */
import type { Fill } from '../model/records.js';

/** A fill as candles count it. */
export interface CandleTrade {
  /** Unix seconds. */
  readonly ts: number;
  readonly fillRecordId: bigint;
  /** At 1e6. */
  readonly price: bigint;
  /** The oracle price in the record, at 1e6. */
  readonly oracle: bigint;
  /** At 1e9, in spot markets too. */
  readonly base: bigint;
  /** At 1e6. */
  readonly quote: bigint;
}

/** The explanation of a transfer between two accounts, at a price that they choose. */
const transferExplanation = 'transferPerpPosition';

/** Decimals that base amounts have in candles, volumes and bodies. */
export const BASE_DECIMALS = 9;

/**
 * The fill as candles count it; null for what is no trade. Liquidations are trades. A transfer of a
 * position is not: it prints at a chosen price. A fill of no size has no price, and one without
 * its number no place among the others.
 */
export function candleTrade(fill: Fill, decimals: number): CandleTrade | null {
  const { ts, fillRecordId, baseAssetAmountFilled, quoteAssetAmountFilled } = fill;
  if (fill.actionExplanation === transferExplanation) return null;
  if (fillRecordId === null || baseAssetAmountFilled === null) return null;
  const base = scaledBase(baseAssetAmountFilled, decimals);
  const quote = quoteAssetAmountFilled ?? 0n;
  if (base <= 0n || quote < 0n) return null;
  return {
    ts,
    fillRecordId,
    price: priceOf({ base, quote }),
    oracle: fill.oraclePrice,
    base,
    quote,
  };
}

/**
 * A base amount at 1e9, from one in `decimals`. What a token with more decimals has beyond the ninth
 * is cut off.
 */
export function scaledBase(amount: bigint, decimals: number): bigint {
  if (decimals <= BASE_DECIMALS) return amount * 10n ** BigInt(BASE_DECIMALS - decimals);
  return amount / 10n ** BigInt(decimals - BASE_DECIMALS);
}

/** Quote for one whole base, at 1e6 and rounded to the nearest, halves up. */
function priceOf({ base, quote }: { readonly base: bigint; readonly quote: bigint }): bigint {
  return (quote * 10n ** 9n * 2n + base) / (base * 2n);
}
