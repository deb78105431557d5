/** A simulated order as a picture: its fills, stacked by source. */
import type { MatchAnswer } from '@slotbook/client';
import { wordsOf } from './format.js';
import { SEGMENTS_MAX } from './limits.js';

type Fill = MatchAnswer['fills'][number];

/**
 * Returns the reason why an order does not fill whole; undefined when it does. `smallest` is the
 * market's smallest order with its unit, and `step` the least amount that could fill, like `unfilled`.
 */
export function shortfallText(
  {
    reason,
    unfilled,
    filledBase,
  }: Pick<MatchAnswer, 'unfilled' | 'filledBase'> & { readonly reason?: string | undefined },
  smallest: string,
  step: bigint,
): string | undefined {
  if (reason === 'belowMinOrderSize') return `The smallest order of this market is ${smallest}`;
  if (reason !== undefined) return `Not filled: ${wordsOf(reason)}`;
  if (unfilled < step) return undefined;
  return filledBase === 0n
    ? 'The book has nothing to fill it'
    : 'The book has no more within its price';
}

/** Value of the initial order in quote: large enough to reach several levels. */
const FIRST_QUOTE = 10_000;

/** Returns a round size of about that value, as decimal text. */
export function firstSizeOf(price: number): string {
  return price > 0 ? String(Number((FIRST_QUOTE / price).toPrecision(1))) : '1';
}

/** Adjacent fills of one source, or all of them; raw amounts. */
export interface WalkShare {
  readonly source: Fill['source'];
  readonly size: bigint;
  readonly quote: bigint;
  readonly fills: number;
}

/** Returns the fills in order; when there are many, adjacent fills of one source are merged. */
export function segmentsOf(fills: readonly Fill[]): readonly WalkShare[] {
  if (fills.length <= SEGMENTS_MAX) return fills.map((fill) => addFill(undefined, fill));
  const joined: WalkShare[] = [];
  for (const fill of fills) {
    const isSame = joined.at(-1)?.source === fill.source;
    joined.push(addFill(isSame ? joined.pop() : undefined, fill));
  }
  return joined;
}

/** Returns the sums of each source of fills, in the order of their first fill. */
export function sharesOf(fills: readonly Fill[]): readonly WalkShare[] {
  const shares = new Map<Fill['source'], WalkShare>();
  for (const fill of fills) shares.set(fill.source, addFill(shares.get(fill.source), fill));
  return [...shares.values()];
}

function addFill(share: WalkShare | undefined, { source, ...fill }: Fill): WalkShare {
  const { size = 0n, quote = 0n, fills = 0 } = share ?? {};
  return { source, size: size + fill.size, quote: quote + fill.quote, fills: fills + 1 };
}
