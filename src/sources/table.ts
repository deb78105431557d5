/** Renders the sources of a service as text, one row for each source. */
import type { ServiceStatus } from '../client/generated/service.js';
import { printable, tableLines } from '../contract/command-result.js';

type MergedSource = NonNullable<ServiceStatus['sources']>[number];

const HEAD = [
  'source',
  'state',
  'slot',
  'lag',
  'won',
  'lead ms',
  'misses',
  'disagreements',
  'reason',
];
/** Columns of text, aligned left; the other columns are numbers, aligned right. */
const WORDS: ReadonlySet<string> = new Set(['source', 'state', 'reason']);

/**
 * Returns the lines of the book's state and the table; a single line when the service merges no
 * sources.
 */
export function statusLines(status: ServiceStatus): readonly string[] {
  const { state, slot, reason, sources, node } = status;
  const head = `${state}, slot ${slot}${reason === null ? '' : `: ${printable(reason)}`}`;
  if (sources !== undefined) return [head, '', ...tableLines(HEAD, sources.map(rowOf), WORDS)];
  return [
    `${head}; it merges no sources${node === null ? '' : `, and follows ${printable(node)}`}`,
  ];
}

function rowOf(source: MergedSource): readonly string[] {
  const { wonShare, leadMs, reason } = source;
  return [
    printable(source.name),
    printable(source.state),
    `${source.slot}`,
    `${source.slotLag}`,
    wonShare === null ? '-' : `${(wonShare * 100).toFixed(1)} %`,
    leadMs === null ? '-' : leadMs.toFixed(1),
    `${source.misses}`,
    `${source.disagreements}`,
    reason === null ? '' : printable(reason),
  ];
}
