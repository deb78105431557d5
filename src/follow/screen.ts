/** Renders a followed book as text. */
import { formatBase, formatPrice } from '../client/amounts.js';
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
  const rows = [...asks, ...bids].map(({ price, size }) => [formatPrice(price), formatBase(size)]);
  const width = Math.max(...rows.flatMap((row) => row.map((text) => text.length)), 8);
  const drawn = rows.map((row) => row.map((text) => text.padStart(width)).join('  '));
  drawn.splice(asks.length, 0, '-'.repeat(2 * width + 2));
  const { name, phase, frames, broken } = heading;
  const crossed = view !== undefined && isCrossed(view) ? '  crossed' : '';
  return [
    `${name}  ${phase}  ${stateOf(view, phase)}${crossed}`,
    `slot ${view?.slot ?? 0}  seq ${view?.seq ?? '-'}  frames ${frames}  broken ${broken}`,
    ...drawn,
    '',
  ].join('\n');
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
