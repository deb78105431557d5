import type { MarketKey, MarketType } from '../model/records.js';

/** A market as one small integer: twice its index, and one more for spot. */
export function marketCode(key: MarketKey): number {
  const [type, index] = key.split('_');
  return codeOf(type === 'spot' ? 'spot' : 'perp', Number(index));
}

/** The same from its parts. */
export function codeOf(marketType: MarketType, marketIndex: number): number {
  return marketIndex * 2 + (marketType === 'spot' ? 1 : 0);
}

/** Whether a code is that of a perp or of a spot market. */
export function marketTypeOf(code: number): MarketType {
  return code % 2 === 1 ? 'spot' : 'perp';
}

/** The index of a code's market. */
export function marketIndexOf(code: number): number {
  return Math.floor(code / 2);
}

/** The key of a code. */
export function marketKeyOfCode(code: number): MarketKey {
  return `${marketTypeOf(code)}_${marketIndexOf(code)}`;
}
