/** Between the raw integers of the interface and what people read and write. */

/** Decimals of prices and of quote amounts. */
export const QUOTE_DECIMALS = 6;
/** Decimals of base sizes. */
export const BASE_DECIMALS = 9;

/** A raw integer in units, without the zeros at its end: 85013000 at 6 decimals is 85.013. */
export function inUnits(raw: string, decimals: number): string {
  const sign = raw.startsWith('-') ? '-' : '';
  const digits = raw.slice(sign.length).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The raw integer of a number with a point; any other text as it is. Undefined when it is too fine. */
export function rawOf(text: string, decimals: number): string | undefined {
  const parts = /^(-?)(\d*)\.(\d*)$/.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = ''] = parts;
  if (whole + fraction === '' || fraction.length > decimals) return undefined;
  const raw = `${whole}${fraction.padEnd(decimals, '0')}`.replace(/^0+(?=\d)/, '');
  return `${sign}${raw}`;
}
