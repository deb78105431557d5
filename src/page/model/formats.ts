/** The formats of one market's prices and sizes. */
import { BASE_DECIMALS, type MarketInfo, PRICE_DECIMALS, QUOTE_DECIMALS } from '@slotbook/client';
import { decimalsOf, formatFixed } from './format.js';
import { TEXTS_KEPT_MAX } from './limits.js';

/** Maximum decimals of a size, which the width of a ladder allows. */
const SIZE_DECIMALS_MAX = 4;

/** A raw quote amount from which on it is written without decimals. */
const QUOTE_WHOLE = 100_000_000n;

/** Amounts in base, or their value in quote. */
type Unit = 'base' | 'quote';

/** Formats of a market. */
export interface MarketFormats {
  readonly tick: bigint;
  /** Names of the units of sizes and prices. */
  readonly base: string;
  readonly quote: string;
  readonly priceDecimals: number;
  readonly formatPrice: (raw: bigint) => string;
  readonly formatSize: (raw: bigint) => string;
  /** Formats a raw quote amount: whole from 100 on. */
  readonly formatQuote: (raw: bigint) => string;
  /** Formats a price that is a number and not a raw integer. */
  readonly formatPriceNumber: (price: number) => string;
  /** Formats a raw base amount, or its value at a raw price. */
  readonly formatAmount: (unit: Unit, size: bigint, price: bigint) => string;
  /** Formats a base amount that is a number and not a raw integer. */
  readonly formatSizeNumber: (size: number) => string;
}

/** Returns the formats of a market, from its tick and step. */
export function formatsOf(market: MarketInfo): MarketFormats {
  const { tick, step, decimals, baseAsset: base, quoteAsset: quote } = market;
  const priceDecimals = decimalsOf(tick, PRICE_DECIMALS);
  const sizeDecimals = Math.min(SIZE_DECIMALS_MAX, Math.max(2, decimalsOf(step, decimals)));
  const formatPrice = keepTexts((raw) => formatFixed(raw, PRICE_DECIMALS, priceDecimals));
  const formatSize = keepTexts((raw) => formatFixed(raw, BASE_DECIMALS, sizeDecimals));
  const formatQuote = keepTexts((raw) =>
    formatFixed(raw, QUOTE_DECIMALS, raw < QUOTE_WHOLE ? 2 : 0),
  );
  return {
    tick,
    formatAmount: (unit, size, price) =>
      unit === 'base'
        ? formatSize(size)
        : formatQuote((size * price) / 10n ** BigInt(BASE_DECIMALS)),
    base,
    quote,
    priceDecimals,
    formatPrice,
    formatSize,
    formatQuote,
    formatSizeNumber: (size) => formatSize(BigInt(Math.round(size * 10 ** BASE_DECIMALS))),
    formatPriceNumber: (price) => formatPrice(BigInt(Math.round(price * 10 ** PRICE_DECIMALS))),
  };
}

/** Caches the texts, because successive frames contain mostly the same amounts. */
function keepTexts(format: (raw: bigint) => string): (raw: bigint) => string {
  const texts = new Map<bigint, string>();
  return (raw) => {
    const kept = texts.get(raw);
    if (kept !== undefined) return kept;
    if (texts.size >= TEXTS_KEPT_MAX) texts.clear();
    const text = format(raw);
    texts.set(raw, text);
    return text;
  };
}
