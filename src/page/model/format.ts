/** Formats numbers for display: grouped digits, and the decimals of a market's steps. */
import { momentText, type Zone } from './moments.js';

/**
 * Returns the number of decimals of a step, in a unit of `unitDecimals` decimals: 4 for a tick of
 * 100 at 1e6.
 */
export function decimalsOf(step: bigint, unitDecimals: number): number {
  let rest = step;
  let decimals = unitDecimals;
  while (decimals > 0 && rest > 0n && rest % 10n === 0n) {
    rest /= 10n;
    decimals -= 1;
  }
  return decimals;
}

/** Formats a raw integer with fixed decimals, rounded to the nearest, with grouped thousands. */
export function formatFixed(raw: bigint, unitDecimals: number, shown: number): string {
  const digits = roundedDigits(raw < 0n ? -raw : raw, Math.max(0, unitDecimals - shown));
  const padded = digits.padStart(shown + 1, '0');
  const whole = groupThousands(padded.slice(0, padded.length - shown));
  const sign = raw < 0n ? '-' : '';
  return shown === 0 ? sign + whole : `${sign}${whole}.${padded.slice(padded.length - shown)}`;
}

/**
 * Drops the last digits of an amount, rounded to the nearest. Doubles take a third of the time, and
 * a frame has hundreds of amounts.
 */
function roundedDigits(absolute: bigint, dropped: number): string {
  // Half of the exact integer range of a double: below it, the sum with half a step and its
  // quotient are exact.
  if (absolute < HALF_OF_EXACT) {
    const step = 10 ** dropped;
    return String(Math.floor((Number(absolute) + step / 2) / step));
  }
  const step = 10n ** BigInt(dropped);
  return ((absolute + step / 2n) / step).toString();
}

const HALF_OF_EXACT = 2n ** 52n;

function groupThousands(digits: string): string {
  let end = digits.length;
  let grouped = '';
  for (; end > 3; end -= 3) grouped = `,${digits.slice(end - 3, end)}${grouped}`;
  return digits.slice(0, end) + grouped;
}

/** Formats the nearest integer with grouped thousands; toLocaleString takes twenty times as long. */
export function formatWhole(value: number): string {
  return formatFixed(BigInt(Math.round(value)), 0, 0);
}

const SCALES: readonly (readonly [least: number, suffix: string])[] = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e4, 'K'],
];

/** Formats a number in about four digits: `1.23M`. */
export function formatCompact(value: number): string {
  const [least, suffix] = SCALES.find(([from]) => Math.abs(value) >= from) ?? [1, ''];
  const scale = suffix === 'K' ? 1e3 : least;
  const scaled = value / scale;
  const decimals = Math.abs(scaled) >= 100 ? 1 : 2;
  return scaled.toFixed(decimals).replace(/\B(?=(\d{3})+(?=\.|$))/g, ',') + suffix;
}

/** Formats a fraction in percent with its sign: `+0.12%`. */
export function formatPercent(fraction: number, decimals: number): string {
  const text = (fraction * 100).toFixed(decimals);
  const isZero = Number(text) === 0;
  return `${fraction > 0 && !isZero ? '+' : ''}${isZero ? (0).toFixed(decimals) : text}%`;
}

/** Milliseconds for people: `0.42`, `12.3`, `1,204`. */
export function formatMs(ms: number): string {
  if (ms < 10) return ms.toFixed(2);
  return ms < 100 ? ms.toFixed(1) : formatWhole(ms);
}

/** Bytes a second: `12.3 kB/s`. */
export function formatBytesPerSecond(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B/s`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB/s` : `${(bytes / 1e6).toFixed(2)} MB/s`;
}

/** The time of day: `12:03:04`. */
export function formatTime(unixMs: number, zone?: Zone): string {
  return momentText(unixMs, zone).slice(11, 19);
}

/** Formats a duration: `8 s`, `2 min 8 s`, `3 h 12 min`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Splits a camelCase name into words: `inAuction` becomes `in auction`. */
export function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Shortens a key to its ends: `FSXR…j4pXq`. */
export function shortKey(key: string): string {
  return key.length <= 11 ? key : `${key.slice(0, 4)}…${key.slice(-4)}`;
}

/** Returns the name of the graphics device, without driver and interface. */
export function shortRenderer(name: string): string {
  const [program] = /SwiftShader|llvmpipe/.exec(name) ?? [];
  const [, device] =
    /^ANGLE \([^,]*, (?:ANGLE \w+ Renderer: )?(.*?)(?: \(| Direct3D|,|\)$)/.exec(name) ?? [];
  return program ?? device ?? name;
}
