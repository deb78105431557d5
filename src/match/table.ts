/**
 * Formats simulated fills as a table: a row for each level and source within 80 columns, or for each
 * fill with raw amounts; then the sums.
 */
import { BASE_DECIMALS, formatDecimal, QUOTE_DECIMALS } from '../client/amounts.js';
import type { MatchAnswer } from '../client/generated/books.js';
import { tableLines } from '../contract/command-result.js';

/** The part of the query that the table shows. */
interface WalkQuery {
  readonly side: string;
  readonly inQuote: boolean;
  readonly raw: boolean;
}

type Fill = MatchAnswer['fills'][number];

const LEVEL_HEAD = ['source', 'price', 'size', 'quote', 'fee', 'rebate', 'fills', 'maker'];
/** Shown characters of a key: enough to find it again. */
const KEY_CHARS = 8;

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

/** Returns the lines of the table. */
export function walkLines(walk: MatchAnswer, query: WalkQuery): readonly string[] {
  const { marketName, model, slot, state } = walk;
  const head = `${marketName} ${query.side}, model ${model}, slot ${slot}, ${state}`;
  const table = query.raw
    ? tableLines(HEAD, walk.fills.map(rowOf), WORDS)
    : tableLines(LEVEL_HEAD, levelsOf(walk.fills).map(levelRow), WORDS);
  const filled = walk.fills.length === 0 ? [] : [...table, ''];
  return [head, '', ...filled, ...sumsOf(walk, query)];
}

/** Groups fills by source and price, in their order. */
function levelsOf(fills: readonly Fill[]): readonly (readonly Fill[])[] {
  const levels = new Map<string, Fill[]>();
  for (const fill of fills) {
    const key = `${fill.source} ${fill.price}`;
    levels.set(key, [...(levels.get(key) ?? []), fill]);
  }
  return [...levels.values()];
}

function levelRow(fills: readonly Fill[]): readonly string[] {
  const sum = (amountOf: (fill: Fill) => bigint) =>
    fills.reduce((a, fill) => a + amountOf(fill), 0n);
  const quote = (raw: bigint) => formatDecimal(raw, QUOTE_DECIMALS);
  const [first] = fills;
  const makers = [...new Set(fills.flatMap(({ maker }) => maker ?? []))];
  const others = makers.length > 1 ? ` +${makers.length - 1}` : '';
  return [
    first?.source ?? '',
    quote(first?.price ?? 0n),
    formatDecimal(
      sum(({ size }) => size),
      BASE_DECIMALS,
    ),
    quote(sum((fill) => fill.quote)),
    quote(sum(({ takerFee }) => takerFee)),
    quote(sum(({ makerRebate }) => makerRebate)),
    String(fills.length),
    makers[0] === undefined ? '-' : `${makers[0].slice(0, KEY_CHARS)}${others}`,
  ];
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

function sumsOf(walk: MatchAnswer, { inQuote, raw: isRaw }: WalkQuery): readonly string[] {
  const amountText = (raw: bigint, decimals: number): string =>
    `${formatDecimal(raw, decimals)}${isRaw ? ` (${raw})` : ''}`;
  const quote = (raw: bigint) => amountText(raw, QUOTE_DECIMALS);
  const price = (raw: bigint | null) => (raw === null ? '-' : quote(raw));
  const { rests, reason } = walk;
  const lines = [
    ['filled base', amountText(walk.filledBase, BASE_DECIMALS)],
    ['filled quote', quote(walk.filledQuote)],
    ['average price', price(walk.averagePrice)],
    ['worst price', price(walk.worstPrice)],
    ['price impact', percentOf(walk.priceImpact, isRaw)],
    ['taker fee', quote(walk.takerFee)],
    ['unfilled', amountText(walk.unfilled, inQuote ? QUOTE_DECIMALS : BASE_DECIMALS)],
    ['rests', rests === null ? 'nothing' : restOf(rests, amountText, isRaw)],
  ];
  if (reason !== undefined) lines.push(['reason', reason]);
  return lines.map(([name = '', text]) => `${name.padEnd(13)}  ${text}`);
}

function restOf(
  { price, size, rebateRate }: NonNullable<MatchAnswer['rests']>,
  amountText: (raw: bigint, decimals: number) => string,
  isRaw: boolean,
): string {
  const where = `${amountText(size, BASE_DECIMALS)} at ${amountText(price, QUOTE_DECIMALS)}`;
  return `${where}, rebate ${percentOf(rebateRate, isRaw)} when filled`;
}

/** Converts a fraction to a percentage exactly, by moving the decimal point two places. */
function percentOf(fraction: string | null, isRaw: boolean): string {
  if (fraction === null) return '-';
  if (!/^-?\d+(\.\d+)?$/.test(fraction)) return fraction;
  const [whole = '0', decimals = ''] = fraction.split('.');
  return `${formatDecimal(BigInt(`${whole}${decimals}00`), decimals.length)} %${isRaw ? ` (${fraction})` : ''}`;
}
