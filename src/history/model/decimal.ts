/** Raw integers written as decimals, digit by digit: no amount passes through a floating number. */

/** `value` divided by ten to the power of `places`, with as many digits as it needs: `150.667`, `-0.5`, `3`. */
export function decimal(value: bigint, places: number): string {
  const text = fixedDecimal(value, places);
  return places === 0 ? text : text.replace(/\.?0+$/, '');
}

/** The same with all `places`: `150.667000`. */
export function fixedDecimal(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const sign = value < 0n ? '-' : '';
  if (places === 0) return `${sign}${digits}`;
  const point = digits.length - places;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
