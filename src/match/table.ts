/** A walk for people: a row a fill, then what the fills come to. */
import { BASE_DECIMALS, inUnits, QUOTE_DECIMALS } from './decimal.js';
import type { Walk, WalkFill } from './walk.js';

/** What was asked for, as far as the table repeats it. */
export interface Asked {
  readonly side: string;
  /** Whether the amount was one of quote. */
  readonly inQuote: boolean;
}

const HEAD = [
  ...['#', 'source', 'price', 'raw', 'size', 'raw', 'quote', 'raw', 'fee', 'raw', 'rebate', 'raw'],
  ...['order', 'maker'],
];

/** Columns of words; the others are numbers, which end below each other. */
const WORDS: ReadonlySet<string> = new Set(['source', 'maker']);

/** The lines of a walk: each amount in units, and raw beside it. */
export function walkLines(walk: Walk, asked: Asked): readonly string[] {
  const { marketName, model, slot, state } = walk;
  const head = `${marketName} ${asked.side}, model ${model}, slot ${slot}, ${state}`;
  return [head, '', ...tableOf(walk.fills), ...sumsOf(walk, asked)];
}

function tableOf(fills: readonly WalkFill[]): readonly string[] {
  if (fills.length === 0) return [];
  const rows = [HEAD, ...fills.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, at) => padded(cell, widths[at] ?? 0, HEAD[at] ?? '')).join('  '),
  );
  return [...lines.map((line) => line.trimEnd()), ''];
}

function padded(cell: string, width: number, column: string): string {
  return WORDS.has(column) ? cell.padEnd(width) : cell.padStart(width);
}

function rowOf(fill: WalkFill, index: number): readonly string[] {
  const both = (raw: string, decimals: number) => [inUnits(raw, decimals), raw];
  return [
    ...[String(index + 1), fill.source],
    ...both(fill.price, QUOTE_DECIMALS),
    ...both(fill.size, BASE_DECIMALS),
    ...both(fill.quote, QUOTE_DECIMALS),
    ...both(fill.takerFee, QUOTE_DECIMALS),
    ...both(fill.makerRebate, QUOTE_DECIMALS),
    ...[fill.orderId === null ? '-' : String(fill.orderId), fill.maker ?? '-'],
  ];
}

function sumsOf(walk: Walk, { inQuote }: Asked): readonly string[] {
  const quote = (raw: string) => amount(raw, QUOTE_DECIMALS);
  const price = (raw: string | null) => (raw === null ? '-' : quote(raw));
  const { rests, reason } = walk;
  const lines = [
    ['filled base', amount(walk.filledBase, BASE_DECIMALS)],
    ['filled quote', quote(walk.filledQuote)],
    ['average price', price(walk.averagePrice)],
    ['worst price', price(walk.worstPrice)],
    ['price impact', percentOf(walk.priceImpact)],
    ['taker fee', quote(walk.takerFee)],
    ['unfilled', amount(walk.unfilled, inQuote ? QUOTE_DECIMALS : BASE_DECIMALS)],
    ['rests', rests === null ? 'nothing' : restOf(rests)],
  ];
  if (reason !== undefined) lines.push(['reason', reason]);
  return lines.map(([name = '', text]) => `${name.padEnd(13)}  ${text}`);
}

function restOf({ price, size, rebateRate }: NonNullable<Walk['rests']>): string {
  const where = `${amount(size, BASE_DECIMALS)} at ${amount(price, QUOTE_DECIMALS)}`;
  return `${where}, rebate ${percentOf(rebateRate)} when filled`;
}

/** A fraction as a percentage, exactly: the point moves by two places. */
function percentOf(fraction: string | null): string {
  if (fraction === null) return '-';
  const [whole = '0', decimals = ''] = fraction.split('.');
  return `${inUnits(`${whole}${decimals}00`, decimals.length)} % (${fraction})`;
}

function amount(raw: string, decimals: number): string {
  return `${inUnits(raw, decimals)} (${raw})`;
}
