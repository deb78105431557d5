/** Formats simulated fills as a table: a row for each fill, then the sums. */
import { BASE_DECIMALS, formatDecimal, QUOTE_DECIMALS } from '../client/amounts.js';
import type { MatchAnswer } from '../client/generated/books.js';

/** The part of the query that the table shows. */
interface WalkQuery {
  readonly side: string;
  readonly inQuote: boolean;
}

type Fill = MatchAnswer['fills'][number];

const HEAD = [
  '#',
  'source',
  'price',
  'raw',
  'size',
  'raw',
  'quote',
  'raw',
  'fee',
  'raw',
  'rebate',
  'raw',
  'order',
  'maker',
];

/** Columns of words, which are aligned left; other columns are numbers, aligned right. */
const WORDS: ReadonlySet<string> = new Set(['source', 'maker']);

/** Returns the lines of the table: each amount in units, with its raw value. */
export function walkLines(walk: MatchAnswer, query: WalkQuery): readonly string[] {
  const { marketName, model, slot, state } = walk;
  const head = `${marketName} ${query.side}, model ${model}, slot ${slot}, ${state}`;
  return [head, '', ...tableOf(walk.fills), ...sumsOf(walk, query)];
}

function tableOf(fills: readonly Fill[]): readonly string[] {
  if (fills.length === 0) return [];
  const rows = [HEAD, ...fills.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, at) => padCell(cell, widths[at] ?? 0, HEAD[at] ?? '')).join('  '),
  );
  return [...lines.map((line) => line.trimEnd()), ''];
}

function padCell(cell: string, width: number, column: string): string {
  return WORDS.has(column) ? cell.padEnd(width) : cell.padStart(width);
}

function rowOf(fill: Fill, index: number): readonly string[] {
  const both = (raw: bigint, decimals: number) => [formatDecimal(raw, decimals), `${raw}`];
  return [
    String(index + 1),
    fill.source,
    ...both(fill.price, QUOTE_DECIMALS),
    ...both(fill.size, BASE_DECIMALS),
    ...both(fill.quote, QUOTE_DECIMALS),
    ...both(fill.takerFee, QUOTE_DECIMALS),
    ...both(fill.makerRebate, QUOTE_DECIMALS),
    fill.orderId === null ? '-' : String(fill.orderId),
    fill.maker ?? '-',
  ];
}

function sumsOf(walk: MatchAnswer, { inQuote }: WalkQuery): readonly string[] {
  const quote = (raw: bigint) => amountText(raw, QUOTE_DECIMALS);
  const price = (raw: bigint | null) => (raw === null ? '-' : quote(raw));
  const { rests, reason } = walk;
  const lines = [
    ['filled base', amountText(walk.filledBase, BASE_DECIMALS)],
    ['filled quote', quote(walk.filledQuote)],
    ['average price', price(walk.averagePrice)],
    ['worst price', price(walk.worstPrice)],
    ['price impact', percentOf(walk.priceImpact)],
    ['taker fee', quote(walk.takerFee)],
    ['unfilled', amountText(walk.unfilled, inQuote ? QUOTE_DECIMALS : BASE_DECIMALS)],
    ['rests', rests === null ? 'nothing' : restOf(rests)],
  ];
  if (reason !== undefined) lines.push(['reason', reason]);
  return lines.map(([name = '', text]) => `${name.padEnd(13)}  ${text}`);
}

function restOf({ price, size, rebateRate }: NonNullable<MatchAnswer['rests']>): string {
  const where = `${amountText(size, BASE_DECIMALS)} at ${amountText(price, QUOTE_DECIMALS)}`;
  return `${where}, rebate ${percentOf(rebateRate)} when filled`;
}

/** Converts a fraction to a percentage exactly, by moving the decimal point two places. */
function percentOf(fraction: string | null): string {
  if (fraction === null) return '-';
  if (!/^-?\d+(\.\d+)?$/.test(fraction)) return fraction;
  const [whole = '0', decimals = ''] = fraction.split('.');
  return `${formatDecimal(BigInt(`${whole}${decimals}00`), decimals.length)} % (${fraction})`;
}

function amountText(raw: bigint, decimals: number): string {
  return `${formatDecimal(raw, decimals)} (${raw})`;
}
