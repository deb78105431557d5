/** The result of a shadow run: lines, an object, and a page without scripts. */
import { type CommandResult, tableLines } from '../contract/command-result.js';
import { LINES_MAX } from '../verify/limits.js';
import type { MarketPair, PolledSide, ShadowSide } from './market-pair.js';

/** Columns that are aligned left. */
const WORDS: ReadonlySet<string> = new Set(['measure']);

/** Returns the result of all markets after so many seconds, and its page. */
export function shadowReport(
  pairs: readonly MarketPair[],
  hosts: Readonly<Record<ShadowSide, string>>,
  seconds: number,
): CommandResult & { readonly html: string } {
  const sum = (key: keyof MarketPair['counts']) => pairs.reduce((a, b) => a + b.counts[key], 0);
  const [slotbook, other] = [sideFigures(pairs, 'slotbook'), sideFigures(pairs, 'other')];
  const found = pairs.flatMap((pair) => pair.listDifferences());
  const differences = found.slice(0, LINES_MAX);
  const body = {
    ...{ seconds, hosts, markets: pairs.map(({ symbol }) => symbol) },
    ...{ pairs: sum('pairs'), sameSlot: sum('sameSlot'), levels: sum('levels') },
    ...{ differing: sum('differing'), found: found.length, slotbook, other, differences },
  };
  const rows = figureRows(slotbook, other);
  const summary =
    `${hosts.slotbook} and ${hosts.other}, ${pairs.length} markets, ${seconds.toFixed(0)} s: ` +
    `${body.pairs} pairs of books, ${body.sameSlot} of one slot; ` +
    `${body.differing} of ${body.levels} levels differed, ${body.found} for seconds`;
  const texts = differences.map(differenceText);
  if (found.length > LINES_MAX) texts.push(`and ${found.length - LINES_MAX} more`);
  const head = ['measure', 'slotbook', 'other'];
  const lines = [summary, '', ...tableLines(head, rows, WORDS), '', ...texts];
  return { lines, body, html: htmlPage(summary, [head, ...rows], texts) };
}

/** A row for each figure, with those of both sides. */
function figureRows(slotbook: object, other: object): string[][] {
  const others = new Map<string, unknown>(Object.entries(other));
  return Object.entries(slotbook).map(([key, figure]) => [
    key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...[figure, others.get(key)].map((value) => String(value ?? '-')),
  ]);
}

function differenceText(one: ReturnType<MarketPair['listDifferences']>[number]): string {
  const [own, other, chain] = [one.slotbook, one.other, one.chain].map((size) => size ?? 'none');
  return `${one.market} ${one.level}: slotbook ${own}, other ${other}, chain ${chain}, right: ${one.right}`;
}

function sideFigures(pairs: readonly MarketPair[], side: ShadowSide) {
  const sum = (of: (one: PolledSide) => number) => pairs.reduce((a, b) => a + of(b.sides[side]), 0);
  const leads = pairs.flatMap(({ sides }) => sides[side].leads).sort((a, b) => a - b);
  const leadAt = (share: number) => leads[Math.ceil(share * leads.length) - 1] ?? null;
  return {
    requests: sum(({ requests }) => requests),
    failedOrNotLive: sum(({ failed }) => failed),
    bytesOfBodies: sum(({ bytes }) => bytes),
    staleMinutes: Number((sum(({ staleMs }) => staleMs) / 60_000).toFixed(1)),
    changesFirst: leads.length,
    msEarlierMedian: leadAt(0.5),
    msEarlierP90: leadAt(0.9),
    booksJudged: sum(({ judged }) => judged),
    levelsWrong: sum(({ judged }) => judged) === 0 ? null : sum(({ wrong }) => wrong.size),
  };
}

const STYLE = 'body{font:16px system-ui;margin:2rem;color-scheme:light dark}td{padding:0 1rem}';

function htmlPage(summary: string, rows: readonly string[][], texts: readonly string[]): string {
  const escaped = (tag: string) => (text: string) =>
    `<${tag}>${text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</${tag}>`;
  return [
    `<!doctype html><meta charset="utf-8"><title>slotbook shadow</title><style>${STYLE}</style>`,
    `<h1>slotbook shadow</h1>${escaped('p')(summary)}<table>`,
    ...rows.map((cells) => `<tr>${cells.map(escaped('td')).join('')}</tr>`),
    ...['</table><ol>', ...texts.map(escaped('li')), '</ol>\n'],
  ].join('\n');
}
