/** Renders a followed book as text. */
import {
  BASE_DECIMALS,
  formatBase,
  formatDecimal,
  formatPrice,
  QUOTE_DECIMALS,
} from '../client/amounts.js';
import type { Best, BookView } from '../client/stream/topic.js';
import { isCrossed } from './follower.js';
import { DRAWN_ROWS_MAX } from './limits.js';

/** The lines above the rows. */
export interface Heading {
  readonly name: string;
  readonly phase: string;
  readonly frames: number;
  readonly broken: number;
}

/** Returns a line about the state of the book. */
export function lineOf(view: BookView<Best>, { phase, frames, broken }: Heading): string {
  const { slot, seq, bids, asks, ts } = view;
  const best = `bid ${rowText(bids[0])} ask ${rowText(asks[0])}`;
  const flags = isCrossed(view) ? ' crossed' : '';
  return `${timeOf(ts)} ${phase} ${stateOf(view, phase)} slot ${slot} seq ${seq} ${best}${flags} frames ${frames} broken ${broken}`;
}

/** Returns the top of the book as text, asks above bids. */
export function screenOf(view: BookView<Best> | undefined, heading: Heading): string {
  const asks = view?.asks.slice(0, DRAWN_ROWS_MAX).reverse() ?? [];
  const bids = view?.bids.slice(0, DRAWN_ROWS_MAX) ?? [];
  const drawn = [
    ...sideLines(asks, RED),
    spreadLine(asks.at(-1), bids[0]),
    ...sideLines(bids, GREEN),
  ];
  const { name, phase, frames, broken } = heading;
  const crossed = view !== undefined && isCrossed(view) ? '  crossed' : '';
  return [
    `${name}  ${phase}  ${stateOf(view, phase)}${crossed}`,
    `slot ${view?.slot ?? 0}  seq ${view?.seq ?? '-'}  frames ${frames}  ${brokenText(broken)}`,
    '',
    ...drawn,
    '',
    `shown: ${totalText(asks)} offered, ${totalText(bids)} bid`,
    '',
  ].join('\n');
}

const RED = 31;
const GREEN = 32;
const WIDTH = 14;
/** Characters of the longest bar. */
const BAR_CHARS = 30;

function paint(code: number, text: string): string {
  return `\x1b[${code}m${text}\x1b[0m`;
}

/** Returns the rows of a side: price, size, and a bar in proportion to the largest size. */
function sideLines(rows: readonly Best[], color: number): readonly string[] {
  let largest = 1n;
  for (const { size } of rows) if (size > largest) largest = size;
  return rows.map(({ price, size }) => {
    const bar = '█'.repeat(Math.max(1, Number((size * BigInt(BAR_CHARS)) / largest)));
    const cells = `${paint(color, formatPrice(price).padStart(WIDTH))}  ${formatBase(size).padStart(WIDTH)}`;
    return `${cells}  ${paint(color, bar)}`;
  });
}

function spreadLine(ask: Best | undefined, bid: Best | undefined): string {
  if (ask === undefined || bid === undefined) return 'spread  none'.padStart(2 * WIDTH);
  const spread = ask.price - bid.price;
  const bps = (Number(spread) * 20_000) / Number(ask.price + bid.price);
  return `${'spread'.padStart(WIDTH)}  ${formatDecimal(spread, QUOTE_DECIMALS).padStart(WIDTH)}  ${bps.toFixed(2)} bps`;
}

function totalText(rows: readonly Best[]): string {
  return formatDecimal(
    rows.reduce((sum, { size }) => sum + size, 0n as bigint),
    BASE_DECIMALS,
  );
}

function brokenText(broken: number): string {
  return broken === 0 ? 'broken 0' : paint(RED, `broken ${broken}`);
}

/** Formats hours, minutes and seconds; a service may send an invalid time. */
function timeOf(ts: number): string {
  const date = new Date(ts);
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toISOString().slice(-13, -5);
}

/** Returns the state; a book that is no longer followed may not be live any more. */
function stateOf(view: BookView<Best> | undefined, phase: string): string {
  return phase === 'following' && view !== undefined ? view.state : 'old';
}

function rowText(row: Best | undefined): string {
  return row === undefined ? 'none' : `${formatPrice(row.price)} x ${formatBase(row.size)}`;
}
