/** A followed book as text. */
import type { FollowedBook } from './followed-book.js';
import { DRAWN_ROWS_MAX } from './limits.js';
import type { Row } from './rows.js';

const PRICE_DECIMALS = 6;
const SIZE_DECIMALS = 9;

/** What is said above the rows. */
export interface Heading {
  readonly name: string;
  readonly phase: string;
  readonly frames: number;
  readonly broken: number;
}

/** One line for a moment of the book. */
export function lineOf(book: FollowedBook, { phase, frames, broken }: Heading): string {
  const time = timeOf(book.ts);
  const [bid] = book.bids.rows;
  const [ask] = book.asks.rows;
  const best = `bid ${rowText(bid)} ask ${rowText(ask)}`;
  const flags = book.crossed ? ' crossed' : '';
  const seq = book.point?.seq ?? '-';
  return `${time} ${phase} ${stateOf(book, phase)} slot ${book.slot} seq ${seq} ${best}${flags} frames ${frames} broken ${broken}`;
}

/** The top of the book, the asks above the bids. */
export function screenOf(book: FollowedBook, heading: Heading): string {
  const asks = book.asks.rows.slice(0, DRAWN_ROWS_MAX).reverse();
  const bids = book.bids.rows.slice(0, DRAWN_ROWS_MAX);
  const rows = [...asks, ...bids].map((row) => [price(row.price), size(row.size)] as const);
  const width = Math.max(...rows.flatMap((row) => row.map((text) => text.length)), 8);
  const drawn = rows.map(([left, right]) => `${left.padStart(width)}  ${right.padStart(width)}`);
  drawn.splice(asks.length, 0, '-'.repeat(2 * width + 2));
  return [
    `${heading.name}  ${heading.phase}  ${stateOf(book, heading.phase)}${book.crossed ? '  crossed' : ''}`,
    `slot ${book.slot}  seq ${book.point?.seq ?? '-'}  frames ${heading.frames}  broken ${heading.broken}`,
    ...drawn,
    '',
  ].join('\n');
}

/** Hours, minutes and seconds; a service may send numbers that are no date. */
function timeOf(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toISOString().slice(-13, -5);
}

/** What was live may be so no longer while nothing comes. */
function stateOf(book: FollowedBook, phase: string): string {
  return phase === 'following' ? book.state : 'old';
}

function rowText(row: Row | undefined): string {
  return row === undefined ? 'none' : `${price(row.price)} x ${size(row.size)}`;
}

function price(value: bigint): string {
  return decimal(value, PRICE_DECIMALS);
}

function size(value: bigint): string {
  return decimal(value, SIZE_DECIMALS);
}

/** Exact, without zeros at the end. */
function decimal(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  const whole = digits.slice(0, -decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
